"""Where things stand: the repository, its examples, and the test data that lies beside it on some machines."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def shared_data(*parts: str) -> Path:
    """A file or folder of the shared data; `.exists()` says whether it is here."""
    return ROOT.parent.joinpath("shared", "data", *parts)
