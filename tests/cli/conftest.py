"""A way to call the commands, a model and systems to play it against."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.commands import Result, called
from helpers.echo import MODEL, SYSTEM
from helpers.places import EXAMPLES


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loading models adds folders to the path and modules to the list."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    ours = (str(Path.cwd()), str(EXAMPLES))
    for name, module in list(sys.modules.items()):
        if name not in known and str(getattr(module, "__file__", None)).startswith(ours):
            del sys.modules[name]


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
