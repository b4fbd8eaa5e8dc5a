"""Exploring against the definitions: random model programs, stepped and solved a second time in plain Python.

The judge for the test assumptions is 004, Definitions 5.11 and 5.12, read as they stand: a concurrent game in which
tester and system choose at once and Moves says what happens. The judge for time-outs is 001, section 1.
"""
# an action that does not return False is enabled

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from helpers.seeds import seeds
from outplay import Assumption, Limits, Model, OutplayError, controllable, explore, given, goal, observable, win
from outplay.errors import GameError, ModelError, UsageError
from outplay.game.graph import SYSTEM, TESTER, Game
from outplay.strategy.certificate.check_win import check_win

State = tuple[int, ...]
CONCURRENT = ("input-eager", "output-eager", "nondeterministic")


@dataclass(frozen=True)
class Table:
    """A random model as plain tables: what the explorer has to find."""

    sizes: tuple[int, ...]
    gates: list[tuple[str, str, bool, int]]
    """Direction, name, optional, how many arguments the parameter ranges over (0: no parameter)."""
    moves: dict[tuple[State, str, int | None], State]
    goal: frozenset[State]
    initial: State = field(default=())

    def edges(self, state: State) -> list[tuple[str, State, bool]]:
        """Labels with targets, and whether they may stay away."""
        found = []
        for direction, name, optional, count in self.gates:
            for argument in range(count) if count else [None]:
                target = self.moves.get((state, name, argument))
                text = f"{direction}{name}" + ("" if argument is None else f" {argument}")
                if target is not None:
                    found.append((text, target, optional))
        return found

    def states(self) -> list[State]:
        """All states that can be reached, in the order of a breadth-first search."""
        found = [self.initial]
        for state in found:
            for _, target, _ in self.edges(state):
                if target not in found:
                    found.append(target)
        return found

    def inputs(self, state: State) -> dict[str, State]:
        return {text: target for text, target, _ in self.edges(state) if text[0] == "?"}

    def outputs(self, state: State) -> dict[str, State]:
        """The outputs of the suspension automaton: silence stays where it is, and is out where an output must come."""
        seen = [(text, target, optional) for text, target, optional in self.edges(state) if text[0] == "!"]
        silence = {"delta": state} if all(optional for _, _, optional in seen) else {}
        return {text: target for text, target, _ in seen} | silence

    def enables_output(self, state: State) -> bool:
        return any(text[0] == "!" for text, _, _ in self.edges(state))


def random_table(seed: int) -> Table:
    rng = random.Random(seed)
    sizes = tuple(rng.choice((1, 2, 2, 3)) for _ in range(rng.randrange(1, 4)))
    space = list(itertools.product(*map(range, sizes)))
    gates = [
        (rng.choice("?!"), f"act{n}", rng.random() < 0.3, rng.choice((0, 0, 1, 2))) for n in range(rng.randrange(1, 5))
    ]
    gates = [(direction, name, optional and direction == "!", count) for direction, name, optional, count in gates]
    density = rng.choice((0.2, 0.4, 0.7))
    moves = {
        (state, name, argument): rng.choice(space)
        for state in space
        for _, name, _, count in gates
        for argument in (range(count) if count else [None])
        if rng.random() < density
    }
    goal = frozenset(state for state in space if rng.random() < 0.2)
    return Table(sizes, gates, moves, goal, rng.choice(space))


def as_model(table: Table) -> type[Model]:
    """Write the table as a model program whose actions change variables before they know whether they are enabled."""
    names = [f"v{place}" for place in range(len(table.sizes))]

    def action(name: str, with_argument: bool) -> Callable[..., Any]:
        def step(self: Any, argument: int | None = None) -> Any:
            before = tuple(getattr(self, variable) for variable in names)
            for variable in names:
                setattr(self, variable, -1)
            target = table.moves.get((before, name, argument))
            if target is None:
                return False
            for variable, value in zip(names, target, strict=True):
                setattr(self, variable, value)
            return None

        return (lambda self, argument: step(self, argument)) if with_argument else (lambda self: step(self))

    members: dict[str, Any] = dict(zip(names, table.initial, strict=True))
    members["__annotations__"] = dict.fromkeys(names, int)
    for direction, name, optional, count in table.gates:
        method = action(name, count > 0)
        method = given(argument=range(count))(method) if count else method
        members[name] = controllable(method) if direction == "?" else observable(optional=optional)(method)
    members["wanted"] = goal(lambda self: tuple(getattr(self, variable) for variable in names) in table.goal)
    return type("Random", (Model,), members)


def state_of(game: Game, vertex: int) -> State:
    """The values of the variables at a vertex, read from what a user is shown."""
    number = int(game.names[vertex].split()[0][1:])
    shown = game.origin.specification.describe(number)
    return tuple(int(part.partition("=")[2]) for part in shown.split())


def moves(assumption: str, table: Table, state: State, given: str, shown: str) -> list[State]:
    """Definition 5.12: where the game goes when the tester chooses one thing and the system another."""
    inputs, outputs = table.inputs(state), table.outputs(state)
    if given == "theta":
        return [outputs[shown]]
    if assumption == "input-eager" or shown == "delta":
        return [inputs[given]]
    return [outputs[shown]] if assumption == "output-eager" else [inputs[given], outputs[shown]]


def forced(table: Table, assumption: str, goals: frozenset[State], states: list[State]) -> dict[State, int]:
    """The tester's attractor with the least number of moves that suffices, by iterating the definition."""
    worth = {state: 0 for state in states if state in goals}
    while True:
        better = dict(worth)
        for state in states:
            if state in goals:
                continue
            for choice in ["theta", *table.inputs(state)]:
                outcomes = [
                    after for shown in table.outputs(state) for after in moves(assumption, table, state, choice, shown)
                ]
                if all(after in worth for after in outcomes):
                    bound = 1 + max(worth[after] for after in outcomes)
                    better[state] = min(bound, better.get(state, bound))
        if better == worth:
            return worth
        worth = better


def won(game: Game, goals: str = "wanted") -> dict[State, int]:
    """What outplay says can be forced, with the number of moves (all costs are 1), at the vertices of states."""
    result = win(game, goals)
    solution, values = result.solution, result.solution.values()
    check_win(game, result.goal_vertices.tolist(), values, solution.rank.tolist(), solution.choice.tolist())
    return {
        state_of(game, vertex): int(value)
        for vertex, (name, value) in enumerate(zip(game.names, values, strict=True))
        if " " not in name and value is not None
    }


@seeds(range(200))
def test_states_and_transitions_are_those_of_the_program(seed):
    table = random_table(seed)
    game = explore(as_model(table))
    spec = game.origin.specification
    assert game.origin.complete
    assert game.origin.states == len(table.states())
    assert [state_of(game, number) for number in range(game.origin.states)] == table.states()
    for number, state in enumerate(table.states()):
        labels = [*spec.inputs(number), *spec.outputs(number)]
        steps = {label.text: state_of(game, target) for label in labels for target in spec.after(number, label)}
        assert steps == {text: target for text, target, _ in table.edges(state)}
        assert spec.quiet(number) == ("delta" in table.outputs(state))
        assert spec.holds("wanted", number) == (state in table.goal)


@seeds(range(200), quick=120)
def test_what_can_be_forced_is_what_the_concurrent_game_of_the_thesis_says(seed):
    table = random_table(seed)
    model, states, regions = as_model(table), table.states(), {}
    for assumption in (*CONCURRENT, "input-fair"):
        game = explore(model, assumption=assumption)
        found = won(game) if table.goal & set(states) else {}
        assert bool(game.goals["wanted"].size) == bool(table.goal & set(states))
        regions[assumption] = set(found)
        if assumption in CONCURRENT:
            assert found == forced(table, assumption, table.goal, states), assumption
    # Known: the first two agree on who wins, and so do the last two (004, Theorem 5.16).
    assert regions["output-eager"] == regions["nondeterministic"] <= regions["input-eager"] == regions["input-fair"]


def timed(table: Table, always: bool) -> tuple[Any, set[Any], Counter[Any]]:
    """001, section 1: active and passive states, as far as play can get."""

    def entered(state: State) -> tuple[State, str]:
        return (state, "passive" if table.enables_output(state) else "active")

    start = (table.initial, "active")
    found, edges = [start], Counter()
    for state, mode in found:
        for text, target, _ in table.edges(state):
            if text[0] == ("?" if mode == "active" else "!"):
                edges[(state, mode), text, entered(target)] += 1
        if mode == "passive" and (always or table.inputs(state)):
            edges[(state, mode), "delta", (state, "active")] += 1
        found += dict.fromkeys(after for (before, _, after) in edges if before == (state, mode) and after not in found)
    return start, set(found), edges


def reachable(game: Game) -> list[int]:
    found = [game.initial]
    for vertex in found:
        for edge in game.edges_of(vertex):
            if int(game.target[edge]) not in found:
                found.append(int(game.target[edge]))
    return found


@seeds(range(200))
def test_with_time_outs_the_graph_is_that_of_the_paper(seed):
    table = random_table(seed)
    for assumption in ("timeout", "timeout-always"):
        compare_with_the_paper(table, assumption)


def compare_with_the_paper(table: Table, assumption: str) -> None:
    game = explore(as_model(table), assumption=assumption)
    start, vertices, edges = timed(table, assumption == "timeout-always")

    def known_as(vertex: int) -> tuple[State, str]:
        return (state_of(game, vertex), "passive" if game.owner[vertex] == SYSTEM else "active")

    met = reachable(game)
    assert known_as(game.initial) == start
    assert Counter(map(known_as, met)) == Counter(vertices)
    assert edges == Counter(
        (known_as(vertex), game.label_of(edge), known_as(int(game.target[edge])))
        for vertex in met
        for edge in game.edges_of(vertex)
    )
    assert all(game.moves[edge] == 1 for edge in range(game.edge_count))
    assert {known_as(v) for v in met if v in game.goals["wanted"]} == {v for v in vertices if v[0] in table.goal}


@pytest.mark.parametrize("assumption", [each.value for each in Assumption])
@seeds(range(0, 300, 10), quick=20)
def test_what_is_forced_in_a_part_is_forced_in_the_whole(seed, assumption):
    table = random_table(seed)
    model = as_model(table)
    whole = explore(model, assumption=assumption)
    sure = won(whole) if whole.goals["wanted"].size else {}
    for limits in (
        *(Limits(states=bound) for bound in (1, 2, 3, 5, 8)),
        *(Limits(edges=bound) for bound in (1, 2, 4, 9)),
        *(Limits(depth=bound) for bound in (1, 2, 3)),
    ):
        part = explore(model, assumption=assumption, limits=limits)
        assert part.origin.states <= min(limits.states, whole.origin.states)
        if part.origin.complete:
            assert part == whole
            continue
        assert part.origin.stopped
        if part.goals["wanted"].size:
            for state, cost in won(part).items():
                assert sure[state] <= cost


class Endless(Model):
    """Counts for ever; the other variable has three values."""

    small: int = 0
    big: int = 0

    @controllable
    def up(self):
        self.big += 1

    @observable
    def turn(self):
        self.small = (self.small + 1) % 3

    @goal
    def five(self):
        return self.big == 5


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(states=50), "raise --max-states"),
        (Limits(edges=50), "raise --max-edges"),
        (Limits(depth=7), "stopped at depth 7: raise --max-depth"),
    ],
)
def test_a_bound_gives_a_partial_game_that_names_the_option_and_the_growing_variable(limits, words):
    game = explore(Endless, limits=limits)
    assert not game.origin.complete
    assert words in game.origin.stopped
    assert "'big' took the most values" in game.origin.stopped
    assert 1 <= game.origin.states <= 50


def test_a_bound_on_time_gives_a_partial_game_that_names_the_option():
    game = explore(Endless, limits=Limits(seconds=0.0))
    assert not game.origin.complete
    assert "raise --max-seconds" in game.origin.stopped


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_that_is_just_enough_is_no_bound(seed):
    table = next(one for one in map(random_table, itertools.count(100 * seed)) if len(one.states()) > 1)
    model, states = as_model(table), len(table.states())
    transitions = sum(len(table.edges(state)) for state in table.states())
    assert explore(model, limits=Limits(states=states, edges=transitions)).origin.complete
    assert not explore(model, limits=Limits(states=states - 1)).origin.complete
    assert not explore(model, limits=Limits(edges=transitions - 1)).origin.complete


@pytest.mark.parametrize("bound", [1, 2, 10, 99, 1000])
def test_states_never_exceed_the_bound(bound):
    game = explore(Endless, limits=Limits(states=bound))
    assert game.origin.states <= bound
    assert game.goals["five"].size == 0 or bound > 10


def test_states_that_were_not_expanded_have_no_moves_and_are_lost_unless_they_are_goals():
    class Chain(Model):
        at: int = 0

        @controllable
        def go(self):
            self.at += 1

        @goal
        def third(self):
            return self.at == 3

        @goal
        def fourth(self):
            return self.at == 4

    game = explore(Chain, limits=Limits(depth=3))
    assert game.origin.states == 4
    assert list(game.edges_of(3)) == []
    assert win(game, "third").value == 3
    assert win(game, "s3").value == 3
    assert not game.goals["fourth"].size


def test_a_slow_model_is_stopped_in_time():
    class Slow(Model):
        n: int = 0

        @controllable
        def step(self):
            time.sleep(0.01)
            self.n += 1
            return self.n < 1000

    began = time.monotonic()
    game = explore(Slow, limits=Limits(seconds=0.1))
    assert not game.origin.complete
    assert time.monotonic() - began < 4  # to the end it would take 10 s


def test_progress_is_told_with_states_expanded_and_known():
    told: list[tuple[int, int]] = []
    explore(Endless, limits=Limits(states=3000), progress=lambda expanded, known: told.append((expanded, known)))
    assert told[0] == (0, 1)
    assert len(told) > 3
    assert all(expanded <= known for expanded, known in told)


def test_an_unknown_assumption_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"no test assumption 'input-eagre'; did you mean 'input-eager'\?"):
        explore(Endless, assumption="input-eagre")


class Priced(Model):
    """Costs and weights in every form."""

    fee = Fraction(1, 3)
    level: int = 1

    def price(self):
        return self.level * 2

    @property
    def toll(self):
        return self.level + 10

    @controllable(cost=5)
    def number(self): ...

    @controllable(cost="1/2")
    def text(self): ...

    @controllable(cost=0.1)
    def decimal(self): ...

    @controllable(cost=0)
    def free(self): ...

    @controllable(cost="fee")
    def constant(self): ...

    @controllable(cost="level")
    def variable(self): ...

    @controllable(cost="price")
    def method(self): ...

    @controllable(cost="toll")
    def by_property(self): ...

    @controllable(cost=lambda model: Fraction(model.level, 7))
    def function(self): ...

    @controllable
    def plain(self):
        self.level = 2


def test_costs_are_numbers_names_or_functions_of_the_state():
    game = explore(Priced)
    costs = {
        state: {
            game.label_of(edge)[1:]: game.cost[edge]
            for edge in range(game.edge_count)
            if state_of(game, int(game.source[edge])) == (state,)
        }
        for state in (1, 2)
    }
    fixed = {"number": 5, "text": Fraction(1, 2), "decimal": Fraction(1, 10), "free": 0, "constant": Fraction(1, 3)}
    for level in (1, 2):
        moving = {"variable": level, "method": 2 * level, "by_property": 10 + level, "function": Fraction(level, 7)}
        assert costs[level] == {**fixed, **moving, "plain": 1}


def test_costs_add_up_exactly_in_what_is_solved():
    class Way(Model):
        at: int = 0

        @controllable(cost=0.1)
        def step(self):
            if self.at == 3:
                return False
            self.at += 1

        @goal
        def there(self):
            return self.at == 3

    assert win(explore(Way), "there").value == Fraction(3, 10)


class Chancy(Model):
    """Three outputs with weights in different forms, one of which may stay away."""

    heavy = 3
    level: int = 1

    @observable(weight="heavy")
    def a(self):
        self.level = 2

    @observable(weight=lambda model: Fraction(model.level, 2))
    def b(self): ...

    @observable(optional=True)
    def c(self): ...


def test_weights_become_exact_probabilities_state_by_state():
    game = explore(Chancy)
    chances = {
        (state_of(game, int(game.source[edge])), game.label_of(edge)): game.probability[edge]
        for edge in range(game.edge_count)
    }
    assert chances == {
        ((1,), "!a"): Fraction(6, 9),
        ((1,), "!b"): Fraction(1, 9),
        ((1,), "!c"): Fraction(2, 9),
        ((2,), "!a"): Fraction(3, 5),
        ((2,), "!b"): Fraction(1, 5),
        ((2,), "!c"): Fraction(1, 5),
    }


def test_silence_and_inputs_weigh_one_where_the_system_may_choose_them():
    class Mixed(Model):
        @controllable
        def give(self): ...

        @observable(optional=True, weight=3)
        def show(self): ...

    game = explore(Mixed)
    chances = {
        (game.names[game.source[edge]], game.label_of(edge)): game.probability[edge] for edge in range(game.edge_count)
    }
    assert chances == {
        ("s0", "?give"): None,
        ("s0", "wait"): None,
        ("s0 ?give", "?give"): Fraction(1, 4),
        ("s0 ?give", "!show"): Fraction(3, 4),
        ("s0 wait", "!show"): Fraction(3, 4),
        ("s0 wait", "delta"): Fraction(1, 4),
    }


def test_a_model_that_says_nothing_about_chance_has_no_probabilities():
    assert explore(Endless, limits=Limits(states=9)).probability.table == (None,)


@pytest.mark.parametrize("weights", [(2**62, 2**62), (Fraction(1, 3**30), Fraction(1, 7**30)), (1e100, 1e-100)])
def test_probabilities_are_exact_however_large_or_fine_the_weights_are(weights):
    first, second = weights

    class Large(Model):
        @observable(weight=first)
        def a(self): ...

        @observable(weight=second)
        def b(self): ...

    game = explore(Large)
    exact_first, exact_second = (Fraction(repr(w)) if isinstance(w, float) else Fraction(w) for w in weights)
    assert [game.probability[edge] for edge in range(2)] == [
        exact_first / (exact_first + exact_second),
        exact_second / (exact_first + exact_second),
    ]


def one_action(mark: Any) -> type[Model]:
    class One(Model):
        x: int = 0

        @mark
        def act(self):
            self.x = 1

    return One


@pytest.mark.parametrize(
    "mark",
    [
        controllable(cost=-1),
        controllable(cost=lambda model: -model.x),
        controllable(cost="prize"),
        controllable(cost=None),
        controllable(cost=float("nan")),
    ],
    ids=["negative", "sometimes negative", "unknown name", "none", "nan"],
)
def test_a_wrong_cost_is_refused_in_one_line(mark):
    with pytest.raises(OutplayError) as told:
        explore(one_action(mark))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("weight", [0, -1, "mass", float("nan"), lambda model: -model.x])
def test_a_wrong_weight_is_refused_in_one_line(weight):
    with pytest.raises(OutplayError) as told:
        explore(one_action(observable(weight=weight)))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("mark", [controllable(cost=-1), controllable(cost="prize"), observable(weight=0)])
def test_a_wrong_cost_or_weight_names_the_action_and_the_model(mark):
    with pytest.raises((ModelError, GameError), match=r"test_explore\.py:\d+: One: action 'act'"):
        explore(one_action(mark))


@pytest.mark.parametrize("mark", [controllable(cost=lambda m: m.gone), observable(weight=lambda m: m.gone)])
def test_a_cost_or_weight_that_raises_is_blamed_on_the_model(mark):
    with pytest.raises(ModelError, match="has no attribute 'gone'"):
        explore(one_action(mark))


def test_goals_are_named_sets_of_states():
    class Several(Model):
        x: int = 0

        @controllable
        def go(self):
            self.x = (self.x + 1) % 4

        @goal
        def even(self):
            return self.x % 2 == 0

        @goal
        def three(self):
            return self.x == 3

        @goal
        def never(self):
            return False

        @goal
        def truthy(self):
            return self.x

    game = explore(Several)
    assert {name: members.tolist() for name, members in game.goals.items()} == {
        "even": [0, 2],
        "three": [3],
        "never": [],
        "truthy": [1, 2, 3],
    }


def test_under_time_outs_a_goal_holds_at_both_copies_of_a_state():
    class Both(Model):
        x: int = 0

        @controllable
        def go(self):
            self.x = 1

        @observable
        def tick(self): ...

        @goal
        def one(self):
            return self.x == 1

    game = explore(Both, assumption="timeout")
    assert sorted(game.names[vertex] for vertex in game.goals["one"].tolist()) == ["s1", "s1 active"]
    assert sorted(explore(Both).goals["one"].tolist()) == [1]


def test_the_vertex_of_a_state_is_found_again():
    game = explore(Endless, limits=Limits(states=9))
    assert [game.origin.vertex(state) for state in (0, 8, 9, None)] == [0, 8, None, None]
    timed_game = explore(Endless, limits=Limits(states=9), assumption="timeout")
    active = timed_game.origin.vertex(0, after_silence=True)
    assert (timed_game.owner[0], timed_game.owner[active]) == (SYSTEM, TESTER)
    assert timed_game.names[active] == "s0 active"


def test_exploring_twice_gives_the_same_game():
    for seed in range(20):
        model = as_model(random_table(seed))
        assert explore(model) == explore(model)


@seeds(range(100))
@pytest.mark.parametrize("assumption", ["timeout", "timeout-always"])
def test_the_judge_allows_every_time_out_of_the_game(seed, assumption):
    game = explore(as_model(random_table(seed)), assumption=assumption)
    spec = game.origin.specification
    passive = {int(game.source[edge]) for edge in range(game.edge_count) if game.label_of(edge) == "delta"}
    assert all(spec.quiet(state) for state in passive)


def test_a_variable_that_nests_without_bound_is_named():
    class Deep(Model):
        x: Any = ()

        @controllable
        def nest(self):
            self.x = (self.x,)

    with pytest.raises(ModelError, match=r"state variable 'x' is nested too deeply"):
        explore(Deep)
