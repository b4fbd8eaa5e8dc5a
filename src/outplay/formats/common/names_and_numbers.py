"""Labels, names and numbers as files write them.

Labels and names of states in files: those that are read, and those that a format cannot hold.

Numbers in files: read and written exactly, as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from outplay.errors import FormatError, GameError
from outplay.formats.common.source import LONGEST_LABEL, shown
from outplay.game.exact_numbers import Exact, exact_column, read_fraction
from outplay.model.automaton import Automaton, directed_labels
from outplay.model.label import TAU, Label


def read_labels(
    texts: Collection[str], wrong: Callable[[str, str], FormatError], *, marked: bool = False
) -> tuple[tuple[Label, ...], dict[str, int]]:
    """Read and number all label texts of a model file; those that mean the same share a number.

    `wrong` makes an error at a text, `marked` says that directions are ? and !.
    """
    for text in texts:
        if not text:
            raise wrong(text, "an empty label; write ?input, !output, or tau for an internal step")
        if len(text) > LONGEST_LABEL:
            raise wrong(text, f"a label of {len(text):,} characters, more than {LONGEST_LABEL:,}; shorten it")
    read, numbers = directed_labels(() if marked else texts), dict[Label, int]()
    by_text = {text: numbers.setdefault(read(text), len(numbers)) for text in texts}
    return tuple(numbers), by_text


def label_texts(model: Automaton, ending: str, *, internal: str = TAU, marked: bool = False) -> dict[Label, str]:
    """Write the labels of an automaton for a model file, and refuse those that would be read as something else."""
    texts = {label: internal if label.kind == TAU else label.text for label in model.used_labels}
    read = directed_labels(() if marked else texts.values())
    for label, text in texts.items():
        if not text or read(text.strip()) != label:  # readers cut blanks around a label
            raise FormatError(
                f"{model.name}: the label {shown(text)} would be read as another one from {ending}; rename it"
            )
    return texts


def line_label_texts(model: Automaton, ending: str) -> dict[Label, str]:
    """Write labels for a format of lines, which holds no line breaks and calls the internal step `i`."""
    for text in (label.text for label in model.used_labels):
        if "\n" in text:
            what = f"{shown(text)} holds a line break, which {ending} cannot; write .dot or .json"
            raise FormatError(f"{model.name}: {what}")
    return label_texts(model, ending, internal="i")


def numbered_names(count: int) -> tuple[str, ...]:
    """Return names for states, inputs or outputs that a model file only numbers."""
    return tuple(map(str, range(count)))


def first_repeated(names: Sequence[str]) -> str | None:
    """Find the first name in a model file that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


NUMBER = "write a number of at most 300 digits, such as 2, 0.5 or 1/3"
_EXACT = re.compile(r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|[0-9]++/[0-9]++")
_MOST_DIGITS = 18  # of a number that counts something
_SHORT_DECIMAL = 17  # digits; longer ones are written as fractions


def whole_number(text: str) -> int | None:
    """Read a number in a model file that counts something: at most 18 decimal digits, no leading zeros."""
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS or (text[0] == "0" and text != "0"):
        return None
    return int(text)


def exact_number(text: str) -> Fraction | None:
    """Read a number in a model file exactly as it stands, as a fraction.

    >>> exact_number("0.1"), exact_number("2/6"), exact_number("1e-3"), exact_number("nan")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 1000), None)
    """
    if not _EXACT.fullmatch(text):
        return None
    try:
        return read_fraction(text)
    except GameError:
        return None


def written_number(value: Fraction) -> str:
    """Write a number for a model file so that it is read again exactly: as a decimal where a short one exists.

    >>> written_number(Fraction(1, 8)), written_number(Fraction(1, 3)), written_number(Fraction(2))
    ('0.125', '1/3', '2')
    """
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    while rest % 10 in (2, 4, 5, 6, 8, 0) and places <= _SHORT_DECIMAL:
        rest, places = rest // _common_ten(rest), places + 1
    if rest != 1 or places > _SHORT_DECIMAL:
        return f"{value.numerator}/{value.denominator}"
    digits = f"{value * 10**places}".rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _common_ten(number: int) -> int:
    return (2 if number % 2 == 0 else 1) * (5 if number % 5 == 0 else 1)


class NumberColumn:
    """Collects exact numbers by their text; what stands a million times is read once."""

    def __init__(self) -> None:
        self._rows: dict[Any, int] = {}
        self.table: list[Fraction | None] = []
        self.index: list[int] = []

    def row(self, key: Any) -> int | None:
        """The row of a text that has been read before."""
        return self._rows.get(key)

    def new_row(self, key: Any, value: Fraction | None) -> int:
        """Keep a number under its text."""
        self.table.append(value)
        self._rows[key] = len(self.table) - 1
        return len(self.table) - 1

    def exact(self) -> Exact:
        """The numbers collected in `index`."""
        return exact_column(self.table, np.array(self.index, dtype=np.int64))
