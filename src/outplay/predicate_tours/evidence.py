"""The evidence that the edges of a sheaf graph show, and the goals that a tour through it pursues.

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
from itertools import product
from math import prod
from typing import TypeAlias

from outplay.cancellation import NEVER, Deadline
from outplay.grouping import grouped
from outplay.predicate_tours.approximation import LargeUnfolding, check_deadline
from outplay.predicate_tours.predicate_system import Evidence, Predicates
from outplay.predicate_tours.sheaf_graph import Expecting, Prediction, Run, SheafEdge, SheafGraph

Clauses: TypeAlias = frozenset[frozenset[Evidence]]
"""Sets of evidence of which one is enough."""
MOST_PARTS = 100
Shown: TypeAlias = dict[Hashable, list[Predicates]]
"""For each subject the sets of parts that are shown of it, each at one step."""


@dataclass(frozen=True)
class Witnessed:
    """A part of a goal that one edge, or one stretch, is enough for: some evidence, and who is predicted to show it."""

    clauses: Clauses
    edges: frozenset[int]


@dataclass(frozen=True)
class Pursued:
    """A goal of the tour: some evidence, its parts with their witnesses, and what of the wanted it is for.

    Different edges may show different parts. They are such that runs show the goal exactly if they show each part.
    """

    clauses: Clauses
    parts: tuple[Witnessed, ...]
    wanted: tuple[Evidence, ...]

    @property
    def edges(self) -> frozenset[int]:
        """The edges that show all of it."""
        return frozenset.intersection(*(part.edges for part in self.parts))

    @property
    def sure(self) -> bool:
        """Whether it is what is wanted itself, and no weaker goal in its place."""
        return self.clauses == frozenset([frozenset(self.wanted)])


@dataclass(frozen=True)
class Pursuit:
    """The goals of a tour, and what of the wanted no edge shows anything of."""

    goals: tuple[Pursued, ...]
    hopeless: tuple[Evidence, ...]
    unseen: frozenset[Evidence] = frozenset()
    """Of what is hopeless or weakened, what was given up for want of time or space."""

    @property
    def weakened(self) -> tuple[Evidence, ...]:
        """Return what is wanted and pursued only by weaker goals."""
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
        """Return what each run of an edge shows, in the order of its runs."""
        if edge not in self._known:
            self._known[edge] = [_by_subject(self.evidence(run)) for run in edge.runs]
        return self._known[edge]

    def shows(self, edge: SheafEdge, clauses: Clauses) -> bool:
        """Say whether an edge is predicted to show one of several sets of evidence."""
        each = (any(_enough(shown, clause) for clause in clauses) for shown in self.shown(edge))
        return self.prediction.shown(self.graph.model, edge.runs, each)

    def surely_shown(self, edge: SheafEdge) -> set[Evidence]:
        """Return what is wanted and predicted to be shown by an edge."""
        if self._certain(edge):
            (run,) = edge.runs
            found = self.evidence(run)
            return self._plain & (found if not any(one.parts for one in found) else {Evidence(s) for s, _ in found})
        wanted = {one for shown in self.shown(edge) for subject in shown for one in self._wanted.get(subject, ())}
        if self._unpredicted(edge):
            (shown,) = self.shown(edge)
            return {one for one in wanted if _enough(shown, (one,))}
        return {one for one in wanted if self.shows(edge, single_evidence(one))}

    def _unpredicted(self, edge: SheafEdge) -> bool:
        """Say whether there is nothing to predict."""
        return len(edge.runs) == 1 and self.prediction.evidence is not Expecting.MEAN

    def _certain(self, edge: SheafEdge) -> bool:
        """Say whether it shows what is wanted or says nothing of it."""
        return bool(self._plain) and self._unpredicted(edge)

    @cached_property
    def _plain(self) -> set[Evidence]:
        """Return what is wanted, where nothing of it has parts."""
        wanted = self.graph.system.wanted
        return set() if any(one.parts for one in wanted) else set(wanted)

    @cached_property
    def _wanted(self) -> dict[Hashable, list[Evidence]]:
        return grouped((one.subject, one) for one in self.graph.system.wanted)

    def pursuit(self) -> Pursuit:
        """The goals of a tour through the graph, edge by edge."""
        sure = self.sure_edges()
        goals = [
            Pursued(single_evidence(one), (Witnessed(single_evidence(one), frozenset(found)),), (one,))
            for one, found in sure.items()
            if found
        ]
        weaker, hopeless, unseen = self.weaker_goals([one for one, found in sure.items() if not found])
        return Pursuit((*goals, *weaker), hopeless, unseen)

    def sure_edges(self) -> dict[Evidence, list[int]]:
        """For all that is wanted the edges that are predicted to show it."""
        sure: dict[Evidence, list[int]] = {one: [] for one in self.graph.system.wanted}
        for number, edge in enumerate(self.graph.edges):
            check_deadline(self._until, number)
            for one in self.surely_shown(edge):
                sure[one].append(number)
        return sure

    def weaker_goals(
        self, unsure: Sequence[Evidence]
    ) -> tuple[list[Pursued], tuple[Evidence, ...], frozenset[Evidence]]:
        """Goals in the place of what no edge surely shows, what has none, and what there was no time for."""
        try:
            weaker, hopeless = self._weaker(unsure, self.mentioned(frozenset(one.subject for one in unsure)))
        except LargeUnfolding:
            return [], tuple(unsure), frozenset(unsure)
        return weaker, hopeless, frozenset()

    def mentioned(self, subjects: frozenset[Hashable]) -> dict[Hashable, list[int]]:
        """For each of some subjects that are not shown for sure the edges with a run that shows something of it."""
        found: dict[Hashable, list[int]] = {}
        for number, edge in enumerate(self.graph.edges):
            check_deadline(self._until, number)
            if subjects and not self._certain(edge):
                for subject in {subject for shown in self.shown(edge) for subject in shown} & subjects:
                    found.setdefault(subject, []).append(number)
        return found

    def _weaker(
        self, unsure: Sequence[Evidence], mentioned: dict[Hashable, list[int]]
    ) -> tuple[list[Pursued], tuple[Evidence, ...]]:
        subjects = frozenset(one.subject for one in unsure)
        near = {number for subject in subjects for number in mentioned.get(subject, [])}
        offered = dict[int, Clauses | None]()
        for done, number in enumerate(sorted(near)):
            check_deadline(self._until, done)
            offered[number] = self._surely(self.graph.edges[number], subjects)
        stands_for: dict[Clauses, list[Evidence]] = {}
        hopeless = []
        for one in unsure:
            candidates = {clauses for number in mentioned.get(one.subject, []) if (clauses := offered[number])}
            if not candidates:
                hopeless.append(one)
            for clauses in _strongest_evidence(candidates, self._until):
                stands_for.setdefault(clauses, []).append(one)
        goals = []
        kept = _strongest_evidence(stands_for, self._until)
        for clauses in sorted(stands_for.keys() - set(kept), key=_order):
            check_deadline(self._until)
            stronger = next(other for other in kept if _follows(clauses, other))
            stands_for[stronger] = list(dict.fromkeys([*stands_for[stronger], *stands_for[clauses]]))
        for clauses in kept:
            check_deadline(self._until)
            parts = tuple(Witnessed(part, self._witnesses_of(part, mentioned)) for part in _parts_of(clauses))
            goals.append(Pursued(clauses, parts, tuple(stands_for[clauses])))
        return goals, tuple(hopeless)

    def _witnesses_of(self, clauses: Clauses, mentioned: dict[Hashable, list[int]]) -> frozenset[int]:
        named = {one.subject for clause in clauses for one in clause}
        numbers = sorted({number for subject in named for number in mentioned[subject]})
        return frozenset(number for number in numbers if self.shows(self.graph.edges[number], clauses))

    def _surely(self, edge: SheafEdge, subjects: frozenset[Hashable]) -> Clauses | None:
        """Return what one input shows whichever run happens, of some subjects; None where one run shows nothing of
        them.
        """
        if len(edge.inputs) > 1:
            return None
        sets = [frozenset(one for one in self.evidence(run) if one.subject in subjects) for run in edge.runs]
        return _minimal(frozenset(map(_strong, sets))) if all(sets) else None


def single_evidence(evidence: Evidence) -> Clauses:
    """Return the clauses that ask for one piece of evidence."""
    return frozenset([frozenset([evidence])])


def run_shows_clause(evidence: Iterable[Evidence], clauses: Clauses) -> bool:
    """Say whether the evidence that a run shows is enough for one of several clauses."""
    shown = _by_subject(evidence)
    return any(_enough(shown, clause) for clause in clauses)


def _by_subject(evidence: Iterable[Evidence]) -> Shown:
    """For each subject what is shown of it."""
    return grouped((one.subject, one.parts) for one in evidence)


def _parts_of(clauses: Clauses) -> list[Clauses]:
    """Split a goal into parts that are shown together exactly where it is, each of them one of several pieces.

    A goal asks for all of one of several sets of evidence; that is one piece out of every choice of a piece from each
    set. Where there are too many choices, the goal is its only part.

    >>> a, b, c = map(Evidence, "abc")
    >>> [sorted(one.subject for clause in part for one in clause) for part in _parts_of(frozenset([frozenset([a, b]),
    ...     frozenset([c])]))]
    [['a', 'c'], ['b', 'c']]
    """
    if prod(map(len, clauses)) > MOST_PARTS:
        return [clauses]
    choices = {_minimal(frozenset(frozenset([one]) for one in choice)) for choice in product(*clauses)}
    return _strongest_evidence(choices)


def _strongest_evidence(found: Iterable[Clauses], until: Deadline = NEVER) -> list[Clauses]:
    """Those that do not follow from another one, in a fixed order."""
    listed = sorted(set(found), key=_order)
    kept = []
    for one in listed:
        check_deadline(until)
        if not any(_follows(one, other) for other in listed if other != one):
            kept.append(one)
    return kept


def _order(clauses: Clauses) -> list[str]:
    return sorted(map(repr, map(sorted, clauses)))


def _follows(clauses: Clauses, stronger: Clauses) -> bool:
    """Say whether whoever shows the stronger one shows this one too."""
    return all(run_shows_clause(clause, clauses) for clause in stronger)


def _minimal(clauses: Clauses) -> Clauses:
    """Without sets that show all that another set asks for, so that they add nothing."""
    return frozenset(
        clause
        for clause in clauses
        if not any(run_shows_clause(clause, frozenset([other])) for other in clauses - {clause})
    )


def _strong(evidence: frozenset[Evidence]) -> frozenset[Evidence]:
    """Without evidence that other evidence implies."""
    return frozenset(one for one in evidence if not any(other != one and other.implies(one) for other in evidence))


def _enough(shown: Shown, clause: Iterable[Evidence]) -> bool:
    return all(any(one.parts <= parts for parts in shown.get(one.subject, ())) for one in clause)
