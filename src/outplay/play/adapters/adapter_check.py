"""An adapter held against a model: an object with a method for each input, or a table with a row for each label.

What it reports shows in its source: calls of the function that its constructor gets, with a text as the name of the
output. Where that name is made on the way, nothing is said about outputs that are missing.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from outplay.errors import did_you_mean
from outplay.model.label import INPUT, OUTPUT, read_argument
from outplay.play.adapters.gate_use import Gates, GateUse, Misfit, gates_of_direction, type_misfit, value_misfit
from outplay.play.adapters.http_table import LATER, HttpTable, Polling
from outplay.play.adapters.messages.label_rows import InputRow, OutputRow
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.templates import Hole, Text, holes
from outplay.play.adapters.python_object import find_class
from outplay.plurals import counted

_TEXTS = {"body", "event", "topic", "levels", "headers", "hex", "reason", "client"}
"""Parts of messages that are always texts."""
_NUMBERS = {"status", "qos", "count"}


def http_misfits(
    text: str, gates: Gates, *, table: str, read_table: Callable[[str], Any], **_: Any
) -> Iterator[Misfit]:
    """Hold a table for HTTP against the gates of a model."""
    found = HttpTable.read(read_table(table), table)
    rows = [row for route in found.routes.values() for row in _with_later(route.outputs)]
    rows += [*found.outputs, *(row for listener in found.listeners for row in listener.polling.outputs)]
    yield from _table_misfits({gate: route.row for gate, route in found.routes.items()}, rows, gates)
    yield from _changed_meanwhile(found, {name for row in rows for name in row.save})


def _with_later(rows: Iterable[OutputRow]) -> Iterator[OutputRow]:
    for row in rows:
        yield row
        later = row.further.get(LATER)
        if isinstance(later, Polling):
            yield from later.outputs


def _changed_meanwhile(found: HttpTable, changing: set[str]) -> Iterator[Misfit]:
    """Tell which rows under `later` name what other calls of the client save in the meantime."""
    for first in (row for route in found.routes.values() for row in route.outputs):
        _, *followed = _with_later([first])
        own = {name for row in (first, *followed) for name in row.save}
        for row in followed:
            for hole in (*row.when, *holes([list(row.label), list(row.when.values())])):
                if hole.path[0] == "saved" and hole.path[-1] in changing - own:
                    what = f"{_hole(hole)} may come from another call of the client that was answered in the meantime; "
                    what += "write {answer.…}, a part of the answer to this call, or save it in the row above `later`"
                    yield Misfit("!" + " ".join(map(_written, row.label)), what)


def message_misfits(found: MessageTable, gates: Gates) -> Iterator[Misfit]:
    """Hold a table of messages against the gates of a model."""
    rows = [row for route in found.routes.values() for row in route.outputs]
    return _table_misfits({gate: route.row for gate, route in found.routes.items()}, [*rows, *found.outputs], gates)


def _table_misfits(inputs: Mapping[str, InputRow], outputs: Iterable[OutputRow], gates: Gates) -> Iterator[Misfit]:
    """Tell which inputs have no row, which outputs none can mean, and which rows do not fit the model."""
    rows = [row for row in outputs if row.label]
    yield from _inputs(inputs, gates_of_direction(gates, INPUT))
    known = gates_of_direction(gates, OUTPUT)
    for row in rows:
        yield from _output(row, known)
    made = {_gate(row) for row in rows}
    for use in known.values():
        if use.gate not in made:
            yield Misfit(use.shown, f"no row means this output; add one with label = {' '.join(_words(use))!r}")


def _inputs(rows: Mapping[str, InputRow], known: Mapping[str, GateUse]) -> Iterator[Misfit]:
    for use in known.values():
        row = rows.get(use.gate)
        if row is None:
            yield Misfit(use.shown, f'no row for this input; add [inputs."{" ".join(_words(use))}"]')
        elif len(row.parameters) not in use.arities:
            has = len(row.parameters)
            yield Misfit(use.shown, f"its row {' '.join([row.gate, *row.parameters])!r} has {has} parameters")
    for gate, row in rows.items():
        if gate not in known:
            name = " ".join([row.gate, *row.parameters])
            yield Misfit(f"?{name}", f"the model has no such input; {did_you_mean(gate, known)}")


def _output(row: OutputRow, known: Mapping[str, GateUse]) -> Iterator[Misfit]:
    gate, label = _gate(row), "!" + " ".join(map(_written, row.label))
    use = known.get(gate)
    if use is None:
        yield Misfit(label, f"the model has no such output; {did_you_mean(gate, known)}")
    elif len(row.label) - 1 not in use.arities:
        has = counted(len(row.label) - 1, "argument")
        yield Misfit(label, f"it has {has}, the model's {use.shown} has {min(use.arities)}")
    else:
        for place, word in enumerate(row.label[1:]):
            if why := _word(use, place, word):
                yield Misfit(label, why)


def _word(use: GateUse, place: int, word: Text) -> str | None:
    if all(isinstance(piece, str) for piece in word.pieces):
        return value_misfit(use, place, read_argument("".join(map(str, word.pieces))))
    if not word.is_value:
        return type_misfit(use, place, str, _written(word))
    hole = word.pieces[0]
    assert isinstance(hole, Hole)
    if hole.kind is not None:
        return type_misfit(use, place, int, f"{_written(word)}, the name of what the server chose,")
    if hole.path[0] in _TEXTS:
        return type_misfit(use, place, str, _written(word))
    return type_misfit(use, place, int, _written(word)) if hole.path[0] in _NUMBERS else None


def _gate(row: OutputRow) -> str:
    return "".join(map(str, row.label[0].pieces))


def _words(use: GateUse) -> list[str]:
    words = use.shown.split()[1:]
    return [use.gate, *(f"{{json.{word}}}" for word in words)] if use.kind == OUTPUT else [use.gate, *words]


def _written(word: Text) -> str:
    return "".join(piece if isinstance(piece, str) else _hole(piece) for piece in word.pieces)


def _hole(hole: Hole) -> str:
    kind, more = f"{hole.kind}:" if hole.kind else "", f"+{hole.plus}" if hole.plus else ""
    return f"{{{kind}{'.'.join(hole.path)}{more}}}"


def object_misfits(text: str, gates: Gates, **_: Any) -> Iterator[Misfit]:
    """Hold the class that a text names against the gates of a model."""
    made = find_class(text)
    inputs, outputs = gates_of_direction(gates, INPUT), gates_of_direction(gates, OUTPUT)
    yield from _methods(made, inputs)
    if isinstance(made, type):
        yield from _reports(made, inputs, outputs)


def _methods(made: Callable[..., Any], inputs: Mapping[str, GateUse]) -> Iterator[Misfit]:
    name = getattr(made, "__name__", repr(made))
    for use in inputs.values():
        method = getattr(made, use.gate, None)
        if not callable(method):
            if isinstance(made, type):
                known = [each for each in dir(made) if not each.startswith("_")]
                yield Misfit(use.shown, f"{name} has no method {use.gate}; {did_you_mean(use.gate, known)}")
            continue
        with contextlib.suppress(ValueError, TypeError):
            signature = inspect.signature(method)
            self = [] if isinstance(inspect.getattr_static(made, use.gate), staticmethod | classmethod) else [None]
            for size in () if use.ids else sorted(use.arities):
                try:
                    signature.bind(*self, *[None] * size)
                except TypeError:
                    yield Misfit(use.shown, f"{name}.{use.gate}{signature} does not take {size} arguments")


def _reports(made: type, inputs: Mapping[str, GateUse], outputs: Mapping[str, GateUse]) -> Iterator[Misfit]:
    calls, everything = _emitted(made)
    for gate, arguments in calls:
        use, label = outputs.get(gate), f"!{gate}"
        if use is None:
            yield Misfit(label, f"the model has no such output; {did_you_mean(gate, outputs)}")
        elif arguments is not None and len(arguments) not in use.arities:
            what = f"it is reported with {len(arguments)} arguments, the model's {use.shown} has {min(use.arities)}"
            yield Misfit(label, what)
        elif arguments is not None:
            for place, value in enumerate(arguments):
                if isinstance(value, ast.Constant) and (why := value_misfit(use, place, value.value)):
                    yield Misfit(label, why)
    if not everything:
        return
    told = {gate for gate, _ in calls}
    for use in outputs.values():
        if use.gate not in told and use.gate not in inputs:
            yield Misfit(use.shown, "nothing reports this output: no input is called so, and no emit(…) names it")


def _emitted(made: type) -> tuple[list[tuple[str, list[ast.expr] | None]], bool]:
    """The outputs that a class reports by name, with their arguments where they stand there, and whether it is all."""
    found, everything = list[tuple[str, list[ast.expr] | None]](), True
    for part in made.__mro__[:-1]:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError, SyntaxError):
            return found, False
        names = _emitters(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                first = node.args[0] if node.args else None
                if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
                    everything = False
                    continue
                plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
                found.append((first.value, node.args[1:] if plain else None))
            elif (
                isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in names and _is_handed_on(tree, node)
            ):
                everything = False
    return found, everything


def _emitters(tree: ast.AST) -> set[str]:
    """Return the names of the function that reports outputs in a class."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__" and len(node.args.args) > 1:
            names.add(node.args.args[1].arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            sources = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            pairs = zip(targets, sources, strict=False)
            names |= {ast.unparse(target) for target, source in pairs if ast.unparse(source) in names}
    return names


def _is_handed_on(tree: ast.AST, node: ast.expr) -> bool:
    """Say whether the function goes elsewhere as an argument, where nobody sees what it reports."""
    calls = (call for call in ast.walk(tree) if isinstance(call, ast.Call))
    return any(node in [*call.args, *(keyword.value for keyword in call.keywords)] for call in calls)
