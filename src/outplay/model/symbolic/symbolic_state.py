"""Symbolic states: a location, what the variables are as terms over the parameters so far, and a path condition.

Definition (van den Bos 2020, 4.11 and 4.12). The parameters of the i-th switch of a path are called `p@i`, so that each
has a name of its own; the thesis primes them instead: in a path of n switches, p@i is p with n - i primes.

Along which switches a label may lead, where inputs may be on their way and outputs may have passed them. A place of a
play is a state and the inputs that may not have arrived there, as a tracker keeps them (`model.tracking`). A tracker
forgets the way; whoever counts switches, or plans along them, follows it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.model.expressions.evaluation import fits_sort, free_variables, substitute
from outplay.model.expressions.simplifying import conjuncts, simplify
from outplay.model.expressions.term import TRUE, Term, conjunction, literal, variable
from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.model.tracking import Tracker


@dataclass(frozen=True, eq=False)
class SymbolicState:
    """All states of one location that a path of switches may lead to."""

    location: str
    terms: Mapping[str, Term]
    """The term of each variable, over the parameters met so far."""
    condition: Term = TRUE
    """The condition on these parameters; equations that fix a new one are put into the terms instead."""
    depth: int = 0

    def __str__(self) -> str:
        values = (f"{name} = {term}" for name, term in self.terms.items())
        return ", ".join([self.location, *values]) + ("" if self.condition is TRUE else f" ({self.condition})")


def initial_symbolic_state(system: SymbolicSystem) -> SymbolicState:
    """Return the initial symbolic state: the initial location with the values at the start."""
    return SymbolicState(
        system.initial, {name: literal(system.start[name], sort) for name, sort in system.variables.items()}
    )


def at_step(parameter: Term, step: int) -> Term:
    """Return the variable for a parameter at one step of a symbolic path."""
    return variable(f"{parameter.value}@{step}", parameter.sort)


def symbolic_successor(system: SymbolicSystem, state: SymbolicState, switch: Switch) -> SymbolicState:
    """Return the successor of a symbolic state by a switch, whose condition is still to be asked of a solver."""
    fresh = {str(one.value): at_step(one, state.depth + 1) for one in switch.parameters}
    names = {**state.terms, **fresh}
    guard = simplify(substitute(system.enabling(switch), names))
    changed = {name: simplify(substitute(term, names)) for name, term in switch.assignment.items()}
    guard, known = _without_equations(guard, {str(one.value): one for one in fresh.values()})
    terms = {**state.terms, **{name: simplify(substitute(term, known)) for name, term in changed.items()}}
    condition = simplify(conjunction([*conjuncts(state.condition), *conjuncts(guard)]))
    return SymbolicState(switch.target, terms, condition, state.depth + 1)


def _without_equations(guard: Term, fresh: Mapping[str, Term]) -> tuple[Term, dict[str, Term]]:
    """A guard without the equations that fix new parameters, and what these fix them to."""
    known: dict[str, Term] = {}
    while (solved := _equation(guard, fresh, known)) is not None:
        name, term, part = solved
        known = {other: substitute(old, {name: term}) for other, old in known.items()} | {name: term}
        left = [one for one in conjuncts(guard) if one is not part]
        guard = simplify(
            conjunction([*(substitute(one, {name: term}) for one in left), fits_sort(term, fresh[name].sort)])
        )
    return guard, known


def _equation(guard: Term, fresh: Mapping[str, Term], known: Mapping[str, Term]) -> tuple[str, Term, Term] | None:
    for part in conjuncts(guard):
        if part.operation == "=":
            for one, other in (part.arguments, part.arguments[::-1]):
                name = str(one.value)
                if one.is_variable and name in fresh and name not in known and name not in free_variables(other):
                    return name, other, part
    return None


def path_condition(
    system: SymbolicSystem, path: Iterable[Switch], start: Mapping[str, Term] | None = None
) -> tuple[Term, ...]:
    """Return the path condition: the guards along a path over the parameters of its steps, which all hold (4.12).

    The path starts with the system, or with other values of the variables.
    """
    terms: dict[str, Term] = dict(initial_symbolic_state(system).terms if start is None else start)
    found = []
    for step, switch in enumerate(path, 1):
        names = {**terms, **{str(one.value): at_step(one, step) for one in switch.parameters}}
        found.append(substitute(system.enabling(switch), names))
        terms = {**terms, **{name: substitute(term, names) for name, term in switch.assignment.items()}}
    return tuple(found)


def relevant_conjuncts(condition: Term, names: Iterable[str]) -> Term:
    """Return the part of a path condition that says something, directly or not, about some variables."""
    wanted, left, kept = set(names), list(conjuncts(condition)), list[Term]()
    while True:
        linked = [one for one in left if not free_variables(one).keys().isdisjoint(wanted)]
        if not linked:
            return conjunction(kept)
        kept += linked
        left = [one for one in left if all(one is not other for other in linked)]
        wanted.update(name for one in linked for name in free_variables(one))


def canonical_state(state: SymbolicState) -> tuple[str, tuple[Term, ...], Term]:
    """Return a symbolic state in canonical form: parameters numbered as met, and only the condition that matters."""
    terms = tuple(state.terms.values())
    condition = relevant_conjuncts(state.condition, free_variables(*terms))
    parts = sorted(conjuncts(condition), key=str)
    met = free_variables(*terms, *parts)
    names = {name: variable(f"{number}@0", one.sort) for number, (name, one) in enumerate(met.items())}
    renamed = sorted((simplify(substitute(one, names)) for one in parts), key=str)
    return state.location, tuple(simplify(substitute(one, names)) for one in terms), conjunction(renamed)


def is_subsumable(inner: Sequence[Term], outer: Sequence[Term]) -> bool:
    """Say whether the values of a symbolic state's terms may be those of another's: no constants differ."""
    pairs = zip(inner, outer, strict=True)
    return not any(one is not other and one.is_literal and other.is_literal for one, other in pairs)


PlayPlace: TypeAlias = tuple[Any, tuple[Label, ...]]
"""A state, and inputs that may not have arrived."""
SwitchPath: TypeAlias = tuple[Switch, ...]


def paths_to_label(
    spec: SymbolicSpecification, place: PlayPlace, label: Label
) -> Iterator[tuple[SwitchPath, PlayPlace]]:
    """Yield the switches that may be taken up to the next label, and where they lead, in all orders that fit it."""
    state, waiting = place
    if label.is_input:
        yield from _arriving(spec, (), (state, (*waiting, label)))
    elif label == SILENCE or state is UNSPECIFIED:
        if not waiting or label != SILENCE:
            yield (), place
    else:
        for switch, target in spec.taken(state, label):
            yield from _arriving(spec, (switch,), (target, waiting))


def _arriving(
    spec: SymbolicSpecification, taken: SwitchPath, place: PlayPlace
) -> Iterator[tuple[SwitchPath, PlayPlace]]:
    """The place itself, and those after inputs on their way have arrived, in their order."""
    yield taken, place
    state, waiting = place
    if not waiting:
        return
    steps = [] if state is UNSPECIFIED else spec.taken(state, waiting[0])
    for switch, target in steps:
        yield from _arriving(spec, (*taken, switch), (target, waiting[1:]))
    if not steps:
        yield from _arriving(spec, taken, (UNSPECIFIED, waiting[1:]))


def places_of(tracker: Tracker) -> set[PlayPlace]:
    """Return the places of a symbolic system that are possible by what is known of times."""
    found: set[PlayPlace] = {*tracker.places}
    return found | {(UNSPECIFIED, unarrived) for unarrived in tracker.unarrived_outside}
