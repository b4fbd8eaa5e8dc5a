"""A posteriori coverage of a symbolic system: the switches, locations and pairs of switches that plays have taken.

Before a run, the symbolic execution graph tells what can be taken (a priori, van den Bos 2020, 4.16); afterwards counts
what was. The system shows labels and not switches, so several paths may explain what was seen: other switches with
the same gate, other orders of an input and an output that passed each other. As in the thesis only what is sure counts:
a switch is covered when it is on every path that explains the play.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.model.label import Label
from outplay.model.symbolic.execution_graph import ExecutionGraph
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.symbolic_state import SwitchPath, paths_to_label, places_of
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.runs.monitors.coverage_monitor import CoverageMonitor

SWITCHES, LOCATIONS, PAIRS = "switches", "locations", "pairs of switches"
_MOST_NAMED = 8  # switches that were not taken

Item: TypeAlias = tuple[str, Any]
"""A kind, and what of it."""
Place: TypeAlias = tuple[Any, str | None, tuple[Label, ...]]
"""A state, the switch that led there, and inputs that may not have arrived."""


class SwitchMonitor(CoverageMonitor):
    """Watches plays for what they have taken of a symbolic system; there are always other data to play with."""

    def __init__(self, graph: ExecutionGraph) -> None:
        self._graph, self._spec = graph, SymbolicSpecification(graph.system)
        self.seen: set[Item] = set()
        self._paths: dict[Place, frozenset[Item]] = {}

    def begin(self) -> None:
        start = frozenset({(LOCATIONS, self._graph.system.initial)})
        self._paths = {(state, None, ()): start for state in self._spec.initial}
        self.seen |= start

    def take(self, step: Step) -> None:
        """See what a step shows: whatever is on all paths that explain the play so far."""
        if step.label is None:
            return
        found: dict[Place, frozenset[Item]] = {}
        for (state, before, waiting), taken in self._fitting(step.before).items():
            for path, (after, left) in paths_to_label(self._spec, (state, waiting), step.label):
                more = taken | _items(before, path)
                place = after, path[-1].name if path else before, left
                found[place] = found[place] & more if place in found else more
        self._paths = found
        fitting = self._fitting(step.after)
        if fitting:
            self.seen |= frozenset.intersection(*fitting.values())

    def _fitting(self, tracker: Tracker) -> dict[Place, frozenset[Item]]:
        """The paths that what is known of times leaves possible."""
        known = places_of(tracker)
        return {place: taken for place, taken in self._paths.items() if (place[0], place[2]) in known}

    def covered(self, plays: int, *, cut_short: bool = False) -> CoveredSwitches:
        return CoveredSwitches(self._graph, frozenset(self.seen))


def _items(before: str | None, path: SwitchPath) -> set[Item]:
    """Return the items that switches taken after another one show."""
    found: set[Item] = set()
    for switch in path:
        found |= {(SWITCHES, switch.name), (LOCATIONS, switch.target), (PAIRS, (before, switch.name))}
        before = switch.name
    return found


@dataclass(frozen=True, eq=False)
class CoveredSwitches:
    """The switches that can be taken of a symbolic system, and those that were."""

    graph: ExecutionGraph
    seen: frozenset[Item]

    def possible(self, kind: str) -> set[Any]:
        """Return what can be taken by the graph; of pairs, where it merges states, some more."""
        edges = [*self.graph.all_edges()]
        if kind == SWITCHES:
            return {edge.switch.name for edge in edges}
        if kind == LOCATIONS:
            return {self.graph.system.initial, *(edge.switch.target for edge in edges)}
        first = {(None, edge.switch.name) for edge in self.graph.edges[0]}
        return first | {(one.switch.name, other.switch.name) for one in edges for other in self.graph.edges[one.target]}

    def taken(self, kind: str) -> set[Any]:
        """Return what was surely taken."""
        return {item for known, item in self.seen if known == kind}

    def total(self, kind: str) -> int:
        """Return the total: all that the system names, or all pairs that can be."""
        system = self.graph.system
        named = {SWITCHES: len(system.switches), LOCATIONS: len(system.locations)}
        return named.get(kind, len(self.possible(PAIRS) | self.taken(PAIRS)))

    @property
    def missing(self) -> dict[str, str]:
        """The switches that were not surely taken, and whether they can be."""
        can = self.possible(SWITCHES)
        unknown = "cannot be taken" if self.graph.is_complete else f"not found: {self.graph.stopped}"
        left = [one.name for one in self.graph.system.switches if one.name not in self.taken(SWITCHES)]
        return {name: "not seen for sure" if name in can else unknown for name in left}

    def lines(self) -> list[str]:
        """A priori and a posteriori for people."""
        before = [f"{len(self.possible(kind)):,} of {self.total(kind):,} {kind}" for kind in (SWITCHES, LOCATIONS)]
        after = [f"{len(self.taken(kind)):,} of {self.total(kind):,} {kind}" for kind in (SWITCHES, LOCATIONS, PAIRS)]
        listed = [f"a priori: {', '.join(before)} can be taken", f"a posteriori: {', '.join(after)} were taken"]
        named = [f"{name} ({why})" for name, why in self.missing.items()]
        more = [f"and {len(named) - _MOST_NAMED:,} more"] * (len(named) > _MOST_NAMED)
        return [*listed, f"not taken: {', '.join([*named[:_MOST_NAMED], *more])}"] if named else listed

    def json(self) -> dict[str, Any]:
        whole = self.total(SWITCHES)
        counts = {kind: {"covered": len(self.taken(kind)), "total": self.total(kind)} for kind in (LOCATIONS, PAIRS)}
        return {
            "kind": SWITCHES,
            "covered": len(self.taken(SWITCHES)),
            "total": whole,
            "complete": self.graph.is_complete,
            "a_priori": len(self.possible(SWITCHES)) / whole if whole else 1.0,
            "a_posteriori": len(self.taken(SWITCHES)) / whole if whole else 1.0,
            "locations": counts[LOCATIONS],
            "pairs": counts[PAIRS],
            "missing": self.missing,
        }
