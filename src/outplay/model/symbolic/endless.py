"""Whether the values of a symbolic system may go on for ever, asked before anything is explored.

The values stay within bounds where bounds are kept by every switch: with all integers between -N and N before it, they
are so after it, whatever its guard lets pass. That is asked of the solver switch by switch. Where a switch leads out of
all bounds that are tried, nothing proves the states to be few; then data are explored by regions and not one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from outplay.errors import UsageError
from outplay.model.expressions.computing import free_variables
from outplay.model.expressions.sorts import INTEGER, Sort
from outplay.model.expressions.term import Term, apply, between, conjunction, literal, variable
from outplay.model.symbolic.solving.solving import Satisfied, find
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem

BOUNDS = (1_000, 1_000_000)


def why_endless(system: SymbolicSystem) -> str:
    """Say which variable may take values without end; nothing where all stay within bounds.

    >>> from outplay.model.symbolic.building import input_gate, switch, symbolic_system
    >>> x, up = variable("x"), input_gate("up")
    >>> why_endless(symbolic_system("few", "l", {x: 0}, [switch("r", "l", up, "l", when=x < 9, do={x: x + 1})]))
    ''
    >>> why_endless(symbolic_system("many", "l", {x: 0}, [switch("r", "l", up, "l", do={x: x + 1})]))
    'the values of x may have no end (switch r: x := x + 1)'
    """
    found = next(_escapes(system), None)
    if found is None:
        return ""
    switch, name = found
    return f"the values of {name} may have no end (switch {switch.name}: {name} := {switch.assignment[name]})"


def why_split(system: SymbolicSystem, count: int, asked: Counter[str], hindered: str) -> str:
    """Say what keeps the data of a system from falling into few regions, and what to do."""
    name = max(asked, key=lambda one: asked[one]).rstrip("'") if asked else next(iter(system.variables))
    data = why_endless(system) or f"the data of {system.name} cannot be listed"
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
        return isinstance(find(condition, sorts), Satisfied)
    except UsageError:  # without a solver nothing is known, and exploring has its limits
        return False


def _lengthening(system: SymbolicSystem, name: str) -> Iterator[Switch]:
    """The switches that assign a text which is neither given in the model nor held by a variable."""
    return (one for one in system.switches if name in one.assignment and not _is_copied(system, one.assignment[name]))


def _is_copied(system: SymbolicSystem, term: Term) -> bool:
    if term.operation == "if":
        return all(_is_copied(system, one) for one in term.arguments[1:])
    return term.is_literal or (term.is_variable and term.value in system.variables)
