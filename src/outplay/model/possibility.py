"""What may have happened: a state, inputs that may be on their way to it, and what excuses it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from outplay.model.label import Label
from outplay.model.specification import State


class Outside(Enum):
    """The place outside the specification, where an input leads that it does not cover."""

    UNSPECIFIED = "unspecified"


UNSPECIFIED = Outside.UNSPECIFIED


@dataclass(frozen=True)
class OnTheWay:
    """An input given at a time that may not have arrived yet."""

    label: Label
    given: float
    grace: float = 0.0
    """How late the tester itself was since."""


@dataclass(frozen=True)
class Possibility:
    """One thing that may have happened: the state now, inputs that have not arrived, and whether the goal was met."""

    state: State
    on_the_way: tuple[OnTheWay, ...] = ()
    reached: bool = False
    excused: bool = False
    """It may have happened only if the tester's own delay explains what was seen."""


def as_excused(possibility: Possibility) -> Possibility:
    """The same, possible only if the tester's own delay explains what was seen."""
    return possibility if possibility.excused else replace(possibility, excused=True)


def without_dominated(possible: Iterable[Possibility]) -> tuple[Possibility, ...]:
    """Each possibility once; one that needs no excuse is not kept with one as well."""
    found = dict.fromkeys(possible)
    if not any(p.excused for p in found):
        return tuple(found)
    return tuple(p for p in found if not (p.excused and replace(p, excused=False) in found))
