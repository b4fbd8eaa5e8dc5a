"""Games of regions: what can be forced in them is what can be forced with all data."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.symbolic import adder, random_system
from outplay import Simulated, explore, joker, read_model, run, win
from outplay.errors import NothingToRun, UsageError
from outplay.game.exploring.breadth_first import Limits
from outplay.model.expressions.evaluation import substitute
from outplay.model.expressions.sorts import INTEGER, TEXT
from outplay.model.expressions.term import between, conjunction, variable, variables
from outplay.model.label import Label
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.data_knowledge import DataKnowledge
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.region_game import RegionSpecification
from outplay.model.symbolic.region_graph import region_graph
from outplay.model.symbolic.symbolic_system import NamedCondition

BOUND = 2
CHEAP = (6, 7, 9, 13, 19, 20, 25, 26, 29)  # seeds that take a tenth of a second or two each
X, Y, P = variables("x y p")


def unbounded(system):
    """The same system over all integers, in which guards keep to the bounds that sorts kept to."""
    names = {one: variable(one) for one in ("x", "y", "p")}
    gates = {gate: replace(gate, parameters=tuple(P for _ in gate.parameters)) for gate in system.gates}
    made = []
    for one in system.switches:
        given = [between(0, P, BOUND)] if one.parameters else []
        done = {name: substitute(term, names) for name, term in one.assignment.items()}
        kept = [between(0, term, BOUND) for term in done.values()]
        guard = conjunction([substitute(one.guard, names), *given, *kept])
        own = tuple(P for _ in one.parameters)
        made.append(replace(one, gate=gates[one.gate], parameters=own, guard=guard, assignment=done))
    sorts = dict.fromkeys(system.variables, INTEGER)
    goals = tuple(replace(one, condition=substitute(one.condition, names)) for one in system.goals)
    return replace(system, goals=goals, variables=sorts, gates=tuple(gates.values()), switches=tuple(made))


def with_goals(rng, system):
    x, y = (variable(name, sort) for name, sort in system.variables.items())
    named = (("small", None, x + y < 2), ("same", system.locations[-1], x == y), ("large", None, x > 1))
    return replace(system, goals=tuple(NamedCondition(*one) for one in named[: rng.randint(0, 3)]))


def loaded(system):
    """The system after any data were given to its variables, so that all of them matter."""
    load = next(gate for gate in system.gates if gate.text == "?a")
    (p,) = load.parameters
    first = switch("first", "start", load, "second", do={variable("x", p.sort): p})
    second = switch("second", "second", load, system.initial, do={variable("y", p.sort): p})
    return replace(system, initial="start", switches=(first, second, *system.switches))


def regions(system, most=40):
    """The regions of a system, also where its data could be listed; a part of them where they are many."""
    return RegionSpecification(region_graph(DataKnowledge(SymbolicSpecification(system)), most, seconds=600.0))


def held_against_all_data(seed):
    rng = Random(seed)
    system = with_goals(rng, loaded(random_system(rng, bound=BOUND, switches=4)))
    rule = rng.choice(["nondeterministic", "input-eager", "output-eager", "timeout", "input-fair"])
    whole = explore(DataKnowledge(SymbolicSpecification(system)), assumption=rule)
    inside = regions(unbounded(system))
    game = explore(inside, assumption=rule)
    assert whole.origin.complete
    if not game.origin.complete:
        only_what_is_forced_is_promised(game, whole)
        return False
    assert game.origin.states <= whole.origin.states
    for name in sorted(set(game.goals) & set(whole.goals)):
        assert win(game, name).value == win(whole, name).value
        if rule != "input-fair":  # where jokers are not defined
            assert joker(game, name).value == joker(whole, name).value
        held_everywhere(inside, game, whole, name)
    return game.origin.states < whole.origin.states


def only_what_is_forced_is_promised(part, whole):
    """What can be forced in a part of a game can be forced in the whole."""
    for name in set(part.goals) & set(whole.goals):
        if (worth := win(part, name).value) is not None:
            assert win(whole, name).value is not None
            assert win(whole, name).value <= worth


def held_everywhere(inside, game, whole, name):
    """At every state with its data, the game of regions says what the game of all data says."""
    found, known = win(game, name).solution, win(whole, name).solution
    spec = whole.origin.specification
    numbers = {region: number for number, region in enumerate(game.origin.meaning.places.regions.states)}
    for state in range(whole.origin.states):
        (members,) = spec.own(state)
        # Members in one place come in the order in which they were met, which is lost in the game of all data.
        regions = {inside.graph.region(each) for each in permutations(members)} & numbers.keys()
        assert regions
        assert {found.worth[numbers[one]] for one in regions} == {known.worth[state]}
        assert {inside.quiet(one) for one in regions} == {spec.quiet(state)}


@seeds([*CHEAP, *(seed for seed in range(500) if seed not in CHEAP)], a_test=9, quick=9)
def test_a_game_of_regions_forces_what_the_game_of_all_data_forces(seed):
    held_against_all_data(seed)


def test_regions_are_fewer_than_data():
    assert held_against_all_data(7)
    assert held_against_all_data(13)


@seeds([*range(2, 7), *range(7, 200)], a_test=5, quick=5)
def test_strategies_on_regions_are_played_with_data(seed):
    rng = Random(seed)
    system = unbounded(random_system(rng, bound=BOUND))
    game = explore(regions(system))
    for name in game.goals:
        answer = win(game, name)
        if answer.value is None or not game.goals[name].size:
            continue
        try:
            outcome = run(answer, Simulated(system, Random(seed)), plays=2, steps=40)
        except NothingToRun:
            continue  # the goal holds at the start, and nothing leads on
        assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 2)


def test_the_auction_is_a_game_of_six_regions():
    game = explore(read_model(EXAMPLES / "symbolic" / "auction.sts"))
    assert game.origin.states == 6
    assert game.origin.complete
    assert win(game, "closed").value is None
    assert win(game, "?bid amount (amount > best + 1000)").value == 1


def test_an_input_that_one_of_the_states_that_fit_does_not_take_is_no_move():
    a, b = input_gate("a", P), input_gate("b")
    twins = symbolic_system("twins", "l", {X: 0}, [
        switch("one", "l", a, "m", when=P > 0, do={X: P}),
        switch("two", "l", a, "n", when=(P > 0) & (P < 10), do={X: P}),
        switch("b", "m", b, "won", when=X > 5),
    ])  # fmt: skip
    game = explore(twins)
    assert win(game, "won").value == 2
    assert sorted(game.origin.describe(state) for state in range(game.origin.states)) == [
        "l", "m or n", "m with x > 5", "won"
    ]  # fmt: skip


def test_texts_fall_into_those_that_were_given_and_others():
    name, word = variable("name", TEXT), variable("word", TEXT)
    login = symbolic_system("login", "out", {name: ""}, [
        switch("set", "out", input_gate("register", word), "out", when=word != "", do={name: word}),
        switch("in", "out", input_gate("login", word), "in", when=(word == name) & (name != "")),
        switch("no", "out", input_gate("login", word), "refused", when=(word != name) | (name == "")),
        switch("sorry", "refused", output_gate("sorry"), "out"),
    ])  # fmt: skip
    game = explore(login)
    assert game.origin.states == 5
    assert win(game, "in").value == 2
    outcome = run(win(game, "in"), Simulated(login, Random(1)), plays=3, steps=10)
    assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 3)


def test_what_does_not_fall_into_few_regions_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr("outplay.model.symbolic.region_game.MOST", 20)
    with pytest.raises(UsageError, match=r"^adder: the values of x .* few regions .* by x.*give x a range"):
        explore(adder())
    partial = explore(adder(), limits=Limits(states=20))
    assert partial.origin.stopped.startswith("stopped at 21 regions")
    assert partial.origin.states <= 21


@seeds([0, 2, 3, 4, 5, 6, 7, *range(8, 100)], a_test=7, quick=7)
def test_what_is_forced_among_some_regions_is_forced_among_all(seed):
    system = unbounded(random_system(Random(seed), bound=BOUND))
    only_what_is_forced_is_promised(explore(regions(system, most=4)), explore(regions(system)))


def test_too_many_states_that_fit_are_told_in_one_line():
    flood = symbolic_system("flood", "l", {X: 0}, [
        switch(f"r{step}", "l", input_gate("a"), "l", do={X: X + step}) for step in (1, 5)
    ])  # fmt: skip
    with pytest.raises(UsageError, match=r"flood: .*too many states may fit what was seen.*let fewer guards overlap"):
        explore(flood)


def test_numbers_that_are_multiplied_are_taken_one_by_one():
    squares = symbolic_system("squares", "l", {X: 2}, [
        switch("square", "l", input_gate("a", P), "l", when=(P * P == X) & (X < 1000), do={X: X * X * X * X}),
        switch("done", "l", input_gate("end"), "m", when=X * X > 1000),
    ])  # fmt: skip
    game = explore(replace(squares, start={"x": 4}))
    assert game.origin.complete
    assert win(game, "m").value == 2


@pytest.mark.parametrize("command", [("explore",), ("solve", "--goal", "closed"), ("forecast",), ("inspect",)])
def test_commands_take_data_without_end_by_regions(command, capsys):
    name, *options = command
    told = called(capsys, name, EXAMPLES / "symbolic" / "auction.sts", *options)
    assert told.code in (0, 1)  # what cannot be forced is told by the code
    assert told.err == ""


def test_a_region_is_a_goal_and_any_of_its_labels_reaches_it(capsys, tmp_path):
    auction = EXAMPLES / "symbolic" / "auction.sts"
    region = "?bid amount (amount > best + 1000)"
    system, trace = f"model:{auction}", tmp_path / "trace.jsonl"
    told = called(capsys, "run", auction, "--goal", region, "--sut", system, "--plays", "2", "--trace", trace)
    assert told.code == 0
    assert "reached in 2" in told.out
    assert "reached in 2" in called(capsys, "judge", auction, trace).out


def test_a_label_is_written_by_its_region():
    game = explore(read_model(EXAMPLES / "symbolic" / "auction.sts"))
    spec = game.origin.specification
    (start,) = spec.initial
    for amount, said in ((-3, "amount <= best"), (100, "amount <= best + 100"), (7000, "amount > best + 1000")):
        label = Label("?", "bid", (amount,))
        written = spec.written(start, label)
        assert said in written.text
        assert label in spec.offer(start, written)
    assert spec.written(start, Label("?", "other")) == Label("?", "other")
