"""The inner loop of exploring, written out for one model.

For each action the loop below is generated with the model's variables as local names and the action's parameters as
direct arguments, and compiled by Python. A generic loop has to pack and unpack argument lists and walk the variables
each time, and spends twice as long outside the user's methods. What an action does is looked up where it is remembered
(see method_cache.py), and otherwise found by calling the user's method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from outplay.errors import ModelError
from outplay.model.programs.actions import Action
from outplay.model.programs.domains import Calls
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.method_cache import ActionRecall, Fork
from outplay.model.programs.program import Program

TryActions = Callable[[Any, list[int], list[int]], None]
Variables = list[tuple[int, str]]


def action_loop(
    program: Program,
    tables: Sequence[ValueTable],
    calls: Sequence[Calls],
    recalls: Mapping[int, ActionRecall],
    scratch: Any,
    states: list[Any],
    numbers: dict[Any, int],
    *,
    load: bool,
) -> TryActions:
    """Compile the loop that tries all actions of a model (calls with results apart) in a state given by its codes.

    Actions with a recall are looked up there. The state is loaded into the scratch instance where that is asked for or
    some action has no recall.
    """
    names: dict[str, Any] = {"memory": vars(scratch), "scratch": scratch, "states": states, "numbers": numbers}
    names["Fork"] = Fork
    for place, table in enumerate(tables):
        names |= {f"table{place}": table, f"values{place}": table.values_of}
    for position, call in enumerate(calls):
        recall = recalls.get(position)
        names |= _remembered_names(position, recall) if recall else _called_names(position, call, program)
    exec(compile(_source(program, calls, recalls, load), f"<actions of {program.name}>", "exec"), names)
    made: TryActions = names["try_actions"]
    return made


def _called_names(position: int, call: Calls, program: Program) -> dict[str, Any]:
    return {
        f"listed{position}": call.listed if call.always is None else call.always,
        f"action{position}": call.function,
        f"odd{position}": partial(wrong_return_error, program, call.action),
    }


def _remembered_names(position: int, recall: ActionRecall) -> dict[str, Any]:
    forks = {f"fork{position}_{place}": fork for place, fork in enumerate(recall.forks)}
    return {f"recall{position}": recall, f"known{position}": recall.known, **forks}


def _source(program: Program, calls: Sequence[Calls], recalls: Mapping[int, ActionRecall], load: bool) -> str:
    variables = list(enumerate(program.variables))
    tried = [(position, call) for position, call in enumerate(calls) if not call.returning]
    lines = ["def try_actions(codes, labels, targets):", "    label = None"]
    lines += _indent(1, [f"{_tuple('c', len(variables))} = codes"] if variables else [])
    if load or any(position not in recalls for position, _ in tried):
        lines += _indent(1, [f"v{i} = values{i}[c{i}]" for i, _ in variables])
        lines += _indent(1, [f"memory[{name!r}] = v{i}" for i, name in variables])
    lines += _indent(1, ["add_label, add_target, number_of = labels.append, targets.append, numbers.get"])
    for position, call in tried:
        recall = recalls.get(position)
        lines += _indent(1, _remembered(position, recall, variables) if recall else _called(position, call, variables))
    return "\n".join(lines) + "\n"


def _remembered(position: int, recall: ActionRecall, variables: Variables) -> list[str]:
    """The loop over what is remembered of one action."""
    asked = [
        line
        for place, _ in enumerate(recall.forks)
        for line in _looked_up(f"k{place}", f"fork{position}_{place}", f"recall{position}.ask({place}, codes)")
    ]
    key = "".join(f"c{place}, " for place in recall.domains) + "".join(f"k{i}, " for i, _ in enumerate(recall.forks))
    left = [f"c{i} if n{i} is None else n{i}" for i, _ in variables]
    return [
        *asked,
        f"entries = known{position}.get(({key}))",
        "if entries is None:",
        f"    entries = recall{position}.entries(({key}))",
        f"recall{position}.asked += len(entries)",
        "for arguments, label, fork in entries:",
        *_indent(1, _looked_up("effect", "fork", f"recall{position}.effect(arguments, fork, codes)")),
        "    if effect is not False:",
        f"        {_tuple('n', len(variables))} = effect",
        f"        key = ({', '.join(left)})",
        *_indent(2, _NUMBERED),
    ]


def _looked_up(name: str, fork: str, otherwise: str) -> list[str]:
    """Fork.find, written out: a call would take twice as long."""
    return [
        f"{name} = {fork}.branches.get(codes[{fork}.place])",
        f"while type({name}) is Fork:",
        f"    {name} = {name}.branches.get(codes[{name}.place])",
        f"if {name} is None:",
        f"    {name} = {otherwise}",
    ]


def _called(position: int, call: Calls, variables: Variables) -> list[str]:
    """The loop over one action's arguments that calls it for each."""
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
        f"            raise odd{position}({_tuple('a', count)}, enabled)",
        *_indent(2, [line for i, name in variables for line in _coded(i, name)]),
        f"        key = {_tuple('k', len(variables))}",
        *_indent(2, _NUMBERED),
    ]


_NUMBERED = [
    "target = number_of(key)",
    "if target is None:",
    "    target = len(states)",
    "    states.append(key)",  # first: the loop may be left at any place, and what is numbered must be there
    "    numbers[key] = target",
    "add_label(label)",
    "add_target(target)",
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


def wrong_return_error(program: Program, action: Action, arguments: tuple[Any, ...], returned: Any) -> ModelError:
    """Return the error for an action that returned something that is neither nothing nor a yes or no."""
    shown = ", ".join(map(repr, arguments))
    return ModelError(
        f"{program.where}: {action.name}({shown}) returned {returned!r}: "
        "return False where the action is not enabled, and nothing otherwise"
    )


def _tuple(letter: str, count: int) -> str:
    return "(" + "".join(f"{letter}{i}, " for i in range(count)) + ")"


def _indent(depth: int, lines: Sequence[str]) -> list[str]:
    return ["    " * depth + line for line in lines]
