"""Resets that are tried again: up to a budget, counted and told, and never in a play."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from outplay import Simulated, automaton, run, specification
from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.system import failed_resets
from outplay.play.trace import Event
from outplay.runs.result import RunResult

LAMP = specification(automaton([("off", "?press", "on"), ("on", "!light", "off")], name="lamp"))
PLAY: dict[str, Any] = {"plays": 3, "steps": 4, "tester": "walk"}


class Unready(Simulated):
    """Is not ready at these resets, counted from 1; in a play it is in trouble at one label, if asked."""

    _unready: tuple[int, ...]

    def __init__(self, *resets: int, trouble: int = 0) -> None:
        self._unready, self._resets, self._trouble = (), 0, trouble
        super().__init__(LAMP, Random(0))  # which resets it once
        self._unready, self._resets = resets, 0

    def reset(self) -> None:
        self._resets += 1
        if self._resets in self._unready:
            raise SystemUnready(f"no answer to reset {self._resets}")
        super().reset()

    def give(self, label: Label) -> float | None:
        self._trouble -= 1
        if self._trouble == 0:
            raise SystemUnready("the line is cut")
        return super().give(label)


def resets(result: RunResult) -> list[str]:
    return [event.detail for event in result.trace.events if event.kind == "reset"]


def test_a_reset_that_fails_is_tried_again_and_told():
    found = run(LAMP, Unready(2, 3), retries=5, **PLAY)
    assert found.verdict.name == "pass"
    assert resets(found) == ["", "ready after 2 failed tries, the last: no answer to reset 3", ""]
    assert found.tally.retries == found.json()["retries"] == 2
    assert "the system was not ready 2 times and was tried again" in str(found)


def test_the_budget_is_for_the_whole_run():
    enough, short = (run(LAMP, Unready(1, 3, 5), retries=budget, **PLAY) for budget in (3, 2))
    assert (enough.verdict.name, enough.tally.retries) == ("pass", 3)
    assert (short.verdict.name, short.verdict.why) == ("error", "no answer to reset 5")


@pytest.mark.parametrize("budget", [0, 1])
def test_a_system_that_stays_unready_is_an_error_and_never_a_pass(budget: int):
    found = run(LAMP, Unready(*range(1, 9)), retries=budget, **PLAY)
    assert found.verdict.name == "error"
    assert found.verdict.why == ("no answer to reset 2; tried 2 times" if budget else "no answer to reset 1")


def test_what_fails_in_a_play_is_not_tried_again():
    found = run(LAMP, Unready(trouble=2), retries=5, **PLAY)
    assert (found.verdict.name, found.tally.retries) == ("error", 0)


def test_pauses_grow_on_the_clock_of_the_system():
    system = Unready(1, 2, 3)
    found = run(LAMP, system, retries=3, **PLAY)
    assert found.trace.events[0].seen == pytest.approx(0.7)


def test_only_a_reset_that_succeeded_counts():
    told = "ready after 1 failed try, the last: no answer"
    assert failed_resets(Event("reset", seen=0.0, detail=told)) == 1
    assert failed_resets(Event("reset", seen=0.0, detail=told, failed=True)) == 0
    assert failed_resets(Event("note", seen=0.0, detail=told)) == 0
