"""The judge against the definition of ioco on traces: out(spec after prefix) allows each observation."""

from __future__ import annotations

import random
from collections.abc import Iterator

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Event, Trace, judge
from outplay.model.automaton import Automaton
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton

PAIRS = 2_000
OBSERVED = ["!x", "!y", "delta"]


def runs(model: Automaton, state: int, trace: list[Label]) -> Iterator[int]:
    """Where each single run that shows the trace may end: internal steps anywhere, silence only where it is quiet."""
    if not trace:
        yield state
    for label, target in model.moves(state):
        if label.kind == "tau":
            yield from runs(model, target, trace)
        elif trace and label == trace[0]:
            yield from runs(model, target, trace[1:])
    quiescent = not any(label.is_output or label.kind == "tau" for label, _ in model.moves(state))
    if trace and trace[0] == SILENCE and quiescent:
        yield from runs(model, state, trace[1:])


def by_definition(model: Automaton, trace: list[Label]) -> str:
    """Pass, fail at the first observation that no run of the specification shows, or outside it after an input."""
    for length in range(1, len(trace) + 1):
        if not any(True for _ in runs(model, model.initial, trace[:length])):
            return "inconclusive" if trace[length - 1].is_input else "fail"
    return "pass"


@seeds(range(PAIRS))
def test_the_judge_agrees_with_the_definition(seed):
    rng = random.Random(seed)
    model = random_automaton(rng, share=(0.2, 0.4), internal=0.3)
    # Half of the traces follow the specification for a while: random labels alone would fail at once.
    labels, state = [], model.initial
    for _ in range(rng.randint(1, 6)):
        moves = [(label, target) for label, target in model.moves(state) if label.kind != "tau"]
        if moves and rng.random() < 0.7:
            label, state = rng.choice(moves)
        else:
            label = Label.parse(rng.choice([*OBSERVED, "?a", "?b"]))
        labels.append(label)
    events = [
        Event("input", label, given=float(n), play=1, n=n)
        if label.is_input
        else Event("silence" if label == SILENCE else "output", label, seen=float(n), play=1, n=n)
        for n, label in enumerate(labels, 1)
    ]
    assert judge(SuspensionAutomaton(model), Trace(events=tuple(events))).name == by_definition(model, labels)


def test_all_three_verdicts_occur_often():
    names = []
    for seed in range(300):
        rng = random.Random(seed)
        model = random_automaton(rng, share=(0.2, 0.4), internal=0.3)
        labels = [Label.parse(rng.choice([*OBSERVED, "?a", "?b"])) for _ in range(2)]
        names.append(by_definition(model, labels))
    assert min(names.count(name) for name in ("pass", "fail", "inconclusive")) >= 15
