"""Promise A4: a suite called n-complete is. All implementations up to n states are held against it.

Whether one conforms is decided by a plain search of pairs of states, and whether it passes by walking all traces of the
suite in it: neither shares code with what is tested.
"""

from __future__ import annotations

import itertools
from random import Random

import pytest

from helpers.automata import Step
from helpers.implementations import GamePosition, Impl, Rows, conforms, implementations, is_output, rows_of
from helpers.seeds import seeds
from outplay import Simulated, Suite, automaton, run
from outplay.conformance import compatible_states
from outplay.model.machine import Machine
from outplay.suite.complete.merging_suite import MergeSuite
from outplay.suite.complete.n_complete import CompleteSuite, Construction, n_complete
from outplay.suite.complete.normal_form import normal_form

OUTPUTS = (("!x", "!y"), ("!x", "delta"))
TURN = [("q0", "?a", "q1"), ("q0", "!x", "q0"), ("q1", "?a", "q0"), ("q1", "!y", "q1")]
"""Two states that one label tells apart, each certainly reachable."""
COMPLETE = [
    (Construction.COUNTING, False),
    (Construction.COUNTING, True),
    (Construction.MERGING, False),
    (Construction.UNCONDITIONAL, False),
]


def drawn(seed: int) -> list[Step]:
    """A specification with 1 or 2 inputs, 2 outputs and up to 3 states, which forbids something for sure."""
    rng = Random(f"complete {seed}")
    inputs, outputs = ["?a", "?b"][: 1 + seed % 2], OUTPUTS[seed // 2 % 2]
    names = [f"q{number}" for number in range(rng.randint(2, 3))]
    while True:
        steps = []
        for name in names:
            shown = [label for label in outputs if rng.random() < 0.6] or [rng.choice(outputs)]
            given = [label for label in inputs if rng.random() < 0.7]
            steps += [(name, label, rng.choice(names)) for label in (*given, *shown)]
        rows, form = rows_of(steps), normal_form(automaton(steps, initial="q0"))
        forbidding = [name for name in form.table.names if not rows[name].keys() >= set(outputs)]
        if len(form.rows) > 1 and forbidding:
            return steps


def suite_of(steps: list[Step], most: int, construction: Construction, adaptive: bool = False) -> CompleteSuite:
    return n_complete(automaton(steps, initial="q0"), most, construction=construction, adaptive=adaptive)


def watching(rows: Rows, suite: CompleteSuite) -> GamePosition:
    return GamePosition(rows, "q0", (tuple(map(str, trace)) for trace in suite.traces()))


def tried_all(steps: list[Step], most: int, tried, kinds=COMPLETE) -> None:
    """Hold every implementation against the suites, and count those that pass though they should not, or fail so."""
    rows = rows_of(steps)
    shown = {label for _, label, _ in steps if is_output(label)}
    suites = [watching(rows, suite_of(steps, most, *kind)) for kind in kinds]
    broken, count = [], 0
    for impl in implementations(rows, "q0", shown, most):
        right = conforms(rows, "q0", impl)
        broken += [(kind, impl) for kind, suite in zip(kinds, suites, strict=True) if suite.passed_by(impl) != right]
        count += 1
    tried(count * len(kinds), len(broken))
    assert not broken, (steps, broken[0])


@pytest.mark.promise("A4")
@pytest.mark.parametrize("seed", range(56))
def test_of_all_implementations_with_two_states_exactly_those_fail_that_do_not_conform(seed, tried):
    tried_all(drawn(seed), 2, tried)


@pytest.mark.promise("A4")
@pytest.mark.parametrize("seed", [0, 2])
def test_of_all_implementations_with_three_states_exactly_those_fail_that_do_not_conform(seed, tried):
    tried_all(drawn(seed), 3, tried, COMPLETE[:1])


@pytest.mark.long
@pytest.mark.promise("A4")
@pytest.mark.parametrize("seed", range(0, 120, 2))  # one input: with two there are millions
def test_of_all_implementations_with_three_states_exactly_those_fail_in_many_specifications(seed, tried):
    tried_all(drawn(seed), 3, tried, [kind for kind in COMPLETE if suite_of(drawn(seed), 3, *kind).size.tests < 3000])


@pytest.mark.long
@pytest.mark.promise("A4")
@seeds(range(56, 400))
def test_of_all_implementations_with_two_states_exactly_those_fail_in_many_specifications(seed, tried):
    tried_all(drawn(seed), 2, tried)


def test_the_specifications_have_compatible_states_or_not_and_their_merges_end_or_not():
    """What is drawn is worth its while."""
    pairs = [sum(1 for _ in compatible_states(automaton(drawn(seed), initial="q0")).pairs()) for seed in range(56)]
    assert pairs.count(0) >= 10
    assert len(pairs) - pairs.count(0) >= 10
    made = [suite_of(drawn(seed), 2, Construction.MERGING).construction for seed in range(56)]
    assert {Construction.MERGING, Construction.UNCONDITIONAL} == set(made)


@pytest.mark.promise("A4")
@pytest.mark.parametrize("seed", [0, 4])
def test_what_the_model_never_names_is_found_too(seed, tried):
    steps = drawn(seed)
    rows, suite = rows_of(steps), suite_of(steps, 2, Construction.SMALLEST)
    watch = watching(rows, suite)
    found = [(conforms(rows, "q0", impl), watch.passed_by(impl)) for impl in unnamed(rows, steps)]
    tried(len(found), sum(right != passed for right, passed in found))
    assert all(right == passed for right, passed in found)
    assert {True, False} == {right for right, _ in found}


def unnamed(rows: Rows, steps: list[Step]):
    """Implementations that may show an output of their own."""
    shown = {label for _, label, _ in steps if is_output(label)}
    return implementations(rows, "q0", {*shown, "!unheard"}, 2)


def machines(states: int, inputs: str, outputs: str, most: int):
    """All machines with so many states and up to so many answers, as implementations: waiting states come first."""
    targets = [None, *range(states)]
    cells = [
        {f"!{x}": target for x, target in zip(outputs, chosen, strict=True) if target is not None}
        for chosen in itertools.product(targets, repeat=len(outputs))
    ]
    cells = [cell for cell in cells if 0 < len(cell) <= most]
    for chosen in itertools.product(range(len(cells)), repeat=states * len(inputs)):
        rows: list[dict[str, int]] = [{"delta": state} for state in range(states)]
        for (state, given), cell in zip(itertools.product(range(states), inputs), chosen, strict=True):
            rows[state][f"?{given}"] = states + cell
        yield (*rows, *cells)


@pytest.mark.promise("A4")
@pytest.mark.parametrize("answers", [1, 2])
@pytest.mark.parametrize("seed", range(9))
def test_of_all_machines_exactly_those_fail_that_do_not_conform(seed, answers, tried):
    rng = Random(f"machine {seed} {answers}")
    inputs, states = [("a", 2), ("ab", 2), ("a", 3)][seed % 3]
    size = rng.randint(1, states)
    cells = [(s, a, x) for s in range(size) for a in inputs for x in rng.sample("xy", rng.randint(1, answers))]
    model = Machine(tuple(f"q{s}" for s in range(size)), tuple((*cell, rng.randrange(size)) for cell in cells))
    of = model.automaton
    rows: Rows = {name: {} for name in of.names}
    for source, label, target in of.transitions():
        rows[of.names[source]][str(label)] = of.names[target]
    for name in model.names:
        rows[name]["delta"] = name
    watches = [watching(rows, n_complete(model, states, machine=True, adaptive=adaptive)) for adaptive in (False, True)]
    drawn_ones = list(machines(states, inputs, "xy", answers))
    broken = sum(watch.passed_by(impl) != conforms(rows, "q0", impl) for impl in drawn_ones for watch in watches)
    tried(len(drawn_ones) * len(watches), broken)
    assert broken == 0


@pytest.mark.promise("A4")
def test_played_fairly_exactly_those_fail_that_do_not_conform(tried):
    """The whole way: test cases, a simulated system, plays until each branch was seen or is concluded not to come."""
    made = suite_of(TURN, 2, Construction.SMALLEST)
    suite = Suite(tests=tuple(made.cases()), fair=True)
    all_of_them = list(implementations(rows_of(TURN), "q0", ("!x", "!y"), 2))
    chosen = [*Random(5).sample(all_of_them, 24), ({"?a": 1, "!x": 0}, {"?a": 0, "!y": 1})]
    found = []
    for impl in chosen:
        steps = [(str(state), label, str(target)) for state, row in enumerate(impl) for label, target in row.items()]
        system = Simulated(automaton(steps, initial="0"), Random(7))
        found.append(run(suite, system, model=automaton(TURN), plays=1000, keep_going=True).verdict.name)
    right = [conforms(rows_of(TURN), "q0", impl) for impl in chosen]
    broken = sum(name != ("pass" if fine else "fail") for name, fine in zip(found, right, strict=True))
    tried(len(chosen), broken)
    assert {True, False} == set(right)
    assert broken == 0, found


def let_through(steps: list[Step], most: int) -> tuple[int, int]:
    """How many tests there are, and without how many of them, one at a time, a wrong implementation passes."""
    rows = rows_of(steps)
    shown = {label for _, label, _ in steps if is_output(label)}
    wrong: list[Impl] = [impl for impl in implementations(rows, "q0", shown, most) if not conforms(rows, "q0", impl)]
    traces = [tuple(map(str, trace)) for trace in suite_of(steps, most, Construction.COUNTING).traces()]
    needed = 0
    for left_out in range(len(traces)):
        fewer = GamePosition(rows, "q0", traces[:left_out] + traces[left_out + 1 :])
        needed += any(fewer.passed_by(impl) for impl in wrong)
    return len(traces), needed


def test_a_suite_with_one_test_removed_lets_one_through():
    assert let_through(TURN, 2) == (3, 3)


def test_in_many_suites_some_test_cannot_be_spared():
    assert sum(let_through(drawn(seed), 2)[1] > 0 for seed in range(0, 24, 4)) >= 3


def test_without_identification_a_wrong_implementation_passes():
    rows, astray = rows_of(TURN), ({"?a": 1, "!x": 1}, {"?a": 0, "!y": 1})  # x leads to the wrong state
    assert not conforms(rows, "q0", astray)
    assert not watching(rows, suite_of(TURN, 2, Construction.COUNTING)).passed_by(astray)
    assert GamePosition(rows, "q0", [(), ("?a",)]).passed_by(astray)


def test_as_the_thesis_has_it_a_wrong_implementation_passes(monkeypatch):
    """Definition 2.37 does not go on after an output that two compatible states allow and that leads to incompatible
    ones: the merge has no such output, but in the specification nothing forbidden was seen."""
    steps = [("q0", "!x", "q0"), ("q0", "!z", "q1"), ("q1", "!x", "q1"), ("q1", "!z", "q2"), ("q2", "!y", "q2")]
    rows = rows_of(steps)
    wrong: Impl = ({"!z": 1}, {"!x": 0})  # z x z x, and q2 allows no x
    assert not conforms(rows, "q0", wrong)
    assert not watching(rows, suite_of(steps, 2, Construction.MERGING)).passed_by(wrong)
    monkeypatch.setattr(MergeSuite, "refuting", lambda suite, state: {})
    literal = suite_of(steps, 2, Construction.MERGING)
    assert literal.construction is Construction.MERGING
    assert watching(rows, literal).passed_by(wrong)
