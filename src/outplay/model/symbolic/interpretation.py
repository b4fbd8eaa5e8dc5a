"""What a symbolic transition system means: the labelled transition system of its values, made as it is asked for.

Definition (van den Bos 2020, 4.8): a state is a location with a value of each variable; a switch of the location is
enabled for a gate with values where they meet its guard, and then leads to its target, the variables changed. Several
switches may be enabled for one label, which then leads to several states. Silence is allowed where no output is
possible; where the solver cannot tell, it is allowed too, so that no system is failed without proof.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any, TypeAlias

from outplay.model.expressions.computing import evaluate, substitute
from outplay.model.expressions.operations import Value
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.term import FALSE, TRUE, Term, literals
from outplay.model.label import INPUT, OUTPUT, SILENCE, Label, write_value
from outplay.model.offer import Offer
from outplay.model.specification import BaseSpecification
from outplay.model.symbolic.endless import why_endless
from outplay.model.symbolic.solving.finding import Undecided, Unsatisfiable
from outplay.model.symbolic.solving.solving import find
from outplay.model.symbolic.symbolic_offer import SymbolicOffer
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.model.symbolic.system_text import system_text

Values: TypeAlias = tuple[Value, ...]
SemanticState: TypeAlias = tuple[str, Values]
_REMEMBERED = 10_000  # states whose offers are kept


class SymbolicSpecification(BaseSpecification):
    """The interpretation of a symbolic transition system; states are locations with values, in the variables' order."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system = system
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
        """Why there may be values without end, where that can be told before they are explored."""
        return why_endless(self.system)

    @cached_property
    def output_gates(self) -> Collection[str]:
        return {gate.name for gate in self.system.gates if gate.kind == OUTPUT}

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
        """Where a switch leads with the values of a label; None where it is not enabled for them (Definition 4.7)."""
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
        """What a state offers in a direction, and whether that is sure to be something."""
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
        values = (f"{name} = {write_value(value)}" for name, value in self.valuation(state).items())
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
    found = find(offer.condition, offer.sorts)
    if isinstance(found, Unsatisfiable):
        return (), False
    return (offer,), not isinstance(found, Undecided)


def of_system(system: SymbolicSystem, **_: Any) -> SymbolicSpecification:
    """The specification of a symbolic transition system."""
    return SymbolicSpecification(system)
