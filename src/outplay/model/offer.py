"""Offers: what a state offers to tester or system, one label or a whole family of them.

An offer is a gate with its parameters and a constraint on their values. A plain label is the offer with one member; a
model with data over infinite domains offers families, such as `?push n` for every integer n. Whoever plays asks
whether a label is in an offer, or for a sample of it; only exploring and writing test cases need every single label.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from outplay.errors import UsageError
from outplay.model.label import Label, Written

_TRIES = 100  # values drawn for a sample before a family counts as empty


class Offer(Protocol):
    """Labels of one direction and gate. The written form is its identity, the same in every process and run."""

    @property
    def kind(self) -> str:
        """The direction, `?` or `!`."""

    @property
    def gate(self) -> str: ...
    @property
    def text(self) -> str:
        """The written form, for people and as a key."""

    @property
    def only(self) -> Label | None:
        """The one member of an offer that has just one by its form."""

    @property
    def is_input(self) -> bool: ...
    @property
    def is_output(self) -> bool: ...

    def __contains__(self, label: object, /) -> bool: ...

    def sample(self, rng: Random, /) -> Label | None:
        """Draw a member; None where none is found."""

    def narrowed(self, other: Offer, /) -> Offer | None:
        """Return the part that is in another offer too; None where that is nothing by its form."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a family: its name, the values it ranges over, and how to draw one."""

    name: str
    domain: str
    contains: Callable[[Any], bool]
    draw: Callable[[Random], Any]


def any_integer(name: str) -> Parameter:
    """Offer a parameter that ranges over all integers; small ones are drawn most, and large ones now and then."""
    return Parameter(name, "integer", lambda value: type(value) is int, draw_integer)


def draw_integer(rng: Random) -> int:
    """Draw an integer for an offer: small ones most, and large ones now and then."""
    size = 10 ** rng.randrange(1, 10)
    return rng.randint(-size, size)


@dataclass(frozen=True, eq=False, repr=False)
class LabelFamily(Written):
    """All labels of a gate whose arguments are in their domains and meet a constraint.

    The constraint is a text for people, which tells offers apart, and a function of the arguments. Arguments are drawn
    from the domains until they meet it; where that would take long, `draw` draws them all at once.

    >>> even = LabelFamily("?", "push", (any_integer("n"),), "n is even", lambda n: n % 2 == 0)
    >>> even
    ?push n (n: integer, n is even)
    >>> Label.parse("?push 4") in even, Label.parse("?push 3") in even, Label.parse('?push "4"') in even
    (True, False, False)
    >>> even.sample(Random(1)) in even
    True
    """

    kind: str
    gate: str
    parameters: tuple[Parameter, ...]
    constraint: str = ""
    meets: Callable[..., bool] = lambda *arguments: True
    draw: Callable[[Random], tuple[Any, ...]] | None = None
    only: None = None

    @property
    def text(self) -> str:
        names = " ".join([self.gate, *(one.name for one in self.parameters)])
        rules = [f"{one.name}: {one.domain}" for one in self.parameters] + [self.constraint] * bool(self.constraint)
        return f"{self.kind}{names} ({', '.join(rules)})"

    def __contains__(self, label: object) -> bool:
        return (
            isinstance(label, Label)
            and (label.kind, label.gate, len(label.arguments)) == (self.kind, self.gate, len(self.parameters))
            and all(one.contains(value) for one, value in zip(self.parameters, label.arguments, strict=True))
            and self.meets(*label.arguments)
        )

    def sample(self, rng: Random) -> Label | None:
        draw = self.draw or (lambda rng: tuple(one.draw(rng) for one in self.parameters))
        drawn = (draw(rng) for _ in range(_TRIES))
        return next((Label(self.kind, self.gate, values) for values in drawn if self.meets(*values)), None)

    def narrowed(self, other: Offer) -> Offer | None:
        if (self.kind, self.gate) != (other.kind, other.gate):
            return None
        if other.only is not None:
            return other.only if other.only in self else None

        def meets(*arguments: Any) -> bool:
            return self.meets(*arguments) and Label(self.kind, self.gate, arguments) in other

        return replace(self, constraint=f"{self.constraint} in {other.text}".strip(), meets=meets)


def offer_of(label: Label, offers: Collection[Offer]) -> Offer | None:
    """Return the offer among several that a label is in; None where it is in none."""
    if label in offers:
        return label
    return next((offer for offer in offers if offer.only is None and label in offer), None)


def common_offers_of_two(some: Iterable[Offer], others: Collection[Offer]) -> list[Offer]:
    """Return the common part of two lists of offers, in the order of the first."""
    found: dict[Offer, None] = {}
    for offer in some:
        shared = [offer] if offer in others else [offer.narrowed(other) for other in others]
        found.update((part, None) for part in shared if part is not None)
    return list(found)


def common_offers(lists: Sequence[Collection[Offer]]) -> list[Offer]:
    """Return the common part of several lists of offers, in the order of the first."""
    found = list(lists[0])
    for offers in lists[1:]:
        found = common_offers_of_two(found, offers)
    return found


class NotListed(UsageError):
    """Labels were to be listed of which there are too many."""


def offered_labels(offers: Iterable[Offer], purpose: str) -> list[Label]:
    """Return the labels of offers that have one member each; refuse others, with what they were wanted for."""
    found = []
    for offer in offers:
        if offer.only is None:
            raise NotListed(
                f"{purpose} takes labels that can be listed, but the model offers {offer.text}: "
                "play or judge it, or give it finite domains"
            )
        found.append(offer.only)
    return found
