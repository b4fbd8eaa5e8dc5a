"""What all tests share."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("helpers")
pytest_plugins = ["helpers.blocks", "helpers.promises"]

from helpers.places import EXAMPLES  # noqa: E402

# Whoever starts tests in the background has them ignore this, and so would the commands that are to be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def chat() -> Path:
    """The folder of the main example."""
    return EXAMPLES / "chat"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test where it can write .outplay, remember code and keep results, without leaving anything behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", f"{tmp_path}-of-the-user")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def modules_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loading models adds folders to the path and modules to the list."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    ours = (str(Path.cwd()), str(EXAMPLES))
    for name, module in list(sys.modules.items()):
        if name not in known and str(getattr(module, "__file__", None)).startswith(ours):
            del sys.modules[name]


@pytest.fixture
def browser() -> Any:
    """Debian's Chromium, one for all tests in a row that ask for it."""
    from helpers.studio import open_browser

    return open_browser()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test that does not ask for it."""
    if "helpers.studio" in sys.modules and "browser" not in getattr(nextitem, "fixturenames", ()):
        sys.modules["helpers.studio"].close_browser()
