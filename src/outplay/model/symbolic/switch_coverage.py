"""Switch coverage: few and short paths of a symbolic system that together take every switch that can be taken.

Definition (van den Bos 2020, 4.16): a test purpose is a path of the symbolic execution graph with its path condition;
the a priori coverage of a set of purposes is the share of switches that are on some path. Beside switches, locations,
symbolic states and pairs of consecutive switches can be covered.

The graph is searched breadth first until all is found. A path then goes on to what is nearest and not yet covered, as
long as that is no farther than from the start; else a new path begins. The longest comes first (4.6).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from outplay.errors import UsageError, did_you_mean
from outplay.model.expressions.term import Term
from outplay.model.symbolic.execution_graph import (
    ExecutionGraph,
    Progress,
    SymbolicEdge,
    SymbolicLimits,
    execution_graph,
)
from outplay.model.symbolic.symbolic_state import path_condition
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem

Item: TypeAlias = Hashable
Place: TypeAlias = tuple[int, str | None]
"""A state of the graph, and the switch that led there."""


@dataclass(frozen=True)
class SwitchPurpose:
    """A path of switches to be taken in this order."""

    system: SymbolicSystem
    path: tuple[Switch, ...]

    @cached_property
    def condition(self) -> tuple[Term, ...]:
        """The guards along the path, over the parameters p@1, p@2, … of its steps."""
        return path_condition(self.system, self.path)

    def __len__(self) -> int:
        return len(self.path)

    def __str__(self) -> str:
        return " ".join(switch.name for switch in self.path)


@dataclass(frozen=True)
class CoveringPaths:
    """Purposes that cover all that was found; what cannot be covered, with the reason."""

    purposes: tuple[SwitchPurpose, ...]
    covered: frozenset[Item]
    missing: dict[str, str]
    graph: ExecutionGraph

    @property
    def labels(self) -> int:
        """The length of the paths together."""
        return sum(map(len, self.purposes))

    @property
    def share(self) -> float:
        """The a priori coverage: what is covered among all there is."""
        whole = len(self.covered) + len(self.missing)
        return len(self.covered) / whole if whole else 1.0


COVERS: dict[str, Callable[[SymbolicEdge, str | None], Item]] = {
    "switch": lambda edge, before: edge.switch.name,
    "location": lambda edge, before: edge.switch.target,
    "state": lambda edge, before: edge.target,
    "pair": lambda edge, before: (before, edge.switch.name),
}
"""The items that an edge covers, behind the switch before it."""


def covering_paths(
    system: SymbolicSystem,
    cover: str = "switch",
    limits: SymbolicLimits | None = None,
    progress: Progress | None = None,
) -> CoveringPaths:
    """Find paths that cover every switch, location, symbolic state or pair of switches that can be reached.

    >>> from outplay.model.expressions.term import between, variable
    >>> from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
    >>> x, p = variable("x"), variable("p")
    >>> adder = symbolic_system("adder", "l0", {x: 0}, [
    ...     switch("r0", "l0", input_gate("inX", p), "l1", when=between(1, p, 10), do={x: x + p}),
    ...     switch("r1", "l1", output_gate("outX", p), "l0", when=p == x),
    ...     switch("r2", "l0", output_gate("done"), "l2", when=x > 15),
    ... ])
    >>> [str(purpose) for purpose in covering_paths(adder).purposes]
    ['r0 r1 r0 r1 r2']
    """
    if cover not in COVERS:
        raise UsageError(f"nothing called {cover!r} can be covered; {did_you_mean(cover, COVERS)}")
    graph = execution_graph(system, limits, enough=_enough(system, cover), progress=progress)
    tour = _CoveringTour(graph, COVERS[cover])
    paths = tour.paths()
    purposes = sorted((SwitchPurpose(system, path) for path in paths), key=len, reverse=True)
    return CoveringPaths(tuple(purposes), frozenset(tour.covered), _missing(graph, cover, tour.covered), graph)


def _enough(system: SymbolicSystem, cover: str) -> Callable[[SymbolicEdge], bool]:
    """The search may end once every switch or location has been met; states and pairs need all of it."""
    wanted: set[Item] = {one.name for one in system.switches} if cover == "switch" else set(system.locations)

    def is_enough(edge: SymbolicEdge) -> bool:
        wanted.difference_update((edge.switch.name, edge.switch.target, system.initial))
        return cover in ("switch", "location") and not wanted

    return is_enough


def _missing(graph: ExecutionGraph, cover: str, covered: set[Item]) -> dict[str, str]:
    names = {"switch": [one.name for one in graph.system.switches], "location": graph.system.locations}.get(cover, ())
    left = [
        name for name in names if name not in covered and not (cover == "location" and name == graph.system.initial)
    ]
    return {name: _why(graph, cover, name) for name in left}


def _why(graph: ExecutionGraph, cover: str, name: str) -> str:
    if not graph.is_complete:
        return f"not found: {graph.stopped}"
    if cover == "location":
        return "no path leads there"
    switch = graph.system.switch(name)
    if all(state.location != switch.source for state in graph.states):
        return f"no path leads to its location {switch.source}"
    return f"its guard {graph.system.enabling(switch)} holds in no state that can be reached at {switch.source}"


class _CoveringTour:
    """Walks the graph from its start, again and again, until all that can be covered is."""

    def __init__(self, graph: ExecutionGraph, item: Callable[[SymbolicEdge, str | None], Item]) -> None:
        self._graph, self._item = graph, item
        self.covered: set[Item] = set()

    def paths(self) -> list[tuple[Switch, ...]]:
        """The paths, in the order they are found."""
        found: list[tuple[Switch, ...]] = []
        start: Place = (0, None)
        while (route := self._nearest(start)) is not None:
            path = self._taken(start, route)
            place = _end(route)
            while place is not None and (further := self._nearest(place)) is not None:
                back = self._nearest(start)
                if back is not None and len(back) < len(further):
                    break
                path += self._taken(place, further)
                place = _end(further)
            found.append(tuple(edge.switch for edge in path))
        return found

    def _taken(self, place: Place, route: list[SymbolicEdge]) -> list[SymbolicEdge]:
        before = place[1]
        for edge in route:
            self.covered.add(self._item(edge, before))
            before = edge.switch.name
        return list(route)

    def _nearest(self, start: Place) -> list[SymbolicEdge] | None:
        """The shortest way to something that is not covered yet; through subsumed states nothing goes on."""
        queue: deque[tuple[Place, list[SymbolicEdge]]] = deque([(start, [])])
        seen = {start}
        while queue:
            place, route = queue.popleft()
            for edge in self._graph.edges[place[0]]:
                if self._item(edge, place[1]) not in self.covered:
                    return [*route, edge]
                after: Place = (edge.target, edge.switch.name)
                if not edge.subsumed and after not in seen:
                    seen.add(after)
                    queue.append((after, [*route, edge]))
        return None


def _end(route: list[SymbolicEdge]) -> Place | None:
    """Return the end of a way; nowhere to go on from where only a part of a state's values is reached."""
    return None if route[-1].subsumed else (route[-1].target, route[-1].switch.name)
