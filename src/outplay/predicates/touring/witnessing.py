"""What the edges of a sheaf graph show, and which goals a tour through it pursues.

What is wanted and can surely be shown by an edge is a goal of its own. For the rest weaker goals are pursued
(Kapus-Kolar 2007, 5 and 7.4): where the system chooses among runs, an edge surely shows that one of them happened, each
with its own evidence, so the goal is any of these sets of evidence; where not all parts of what is wanted come
together, it is as many as do. Of such goals only the strongest are kept, and none that follows from what is pursued
anyway.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from outplay.groups import grouped
from outplay.predicates.predicate_system import Evidence, Predicates
from outplay.predicates.touring.prediction import Expecting, Prediction
from outplay.predicates.unfolding.sheaf_graph import Run, SheafEdge, SheafGraph
from outplay.predicates.unfolding.unfolding_limits import look_at
from outplay.strategy.deadline import NEVER, Deadline

Clauses: TypeAlias = frozenset[frozenset[Evidence]]
"""Sets of evidence of which one is enough."""
Shown: TypeAlias = dict[Hashable, list[Predicates]]
"""For each subject the sets of parts that are shown of it, each at one step."""


@dataclass(frozen=True)
class Pursued:
    """A goal of the tour: some evidence, the edges that are predicted to show it, and what of the wanted it is for."""

    clauses: Clauses
    edges: frozenset[int]
    wanted: tuple[Evidence, ...]

    @property
    def sure(self) -> bool:
        """Whether it is what is wanted itself, and no weaker goal in its place."""
        return self.clauses == frozenset([frozenset(self.wanted)])


@dataclass(frozen=True)
class Pursuit:
    """The goals of a tour, and what of the wanted no edge shows anything of."""

    goals: tuple[Pursued, ...]
    hopeless: tuple[Evidence, ...]

    @property
    def weakened(self) -> tuple[Evidence, ...]:
        """What is wanted and pursued only by weaker goals."""
        return tuple(dict.fromkeys(one for goal in self.goals if not goal.sure for one in goal.wanted))


class Witnesses:
    """Evidence of the edges of a graph."""

    def __init__(self, graph: SheafGraph, prediction: Prediction, until: Deadline = NEVER) -> None:
        self.graph, self.prediction, self._until = graph, prediction, until
        self._step_shows = lru_cache(maxsize=None)(graph.system.evidence)
        self._known: dict[SheafEdge, list[Shown]] = {}

    def evidence(self, run: Run) -> frozenset[Evidence]:
        """All that the steps of a run show."""
        if len(run) == 1:
            return self._step_shows(run[0])
        return frozenset().union(*(self._step_shows(part) for part in run))

    def shown(self, edge: SheafEdge) -> list[Shown]:
        """What each run of an edge shows, in the order of its runs."""
        if edge not in self._known:
            self._known[edge] = [by_subject(self.evidence(run)) for run in edge.runs]
        return self._known[edge]

    def shows(self, edge: SheafEdge, clauses: Clauses) -> bool:
        """Whether an edge is predicted to show one of several sets of evidence."""
        each = (any(_enough(shown, clause) for clause in clauses) for shown in self.shown(edge))
        return self.prediction.shown(self.graph.model, edge.runs, each)

    def surely_shown(self, edge: SheafEdge) -> set[Evidence]:
        """What is wanted and predicted to be shown by an edge."""
        if self._certain(edge):
            (run,) = edge.runs
            found = self.evidence(run)
            return self._plain & (found if not any(one.parts for one in found) else {Evidence(s) for s, _ in found})
        wanted = {one for shown in self.shown(edge) for subject in shown for one in self._wanted.get(subject, ())}
        if self._unpredicted(edge):
            (shown,) = self.shown(edge)
            return {one for one in wanted if _enough(shown, (one,))}
        return {one for one in wanted if self.shows(edge, single(one))}

    def _unpredicted(self, edge: SheafEdge) -> bool:
        """Whether there is nothing to predict."""
        return len(edge.runs) == 1 and self.prediction.evidence is not Expecting.MEAN

    def _certain(self, edge: SheafEdge) -> bool:
        """Whether it shows what is wanted or says nothing of it."""
        return bool(self._plain) and self._unpredicted(edge)

    @cached_property
    def _plain(self) -> set[Evidence]:
        """What is wanted, where nothing of it has parts."""
        wanted = self.graph.system.wanted
        return set() if any(one.parts for one in wanted) else set(wanted)

    @cached_property
    def _wanted(self) -> dict[Hashable, list[Evidence]]:
        return grouped((one.subject, one) for one in self.graph.system.wanted)

    def pursuit(self) -> Pursuit:
        """The goals of a tour through the graph."""
        sure: dict[Evidence, list[int]] = {one: [] for one in self.graph.system.wanted}
        for number, edge in enumerate(self.graph.edges):
            look_at(self._until, number)
            for one in self.surely_shown(edge):
                sure[one].append(number)
        goals = []
        for number, (one, found) in enumerate(sure.items()):
            look_at(self._until, number)
            if found:
                goals.append(Pursued(single(one), frozenset(found), (one,)))
        unsure = [one for one, found in sure.items() if not found]
        weaker, hopeless = self._weaker(unsure, self._mentioned(frozenset(one.subject for one in unsure)))
        return Pursuit((*goals, *weaker), hopeless)

    def _mentioned(self, subjects: frozenset[Hashable]) -> dict[Hashable, list[int]]:
        """For each of some subjects that are not shown for sure the edges with a run that shows something of it."""
        found: dict[Hashable, list[int]] = {}
        for number, edge in enumerate(self.graph.edges):
            look_at(self._until, number)
            if subjects and not self._certain(edge):
                for subject in {subject for shown in self.shown(edge) for subject in shown} & subjects:
                    found.setdefault(subject, []).append(number)
        return found

    def _weaker(
        self, unsure: Sequence[Evidence], mentioned: dict[Hashable, list[int]]
    ) -> tuple[list[Pursued], tuple[Evidence, ...]]:
        subjects = frozenset(one.subject for one in unsure)
        near = {number for subject in subjects for number in mentioned.get(subject, [])}
        offered = {number: self._surely(self.graph.edges[number], subjects) for number in sorted(near)}
        stands_for: dict[Clauses, list[Evidence]] = {}
        hopeless = []
        for one in unsure:
            candidates = {clauses for number in mentioned.get(one.subject, []) if (clauses := offered[number])}
            if not candidates:
                hopeless.append(one)
            for clauses in strongest(candidates):
                stands_for.setdefault(clauses, []).append(one)
        goals = []
        kept = strongest(stands_for)
        for clauses in stands_for.keys() - set(kept):
            stronger = next(other for other in kept if _follows(clauses, other))
            stands_for[stronger] = list(dict.fromkeys([*stands_for[stronger], *stands_for[clauses]]))
        for clauses in kept:
            named = {one.subject for clause in clauses for one in clause}
            numbers = sorted({number for subject in named for number in mentioned[subject]})
            found = frozenset(number for number in numbers if self.shows(self.graph.edges[number], clauses))
            goals.append(Pursued(clauses, found, tuple(stands_for[clauses])))
        return goals, tuple(hopeless)

    def _surely(self, edge: SheafEdge, subjects: frozenset[Hashable]) -> Clauses | None:
        """What one input shows whichever run happens, of some subjects; None where one run shows nothing of them."""
        if len(edge.inputs) > 1:
            return None
        sets = [frozenset(one for one in self.evidence(run) if one.subject in subjects) for run in edge.runs]
        return _minimal(frozenset(map(_strong, sets))) if all(sets) else None


def single(evidence: Evidence) -> Clauses:
    """Just this evidence."""
    return frozenset([frozenset([evidence])])


def run_shows(evidence: Iterable[Evidence], clauses: Clauses) -> bool:
    """Whether what a run shows is enough for one of the ways."""
    shown = by_subject(evidence)
    return any(_enough(shown, clause) for clause in clauses)


def by_subject(evidence: Iterable[Evidence]) -> Shown:
    """For each subject what is shown of it."""
    return grouped((one.subject, one.parts) for one in evidence)


def strongest(found: Iterable[Clauses]) -> list[Clauses]:
    """Those that do not follow from another one, in a fixed order."""
    listed = sorted(set(found), key=lambda clauses: sorted(map(repr, map(sorted, clauses))))
    return [one for one in listed if not any(_follows(one, other) for other in listed if other != one)]


def _follows(clauses: Clauses, stronger: Clauses) -> bool:
    """Whether whoever shows the stronger one shows this one too."""
    return all(run_shows(clause, clauses) for clause in stronger)


def _minimal(clauses: Clauses) -> Clauses:
    """Without sets that show all that another set asks for, so that they add nothing."""
    return frozenset(
        clause for clause in clauses if not any(run_shows(clause, frozenset([other])) for other in clauses - {clause})
    )


def _strong(evidence: frozenset[Evidence]) -> frozenset[Evidence]:
    """Without evidence that other evidence implies."""
    return frozenset(one for one in evidence if not any(other != one and other.implies(one) for other in evidence))


def _enough(shown: Shown, clause: Iterable[Evidence]) -> bool:
    return all(any(one.parts <= parts for parts in shown.get(one.subject, ())) for one in clause)
