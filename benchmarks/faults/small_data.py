"""A register automaton over small data: its states one by one, its data written out, and its mutants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from benchmarks.faults.mutants import Candidates, Mutant
from benchmarks.faults.rows import of_model
from benchmarks.symbolic_mutants import changes, with_switch
from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.simplifying import conjuncts
from outplay.model.expressions.sorts import LITERAL, VARIABLE
from outplay.model.expressions.term import Term
from outplay.model.label import INPUT, OUTPUT, SILENCE, Label
from outplay.model.specification import BaseSpecification
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem

State = tuple[str, tuple[Any, ...]]
Change = tuple[str, int, Switch | None]


class SmallData(BaseSpecification):
    """A symbolic system whose inputs carry only some values, and whose outputs are looked for among some."""

    def __init__(self, system: SymbolicSystem, inputs: range, outputs: range) -> None:
        self._system, self._names = system, tuple(system.variables)
        self.name, self.fingerprint = system.name, "small data"
        self.initial: tuple[State, ...] = ((system.initial, tuple(system.start[name] for name in self._names)),)
        self._values = {INPUT: inputs, OUTPUT: outputs}
        self._label = lru_cache(maxsize=None)(lambda text, data: Label.parse(" ".join([text, *map(str, data)])))
        self.steps = lru_cache(maxsize=None)(self._steps)

    def inputs(self, state: Any) -> list[Label]:
        return [label for label in self.steps(state) if label.is_input]

    def outputs(self, state: Any) -> list[Label]:
        return [label for label in self.steps(state) if label.is_output]

    def quiet(self, state: Any) -> bool:
        return not self.outputs(state)

    def after(self, state: Any, label: Label) -> list[State]:
        return [state] if label == SILENCE else self.steps(state).get(label, [])

    def key(self, state: Any) -> str:
        return f"{state[0]} {state[1]}"

    def _steps(self, state: State) -> dict[Label, list[State]]:
        found: dict[Label, list[State]] = {}
        place, values = state
        here = dict(zip(self._names, values, strict=True))
        for switch in self._system.leaving.get(place, ()):
            for known in self._enabled(switch, here):
                data = tuple(known[str(one)] for one in switch.parameters)
                found.setdefault(self._label(switch.gate.text, data), []).append(self._target(switch, known))
        return found

    def _enabled(self, switch: Switch, here: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The values with which a switch may be taken: some parameters its guard gives, others are tried."""
        names = [str(one) for one in switch.parameters]
        fixed: dict[str, Any] = {}
        for part in conjuncts(switch.guard):
            if part.operation == "=" and _gives(part, names):
                fixed.setdefault(str(part.arguments[0]), evaluate(part.arguments[1], here))
        free = [name for name in names if name not in fixed]
        for values in product(self._values[switch.gate.kind], repeat=len(free)):
            known = here | fixed | dict(zip(free, values, strict=True))
            if evaluate(switch.guard, known):
                yield known

    def _target(self, switch: Switch, known: dict[str, Any]) -> State:
        terms = switch.assignment
        after = tuple(evaluate(terms[name], known) if name in terms else known[name] for name in self._names)
        return switch.target, after


def _gives(part: Term, names: list[str]) -> bool:
    """Whether an equation says what a parameter is, by a register or a number."""
    left, right = part.arguments
    return str(left) in names and right.operation in (LITERAL, VARIABLE) and str(right) not in names


def candidates(
    system: SymbolicSystem, labels: tuple[Label, ...], inputs: range, outputs: range, rng: Random
) -> Candidates:
    """The mutants of a register automaton by kind, each kind in an order drawn from a seed."""
    found: dict[str, list[Change]] = {}
    for change in changes(system):
        found.setdefault(_kind(change[0].partition(": ")[2]), []).append(change)
    for group in found.values():
        rng.shuffle(group)

    def drawn(group: list[Change]) -> Iterator[Mutant]:
        for what, place, switch in group:
            changed = with_switch(system, place, switch)
            if changed is not None:
                yield Mutant(what, of_model(SmallData(changed, inputs, outputs), labels))

    return {kind: drawn(group) for kind, group in sorted(found.items())}


def _kind(what: str) -> str:
    first, _, _ = what.partition(" ")
    if first in ("guard", "no", "to", "never"):
        return first
    return "assigned" if ":=" in what else what.split(" ", 1)[1]
