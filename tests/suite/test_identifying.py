"""Test cases that find out whether the system is where it should be."""

from __future__ import annotations

import random

from helpers.automata import random_automaton
from helpers.figures import FIGURE_3_1
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import Simulated, Suite, automaton, run_suite
from outplay.conformance import check
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.suite.identifying import identifying_cases, identifying_test
from outplay.tester.tester import End

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def cases_of(model):
    spec = SuspensionAutomaton(model)
    test = identifying_test(spec)
    return spec, test, list(identifying_cases(spec, test))


@seeds(range(80))
def test_there_is_a_sound_case_for_each_transition_that_can_pass(seed):
    spec, test, cases = cases_of(random_automaton(seed, least=2, most=5, labels=LABELS, share=0.5, silence=0.1))
    assert [case.name for case in cases] == list(dict.fromkeys(case.name for case in cases))
    table = test.states.table
    silent = sum(
        int(table.moves(q).get(test.states.numbers.get(SILENCE, -1), -1) == q) for q in range(table.state_count)
    )
    assert sum(not case.name.endswith(")") for case in cases) == 1 + len(table.target) - silent
    for case in cases:
        assert unsound(case, spec) is None
        assert case.inner == [] or any(True for _ in case.traces(End.PASS))


def test_a_transition_that_leads_astray_is_found_by_the_test_of_its_target():
    spec, _, cases = cases_of(automaton(FIGURE_3_1))
    suite = Suite(tests=tuple(cases))
    right = run_suite(suite, spec, Simulated(automaton(FIGURE_3_1), random.Random(1)), plays=100)
    assert right.verdict.name == "pass"
    wrong = [("1", "?a", "2") if step == ("1", "?a", "3") else step for step in FIGURE_3_1]
    astray = [step if step != ("4", "!y", "1") else ("4", "!y", "4") for step in FIGURE_3_1]
    assert check(automaton(FIGURE_3_1), automaton(wrong)).conforms  # 2 and 3 are compatible: the same from outside
    assert not check(automaton(FIGURE_3_1), automaton(astray)).conforms
    found = run_suite(suite, spec, Simulated(automaton(astray), random.Random(1)), plays=100)
    assert found.verdict.name == "fail"
