"""A way to call the commands, a model and systems to play it against."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.commands import Result, called
from helpers.echo import MODEL, SYSTEM


@pytest.fixture(autouse=True)
def _as_it_was(modules_as_they_were: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one command loaded, the next one does not know; failing plays are as short as they need to be."""
    monkeypatch.setenv("OUTPLAY_SHRINK", "0")


@pytest.fixture
def outplay(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Call a command in this process."""
    return lambda *arguments: called(capsys, *arguments)


@pytest.fixture
def model() -> str:
    """The name of the model, as a user would write it; the file stands in the current folder."""
    Path("echo.py").write_text(MODEL)
    return "echo.py:Echo"


@pytest.fixture
def system() -> Callable[[str], str]:
    """The name of a system under test that behaves in some way."""
    Path("system.py").write_text(SYSTEM)
    return lambda mode: f"exec:{sys.executable} system.py {mode}"
