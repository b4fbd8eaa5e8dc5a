"""Random test suites, and test cases by the names of their states."""

from __future__ import annotations

import random
from dataclasses import replace

from outplay.suite.suite import Suite, TestCase, case_of

LABELS = ['?say "two words"', "?a", "!x", "!y 3", "delta", '!"ü"', "!z [1,2]"]
NAMES = ["t0", "t1", "a b", "ü", 'q"', "t\n2", ""]


def random_suite(seed: int) -> Suite:
    rng = random.Random(seed)
    tests = []
    for number in range(rng.randrange(4)):
        names = rng.sample(NAMES, rng.randint(1, len(NAMES)))
        rows = []
        for place, name in enumerate(names):
            later = [*names[place + 1 :], "pass", "fail", "inconclusive"]
            way = rng.choice([["?a"], ["delta"], [LABELS[0]]])
            for label in way + rng.sample(LABELS[2:4] + LABELS[5:], 2):
                rows.append(
                    (name, label, names[place + 1] if label in way and place + 1 < len(names) else rng.choice(later))
                )
        case = case_of(rows, name=f"test {number}")
        tests.append(replace(case, access=rng.choice([None, 0])))
    return Suite(rng.choice(["", "a.aut"]), rng.choice(["", "win"]), tuple(tests))


def named(test: TestCase) -> object:
    names = test.automaton.names
    moves = {(names[s], label, names[t]) for s, label, t in test.automaton.transitions()}
    return names[test.initial], moves
