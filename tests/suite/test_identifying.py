"""Test cases that find out whether the system is where it should be."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from helpers.automata import random_automaton
from helpers.figures import FIGURE_3_1
from helpers.identifying import Identifying
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import Simulated, Suite, automaton, run
from outplay.compiling import compiled, interpreted
from outplay.conformance import check, compatible_states, distinguishing
from outplay.conformance.behaviour import Inputs
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.suite.covering.sure_walks import missed_target_counts, sure_moves, sure_walks
from outplay.suite.from_tester import case_from_tester
from outplay.suite.identifying import identifying_case_counts, identifying_cases, identifying_test
from outplay.suite.identifying_plans import ExpectedTraces, identifying_plans, plans_without_prefixes
from outplay.tester.tester import End

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def cases_of(model):
    spec = SuspensionAutomaton(model)
    test = identifying_test(spec)
    return spec, test, list(identifying_cases(test))


def transitions_in(case, table) -> set[tuple[int, int]]:
    """The transitions of the specification, by state and label, that lie on what a test case does before it ends."""
    taken, stack = set(), [(case.automaton.initial, table.initial)]
    seen = set(stack)
    while stack:
        at, state = stack.pop()
        for label, target in case.automaton.moves(at):
            number = table.labels.index(label) if label in table.labels else -1
            reached = table.moves(state).get(number)
            if reached is not None and case.automaton.names[target] != "fail":
                taken.add((state, number))
                if (target, reached) not in seen:
                    seen.add((target, reached))
                    stack.append((target, reached))
    return taken


@seeds(range(80))
def test_each_transition_is_taken_by_a_sound_case_that_can_pass(seed):
    spec, test, cases = cases_of(random_automaton(seed, least=2, most=5, labels=LABELS, share=0.5, silence=0.1))
    assert len({case.name for case in cases}) == len(cases)
    table = test.states.table
    silence = test.states.numbers.get(SILENCE, -1)
    needed = {(q, label) for q in range(table.state_count) for label, t in table.moves(q).items()
              if label != silence or t != q}  # fmt: skip
    assert needed <= set().union(*(transitions_in(case, table) for case in cases))
    for case in cases:
        assert unsound(case, spec) is None
        assert case.inner == [] or any(True for _ in case.traces(End.PASS))


@seeds(range(150))
def test_cases_are_those_of_the_tester_that_follows_their_plans_and_are_counted_without_it(seed):
    how = {"most": 6, "labels": LABELS, "share": (0.3, 0.5), "silence": 0.2, "internal": 0.2, "copies": 1 + seed % 2}
    spec, test, cases = cases_of(random_automaton(("table", seed), **how))
    table = test.states.table
    plans = list(plans_without_prefixes(table, identifying_plans(test)))
    shown = [label for label in table.labels if label.is_output]
    for plan, case in zip(plans, cases, strict=True):
        way = tuple(table.labels[number] for number in plan.tree.trace(plan.way))
        by_definition = case_from_tester(
            Identifying(way, plan.experiment), spec, outputs=shown, name=plan.name, access=plan.access
        )
        assert case.automaton == by_definition.automaton
        assert (case.name, case.access) == (by_definition.name, by_definition.access)
    assert identifying_case_counts(test) == (len(cases), sum(case.depth for case in cases))


@seeds(range(60))
def test_walks_take_every_transition_that_sure_moves_reach_and_only_sure_moves(seed):
    how = {"least": 2, "most": 8, "labels": LABELS, "share": (0.2, 0.35), "silence": 0.4, "stays": True}
    table = table_of(random_automaton(("walks", seed), **how))
    taken, reached = set(), {table.initial}
    for walk in sure_walks(table, longest=12):
        state = table.initial
        for label in walk:
            moves = sure_moves(table, state)
            taken.add((state, table.labels.index(label)))
            state = moves[table.labels.index(label)]
    queue = [table.initial]
    for state in queue:
        more = set(sure_moves(table, state).values()) - reached
        reached |= more
        queue += sorted(more)
    silence = table.labels.index(SILENCE) if SILENCE in table.labels else -1
    sure = {(q, label, target) for q in reached for label, target in sure_moves(table, q).items()}
    assert taken >= {(q, label) for q, label, target in sure if (label, target) != (silence, q)}


@pytest.mark.parametrize("run", [interpreted, compiled], ids=["plain", "compiled"])
@seeds(range(40))
def test_walks_are_the_same_compiled_and_not(seed, run, monkeypatch):
    table = table_of(as_automaton(machine(random.Random(f"both {seed}"), 2 + seed % 5)))
    expected = sure_walks(table, longest=6)
    missed = missed_target_counts(table, expected)
    monkeypatch.setattr("outplay.suite.covering.sure_walks.best_for", lambda kernel, edges: run(kernel))
    assert sure_walks(table, longest=6) == expected
    assert missed_target_counts(table, expected) == missed


def can_do(table, state: int, labels) -> bool:
    for label in labels:
        reached = table.moves(state).get(table.labels.index(label))
        if reached is None:
            return False
        state = reached
    return True


@seeds(range(40))
def test_a_walk_misses_the_wrong_targets_that_could_do_all_the_rest_of_it(seed):
    how = {"least": 3, "most": 8, "labels": LABELS, "share": (0.2, 0.35), "silence": 0.4, "stays": True}
    table = table_of(random_automaton(("walks", seed), **how))
    walks, expected = sure_walks(table, longest=8), {}
    for walk in walks:
        state = table.initial
        for place, label in enumerate(walk):
            number = table.labels.index(label)
            target = table.moves(state)[number]
            others = (other for other in range(table.state_count) if other != target)
            missed = sum(can_do(table, other, walk[place + 1 :]) for other in others)
            expected[state, number] = min(missed, expected.get((state, number), missed))
            state = target
    assert missed_target_counts(table, walks) == expected


def machine(rng: random.Random, states: int) -> list[list[tuple[str, int]]]:
    """A random machine: for each state and input an output and the next state."""
    return [[(rng.choice("xxy"), rng.randrange(states)) for _ in "ab"] for _ in range(states)]


def as_automaton(rows: list[list[tuple[str, int]]]):
    steps = []
    for state, row in enumerate(rows):
        for given, (shown, target) in zip("ab", row, strict=True):
            middle = f"to {target} with {shown}"
            steps += [(str(state), f"?{given}", middle), (middle, f"!{shown}", str(target))]
    return automaton(steps, initial="0")


def answers(rows: list[list[tuple[str, int]]], given: list[str]) -> list[str]:
    state, shown = 0, []
    for one in given:
        output, state = rows[state]["ab".index(one)]
        shown.append(output)
    return shown


def same(one: list[list[tuple[str, int]]], other: list[list[tuple[str, int]]]) -> bool:
    queue = [(0, 0)]
    for p, q in queue:
        for (shown, s), (seen, t) in zip(one[p], other[q], strict=True):
            if shown != seen:
                return False
            queue += [(s, t)] * ((s, t) not in queue)
    return True


def test_on_small_machines_every_other_one_with_as_many_states_is_found():
    rng = random.Random("machines")
    kinds = Counter()
    while kinds["one test is not enough"] < 8:
        states = rng.choice([3, 4])
        spec = machine(rng, states)
        table = table_of(as_automaton(spec), inputs=Inputs.ALL)
        stable = [q for q in range(table.state_count) if min(table.moves(q)) < table.inputs]
        if len(stable) < states or compatible_states(table).count:
            continue
        test, expected = distinguishing(table), ExpectedTraces(table)
        kinds["specification"] += 1
        kinds["one test is not enough"] += bool(test.undistinguished)
        plans = list(plans_without_prefixes(table, identifying_plans(test)))
        assert all(expected.trace(plan)[1] for plan in plans)
        given = [[table.labels[n].message for n in expected.trace(plan)[0] if n < table.inputs] for plan in plans]
        for _ in range(60):
            other = machine(rng, states)
            if rng.random() < 0.6:  # as the specification, but for two transitions
                other = [list(row) for row in spec]
                for _ in range(2):
                    other[rng.randrange(states)][rng.randrange(2)] = (rng.choice("xy"), rng.randrange(states))
            found = any(answers(spec, one) != answers(other, one) for one in given)
            differs = not same(spec, other)
            assert found == differs
            kinds["differs" if differs else "conforms"] += 1
    assert min(kinds.values()) > 5


def test_a_transition_that_leads_astray_is_found_by_the_test_of_its_target():
    spec, _, cases = cases_of(automaton(FIGURE_3_1))
    suite = Suite(tests=tuple(cases))
    right = run(suite, Simulated(automaton(FIGURE_3_1), random.Random(1)), model=spec, plays=100)
    assert right.verdict.name == "pass"
    wrong = [("1", "?a", "2") if step == ("1", "?a", "3") else step for step in FIGURE_3_1]
    astray = [step if step != ("4", "!y", "1") else ("4", "!y", "4") for step in FIGURE_3_1]
    assert check(automaton(FIGURE_3_1), automaton(wrong)).conforms  # 2 and 3 are compatible: the same from outside
    assert not check(automaton(FIGURE_3_1), automaton(astray)).conforms
    found = run(suite, Simulated(automaton(astray), random.Random(1)), model=spec, plays=100)
    assert found.verdict.name == "fail"
