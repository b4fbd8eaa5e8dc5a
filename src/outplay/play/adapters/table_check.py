"""A table held against a model: a row for each input and output, with as many words, and values of the right types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from outplay.errors import did_you_mean
from outplay.model.label import INPUT, OUTPUT, read_value
from outplay.play.adapters.gate_use import Gates, GateUse, Misfit, gates_that, type_misfit, value_misfit
from outplay.play.adapters.http_table import LATER, HttpTable, Polling
from outplay.play.adapters.messages.label_rows import InputRow, OutputRow
from outplay.play.adapters.messages.message_table import MessageTable
from outplay.play.adapters.messages.templates import Hole, Text

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
    return _table_misfits({gate: route.row for gate, route in found.routes.items()}, rows, gates)


def _with_later(rows: Iterable[OutputRow]) -> Iterator[OutputRow]:
    for row in rows:
        yield row
        later = row.further.get(LATER)
        if isinstance(later, Polling):
            yield from later.outputs


def message_misfits(found: MessageTable, gates: Gates) -> Iterator[Misfit]:
    """Hold a table of messages against the gates of a model."""
    rows = [row for route in found.routes.values() for row in route.outputs]
    return _table_misfits({gate: route.row for gate, route in found.routes.items()}, [*rows, *found.outputs], gates)


def _table_misfits(inputs: Mapping[str, InputRow], outputs: Iterable[OutputRow], gates: Gates) -> Iterator[Misfit]:
    """Tell which inputs have no row, which outputs none can mean, and which rows do not fit the model."""
    rows = [row for row in outputs if row.label]
    yield from _inputs(inputs, gates_that(gates, INPUT))
    known = gates_that(gates, OUTPUT)
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
        yield Misfit(label, f"it has {len(row.label) - 1} arguments, the model's {use.shown} {min(use.arities)}")
    else:
        for place, word in enumerate(row.label[1:]):
            if why := _word(use, place, word):
                yield Misfit(label, why)


def _word(use: GateUse, place: int, word: Text) -> str | None:
    if all(isinstance(piece, str) for piece in word.pieces):
        return value_misfit(use, place, read_value("".join(map(str, word.pieces))))
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
