"""A kind of model with data over an infinite domain, all in this file: played, judged and replayed like others."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from helpers.commands import called
from outplay import Automaton, Label, PythonObject, Simulated, Timing, automaton, judge, run, specification
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace, write_trace
from outplay.model.kinds import register_kind
from outplay.model.label import SILENCE
from outplay.model.offer import LabelFamily, any_integer, common_offers_of_two, offer_of, offered_labels
from outplay.model.specification import BaseSpecification
from outplay.model.tracking import Tracker
from outplay.pictures.svg import draw
from outplay.runs.failing.replay import replay
from outplay.suite.from_tester import case_from_tester
from outplay.tester.tester import ByTrace, Wait, Walker


@dataclass(frozen=True)
class Stack:
    """A stack of any integers: `?pop` is answered with the top, `?above` with any number above it."""

    room: int


class StackSpecification(BaseSpecification):
    """A state is the stack and the question that waits for its answer."""

    name, fingerprint, initial, goals = "stack", "stack-1", (((), ""),), ("full",)

    def __init__(self, stack: Stack) -> None:
        self.room = stack.room

    def inputs(self, state):
        numbers, asked = state
        if asked:
            return []
        push = [LabelFamily("?", "push", (any_integer("n"),))] if len(numbers) < self.room else []
        return [*push, *([Label("?", "pop"), Label("?", "above")] if numbers else [])]

    def outputs(self, state):
        numbers, asked = state
        if not asked:
            return []
        top = numbers[-1]
        above = LabelFamily(
            "!", "above", (any_integer("n"),), f"n > {top}", lambda n: n > top, lambda rng: (top + rng.randint(1, 9),)
        )
        return [Label("!", "pop", (top,)) if asked == "pop" else above]

    def quiet(self, state):
        return not state[1]

    def after(self, state, label):
        numbers, asked = state
        if label == SILENCE:
            return [state] if self.quiet(state) else []
        if not offer_of(label, self.inputs(state) if label.is_input else self.outputs(state)):
            return []
        if label.gate == "push":
            return [((*numbers, *label.arguments), "")]
        return [(numbers, label.gate)] if label.is_input else [(numbers[:-1] if asked == "pop" else numbers, "")]

    def holds(self, goal, state):
        return len(state[0]) == self.room


def by_height(stack: Stack) -> Automaton:
    """The picture of a stack: only how high it is."""
    up = [(str(height), "?push", str(height + 1)) for height in range(stack.room)]
    down = [(str(height + 1), "?pop", f"{height + 1} asked") for height in range(stack.room)]
    return automaton([*up, *down, *((asked, "!pop", str(int(start) - 1)) for start, _, asked in down)], name="stack")


register_kind(Stack, lambda model, **_: StackSpecification(model), picture=by_height)

SPEC = specification(Stack(room=3))
PUSH = LabelFamily("?", "push", (any_integer("n"),))
QUICK = Timing(silence=0.05)


@dataclass(frozen=True)
class Pile:
    """A stack that is told of in its own words, and has no picture."""

    room: int


class Told:
    def json(self):
        return {"a": "pile"}

    def lines(self):
        return ["a pile"]


class Good:
    """The stack as a Python object."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def push(self, n):
        self.numbers.append(n)

    def pop(self):
        return self.numbers.pop()

    def above(self):
        return self.numbers[-1] + 7


class Narrow(Good):
    """It keeps sixteen bits of each number, which nobody sees who pushes small ones only."""

    def push(self, n):
        self.numbers.append(n if abs(n) < 2**15 else n % 2**15)


@pytest.mark.parametrize("seed", range(10))
def test_a_walk_through_infinitely_many_labels_passes_against_the_model_itself(seed):
    outcome = run(Stack(room=3), Simulated(SPEC, Random(seed)), plays=20, steps=30)
    assert (outcome.verdict.name, outcome.tally.plays) == ("pass", 20)
    assert {text.partition(" ")[0] for _, text in outcome.tally.transitions} >= {"?push", "?pop", "!pop", "!above"}
    assert judge(SPEC, outcome.trace) == outcome.verdict


def test_a_right_object_passes_and_a_wrong_one_fails_is_judged_and_replayed(tmp_path):
    assert run(Stack(room=3), PythonObject(Good), plays=3, steps=12, timing=QUICK).verdict.name == "pass"
    outcome = run(Stack(room=3), PythonObject(Narrow), plays=50, steps=40, timing=QUICK)
    assert outcome.verdict.name == "fail"
    pushed = [
        event.label.arguments[0] for event in outcome.failure().events if event.label and event.label.gate == "push"
    ]
    [allowed] = outcome.verdict.allowed
    assert any(abs(number) >= 2**15 for number in pushed)
    assert outcome.verdict.event.label not in allowed
    path = tmp_path / "trace.jsonl"
    write_trace(path, outcome.trace, outcome.verdict)
    assert judge(SPEC, read_trace(path)) == outcome.verdict
    again = replay(SPEC, read_trace(path), PythonObject(Narrow), timing=QUICK)
    assert (again.reproduced, again.tries) == (True, 1)


def test_it_is_inspected_and_drawn_by_what_its_kind_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("outplay.runs.preparing.loaded_model._model", lambda job: Stack(room=3))
    told = called(capsys, "inspect", "stack", "-o", str(tmp_path / "stack.svg"))
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        "stack: 1 initial state",
        "inputs at first: ?push n (n: integer)",
        "outputs at first: silence",
        "goals: full",
    ]
    assert "3 asked" in (tmp_path / "stack.svg").read_text()
    assert called(capsys, "inspect", "stack", "--json").json == {
        "name": "stack",
        "initial_states": 1,
        "first": {"inputs": ["?push n (n: integer)"], "outputs": [], "silence": True},
        "goals": ["full"],
    }
    assert len(draw(Stack(room=2)).nodes) == 5


def test_a_kind_may_have_a_report_of_its_own(monkeypatch, capsys):
    register_kind(Pile, lambda model, **_: StackSpecification(model), report=lambda pile: Told())
    monkeypatch.setattr("outplay.runs.preparing.loaded_model._model", lambda job: Pile(room=3))
    assert called(capsys, "inspect", "pile").out == "a pile\n"
    with pytest.raises(UsageError, match="a Pile cannot be drawn"):
        draw(Pile(room=3))


def test_what_is_allowed_is_written_as_a_family():
    tracker = Tracker(SPEC).gave(Label.parse("?push 4")).gave(Label.parse("?above"))
    assert list(map(str, tracker.allowed())) == ["!above n (n: integer, n > 4)"]
    assert tracker.saw(Label.parse("!above 5")).conforms
    assert not tracker.saw(Label.parse("!above 4")).conforms
    assert not tracker.saw(Label.parse('!above "5"')).conforms


def test_only_what_all_possible_states_offer_is_enabled():
    positive = LabelFamily("?", "push", (any_integer("n"),), "n > 0", lambda n: n > 0)
    small = LabelFamily("?", "push", (any_integer("n"),), "n < 3", lambda n: n < 3)
    three, pop = Label.parse("?push 3"), Label.parse("?pop")
    both = common_offers_of_two([positive, pop], [small, pop])
    assert [(number, bool(offer_of(Label.parse(f"?push {number}"), both))) for number in (0, 1, 2, 3)] == [
        (0, False),
        (1, True),
        (2, True),
        (3, False),
    ]
    assert pop in both
    assert {both[0].sample(Random(seed)) for seed in range(200)} <= {
        Label.parse("?push 1"),
        Label.parse("?push 2"),
        None,
    }
    assert common_offers_of_two([positive], [three, pop]) == [three]
    assert common_offers_of_two([three, pop], [positive]) == [three]
    assert common_offers_of_two([positive], [positive]) == [positive]
    assert common_offers_of_two([positive], [pop]) == []


@pytest.mark.parametrize("seed", range(50))
def test_a_sample_is_a_member_the_same_one_for_the_same_seed(seed):
    drawn = PUSH.sample(Random(seed))
    assert drawn in PUSH
    assert drawn == PUSH.sample(Random(seed))
    label = Label.parse("?push 3")
    assert label.sample(Random(seed)) is label.only is label
    assert LabelFamily("?", "push", (any_integer("n"),), "n is none", lambda n: False).sample(Random(seed)) is None


def test_a_walk_remembers_families_and_not_each_of_their_labels():
    walker, tracker = Walker(Random(1)), Tracker(SPEC)
    for number in range(5):
        walker.observe(tracker, Label("?", "push", (number,)))
    assert walker.seen == {(SPEC.key(((), "")), "?push n (n: integer)"): 5}


def test_what_needs_every_single_label_says_so():
    with pytest.raises(UsageError, match=r"exploring takes labels that can be listed.*offers \?push n \(n: integer\)"):
        offered_labels([Label.parse("?pop"), PUSH], "exploring")
    with pytest.raises(UsageError, match="a test case takes labels that can be listed"):
        case_from_tester(ByTrace(lambda trace: Wait()), SPEC_ASKED, outputs=[Label.parse("!above 1")], depth=2)


class Asked(StackSpecification):
    initial = (((4,), "above"),)


SPEC_ASKED = Asked(Stack(room=3))
