"""The knowledge of a tester: a specification whose states are sets of another's, all that fit what was seen.

Where a label leads to several states, nobody sees which, and a strategy must not depend on it. So games are played on
sets, as those of automata are (van den Bos 2020, 2.1): an input is enabled where all states of the set specify it, an
output is possible where one of them shows it, silence leaves those that are quiet, and a goal holds where it holds in
all of them. Every label then leads to one set.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from outplay.model.label import Label
from outplay.model.offer import Offer, in_all
from outplay.model.specification import Specification, State
from outplay.model.wrapping import DelegatingSpecification

Members: TypeAlias = tuple[State, ...]


class KnowledgeSpecification(DelegatingSpecification):
    """Another specification made deterministic; states are its states in a tuple, each once.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> known = KnowledgeSpecification(lamp)
    >>> known.initial, known.after((0,), Label.parse("?press"))
    (((0,),), [(1,)])
    """

    def __init__(self, spec: Specification) -> None:
        super().__init__(spec)
        self.initial = (self.ordered(spec.initial),)

    def ordered(self, members: Iterable[State]) -> Members:
        """Each once, and in an order that tells equal sets."""
        found = tuple(dict.fromkeys(members))
        return found if len(found) == 1 else tuple(sorted(found, key=self.spec.key))

    def inputs(self, state: Any) -> list[Offer]:
        return in_all([self.spec.inputs(member) for member in state])

    def outputs(self, state: Any) -> list[Offer]:
        return list(dict.fromkeys(offer for member in state for offer in self.spec.outputs(member)))

    def quiet(self, state: Any) -> bool:
        return any(self.spec.quiet(one) for one in state)

    def after(self, state: Any, label: Label) -> list[Members]:
        reached = [self.spec.after(member, label) for member in state]
        if label.is_input and not all(reached):
            return []  # some state says nothing of it, and then anything may happen
        found = self.ordered(target for targets in reached for target in targets)
        return [found] if found else []

    def holds(self, goal: str, state: Any) -> bool:
        return all(self.spec.holds(goal, member) for member in state)

    def weight(self, state: Any, label: Label) -> float:
        shares = [self.spec.weight(member, label) for member in state if self.spec.after(member, label)]
        return sum(shares) / len(shares) if shares else 0.0

    def describe(self, state: Any) -> str:
        return " or ".join(map(self.spec.describe, state))

    def key(self, state: Any) -> str:
        return " or ".join(map(self.spec.key, state))
