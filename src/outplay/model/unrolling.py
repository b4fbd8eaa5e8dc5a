"""The inner loop of exploring, written out for one model.

For each action the loop below is generated with the model's variables as local names and the action's parameters as
direct arguments, and compiled by Python. A generic loop has to pack and unpack argument lists and walk the variables
each time, and spends twice as long outside the user's methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outplay.errors import ModelError
from outplay.model.actions import Action
from outplay.model.domains import Calls
from outplay.model.interning import ValueTable
from outplay.model.program import Program

TryActions = Callable[[Any, list[int], list[int]], None]


def unrolled(
    program: Program,
    tables: Sequence[ValueTable],
    calls: Sequence[Calls],
    scratch: Any,
    states: list[Any],
    numbers: dict[Any, int],
) -> TryActions:
    """Return a function that tries all actions of a model (calls with results apart) in a state given by its codes."""
    names: dict[str, Any] = {"memory": vars(scratch), "scratch": scratch, "states": states, "numbers": numbers}
    for place, table in enumerate(tables):
        names |= {f"table{place}": table, f"values{place}": table.values_of}
    for position, call in enumerate(calls):
        names |= {
            f"listed{position}": call.listed if call.always is None else call.always,
            f"action{position}": call.function,
            f"odd{position}": _odd(program, call),
        }
    exec(compile(_source(program, calls), f"<actions of {program.name}>", "exec"), names)
    made: TryActions = names["try_actions"]
    return made


def _source(program: Program, calls: Sequence[Calls]) -> str:
    variables = list(enumerate(program.variables))
    load = [f"v{i} = values{i}[c{i}]" for i, _ in variables] + [f"memory[{name!r}] = v{i}" for i, name in variables]
    lines = ["def try_actions(codes, labels, targets):"]
    lines += _indent(1, [f"{_tuple('c', len(variables))} = codes"] if variables else [])
    lines += _indent(1, [*load, "add_label, add_target, number_of = labels.append, targets.append, numbers.get"])
    for position, call in enumerate(calls):
        if not call.returning:
            lines += _indent(1, _action(position, call, variables))
    return "\n".join(lines) + "\n"


def _action(position: int, call: Calls, variables: list[tuple[int, str]]) -> list[str]:
    """The loop over one action's arguments."""
    count = len(call.action.domains)
    arguments = f"{_tuple('a', count)}" if count else "_"
    passed = "".join(f", a{i}" for i in range(count))
    return [
        f"for {arguments}, label in listed{position}{'()' if call.always is None else ''}:",
        f"    enabled = action{position}(scratch{passed})",
        "    if enabled is False:",
        *_indent(2, [f"memory[{name!r}] = v{i}" for i, name in variables] or ["pass"]),
        "    else:",
        "        if enabled is not None and enabled is not True:",
        f"            odd{position}({_tuple('a', count)}, enabled)",
        *_indent(2, [line for i, name in variables for line in _coded(i, name)]),
        f"        key = {_tuple('k', len(variables))}",
        "        target = number_of(key)",
        "        if target is None:",
        "            target = numbers[key] = len(states)",
        "            states.append(key)",
        "        add_label(label)",
        "        add_target(target)",
    ]


def _coded(place: int, name: str) -> list[str]:
    """Find the code of what the action left in a variable, and put the old value back."""
    return [
        f"n = memory[{name!r}]",
        f"if n is v{place}:",
        f"    k{place} = c{place}",
        "else:",
        f"    k{place} = table{place}[n]",
        f"    if table{place}.suspect:",
        f"        k{place} = table{place}.typed(k{place}, n)",
        f"    memory[{name!r}] = v{place}",
    ]


def _odd(program: Program, call: Calls) -> Callable[[tuple[Any, ...], Any], None]:
    def complain(arguments: tuple[Any, ...], returned: Any) -> None:
        raise odd_return(program, call.action, arguments, returned)

    return complain


def odd_return(program: Program, action: Action, arguments: tuple[Any, ...], returned: Any) -> ModelError:
    """An action returned something that is neither nothing nor a yes or no."""
    shown = ", ".join(map(repr, arguments))
    return ModelError(
        f"{program.where}: {action.name}({shown}) returned {returned!r}: "
        "return False where the action is not enabled, and nothing otherwise"
    )


def _tuple(letter: str, count: int) -> str:
    return "(" + "".join(f"{letter}{i}, " for i in range(count)) + ")"


def _indent(depth: int, lines: Sequence[str]) -> list[str]:
    return ["    " * depth + line for line in lines]
