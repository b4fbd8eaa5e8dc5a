"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("helpers")
pytest_plugins = ["helpers.promises"]

from helpers.places import EXAMPLES  # noqa: E402


@pytest.fixture
def chat() -> Path:
    """The folder of the main example."""
    return EXAMPLES / "chat"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test where it can write .outplay without leaving anything behind."""
    monkeypatch.chdir(tmp_path)
