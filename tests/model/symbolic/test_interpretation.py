"""What symbolic systems mean: the interpretation by its definition, offers, silence, judging and exploring."""

from __future__ import annotations

import importlib
from itertools import product
from random import Random

import pytest

from helpers.seeds import seeds
from helpers.symbolic import adder, random_system
from helpers.terms import python_value
from outplay import Label, Simulated, explore, judge, run, specification
from outplay.conformance.refinement import check
from outplay.errors import ModelError, NothingToRun, UsageError
from outplay.model.expressions.sorts import INTEGER, TEXT, enumeration, integer_sort
from outplay.model.expressions.term import between, variable, variables
from outplay.model.label import SILENCE
from outplay.model.offer import offer_of
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.solving import Undecided
from outplay.model.symbolic.symbolic_system import NamedCondition
from outplay.model.tracking import Tracker


def by_definition(system, state, label):
    """The targets of a label by Definition 4.8, with guards and assignments evaluated by Python itself."""
    place, values = state
    found = set()
    for one in system.switches:
        if (one.source, one.gate.kind, one.gate.name) != (place, label.kind, label.gate):
            continue
        known = dict(zip(system.variables, values, strict=True))
        known.update(zip(map(str, one.parameters), label.arguments, strict=True))
        if python_value(one.guard, known):
            changed = {name: python_value(term, known) for name, term in one.assignment.items()}
            after = tuple(changed.get(name, known[name]) for name in system.variables)
            if all(sort.contains(value) for sort, value in zip(system.variables.values(), after, strict=True)):
                found.add((one.target, after))
    return found


def all_labels(system):
    return [
        Label(gate.kind, gate.name, row)
        for gate in system.gates
        for row in product(*(one.sort.values() for one in gate.parameters))
    ]


@seeds(range(60), quick=12)
def test_the_interpretation_is_that_of_the_definition(seed):
    system = random_system(Random(seed))
    spec = specification(system)
    for state in product(system.locations, product(range(3), range(3))):
        enabled = {label: by_definition(system, state, label) for label in all_labels(system)}
        for label, targets in enabled.items():
            assert set(spec.after(state, label)) == targets
            offers = spec.inputs(state) if label.is_input else spec.outputs(state)
            assert (offer_of(label, offers) is not None) == bool(targets)
        assert spec.quiet(state) == (not any(targets for label, targets in enabled.items() if label.is_output))
        assert list(spec.after(state, SILENCE)) == ([state] if spec.quiet(state) else [])


@seeds(range(10), quick=5)
def test_a_random_system_conforms_to_itself_when_it_is_played(seed):
    system = random_system(Random(seed))
    try:
        outcome = run(system, Simulated(system, Random(seed)), plays=5, steps=20)
    except NothingToRun:
        pytest.skip("this random system does nothing")
    assert outcome.verdict.name == "pass"
    assert judge(specification(system), outcome.trace) == outcome.verdict


def test_infinite_data_is_played_and_judged():
    system = adder()
    outcome = run(system, Simulated(system, Random(1)), plays=3, steps=20)
    assert outcome.verdict.name == "pass"
    tracker = Tracker(specification(system)).gave(Label.parse("?inX 6"))
    assert tracker.allowed() == [Label.parse("!outX 6")]
    assert not tracker.saw(Label.parse("!outX 7")).conforms
    assert tracker.saw(Label.parse("!outX 6")).states == (("l0", (6,)),)
    assert str(Tracker(specification(system)).inputs()) == str([Label("?", "inX", (n,)) for n in range(1, 11)])
    assert specification(system).describe(("l1", (3,))) == "l1, x = 3"


def test_several_switches_for_one_label_lead_to_several_states():
    x, p = variables("x p")
    gate = input_gate("a", p)
    system = symbolic_system("both", "l", {x: 0}, [
        switch("low", "l", gate, "l", when=p < 5, do={x: p}),
        switch("high", "l", gate, "m", when=p > 2, do={x: x + 1}),
    ])  # fmt: skip
    spec = specification(system)
    assert spec.after(("l", (0,)), Label.parse("?a 3")) == [("l", (3,)), ("m", (1,))]
    assert spec.after(("l", (0,)), Label.parse("?a 9")) == [("m", (1,))]
    assert {spec.inputs(("l", (0,)))[0].sample(Random(seed)).arguments[0] < 5 for seed in range(20)} == {True}
    tracker = Tracker(spec).gave(Label.parse("?a 3"))
    assert tracker.inputs() == []
    assert [str(one) for one in tracker.allowed()] == ["delta"]


def test_silence_is_found_with_a_solver_where_guards_are_hard():
    x, p = variables("x p")
    show = output_gate("root", p)
    system = symbolic_system(
        "roots", "l", {x: 49}, [switch("r", "l", show, "l", when=(p * p == x) & (p > 0), do={x: x + 1})]
    )
    spec = specification(system)
    assert not spec.quiet(("l", (49,)))
    assert spec.quiet(("l", (50,)))
    assert spec.outputs(("l", (49,)))[0].sample(Random(3)) == Label.parse("!root 7")


def test_what_the_solver_cannot_tell_is_possible_and_silence_is_too(monkeypatch):
    monkeypatch.setattr("outplay.model.symbolic.interpretation.solve_condition", lambda *_: Undecided("no time"))
    x, p = variables("x p")
    cube = (p * p * p == x) & (p > 1)
    system = symbolic_system("cubes", "l", {x: 7}, [switch("r", "l", output_gate("root", p), "l", when=cube)])
    tracker = Tracker(specification(system))
    assert [one.text for one in tracker.allowed()] == ["!root p (p: integer, p * p * p = 7 and p > 1)", "delta"]


def test_bounds_of_a_variable_disable_what_would_break_them():
    n = variable("n", integer_sort(0, 2))
    up, down = input_gate("up"), input_gate("down")
    system = symbolic_system("counter", "l", {n: 0}, [
        switch("up", "l", up, "l", do={n: n + 1}), switch("down", "l", down, "l", do={n: n - 1}),
    ], goals=[NamedCondition("full", "l", n == 2)])  # fmt: skip
    game = explore(system)
    assert game.origin.states == 3
    assert {name: len(members) for name, members in game.goals.items()} == {"full": 1, "l": 3}
    spec = specification(system)
    assert spec.inputs(("l", (0,))) == [Label.parse("?up")]
    assert spec.inputs(("l", (2,))) == [Label.parse("?down")]


def test_texts_and_enumerations_are_data_too():
    colour = enumeration("colour", "red green")
    k, s, c = variable("k", colour), variable("s", TEXT), variable("w", TEXT)
    system = symbolic_system("paint", "l", {k: "red", s: ""}, [
        switch("take", "l", input_gate("name", c), "m", when=c != "", do={s: s + c}),
        switch("show", "m", output_gate("hello", c), "l", when=c == s + "!", do={k: "green"}),
    ])  # fmt: skip
    tracker = Tracker(specification(system)).gave(Label.parse('?name "two words"'))
    assert tracker.allowed() == [Label.parse('!hello "two words!"')]
    assert tracker.saw(Label.parse('!hello "two words!"')).states == (("l", ("green", "two words")),)
    assert not Tracker(specification(system)).enabled(Label.parse('?name ""'))
    assert Tracker(specification(system)).inputs()[0].sample(Random(1)).arguments[0] != ""


def test_comparing_models_needs_data_that_can_be_listed():
    p = variable("p", INTEGER)
    system = symbolic_system("any", "l", {}, [switch("r", "l", input_gate("a", p), "l", when=p > 3)])
    with pytest.raises(UsageError, match=r"the model offers \?a p \(p: integer, p > 3\)"):
        check(system, system)
    assert "?a p (p > 3)" in explore(system).labels


X, P = variables("x p")
B = variable("b", enumeration("colour", "red green"))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: [switch("r", "l", input_gate("a", P), "l", when=P + 1)], "switch r: p + 1 is of sort integer"),
        (lambda: [switch("r", "l", input_gate("a"), "l", when=P > 1)], "switch r: p > 1: no variable or parameter p"),
        (lambda: [switch("r", "l", input_gate("a"), "l", do={P: X})], "switch r: p := x: no variable p"),
        (lambda: [switch("r", "l", input_gate("a"), "l", do={X: True})], "switch r: x := true: x is of sort integer"),
        (lambda: [switch("r", "l", input_gate("a", X), "l")], "gate ?a: x is a variable and a parameter"),
        (lambda: [switch("r", "l", input_gate("a"), "l"), switch("r", "l", input_gate("a"), "l")], "two of this name"),
        (lambda: [switch("r", "l", input_gate("a", P), "l", parameters=[B])], "has parameters of sorts integer, not b"),
        (lambda: [switch("r", "l", input_gate("a", P), "l"), switch("q", "l", input_gate("a"), "l")], "declared twice"),
        (lambda: [switch("r", "a b", input_gate("a", P), "l")], "'a b' is no name for a location"),
        (lambda: [switch("r", "l", input_gate("a", P, P), "l")], "the parameter p twice"),
        (lambda: [switch("r", "l", input_gate("a", P + 1), "l")], "the parameter p + 1 is no variable"),
    ],
)  # fmt: skip
def test_a_wrong_system_is_refused_with_the_switch_and_the_term(build, message):
    with pytest.raises(ModelError) as error:
        symbolic_system("wrong", "l", {X: 0}, build())
    assert message in str(error.value)


def test_a_start_that_no_sort_allows_is_refused():
    with pytest.raises(ModelError, match=r"variable n starts as 7, which is no value of 0\.\.5"):
        symbolic_system("wrong", "l", {variable("n", integer_sort(0, 5)): 7}, [])
    with pytest.raises(ModelError, match="goal g: no location 'm'"):
        symbolic_system("wrong", "l", {X: 0}, [], goals=[NamedCondition("g", "m")])


def test_without_a_solver_one_line_says_what_to_install(monkeypatch):
    importing = importlib.import_module

    def missing(name):
        if name.endswith("z3_solver"):
            raise ImportError(name)
        return importing(name)

    monkeypatch.setattr("outplay.model.symbolic.solving.importlib.import_module", missing)
    hard = symbolic_system("hard", "l", {X: 7}, [switch("r", "l", output_gate("o", P), "l", when=P * P * P == X)])
    with pytest.raises(UsageError, match=r"pip install 'outplay\[symbolic\]'"):
        specification(hard).quiet(("l", (7,)))
    simple = symbolic_system("simple", "l", {X: 7}, [switch("r", "l", output_gate("o", P), "l", when=between(X, P, 9))])
    assert not specification(simple).quiet(("l", (7,)))
