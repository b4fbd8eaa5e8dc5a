"""The meaning of a symbolic transition system: the labelled transition system of its values, made as it is asked for.

Definition (van den Bos 2020, 4.8): a state is a location with a value of each variable; a switch of the location is
enabled for a gate with values where they meet its guard, and then leads to its target, the variables changed. Several
switches may be enabled for one label, which then leads to several states. Silence is allowed where no output is
possible; where the solver cannot tell, it is allowed too, so that no system is failed without proof. A switch
offers all labels of its gate whose parameters meet the guard with the values of the state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from random import Random
from typing import Any, TypeAlias

from outplay.model.expressions.evaluation import evaluate, substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, literals
from outplay.model.label import INPUT, OUTPUT, SILENCE, Label, Written, write_argument
from outplay.model.offer import Offer
from outplay.model.specification import BaseSpecification
from outplay.model.symbolic.simple_conditions import simple_region
from outplay.model.symbolic.solving import Satisfied, Undecided, Unsatisfiable, solve_condition
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem, explain_endless, system_text

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
        found = solve_condition(self.condition, self.sorts, rng)
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
        found = simple_region(self.condition, self.sorts)
        if found is not None and found.is_empty:
            return iter(())
        values = [sort.values() if found is None else found.values(name) for name, sort in self.sorts.items()]
        listed = [one for one in values if one is not None]
        if len(listed) < len(values) or prod(map(len, listed)) > MOST_LABELS:
            return None
        rows = (dict(zip(self.sorts, row, strict=True)) for row in product(*listed))
        return (self.label(row) for row in rows if found is not None or evaluate(self.condition, row))


Values: TypeAlias = tuple[Value, ...]
SemanticState: TypeAlias = tuple[str, Values]
_REMEMBERED = 10_000  # states whose offers are kept


class SymbolicSpecification(BaseSpecification):
    """The interpretation of a symbolic transition system; states are locations with values, in the variables' order."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system, self.locations = system, system.locations
        self._offers: dict[tuple[SemanticState, str], tuple[list[Offer], bool]] = {}

    @property
    def name(self) -> str:
        return self.system.name

    @cached_property
    def fingerprint(self) -> str:
        return hashlib.sha256("".join(system_text(self.system)).encode()).hexdigest()[:16]

    @cached_property
    def initial(self) -> Collection[SemanticState]:
        return ((self.system.initial, tuple(self.system.start[name] for name in self.system.variables)),)

    @cached_property
    def goals(self) -> Collection[str]:  # type: ignore[override]
        """The goals that are named, and the locations."""
        return tuple(dict.fromkeys([*(goal.name for goal in self.system.goals), *self.system.locations]))

    @cached_property
    def endless(self) -> str:
        """Explain why there may be values without end, where that can be told before they are explored."""
        return explain_endless(self.system)

    @cached_property
    def output_gates(self) -> Collection[str]:
        return {gate.name for gate in self.system.gates if gate.kind == OUTPUT}

    @cached_property
    def input_gates(self) -> Collection[str]:
        return {gate.name for gate in self.system.gates if gate.kind == INPUT}

    def inputs(self, state: Any) -> list[Offer]:
        return self._at(state, INPUT)[0]

    def outputs(self, state: Any) -> list[Offer]:
        return self._at(state, OUTPUT)[0]

    def quiet(self, state: Any) -> bool:
        return not self._at(state, OUTPUT)[1]

    def after(self, state: Any, label: Label) -> list[SemanticState]:
        if label == SILENCE:
            return [state] if self.quiet(state) else []
        return list(dict.fromkeys(target for _, target in self.taken(state, label)))

    def taken(self, state: SemanticState, label: Label) -> list[tuple[Switch, SemanticState]]:
        """The switches that a label may take from a state, and where each leads."""
        found = []
        for switch in self.system.leaving.get(state[0], ()):
            if (switch.gate.kind, switch.gate.name) == (label.kind, label.gate):
                target = self._successor(switch, state, label)
                if target is not None:
                    found.append((switch, target))
        return found

    def _successor(self, switch: Switch, state: SemanticState, label: Label) -> SemanticState | None:
        """Return the target of a switch with the values of a label; None where it is not enabled for them (Definition
        4.7).
        """
        if len(label.arguments) != len(switch.parameters):
            return None
        if not all(one.sort.contains(value) for one, value in zip(switch.parameters, label.arguments, strict=True)):
            return None
        values = self.valuation(state)
        values.update((str(one.value), value) for one, value in zip(switch.parameters, label.arguments, strict=True))
        if not evaluate(self.system.enabling(switch), values):
            return None
        changed = {name: evaluate(term, values) for name, term in switch.assignment.items()}
        return switch.target, tuple(
            changed[name] if name in changed else values[name] for name in self.system.variables
        )

    def valuation(self, state: SemanticState) -> dict[str, Value]:
        """The values of a state by the names of the variables."""
        return dict(zip(self.system.variables, state[1], strict=True))

    def _at(self, state: SemanticState, kind: str) -> tuple[list[Offer], bool]:
        """Return the offers of a state in a direction, and whether there surely is one."""
        key = (state, kind)
        found = self._offers.get(key)
        if found is None:
            if len(self._offers) >= _REMEMBERED:
                self._offers.clear()
            found = self._offers[key] = self._made(state, kind)
        return found

    def _made(self, state: SemanticState, kind: str) -> tuple[list[Offer], bool]:
        terms = literals(self.valuation(state), self.system.variables)
        offers: dict[Offer, None] = {}
        sure = False
        for switch in self.system.leaving.get(state[0], ()):
            if switch.gate.kind == kind:
                condition = simplify(substitute(self.system.enabling(switch), terms))
                found, certain = _offers_of(switch, condition)
                offers.update(dict.fromkeys(found))
                sure = sure or certain
        return list(offers), sure

    def holds(self, goal: str, state: Any) -> bool:
        named = next((one for one in self.system.goals if one.name == goal), None)
        if named is None:
            return bool(state[0] == goal)
        return named.location in (None, state[0]) and bool(evaluate(named.condition, self.valuation(state)))

    def describe(self, state: Any) -> str:
        values = (f"{name} = {write_argument(value)}" for name, value in self.valuation(state).items())
        return ", ".join([state[0], *values])


def _offers_of(switch: Switch, condition: Term) -> tuple[Iterable[Offer], bool]:
    """The offers of a switch, each label by itself where they are few, and whether there is surely one."""
    kind, gate = switch.gate.kind, switch.gate.name
    if condition is FALSE:
        return (), False
    if condition is TRUE and not switch.parameters:
        return (Label(kind, gate),), True
    names = {str(one.value): other for one, other in zip(switch.parameters, switch.gate.parameters, strict=True)}
    offer = SymbolicOffer(kind, gate, switch.gate.parameters, simplify(substitute(condition, names)))
    labels = offer.labels()
    if labels is not None:
        listed = list(labels)
        return listed, bool(listed)
    return _decided(offer)


def _decided(offer: SymbolicOffer) -> tuple[Iterable[Offer], bool]:
    found = solve_condition(offer.condition, offer.sorts)
    if isinstance(found, Unsatisfiable):
        return (), False
    return (offer,), not isinstance(found, Undecided)


def of_system(system: SymbolicSystem, **_: Any) -> SymbolicSpecification:
    """Return the specification of a symbolic transition system: its interpretation."""
    return SymbolicSpecification(system)
