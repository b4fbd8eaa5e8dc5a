"""A play followed with a test case or a purpose beside the model says of the model what it would say without."""

from __future__ import annotations

from random import Random

from helpers.automata import random_steps
from helpers.seeds import seeds
from outplay import automaton, specification
from outplay.model.label import SILENCE, Label
from outplay.model.tracking import Tracker
from outplay.model.wrapping import WithObserver
from outplay.suite.case_tester import CaseSpecification
from outplay.suite.suite import case_of

CASE = case_of([("0", "?a", "1"), ("0", "!x", "pass"), ("1", "!x", "pass"), ("1", "!y", "2"), ("1", "delta", "fail"),
                ("2", "?b", "pass")])  # fmt: skip


class Counted(WithObserver):
    """The model, with the number of labels beside it."""

    def __init__(self, spec):
        super().__init__(spec)
        self.initial = tuple((state, 0) for state in spec.initial)

    def after(self, state, label):
        return tuple((target, state[1] + 1) for target in self.spec.after(state[0], label))


def seen(tracker):
    """What is possible; whether a late tester is needed to explain it may hang on what is beside the model."""
    return {(one.states, one.on_the_way) for one in tracker.possible}


@seeds(range(400), quick=100, a_test=100)
def test_what_is_followed_beside_a_model_changes_nothing_of_what_is_possible(seed):
    rng = Random(f"inside {seed}")
    _, steps = random_steps(rng, least=2, most=5, copies=2, silence=0.3)
    spec = specification(automaton(steps or [("q0", "?a", "q0")]))
    times = {"latency": rng.choice((0.0, 1.0)), "silence": 1.0}
    alone, beside = Tracker(spec, **times), Tracker(Counted(CaseSpecification(spec, CASE)), **times)
    now, late = 0.0, False
    for _ in range(6):
        now += rng.choice((0.1, 0.6, 2.0))
        label = rng.choice([Label.parse(one) for one in ("?a", "?b", "!x", "!y")] + [SILENCE])
        if rng.random() < 0.1:
            late = True
            alone, beside = alone.excused(0.5), beside.excused(0.5)
        if label.is_input:
            alone, beside = alone.gave(label, now), beside.gave(label, now)
        else:
            alone, beside = alone.saw(label, now), beside.saw(label, now)
        inside = beside.inside(spec)
        assert inside.spec is spec
        assert seen(inside) == seen(alone)
        assert late or set(inside.possible) == set(alone.possible)
        assert (set(inside.inputs()), set(inside.allowed())) == (set(alone.inputs()), set(alone.allowed()))
        assert seen(inside.saw(SILENCE, now + 5)) == seen(alone.saw(SILENCE, now + 5))


def test_a_tracker_of_the_specification_itself_stays_as_it_is():
    spec = specification(automaton([("s", "?a", "t"), ("t", "!x", "s")]))
    tracker = Tracker(spec)
    assert tracker.inside(spec) is tracker
