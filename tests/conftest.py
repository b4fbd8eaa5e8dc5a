"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def chat() -> Path:
    """The folder of the main example."""
    return ROOT / "examples" / "chat"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test where it can write .outplay without leaving anything behind."""
    monkeypatch.chdir(tmp_path)
