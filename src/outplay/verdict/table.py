"""The table of a page taken by itself, for another page to show: its rows, and the part of the style they need."""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A table with its style; the rules use the colours by name."""

    colours: str
    rules: str
    rows: str
