"""The next goal on the symbolic execution graph: the switches that are farthest first, then where most is new.

As long as there is a switch never taken, the aim is the one that is farthest from the start, on a shortest way: the
longest purpose first (van den Bos 2020, 4.6). New switches beside the way that lead right back are taken in passing;
but not at the start, which every play passes again. Then it is pairs of consecutive switches and switches from each
symbolic state: what was taken counts the less the more often that was. A plan costs one search of the graph.

Between the two come the branches of switches: a term `if a then b else c` is computed once either way, where the state
decides it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from outplay.model.expressions.evaluation import substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.term import Term
from outplay.model.symbolic.execution_graph import ExecutionGraph, SymbolicEdge

Route: TypeAlias = tuple[SymbolicEdge, ...]
_WORTH = (100.0, 10.0, 1.0)  # of a new switch, a new pair, a new edge
_FARTHEST = 24  # labels ahead where only pairs and edges are new


@dataclass(frozen=True)
class GraphPlace:
    """A state of the graph and the switch that led there."""

    number: int
    before: str | None = None


class News:
    """The number of times that each switch, branch, pair and edge of a graph was taken, and with which data alike."""

    def __init__(self, graph: ExecutionGraph) -> None:
        self.taken: Counter[Hashable] = Counter()
        self._graph = graph
        self._branches: dict[SymbolicEdge, Hashable] = {}

    @cached_property
    def depths(self) -> dict[Hashable, int]:
        """Return the number of switches on a shortest path that has taken each switch and branch."""
        found: dict[Hashable, int] = {}
        for edge in self._graph.all_edges():
            for item in (edge.switch.name, self.branch(edge)):
                found.setdefault(item, self._graph.states[edge.source].depth + 1)
        return found

    def branch(self, edge: SymbolicEdge) -> Hashable:
        """The switch of an edge with the way its terms branch, as far as the state it leaves decides that."""
        known = self._branches.get(edge)
        if known is None:
            known = self._branches[edge] = (edge.switch.name, _branches(self._graph, edge), "branch")
        return known

    def take(self, edge: SymbolicEdge, before: str | None, alike: Hashable = None) -> None:
        """Count an edge that was taken after a switch, and which of the data there were alike."""
        self.taken.update((*self._items(edge, before), self.branch(edge), (edge.switch.name, alike, "alike")))

    def worth(self, edge: SymbolicEdge, before: str | None) -> float:
        """Return the worth of an edge now."""
        items = zip(self._items(edge, before), _WORTH, strict=True)
        return sum(worth / (1 + 100 * self.taken[item]) for item, worth in items)

    def _items(self, edge: SymbolicEdge, before: str | None) -> tuple[Hashable, ...]:
        name = edge.switch.name
        return name, (before, name), (edge.source, name)


def next_route(graph: ExecutionGraph, start: GraphPlace, news: News, blocked: Container[SymbolicEdge]) -> Route:
    """Plan the next route through the switches of an execution graph from a place; empty where there is none."""
    for unit in (lambda edge: edge.switch.name, news.branch):
        route = _to_farthest(graph, start, news, blocked, unit)
        if route:
            return route
    return _best_switch_route(graph, start, news, blocked)


def switch_detour(graph: ExecutionGraph, start: GraphPlace, news: News, blocked: Container[SymbolicEdge]) -> Route:
    """Find a new switch that leads right back to the state it left."""
    for edge in graph.edges[start.number] if start.number else ():
        if edge in blocked or edge.subsumed or news.taken[edge.switch.name]:
            continue
        if edge.target == start.number:
            return (edge,)
        for back in graph.edges[edge.target]:
            if back.target == start.number and not back.subsumed and back not in blocked:
                return (edge, back)
    return ()


def _to_farthest(
    graph: ExecutionGraph,
    start: GraphPlace,
    news: News,
    blocked: Container[SymbolicEdge],
    unit: Callable[[SymbolicEdge], Hashable],
) -> Route:
    """A shortest way to the new switch or branch that is farthest from the start, of those that can be reached."""
    found: dict[Hashable, Route] = {}
    seen = {start.number}
    queue: deque[tuple[int, Route]] = deque([(start.number, ())])
    while queue:
        number, route = queue.popleft()
        for edge in graph.edges[number]:
            if edge in blocked:
                continue
            if not news.taken[unit(edge)]:
                found.setdefault(unit(edge), (*route, edge))
            if not edge.subsumed and edge.target not in seen:
                seen.add(edge.target)
                queue.append((edge.target, (*route, edge)))
    return max(found.values(), key=lambda route: news.depths[unit(route[-1])], default=())


def _branches(graph: ExecutionGraph, edge: SymbolicEdge) -> tuple[bool, ...]:
    """The conditions of `if` in a switch that the state it leaves decides, as true or false."""
    state, terms = graph.states[edge.source], (edge.switch.guard, *edge.switch.assignment.values())
    asked = (simplify(substitute(one, state.terms)) for one in _conditions(terms))
    return tuple(bool(one.value) for one in asked if one.is_literal)


def _conditions(terms: Iterable[Term]) -> list[Term]:
    found: dict[int, Term] = {}
    stack = list(terms)
    while stack:
        one = stack.pop()
        stack.extend(one.arguments)
        if one.operation == "if":
            found[id(one.arguments[0])] = one.arguments[0]
    return list(found.values())


def _best_switch_route(graph: ExecutionGraph, start: GraphPlace, news: News, blocked: Container[SymbolicEdge]) -> Route:
    """The way from a spot with the most worth for each of its labels; empty where there is none."""
    best: Route = ()
    most = 0.0
    seen = {start}
    queue: deque[tuple[GraphPlace, Route, float]] = deque([(start, (), 0.0)])
    while queue:
        spot, route, worth = queue.popleft()
        if len(route) >= _FARTHEST:
            break
        for edge in graph.edges[spot.number]:
            if edge in blocked:
                continue
            gain = worth + news.worth(edge, spot.before)
            if gain / (len(route) + 1) > most:
                best, most = (*route, edge), gain / (len(route) + 1)
            after = GraphPlace(edge.target, edge.switch.name)
            if not edge.subsumed and after not in seen:
                seen.add(after)
                queue.append((after, (*route, edge), gain))
    return best
