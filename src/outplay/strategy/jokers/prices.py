"""Prices of help: what the system is asked for when a joker is played, and what each kind of that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from outplay.errors import GameError, UsageError
from outplay.game.exact_numbers import Exact, exact_column_of, read_fraction
from outplay.game.graph import Game
from outplay.model.label import DELTA, INPUT, OUTPUT

Price: TypeAlias = Fraction | int | float | str | None


class HelpKind(Enum):
    """The kind of help that the system is asked for when a joker is played."""

    CONFLICT = "conflict"
    """To take the input before it says anything."""
    OUTPUT = "output"
    """To choose this output."""
    SILENCE = "silence"
    """To stay silent."""


def help_kind(label: str) -> HelpKind:
    """Return the kind of help that a joker asks for, from the label of a system vertex' edge.

    >>> [help_kind(label).value for label in ("?post", "!deliver", "delta")]
    ['conflict', 'output', 'silence']
    """
    if label.startswith(INPUT):
        return HelpKind.CONFLICT
    return HelpKind.SILENCE if label == DELTA else HelpKind.OUTPUT


@dataclass(frozen=True)
class Prices:
    """The price of each kind of help, and of single labels if they differ; None where that help cannot be had."""

    output: Price = 1
    """To choose an output."""
    conflict: Price = 1
    """To have an input taken before an output comes: an edge of the system that carries an input."""
    silence: Price = 1
    """To stay silent."""
    labels: Mapping[str, Price] = field(default_factory=dict)

    def of(self, game: Game) -> Exact:
        """The price of each edge, if a joker chooses it."""
        by_kind = {HelpKind.OUTPUT: self.output, HelpKind.CONFLICT: self.conflict, HelpKind.SILENCE: self.silence}
        for label in self.labels:
            if label not in game.labels:
                raise UsageError(f"a price for {label!r}, but no edge carries that label; leave it out or mend it")
        table = exact_column_of([self.labels.get(label, by_kind[help_kind(label)]) for label in game.labels])
        low = next((value for value in table.table if value is not None and value < 0), None)
        if low is not None:
            raise UsageError(f"a joker cannot cost {low}; prices are at least 0, or never (None) where none can be had")
        return table.taken(game.label)


def read_prices(text: str) -> Prices:
    """Read prices of help as they are written on the command line, `never` for help that cannot be had.

    >>> read_prices("output=2, silence=never, !late=1/2")
    Prices(output='2', conflict=1, silence=None, labels={'!late': '1/2'})
    """
    kinds, labels = dict[str, Price](), dict[str, Price]()
    for part in text.split(","):
        name, equals, given = (piece.strip() for piece in part.rpartition("="))
        known = name in {kind.value for kind in HelpKind}
        if not equals or not given or not (known or name == DELTA or name[:1] in (INPUT, OUTPUT)):
            names = ", ".join(kind.value for kind in HelpKind)
            raise UsageError(f"--price {text}: write NAME=PRICE, with commas between; a name is {names} or a label")
        (kinds if known else labels)[name] = None if given == "never" else _read(given, text)
    return Prices(**kinds, labels=labels)


def _read(given: str, text: str) -> str:
    try:
        read_fraction(given)
    except GameError as error:
        raise UsageError(f"--price {text}: {error}; write a number, a fraction such as 1/2, or never") from None
    return given
