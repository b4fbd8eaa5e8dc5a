"""The results page: each benchmark owns one section of RESULTS.md and writes it anew."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).parent / "RESULTS.md"
_TOP = """# Measured

Written by `make bench`. Times are seconds, the best of several rounds; what counts are the ratios, which come from one
run on one machine.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_section(title: str, body: str) -> None:
    """Print a section and put it on the page, in place of the one of the same title."""
    section = f"## {title}\n\n{body.strip()}\n\nPython {platform.python_version()}, {platform.machine()}.\n"
    print(section)
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else _TOP
    found = _found(title, page)
    page = page[: found.start()] + section + page[found.end() :] if found else f"{page.rstrip()}\n\n{section}"
    PAGE.write_text(page, encoding="utf-8")


def section_on_page(title: str) -> str:
    """What the page says by now, if anything."""
    found = _found(title, PAGE.read_text(encoding="utf-8")) if PAGE.exists() else None
    return found.group() if found else ""


def _found(title: str, page: str) -> re.Match[str] | None:
    return re.search(rf"## {re.escape(title)}\n.*?(?=\n## |\Z)", page, re.DOTALL)


def seconds(value: float) -> str:
    """Write a time with three digits that mean something."""
    return f"{value:.3g}"
