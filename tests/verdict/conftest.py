"""Specifications and events, written short."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from outplay.model.label import Label
from outplay.play.event import KINDS, Event
from outplay.play.trace import Header, Trace

_found = spec_from_file_location("helpers_of_play", Path(__file__).parents[1] / "play" / "conftest.py")
assert _found
assert _found.loader
_helpers = module_from_spec(_found)
_found.loader.exec_module(_helpers)
automaton = _helpers.automaton


def event(text: str, play: int, n: int) -> Event:
    """Read `?a@0.5`, `!x`, `late!x`, `delta`, `crash`, `tester-late@0.5` (late by half a second), `reset-failed`…"""
    what, _, time = text.partition("@")
    seconds = float(time) if time else n / 1000
    if what.startswith("?"):
        return Event("input", Label.parse(what), given=seconds, play=play, n=n)
    if what.startswith(("!", "late!")):
        kind = "late" if what.startswith("late") else "output"
        return Event(kind, Label.parse(what.removeprefix("late")), seen=seconds, play=play, n=n)
    if what == "tester-late":
        return Event(what, given=0.0, seen=seconds, play=play, n=n, detail=f"{seconds * 1000:.0f} ms")
    kind = what.removesuffix("-failed").replace("delta", "silence")
    assert kind in KINDS
    return Event(kind, seen=seconds, play=play, n=n, failed=what.endswith("-failed"))


@pytest.fixture
def trace() -> Callable[..., Trace]:
    """Make a trace of plays, each a line such as `reset ?a !x delta`."""

    def made(*plays: str, goal: tuple[str, ...] = (), latency: float = 0.0) -> Trace:
        words = [(text, number) for number, line in enumerate(plays, 1) for text in line.split()]
        events = tuple(event(text, play, n) for n, (text, play) in enumerate(words, 1))
        return Trace(Header(goal=goal, options={"latency": latency}), events)

    return made
