"""What of a strategy cannot be shown for sure, and why."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum

from outplay.predicates.predicate_system import Evidence
from outplay.predicates.system_model import MachineStep
from outplay.predicates.touring.witnessing import Pursuit
from outplay.predicates.unfolding.overestimating import possible_witnesses
from outplay.predicates.unfolding.sheaf_graph import SheafGraph
from outplay.predicates.unfolding.unfolding_limits import LargeUnfolding
from outplay.predicates.unfolding.unfoldings import unfolding
from outplay.strategy.deadline import NEVER, Deadline


class Reason(Enum):
    """Why something cannot be shown for sure."""

    LEFT_OUT = "no test may meet the transition: there is no safe way there and back to the root"
    NO_TOUR = "no tour from the root and back shows it"
    NO_TEST = "some run shows it, but no inputs that surely lead back to the root have such a run"
    CHOICE = "whether it is shown is the system's choice, and it may choose what shows nothing that is wanted"
    WEAKER = "whether it is shown is the system's choice; one of several is pursued in its place"
    UNSEEN = "the unfolding was too large to see whether a test surely shows it"
    PARTS = "not all of it comes together; as much as does is pursued"


@dataclass(frozen=True)
class Unwitnessed:
    """Something wanted that no test is predicted to show, and why."""

    evidence: Evidence
    reason: Reason


def unwitnessed(graph: SheafGraph, pursuit: Pursuit, until: Deadline = NEVER) -> tuple[Unwitnessed, ...]:
    """All that is wanted and is no goal of its own, with the reason; where time is up, what is known of it by then."""
    weakened = [Unwitnessed(one, _weak(graph, one)) for one in pursuit.weakened]
    if not pursuit.hopeless:
        return tuple(weakened)
    tested, toured = _shown(graph), _toured(graph, until)
    left_out = frozenset(graph.model.left_out)
    hopeless = []
    for one in pursuit.hopeless:
        if _step(one.subject) in left_out:
            reason = Reason.LEFT_OUT
        elif toured is None or (graph.rounded and one.subject in toured):
            reason = Reason.UNSEEN
        elif one.subject in tested:
            reason = Reason.CHOICE
        else:
            reason = Reason.NO_TEST if one.subject in toured else Reason.NO_TOUR
        hopeless.append(Unwitnessed(one, reason))
    return (*weakened, *hopeless)


def _weak(graph: SheafGraph, wanted: Evidence) -> Reason:
    if graph.rounded:
        return Reason.UNSEEN
    shown = [one for one in _all_evidence(graph) if one.subject == wanted.subject]
    return Reason.WEAKER if any(one.implies(wanted) for one in shown) else Reason.PARTS


def _shown(graph: SheafGraph) -> set[Hashable]:
    return {one.subject for one in _all_evidence(graph)}


def _toured(graph: SheafGraph, until: Deadline) -> set[Hashable] | None:
    """What some tour shows something of; of an unfolding that says too little, what one may show at the very most.

    None where there are too many tours to see it in time.
    """
    model, system = graph.model, graph.system
    subjects = [one.subject for one in system.wanted]
    try:
        if not graph.rounded:
            return _shown(unfolding(model, system, until=until))
        if not system.monotone:
            return set(subjects)
        found = possible_witnesses(model, system, [[Evidence(subject)] for subject in subjects], until)
    except LargeUnfolding:
        return None
    return {subject for subject, steps in zip(subjects, found, strict=True) if steps}


def _all_evidence(graph: SheafGraph) -> set[Evidence]:
    parts = {part for edge in graph.edges for run in edge.runs for part in run}
    return {one for part in parts for one in graph.system.evidence(part)}


def _step(subject: Hashable) -> Hashable:
    """The transition that a subject is about, where it is about one."""
    return subject if isinstance(subject, MachineStep) else getattr(subject, "step", None)
