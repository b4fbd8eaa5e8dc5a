"""Which histories are linearizable: by the definition on small ones, by an independent checker's answers on logs."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from helpers.histories import history_of, is_linearizable, model_of, plain_calls, random_events, random_table
from outplay import Model, controllable, judge
from outplay.model.label import Label
from outplay.model.programs import call_stepper
from outplay.play.history import HistoryEvent, history_of_events
from outplay.verdict import linearize
from outplay.verdict.judge_history import NotLinearizable
from outplay.verdict.verdicts import Verdict

MANY = int(os.environ.get("OUTPLAY_HISTORIES", 40_000))  # histories judged by `make test-long`
BLOCKS = 8


def compared(seeds: range, most: int = 6) -> Counter[str]:
    """Judge a random history for each seed; count the verdicts, and those that differ from the definition."""
    found: Counter[str] = Counter()
    for seed in seeds:
        rng = Random(f"history {seed}")
        table = random_table(rng)
        model = model_of(table)
        for _ in range(10):
            events = random_events(rng, table, most)
            verdict = judge(model, history_of(events))
            calls = plain_calls(events)
            expected = "pass" if is_linearizable(table, calls) else "fail"
            found[verdict.name] += 1
            found["unknown"] += any(not call.owed for call in calls)
            found["differs"] += verdict.name != expected
    return found


def test_a_history_passes_when_some_order_of_its_calls_is_allowed():
    found = compared(range(60))
    assert found["differs"] == 0
    assert min(found["pass"], found["fail"], found["unknown"]) > 100, found


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_it_does_so_in_many_histories(block):
    size = MANY // BLOCKS // 10
    assert compared(range(1_000_000 + block * size, 1_000_000 + (block + 1) * size), most=7)["differs"] == 0


def _forgetful(known, bits, optional, state):
    """Takes every state for the same one."""
    return not known.setdefault((bits, 0), []) and not known[bits, 0].append(0)


def _always_dominated(known, bits, optional, state):
    """Takes calls that need not take effect for calls that make no difference."""
    key = (bits & ~optional, state)
    return not known.setdefault(key, []) and not known[key].append(bits & optional)


def _always_pure(function, program):
    return True


@pytest.mark.parametrize(
    ("module", "name", "slip"),
    [
        (linearize, "_is_new", _forgetful),
        (call_stepper, "is_pure_method", _always_pure),
    ],
)
def test_a_slip_is_found(monkeypatch, module, name, slip):
    monkeypatch.setattr(module, name, slip)
    assert compared(range(60))["differs"] > 0


class Steps(Model):
    """Two calls lead from 0 to 1, one of them also from 1 to 2."""

    at: int = 0

    @controllable(returns=("ok",))
    def both(self, result):
        self.at = min(self.at + 1, 2)

    @controllable(returns=("ok",))
    def first(self, result):
        self.at = max(self.at, 1)

    @controllable(returns=(0, 1, 2))
    def look(self, result):
        return result == self.at


def kept_for_later() -> list[str]:
    """One of two calls of unknown outcome explains 1, but only `first` leaves one that explains 2."""
    found = []
    for unknown in (("both", "first"), ("first", "both")):
        lines = [("invoke", f"{n}", f"?{gate}") for n, gate in enumerate(unknown)]
        for answer in (1, 2):
            lines += [("invoke", "c", "?look"), ("ok", "c", f"!look {answer}")]
        events = [HistoryEvent(kind, client, Label.parse(text), n) for n, (kind, client, text) in enumerate(lines)]
        found.append(judge(Steps, history_of_events(events)).name)
    return found


def test_a_call_of_unknown_outcome_may_be_kept_for_later():
    assert kept_for_later() == ["pass", "pass"]


def test_a_search_that_forgets_what_is_kept_for_later_is_found(monkeypatch):
    monkeypatch.setattr(linearize, "_is_new", _always_dominated)
    assert "fail" in kept_for_later()


def _owed_until(calls, end):
    """What is known when an answer has come: calls asked later are not, those answered later need not be done."""
    asked = [call for call in calls if call.start < end]
    return [call if call.end <= end else replace(call, owed=False) for call in asked]


def _failing(seeds: range) -> list[tuple]:
    found = []
    for seed in seeds:
        rng = Random(f"window {seed}")
        table = random_table(rng)
        events = random_events(rng, table, 5)
        verdict: Verdict = judge(model_of(table), history_of(events))
        if isinstance(verdict, NotLinearizable):
            found.append((table, plain_calls(events), verdict.window))
    return found


def test_the_window_ends_at_the_first_answer_that_no_order_explains():
    failing = _failing(range(400))
    assert len(failing) > 60
    for table, calls, window in failing:
        end = window.wrong.answered // 2
        before = max((call.end for call in calls if call.end < end), default=-1)
        assert not is_linearizable(table, _owed_until(calls, end))
        assert is_linearizable(table, _owed_until(calls, before))


def test_calls_left_out_of_the_window_make_no_difference():
    smaller = 0
    for table, calls, window in _failing(range(400)):
        begin, end = window.wrong.asked // 2, window.wrong.answered // 2
        kept = {call.asked // 2 for call in window.calls}
        known = _owed_until(calls, end)
        loose = [
            replace(call, answer=None, owed=False) if call.end > begin and call.start not in kept else call
            for call in known
        ]
        smaller += loose != known
        assert not is_linearizable(table, loose)
        assert kept <= {call.start for call in known if call.end > begin}
    assert smaller > 30
