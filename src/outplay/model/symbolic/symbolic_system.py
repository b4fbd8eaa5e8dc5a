"""Symbolic transition systems: locations, variables, gates with parameters, and switches with guard and assignment.

Definition (van den Bos 2020, 4.3). A switch leads from a location to another by a gate. It may be taken with all values
of the gate's parameters that meet its guard; the variables then become what its assignment says, all at once. Where a
variable has bounds, a switch is enabled only where what it assigns keeps to them.

A symbolic transition system as text, in the format of `.sts` files.

Whether the values of a symbolic system may go on for ever, asked before anything is explored. The values stay within
bounds where bounds are kept by every switch: with all integers between -N and N before it, they are so after it,
whatever its guard lets pass. That is asked of the solver switch by switch. Where a switch leads out of all bounds that
are tried, nothing proves the states to be few; then data are explored by regions and not one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from outplay.errors import UsageError
from outplay.model.expressions.evaluation import fits_sort, free_variables, write_assignment
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import INTEGER, Enumeration, Sort, Value
from outplay.model.expressions.term import TRUE, Term, apply, between, conjunction, literal, variable
from outplay.model.label import INPUT
from outplay.model.symbolic.solving import Satisfied, solve_condition
from outplay.plurals import counted
from outplay.renderable import Drawn


@dataclass(frozen=True)
class Gate:
    """An input `?` or output `!` with its parameters, which are variables of terms."""

    kind: str
    name: str
    parameters: tuple[Term, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.kind}{self.name}"

    def __str__(self) -> str:
        return " ".join([self.text, *map(str, self.parameters)])


@dataclass(frozen=True)
class Switch:
    """A step from a location to another, by a gate whose parameters it may call by names of its own."""

    name: str
    source: str
    gate: Gate
    target: str
    parameters: tuple[Term, ...]
    guard: Term = TRUE
    assignment: Mapping[str, Term] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class NamedCondition:
    """A goal: at a location, or anywhere, where a condition on the variables holds."""

    name: str
    location: str | None = None
    condition: Term = TRUE


@dataclass(frozen=True, repr=False)
class SymbolicSystem(Drawn):
    """A symbolic transition system. Make one with `symbolic_system`, or from a file; it has been checked."""

    name: str
    initial: str
    variables: Mapping[str, Sort]
    start: Mapping[str, Value]
    """The initial values of the variables."""
    gates: tuple[Gate, ...]
    switches: tuple[Switch, ...]
    goals: tuple[NamedCondition, ...] = ()

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """All locations, the initial one first, the others as they are met."""
        ends = (end for switch in self.switches for end in (switch.source, switch.target))
        return tuple(dict.fromkeys([self.initial, *ends]))

    @cached_property
    def leaving(self) -> dict[str, tuple[Switch, ...]]:
        """The switches of each location."""
        return {place: tuple(one for one in self.switches if one.source == place) for place in self.locations}

    def enabling(self, switch: Switch) -> Term:
        """The guard of a switch, with the bounds that what it assigns keeps to."""
        return self._enabling[switch.name]

    @cached_property
    def _enabling(self) -> dict[str, Term]:
        return {one.name: self._with_bounds(one) for one in self.switches}

    def _with_bounds(self, switch: Switch) -> Term:
        bounds = (fits_sort(term, self.variables[name]) for name, term in switch.assignment.items())
        return simplify(conjunction([switch.guard, *(bound for bound in bounds if bound is not TRUE)]))

    def switch(self, name: str) -> Switch:
        """The switch of a name."""
        return next(one for one in self.switches if one.name == name)

    def __hash__(self) -> int:
        return hash((self.name, self.initial, len(self.switches)))

    def __repr__(self) -> str:
        counts = [(len(self.locations), "location"), (len(self.variables), "variable"), (len(self.switches), "switch")]
        words = [counted(n, word) for n, word in counts]
        return f"SymbolicSystem({self.name!r}, {', '.join(words)})"


def system_text(system: SymbolicSystem) -> Iterator[str]:
    """Return the lines of a file that is read as this symbolic system."""
    yield f"system {literal(system.name)}\n"
    for one in dict.fromkeys(_enumerations(system)):
        yield f"enumeration {one.name} = {', '.join(one.members)}\n"
    for name, sort in system.variables.items():
        yield f"variable {name}: {sort} = {literal(system.start[name], sort)}\n"
    for gate in system.gates:
        yield _gate(gate)
    yield f"initial {system.initial}\n"
    yield from map(_switch, system.switches)
    yield from map(_goal, system.goals)


def _enumerations(system: SymbolicSystem) -> list[Enumeration]:
    sorts = [*system.variables.values(), *(one.sort for gate in system.gates for one in gate.parameters)]
    return [sort for sort in sorts if isinstance(sort, Enumeration)]


def _gate(gate: Gate) -> str:
    named = ", ".join(f"{one}: {one.sort}" for one in gate.parameters)
    return f"{'input' if gate.kind == INPUT else 'output'} {gate.name}{f'({named})' if named else ''}\n"


def _switch(switch: Switch) -> str:
    called = ", ".join(map(str, switch.parameters))
    kind = "" if not called else f"({called})"
    guard = "" if switch.guard is TRUE else f" when {switch.guard}"
    done = f" do {write_assignment(switch.assignment)}" if switch.assignment else ""
    mark = switch.gate.kind
    return f"switch {switch.name}: {switch.source} -> {switch.target} on {mark}{switch.gate.name}{kind}{guard}{done}\n"


def _goal(goal: NamedCondition) -> str:
    place = "" if goal.location is None else f" at {goal.location}"
    condition = "" if goal.condition is TRUE else f" when {goal.condition}"
    return f"goal {goal.name}{place}{condition}\n"


BOUNDS = (1_000, 1_000_000)


def explain_endless(system: SymbolicSystem) -> str:
    """Explain which variable of a symbolic system may take values without end; nothing where all are bounded.

    >>> from outplay.model.symbolic.building import input_gate, switch, symbolic_system
    >>> x, up = variable("x"), input_gate("up")
    >>> explain_endless(symbolic_system("few", "l", {x: 0}, [switch("r", "l", up, "l", when=x < 9, do={x: x + 1})]))
    ''
    >>> explain_endless(symbolic_system("many", "l", {x: 0}, [switch("r", "l", up, "l", do={x: x + 1})]))
    'the values of x may have no end (switch r: x := x + 1)'
    """
    found = next(_escapes(system), None)
    if found is None:
        return ""
    switch, name = found
    return f"the values of {name} may have no end (switch {switch.name}: {name} := {switch.assignment[name]})"


def explain_many_regions(system: SymbolicSystem, count: int, asked: Counter[str], hindered: str) -> str:
    """Explain what keeps the data of a symbolic system from falling into few regions, and what to do."""
    name = max(asked, key=lambda one: asked[one]).rstrip("'") if asked else next(iter(system.variables))
    data = explain_endless(system) or f"the data of {system.name} cannot be listed"
    why = hindered or f"{count:,} so far, most of them by {name}"
    cure = "" if hindered else f"{_cure(system, name)}, "
    return (
        f"{system.name}: {data}, and do not fall into few regions that behave alike ({why}): "
        f"{cure}stop with --max-states N, or cover it as it is with --tester switches"
    )


def _cure(system: SymbolicSystem, name: str) -> str:
    is_number = system.variables[name].base == INTEGER
    return f"give {name} a range (variable {name}: 0..100) or its parameters" if is_number else f"enumerate {name}"


def _escapes(system: SymbolicSystem) -> Iterator[tuple[Switch, str]]:
    """The switches and variables by which values may leave all bounds, of the largest bounds that are tried."""
    endless = {name: sort for name, sort in system.variables.items() if sort.values() is None}
    for name in endless:
        yield from ((switch, name) for switch in _lengthening(system, name) if endless[name].base != INTEGER)
    numbers = {name: sort for name, sort in endless.items() if sort.base == INTEGER}
    leaving: list[tuple[Switch, str]] = []
    start = max((abs(int(system.start[name] or 0)) for name in numbers), default=0)
    for bound in BOUNDS:
        leaving = [*_leaving(system, numbers, start + bound)]
        if not leaving:
            return
    yield from leaving


def _leaving(system: SymbolicSystem, numbers: dict[str, Sort], bound: int) -> Iterator[tuple[Switch, str]]:
    for switch in system.switches:
        for name, term in switch.assignment.items():
            if name in numbers and _may_leave(system, switch, term, numbers, bound):
                yield switch, name


def _may_leave(system: SymbolicSystem, switch: Switch, term: Term, numbers: dict[str, Sort], bound: int) -> bool:
    """Say whether a switch may assign a number beyond a bound where all others are within it."""
    within = [between(-bound, variable(name, sort), bound) for name, sort in numbers.items()]
    beyond = apply("or", apply(">", term, literal(bound)), apply("<", term, literal(-bound)))
    condition = conjunction([system.enabling(switch), *within, beyond])
    sorts = {name: one.sort for name, one in free_variables(condition).items()}
    try:
        return isinstance(solve_condition(condition, sorts), Satisfied)
    except UsageError:  # without a solver nothing is known, and exploring has its limits
        return False


def _lengthening(system: SymbolicSystem, name: str) -> Iterator[Switch]:
    """The switches that assign a text which is neither given in the model nor held by a variable."""
    return (one for one in system.switches if name in one.assignment and not _is_copied(system, one.assignment[name]))


def _is_copied(system: SymbolicSystem, term: Term) -> bool:
    if term.operation == "if":
        return all(_is_copied(system, one) for one in term.arguments[1:])
    return term.is_literal or (term.is_variable and term.value in system.variables)
