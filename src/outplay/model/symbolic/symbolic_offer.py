"""What a switch offers in a state: all labels of its gate whose parameters meet the guard with the state's values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from random import Random
from typing import Any

from outplay.model.expressions.computing import evaluate, substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Sort
from outplay.model.expressions.term import TRUE, Term
from outplay.model.label import Label, Written
from outplay.model.offer import Offer
from outplay.model.symbolic.solving.finding import Satisfied
from outplay.model.symbolic.solving.simple_conditions import region
from outplay.model.symbolic.solving.solving import find

MOST_LABELS = 1000  # of one offer that are listed one by one


@dataclass(frozen=True, eq=False, repr=False)
class SymbolicOffer(Written):
    """All labels of a gate whose arguments are of their sorts and meet a condition over the parameters.

    >>> from outplay.model.expressions.term import between, variables
    >>> (p,) = variables("p")
    >>> small = SymbolicOffer("?", "push", (p,), between(1, p, 10))
    >>> small, Label.parse("?push 3") in small, Label.parse("?push 11") in small
    (?push p (p: integer, 1 <= p and p <= 10), True, False)
    >>> small.sample(Random(1)) in small
    True
    """

    kind: str
    gate: str
    parameters: tuple[Term, ...]
    condition: Term
    only: None = None

    @cached_property
    def text(self) -> str:
        names = " ".join([self.gate, *map(str, self.parameters)])
        rules = [f"{one}: {one.sort}" for one in self.parameters]
        return f"{self.kind}{names} ({', '.join(rules + [str(self.condition)] * (self.condition is not TRUE))})"

    @cached_property
    def sorts(self) -> dict[str, Sort]:
        """The sorts of the parameters by name."""
        return {str(one.value): one.sort for one in self.parameters}

    def __contains__(self, label: object) -> bool:
        return (
            isinstance(label, Label)
            and (label.kind, label.gate, len(label.arguments)) == (self.kind, self.gate, len(self.parameters))
            and all(one.sort.contains(value) for one, value in zip(self.parameters, label.arguments, strict=True))
            and bool(evaluate(self.condition, dict(zip(self.sorts, label.arguments, strict=True))))
        )

    def sample(self, rng: Random) -> Label | None:
        found = find(self.condition, self.sorts, rng)
        return self.label(found.values) if isinstance(found, Satisfied) else None

    def label(self, values: Mapping[str, Any]) -> Label:
        """The label with these values of the parameters."""
        return Label(self.kind, self.gate, tuple(values[name] for name in self.sorts))

    def narrowed(self, other: Offer) -> Offer | None:
        if (self.kind, self.gate) != (other.kind, other.gate):
            return None
        if other.only is not None:
            return other.only if other.only in self else None
        if not isinstance(other, SymbolicOffer) or len(other.parameters) != len(self.parameters):
            return None
        both = simplify(
            self.condition & substitute(other.condition, dict(zip(other.sorts, self.parameters, strict=True)))
        )
        return (
            None if both.is_literal and both is not TRUE else SymbolicOffer(self.kind, self.gate, self.parameters, both)
        )

    def labels(self) -> Iterator[Label] | None:
        """All labels, one by one, where they are few by the form of the condition."""
        found = region(self.condition, self.sorts)
        if found is not None and found.is_empty:
            return iter(())
        values = [sort.values() if found is None else found.values(name) for name, sort in self.sorts.items()]
        listed = [one for one in values if one is not None]
        if len(listed) < len(values) or prod(map(len, listed)) > MOST_LABELS:
            return None
        rows = (dict(zip(self.sorts, row, strict=True)) for row in product(*listed))
        return (self.label(row) for row in rows if found is not None or evaluate(self.condition, row))
