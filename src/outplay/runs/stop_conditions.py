"""The conditions to stop a run, as users write them: `covered`, `confidence=0.9`, `quiet=50`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from outplay.errors import UsageError

FORMS = "covered, confidence=SHARE (such as 0.9 or 90%) or quiet=N"
WRITTEN = {
    "until_covered": "--until covered",
    "until_cleared": "--until confidence=SHARE",
    "until_quiet": "--until quiet=N",
}
"""The fields of a job that say so, and how each is written."""
_FORM = re.compile(r"(covered)|confidence=([0-9.]+)(%?)|quiet=([0-9]+)")


def conditions(texts: str | Iterable[str]) -> dict[str, object]:
    """Read conditions into the fields of a job; a run ends with the first that is met.

    >>> conditions(["covered", "confidence=95%", "quiet=50"])
    {'until_covered': True, 'until_cleared': 0.95, 'until_quiet': 50}
    >>> conditions(["quiet"])
    Traceback (most recent call last):
    outplay.errors.UsageError: --until quiet: write covered, confidence=SHARE (such as 0.9 or 90%) or quiet=N
    """
    found: dict[str, object] = {}
    for text in (texts,) if isinstance(texts, str) else texts:
        read = _FORM.fullmatch(text.strip())
        if read is None:
            raise UsageError(f"--until {text}: write {FORMS}")
        if read[1]:
            found["until_covered"] = True
        elif read[2]:
            found["until_cleared"] = _share(text, read[2], percent=bool(read[3]))
        else:
            found["until_quiet"] = int(read[4])
    return found


def _share(text: str, number: str, *, percent: bool) -> float:
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(f"--until {text}: a share is more than 0 and at most 1, or 100%")
    return share
