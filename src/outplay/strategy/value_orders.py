"""The orders on pairs of a probability to win and a worst cost.

An order is a key, and the smaller the key the better. Working backwards from the goals finds a best strategy when the
order is monotone (Nachmanson et al. 2004, Definition 1, condition 2, with every pᵢ > 0 and Σ pᵢ = 1): if each (Pᵢ, Cᵢ)
is at least as good as (P′ᵢ, C′ᵢ), then (Σ pᵢPᵢ, max (cᵢ + Cᵢ)) is at least as good as (Σ pᵢP′ᵢ, max (cᵢ + C′ᵢ)). An
answer with probability 0 must be left out: mixed in with weight 0 it would count for its cost alone, and then even the
plain lexicographic order fails. It is enough to exchange one pair at a time, so the rest of a mixture is one
probability and one cost.

The first condition there is not asked for: where nothing can be won, giving up at cost 0 is allowed and does better
than to play on. The order of Example 1 there, where all pairs with probability 0 are equally good, is not
acceptable.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from outplay.errors import UsageError, named

Key: TypeAlias = Callable[[Fraction, Fraction], Any]
"""From a probability and a worst cost to something that is smaller for what is better."""


class Odds(NamedTuple):
    """The probability to win, and the cost of the most expensive play, won or lost; fractions where exact."""

    probability: Fraction | float
    cost: Fraction | float


@dataclass(frozen=True)
class Order:
    """A name, and a key of (probability, cost) that is smaller for what is better."""

    name: str
    key: Key


class Counterexample(NamedTuple):
    """`better` is at least as good as `worse`, but after the same mixture it is not."""

    better: Odds
    worse: Odds
    weight: Fraction
    cost: Fraction
    """Added to both before mixing."""
    others: Odds
    """The odds that are mixed in with the weight that is left."""

    def mixed(self, odds: Odds) -> Odds:
        """One of the two after the mixture."""
        rest = (1 - self.weight) * Fraction(self.others.probability)
        probability = self.weight * Fraction(odds.probability) + rest
        return Odds(probability, max(self.cost + Fraction(odds.cost), Fraction(self.others.cost)))

    def __str__(self) -> str:
        return (
            f"{_pair(self.better)} is at least as good as {_pair(self.worse)}, but where each costs {self.cost} more "
            f"and has weight {self.weight} beside {_pair(self.others)} they become {_pair(self.mixed(self.better))} "
            f"and {_pair(self.mixed(self.worse))}, and the first is worse"
        )


def _pair(odds: Odds) -> str:
    return f"({odds.probability}, {odds.cost})"


def _lexicographic(probability: Fraction, cost: Fraction) -> tuple[Fraction, Fraction]:
    return -probability, cost


def _by_probability(probability: Fraction, _: Fraction) -> Fraction:
    return -probability


def _cheapest_sure(probability: Fraction, cost: Fraction) -> tuple[int, Fraction | int]:
    return (0, cost) if probability == 1 else (1, 0)


LEXICOGRAPHIC = Order("lexicographic", _lexicographic)
"""The higher probability, and among equal ones the lower worst cost."""
PROBABILITY = Order("probability", _by_probability)
"""The higher probability, whatever it costs."""
SURE = Order("sure", _cheapest_sure)
"""The lower worst cost of what is sure to win; all that is not sure is equally bad."""

KNOWN = {order.name: order for order in (LEXICOGRAPHIC, PROBABILITY, SURE)}
"""Orders that are acceptable for reasons, by name; others are searched for a counterexample."""


def value_order(wanted: str | Order | Key) -> Order:
    """Return the order on values that is given itself, by its name, or as a key.

    >>> value_order("sure").name
    'sure'
    """
    if isinstance(wanted, str):
        return named(wanted, KNOWN, "order")
    return wanted if isinstance(wanted, Order) else Order(getattr(wanted, "__name__", "own").strip("<>"), wanted)


# The grid is searched in whole numbers: chances in twelfths, weights in sixths, so mixtures are in parts of 72.
_CHANCES = (0, 3, 6, 8, 12)
_WEIGHTS = (3, 2, 6)
_BESIDE = (12, 6, 0)
_COSTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256)  # doubling: the sum of some two lies just beyond any limit


def counterexample(order: Order, largest: Fraction | int = 100) -> Counterexample | None:
    """Search a mixture that turns an order on values round, among small fractions and costs up to `largest`.

    >>> from outplay.strategy.value_orders import LEXICOGRAPHIC
    >>> counterexample(LEXICOGRAPHIC) is None
    True
    >>> example_1 = Order("Example 1", lambda probability, cost: (-probability, cost if probability else 0))
    >>> found = counterexample(example_1)
    >>> found.better.probability, found.worse.probability
    (Fraction(0, 1), Fraction(0, 1))
    """
    unit = _unit(Fraction(largest))

    @functools.cache
    def key(chance: int, cost: int) -> Any:
        return order.key(Fraction(chance, 72), cost * unit)

    pairs = [(chance, cost) for chance in _CHANCES for cost in _COSTS]
    for (chance, cost), (chance_2, cost_2) in itertools.permutations(pairs, 2):
        if key(6 * chance, cost) <= key(6 * chance_2, cost_2):
            for weight, more, beside, beside_cost in _mixtures(cost, cost_2):
                rest = (6 - weight) * beside
                mixed = key(weight * chance + rest, max(more + cost, beside_cost))
                if not mixed <= key(weight * chance_2 + rest, max(more + cost_2, beside_cost)):
                    return Counterexample(
                        Odds(Fraction(chance, 12), cost * unit),
                        Odds(Fraction(chance_2, 12), cost_2 * unit),
                        Fraction(weight, 6),
                        more * unit,
                        Odds(Fraction(beside, 12), beside_cost * unit),
                    )
    return None


def check_acceptable(order: Order, largest: Fraction | int = 100) -> None:
    """Refuse an order on values that is not acceptable, with an example that shows it.

    >>> check_acceptable(Order("cheap", lambda probability, cost: (cost, -probability)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    outplay.errors.UsageError: the order 'cheap' is not acceptable, ...: (0, 0) is at least as good as (1/4, 1), but ...
    """
    try:
        found = counterexample(order, largest)
    except TypeError as error:
        raise UsageError(f"the keys of the order {order.name!r} cannot be compared: {error}; change its key") from None
    if found is not None:
        raise UsageError(
            f"the order {order.name!r} is not acceptable, so no best strategy can be built from its parts: {found}; "
            "change its key"
        )


def _unit(largest: Fraction) -> Fraction:
    """The least power of four that reaches the largest cost, doubled eight times."""
    unit = Fraction(1)
    while unit * _COSTS[-1] < largest:
        unit *= 4
    while unit * _COSTS[-1] >= 4 * largest > 0:
        unit /= 4
    return unit


@functools.cache
def _mixtures(cost: int, cost_2: int) -> list[tuple[int, int, int, int]]:
    """Weight, added cost, and the probability and cost of what is mixed in."""
    costs = sorted({0, cost, cost_2})
    mixed = itertools.product(_WEIGHTS[:-1], costs, _BESIDE, costs)
    return [*mixed, *itertools.product(_WEIGHTS[-1:], costs, (0,), (0,))]
