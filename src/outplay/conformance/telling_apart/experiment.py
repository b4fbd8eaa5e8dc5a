"""Experiments: tests that find out in which state a system is, from whatever state it may be in.

Definition (van den Bos 2020, 3.12 and 3.13): an acyclic automaton in which each state gives one input, waits for
outputs, or is over. What a trace to an end shows are the states that could have shown it. Parts are shared, so an
experiment is a graph; `str` writes it as a term, as the thesis does: `x.(x.0 + y.a.0)` waits for x and then goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from outplay.model.label import Label
from outplay.plurals import counted


@dataclass(frozen=True, eq=False)
class Experiment:
    """What to do, and how to go on after each label: one input, or outputs (silence among them); the end has none."""

    moves: dict[Label, Experiment] = field(default_factory=dict)

    @property
    def given(self) -> Label | None:
        """The input that is given; None where the experiment waits or is over."""
        first = next(iter(self.moves), None)
        return first if first is not None and first.is_input else None

    @cached_property
    def depth(self) -> int:
        """The most labels it takes."""
        return max((1 + after.depth for after in self.moves.values()), default=0)

    def parts(self) -> Iterator[Experiment]:
        """All its different parts, itself included, each before those it goes on with."""
        seen, order, stack = {id(self)}, list[Experiment](), [(self, iter(self.moves.values()))]
        while stack:
            after = next(stack[-1][1], None)
            if after is None:
                order.append(stack.pop()[0])
            elif id(after) not in seen:
                seen.add(id(after))
                stack.append((after, iter(after.moves.values())))
        return reversed(order)

    def __str__(self) -> str:
        """The experiment as a term; directions are left out where no input and output share a name."""
        return _term(self)

    def __repr__(self) -> str:
        return f"Experiment({counted(sum(1 for _ in self.parts()), 'part')}, {counted(self.depth, 'label')} at most)"


END = Experiment()
"""The experiment that is over."""


def _term(part: Experiment) -> str:
    if not part.moves:
        return "0"
    terms = []
    for label, after in part.moves.items():
        rest = _term(after)
        name = label.message if label.is_input or label.is_output else label.text
        terms.append(f"{name}.{f'({rest})' if len(after.moves) > 1 else rest}")
    return " + ".join(terms)
