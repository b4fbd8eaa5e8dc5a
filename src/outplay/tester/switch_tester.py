"""The tester that covers a symbolic system on the fly: all purposes at once, planned again wherever the system led.

It follows the pairs of states and symbolic states that fit what was seen (the set C of Algorithm 6, van den Bos 2020)
and goes along the way with the most news. Where the system deviates, the next plan starts from where it is; nothing is
inconclusive before the play is over. Where an output may have passed an input, both orders are followed until the next
events tell.

Data for inputs: values that steer along a path, and are as different from each other as can be. Where any values will
do, a few are drawn from those that are likely to matter: constants of the guards and their neighbours, what the
variables hold, and what was given before; the others are new. Where values have to meet a condition, drawn ones are
tried first and a solver is asked only when they do not fit.

Faults hide in coincidences: two of three values are equal, or one is what a variable holds, or a bound of a guard. So
of the rows that are drawn and fit, that one is given whose *pattern* was given least so far: first which of its values
are equal, then which are held already, were given before or are likely to matter. Random values alone rarely coincide.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias, cast

from outplay.errors import ModelError
from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, conjunction, literal, literals
from outplay.model.label import INPUT, SILENCE, Label
from outplay.model.symbolic.execution_graph import (
    ExecutionGraph,
    SymbolicEdge,
    SymbolicLimits,
    execution_graph,
)
from outplay.model.symbolic.interpretation import SemanticState, SymbolicSpecification
from outplay.model.symbolic.simple_conditions import interesting_values
from outplay.model.symbolic.solving import Satisfied, Undecided, solve_condition
from outplay.model.symbolic.symbolic_state import at_step, path_condition, paths_to_label, places_of, relevant_conjuncts
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.tracking import Tracker
from outplay.tester.switch_planning import GraphPlace, News, Route, next_route, switch_detour
from outplay.tester.tester import Decision, End, Give, Stop, Tester, Wait

Pattern: TypeAlias = tuple[object, ...]
_KNOWN = 0.2  # how often a value that is likely to matter is given
_SAME = 0.5  # how often a value is the same as another, or as what is there already, where some may be alike
_TRIES = 8
_REMEMBERED = 20  # values given before


class DataChoice:
    """Chooses values of parameters; remembers what it gave."""

    def __init__(self, system: SymbolicSystem, rng: Random) -> None:
        self._rng = rng
        guards = conjunction(system.enabling(switch) for switch in system.switches)
        sorts = {one.sort.name: one.sort for gate in system.gates for one in gate.parameters}
        self._interesting = interesting_values(guards, sorts)
        self._given: deque[Value] = deque(maxlen=_REMEMBERED)
        self._patterns = Counter[tuple[tuple[str, ...], Pattern]]()
        """The number of times that each pattern was given to each list of parameters."""

    def choose(
        self, parameters: Sequence[Term], condition: Term, held: Sequence[Value] = ()
    ) -> dict[str, Value] | None:
        """Values of some parameters for which a condition, over others too, can hold; None where there are none."""
        if condition is FALSE:
            return None
        names = tuple(str(one.value) for one in parameters)
        rows = [self._row(parameters, held, alike=place % 2 == 1) for place in range(_TRIES)]
        rows.sort(key=lambda row: [self._patterns[names, one] for one in self._pattern(row, parameters, held)])
        for drawn in rows:
            if _may_hold(condition, parameters, drawn):
                self._patterns.update((names, one) for one in self._pattern(drawn, parameters, held))
                return self._kept(drawn)
        sorts: dict[str, Sort] = {name: one.sort for name, one in free_variables(condition, *parameters).items()}
        found = solve_condition(condition, sorts, self._rng)
        if not isinstance(found, Satisfied):
            return None
        return self._kept({str(one.value): found.values[str(one.value)] for one in parameters})

    def _pattern(
        self, row: Mapping[str, Value], parameters: Sequence[Term], held: Sequence[Value]
    ) -> tuple[Pattern, Pattern]:
        """Return which values are equal; and which are held by a variable, were given before or are likely to
        matter.
        """
        values = list(row.values())
        matter = (self._interesting.get(one.sort.name, ()) for one in parameters)
        known = (
            (value in held, value in self._given, value in special)
            for value, special in zip(values, matter, strict=True)
        )
        equal = tuple(map(values.index, values))
        return equal, (equal, *known)

    def _row(self, parameters: Sequence[Term], held: Sequence[Value], *, alike: bool) -> dict[str, Value]:
        """Values for all parameters: different from each other and from what the variables hold, or some alike."""
        made: dict[str, Value] = {}
        tries = 1 if alike else _TRIES
        for one in parameters:
            others = self._rng.choice([[*made.values()], [*held, *self._given]]) if alike else []
            same = [value for value in others if one.sort.contains(value)]
            if same and self._rng.random() < _SAME:
                made[str(one.value)] = self._rng.choice(same)
                continue
            for _ in range(tries):
                value = made[str(one.value)] = self._drawn(one.sort, held)
                if value not in held and list(made.values()).count(value) == 1:
                    break
        return made

    def _drawn(self, sort: Sort, held: Sequence[Value]) -> Value:
        if self._rng.random() < _KNOWN:
            known: list[Value] = [
                *self._interesting.get(sort.name, ()),
                *(one for one in (*held, *self._given) if sort.contains(one)),
            ]
            if known:
                return self._rng.choice(known)
        return cast(Value, sort.draw(self._rng))

    def _kept(self, values: dict[str, Value]) -> dict[str, Value]:
        self._given.extend(values.values())
        return values


def _may_hold(condition: Term, parameters: Sequence[Term], values: Mapping[str, Value]) -> bool:
    """Say whether a condition can still hold with these values, as far as that is cheap to see."""
    terms = {str(one.value): literal(values[str(one.value)], one.sort) for one in parameters}
    left = simplify(substitute(condition, terms))
    if left.is_literal:
        return left is TRUE
    found = solve_condition(left, {name: one.sort for name, one in free_variables(left).items()})
    return isinstance(found, Satisfied | Undecided)


LIMITS = SymbolicLimits(states=2000, seconds=10.0)
Edges: TypeAlias = tuple[SymbolicEdge | None, ...]
_PLANS = 20  # ways that turn out impossible with the data at hand before something at random is done


@dataclass(frozen=True)
class FollowedPlace:
    """A state that fits, where it is in the graph, and inputs that may not have arrived there."""

    state: Any
    spot: GraphPlace | None
    waiting: tuple[Label, ...] = ()


@dataclass(frozen=True)
class FollowedPlay:
    """The places that fit the play so far, and the way that is being gone."""

    fitting: tuple[FollowedPlace, ...]
    route: Route = ()
    silent: frozenset[SymbolicEdge] = frozenset()
    """Outputs that were waited for in vain."""


class SwitchTester(Tester):
    """Covers switches, then pairs, then all of the graph, and goes on with other data; remembers across plays."""

    def __init__(self, system: SymbolicSystem, rng: Random, graph: ExecutionGraph | None = None) -> None:
        self.system, self._rng = system, rng
        self.graph = graph or execution_graph(system, LIMITS)
        self.news = News(self.graph)
        self._spec = SymbolicSpecification(system)
        self._data = DataChoice(system, rng)
        self._planned: tuple[FollowedPlay, Route] | None = None
        self._start = FollowedPlay(tuple(FollowedPlace(state, GraphPlace(0)) for state in self._spec.initial))
        self.followed = self._start
        """The places that fit the play so far."""

    def begin(self) -> None:
        self.followed = self._start

    def decide(self, tracker: Tracker) -> Decision:
        followed = _known(tracker, self.followed)
        label = self._given(tracker, followed)
        if label is not None:
            return Give(label)
        if self._route(followed) or tracker.outputs():
            return Wait()
        offers = tracker.inputs()
        drawn = self._rng.choice(offers).sample(self._rng) if offers else None
        return Give(drawn) if drawn is not None else Stop(End.INCONCLUSIVE)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self.followed = self._after(_known(tracker, self.followed), label)

    def _after(self, memory: FollowedPlay, label: Label) -> FollowedPlay:
        """Follow a label, and count what it took."""
        route = self._route(memory)
        if label == SILENCE:
            waited = frozenset(route[:1]) if route and route[0].switch.gate.kind != INPUT else frozenset()
            arrived = tuple(place for place in memory.fitting if not place.waiting)
            return FollowedPlay(arrived, () if waited else route, memory.silent | waited)
        moves = [move for place in memory.fitting for move in self._moves(place, label)]
        taken = {edges for edges, place in moves if not place.waiting}
        edges = next(iter(taken)) if len(taken) == 1 else None
        if edges is not None and None not in edges:
            self._count(edges, memory, label)
        fitting = tuple(dict.fromkeys(sorted((place for _, place in moves), key=lambda place: len(place.waiting))))
        on_route = edges is not None and route[: len(edges)] == edges
        return FollowedPlay(fitting, self._onwards(fitting, route[len(edges) :] if edges and on_route else ()))

    def _moves(self, place: FollowedPlace, label: Label) -> Iterator[tuple[Edges, FollowedPlace]]:
        """Return the targets of a label from a place, and its edges; None where they are not in the graph."""
        for path, (state, waiting) in paths_to_label(self._spec, (place.state, place.waiting), label):
            edges, spot = list[SymbolicEdge | None](), place.spot
            for switch in path:
                edges.append(self._edge(spot, switch.name))
                spot = None if edges[-1] is None else GraphPlace(edges[-1].target, switch.name)
            yield tuple(edges), FollowedPlace(state, spot, waiting)

    def _count(self, edges: Edges, memory: FollowedPlay, label: Label) -> None:
        """Count what was surely taken, which is no news any more."""
        first = memory.fitting[0].spot
        before = None if first is None else first.before
        data = [*memory.fitting[0].state[1], *label.arguments]
        alike = tuple(map(data.index, data))
        for edge in edges:
            if edge is not None:
                self.news.take(edge, before, alike)
                before = edge.switch.name

    def _onwards(self, fitting: tuple[FollowedPlace, ...], rest: Route) -> Route:
        """The rest of the way, after something new right beside it that does not lie on it anyway."""
        spot = fitting[0].spot if fitting else None
        aside = () if spot is None else switch_detour(self.graph, spot, self.news, rest)
        return (*aside, *rest)

    def _edge(self, spot: GraphPlace | None, name: str) -> SymbolicEdge | None:
        if spot is None:
            return None
        return next((edge for edge in self.graph.edges[spot.number] if edge.switch.name == name), None)

    def _given(self, tracker: Tracker, memory: FollowedPlay) -> Label | None:
        """The input by which the way goes on, with data that let it; None where it goes on by an output."""
        blocked = set(memory.silent)
        for _ in range(_PLANS):
            route = self._route(memory, blocked)
            if not route or route[0].switch.gate.kind != INPUT:
                return None
            label = self._label(memory.fitting[0].state, route)
            if label is not None and tracker.enabled(label):
                return label
            blocked.add(route[0] if label is not None else route[-1])
            self._planned = None
            memory = FollowedPlay(memory.fitting, (), memory.silent)
        return None

    def _route(self, memory: FollowedPlay, blocked: set[SymbolicEdge] | None = None) -> Route:
        if memory.route:
            return memory.route
        if self._planned is not None and self._planned[0] == memory:
            return self._planned[1]
        spot = memory.fitting[0].spot if memory.fitting else None
        route = (
            ()
            if spot is None
            else next_route(self.graph, spot, self.news, memory.silent if blocked is None else blocked)
        )
        self._planned = (memory, route)
        return route

    def _label(self, state: SemanticState, route: Route) -> Label | None:
        first = route[0].switch
        try:
            condition = self._condition(state, route)
        except ModelError:  # terms grow too large along the way
            condition = self._condition(state, route[:1])
        if condition is FALSE:
            return None
        own = [at_step(one, 1) for one in first.parameters]
        values = self._data.choose(own, relevant_conjuncts(condition, [str(one.value) for one in own]), state[1])
        if values is None:
            return None
        return Label(INPUT, first.gate.name, tuple(values[str(one.value)] for one in own))

    def _condition(self, state: SemanticState, route: Route) -> Term:
        """Return the condition on the data of a way, from a state whose values are known."""
        terms = literals(self._spec.valuation(state), self.system.variables)
        return simplify(conjunction(path_condition(self.system, (edge.switch for edge in route), terms)))


def _known(tracker: Tracker, memory: FollowedPlay) -> FollowedPlay:
    """Return the rest of a play by what is known of times; what has arrived is kept first."""
    known = places_of(tracker)
    left = tuple(place for place in memory.fitting if (place.state, place.waiting) in known)
    if len(left) == len(memory.fitting):
        return memory
    kept = memory.route if left[:1] == memory.fitting[:1] else ()
    return FollowedPlay(left, kept, memory.silent)
