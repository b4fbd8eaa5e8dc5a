"""The line on a terminal that says how far a command is."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES
from outplay.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))  # pytest sets that of sys anew
    monkeypatch.setattr(progress, "terminal_stream", lambda: screen)
    monkeypatch.setattr(progress._Line, "PATIENCE", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def until(wanted: str, screen: Terminal, show: Callable[[], None] = lambda: None) -> bool:
    ends = time.monotonic() + 60
    while wanted not in screen.getvalue() and time.monotonic() < ends:
        show()
        time.sleep(0.01)
    return wanted in screen.getvalue()


def test_a_command_that_has_nothing_to_tell_says_that_it_works(shown: Terminal):
    with progress.stage_progress():
        assert until("working …", shown)


def test_after_a_stage_that_is_over_the_command_says_that_it_works(shown: Terminal):
    with progress.stage_progress(progress.EXPLORING, progress.SETTLING) as (explored, settled):
        assert explored
        assert settled
        assert until("7 states explored, 8 known", shown, lambda: explored(7, 8))
        assert until("working …", shown)
        assert until("1 of 2 vertices", shown, lambda: settled(1, 2))


@pytest.mark.parametrize(
    "command",
    [
        "check SPEC SPEC",
        "explore SPEC",
        "forecast SPEC",
        "inspect SPEC",
        "judge SPEC trace.jsonl",
        "replay trace.jsonl --sut model:SPEC --trust",
        "solve SPEC --goal idle",
        "suite SPEC --method n-complete --count",
    ],
)
def test_each_command_that_may_take_long_says_that_it_works(
    command: str, shown: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    spec = str(EXAMPLES / "mp3" / "mp3.aut")
    called(capsys, "run", spec, "--sut", f"model:{spec}", "--plays", "1", "--trace", "trace.jsonl", "-q")
    begun: list[progress._Line] = []
    monkeypatch.setattr(progress._Line, "beat", lambda line: begun.append(line))
    called(capsys, *command.replace("SPEC", spec).split())
    assert begun


def test_where_nobody_looks_nothing_is_shown(monkeypatch: pytest.MonkeyPatch):
    lines = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=lines))
    with progress.stage_progress(progress.EXPLORING) as (explored,):
        assert explored is None
    assert not lines.getvalue()
