"""Unfoldings kept small: annotations that differ little are taken for one that says less.

Kapus-Kolar 2007, 5 and 6.3: where Restrictions 7, 12 and 13 hold, satisfaction of predicates may be underestimated
while the machine is unfolded. A test then shows all that is said of it, and maybe more; only a cheaper one may be
missed. Of each place of the graph before, `width` annotations are kept, and besides every one that brings a predicate
which no other one there has. The others are rounded down to the largest one that is kept and says nothing else.

In a machine without choices no predicate of the future or the past of a state is lost in this way, because what holds
before a step of it follows from single predicates behind it; where the system chooses, some may be.
"""

from __future__ import annotations

from outplay.predicates.predicate_system import NOTHING, Annotated, Predicates

WIDTH = 4


class Rounding:
    """The annotations that are kept in one walk over a graph, by their places in it."""

    def __init__(self, width: int, *, forward: bool) -> None:
        self._width, self._forward = width, forward
        self._kept: dict[int, list[Predicates]] = {}
        self._carried: dict[int, set[object]] = {}

    def settled(self, found: Annotated, there: Annotated, place: int) -> Annotated:
        """What is kept for a state: `found`, or what was there before with what is added rounded."""
        said, before = (found.past, there.past) if self._forward else (found.future, there.future)
        kept, added = self._kept.setdefault(place, []), said - before
        if added in kept:
            return found
        added = self._rounded(added, kept, place)
        if added not in kept:
            kept.append(added)
        rounded = before | added
        return found._replace(past=rounded) if self._forward else found._replace(future=rounded)

    def _rounded(self, added: Predicates, kept: list[Predicates], place: int) -> Predicates:
        """Rounded down."""
        carried = self._carried.setdefault(place, set())
        if len(kept) >= self._width and added <= carried:
            return max((one for one in kept if one <= added), key=len, default=NOTHING)
        carried |= added
        return added
