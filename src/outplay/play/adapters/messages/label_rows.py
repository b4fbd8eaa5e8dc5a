"""Rows of a table: an input with what is sent for it, and an output with the messages that mean it.

Every transport shares them. What a message is made of, and what its parts are called, is the transport's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from outplay.errors import AdapterError, FormatError, OutplayError, did_you_mean
from outplay.model.label import OUTPUT, Label, label_tokens, read_argument
from outplay.play.adapters.messages.message import Garbled, from_json, in_words
from outplay.play.adapters.messages.templates import (
    Absent,
    Hole,
    Scope,
    Text,
    filled,
    holes,
    read_tree,
    refuse_unknown_holes,
)

ROW = ("when", "label", "each", "save")
SHARED = {"client", "saved", "env", "item"}
"""The first words of holes that every transport knows, beside the parameters and the parts of a message."""
COUNT = "count"
"""The number of an input of its client, from 1: for questions and answers that have numbers."""
_LONGEST = 60  # characters of a text in a row that is proposed


@dataclass(frozen=True)
class OutputRow:
    """The output that a message of some kind means: none where there is no label."""

    when: Mapping[Hole, Any]
    label: tuple[Text, ...] = ()
    each: Hole | None = None
    """A list in the message: each of its items is an output, and called `item`."""
    save: Mapping[str, Text] = field(default_factory=dict)
    """The values that the client remembers of it."""
    further: Mapping[str, Any] = field(default_factory=dict)
    """The further fields that the transport has in a row."""

    @staticmethod
    def read(entry: Any, known: set[str], where: str, more: Iterable[str] = ()) -> OutputRow:
        """Read a row; `known` are the first words of its holes, `more` names what else the transport has in it."""
        refuse_other(entry, {*ROW, *more}, where)
        when = {Hole.read(path, where): read_tree(value, where) for path, value in _table(entry, "when", where).items()}
        words = tuple(Text.read(word, where) for word in _words(text_in(entry, "label", where, ""), where))
        each = Hole.read(entry["each"], where) if "each" in entry else None
        save = {name: Text.read(value, where) for name, value in _table(entry, "save", where).items()}
        for hole in [*when, *([each] if each else [])]:
            refuse_unknown_holes(Text((hole,)), known, where)
        refuse_unknown_holes([*when.values(), *words, *save.values()], known, where)
        if words and any(not isinstance(piece, str) for piece in words[0].pieces):
            raise FormatError(f"{where}: a label begins with the name of its action: {entry['label']!r}")
        further = {name: entry[name] for name in more if name in entry}
        return OutputRow(when, words, each, save, further)

    @property
    def parts(self) -> set[str]:
        """The parts of a message that it looks at."""
        return {hole.path[0] for hole in (*self.when, *holes(self.label))}

    def fits(self, scope: Scope) -> bool:
        """Say whether a message is of this kind."""
        return all(_is(scope, hole, wanted) for hole, wanted in self.when.items())

    def meaning(self, scope: Scope, saved: MutableMapping[str, Any], said: Callable[[], str]) -> list[Label]:
        """The outputs that a message means, once what the client remembers of it is `saved`."""
        try:
            labels = list(self.labels(scope))
            saved.update(self.remembered(scope))
            for label in labels:
                label.text.encode()  # what cannot be written could not be recorded
        except (Absent, OutplayError, UnicodeError) as error:
            raise Garbled(f"{error} where {said()}") from None
        return labels

    def labels(self, scope: Scope) -> Iterator[Label]:
        """The outputs that a message means; `Absent` where it lacks what they are made of."""
        if not self.label:
            return
        if self.each is None:
            yield self._label(scope)
            return
        items = scope.of(self.each)
        if not isinstance(items, list):
            raise Absent(f"{'.'.join(self.each.path)} is no list")
        for item in items:
            yield self._label(Scope({**scope.values, "item": item}, scope.names, sending=False))

    def remembered(self, scope: Scope) -> dict[str, Any]:
        """Return the values that the client remembers of a message; `Absent` where it lacks one."""
        return {name: value.filled(scope) for name, value in self.save.items()}

    def _label(self, scope: Scope) -> Label:
        gate, *words = self.label
        return Label(OUTPUT, str(gate.filled(scope)), tuple(_argument(word, scope) for word in words))


def _words(label: str, where: str) -> list[str]:
    """Split the label of a row as labels are split: a quoted text with spaces is one word."""
    try:
        return list(label_tokens(label))
    except FormatError as error:
        raise FormatError(f"{where}: label: {error}") from None


def _argument(word: Text, scope: Scope) -> Any:
    if len(word.pieces) == 1 and isinstance(word.pieces[0], str):
        return read_argument(word.pieces[0])
    return from_json(word.filled(scope))


def _is(scope: Scope, hole: Hole, wanted: Any) -> bool:
    """Say whether a part of a message is as it should be: this value, one of these, or a text like this pattern."""
    try:
        found = scope.of(hole)
    except Absent:
        return False
    options = filled(wanted, scope)
    for option in options if isinstance(options, list) else [options]:
        if isinstance(option, str) and "*" in option:
            if fnmatchcase(in_words(found), option):
                return True
        elif type(found) is type(option) and found == option:
            return True
    return False


@dataclass(frozen=True)
class InputRow:
    """An input: its parameters, the client that gives it, what is sent for it, and what the answers mean."""

    gate: str
    parameters: tuple[str, ...]
    entry: Mapping[str, Any]
    """The row as it stands."""
    where: str

    @staticmethod
    def read(name: str, entry: Any, reserved: set[str], where: str) -> InputRow:
        """Read the name of a row, `post sender text`; the rest is for the transport."""
        gate, *parameters = name.split() or [""]
        place = f"{where} {name!r}"
        if not gate:
            raise FormatError(f"{where}: a row without a name; write the label with its parameters: post sender text")
        for parameter in parameters:
            if not parameter.isidentifier() or parameter in reserved or parameters.count(parameter) > 1:
                raise FormatError(f"{place}: a parameter cannot be called {parameter!r}; take another word")
        if not isinstance(entry, dict):
            raise FormatError(f"{place}: it should be a table")
        return InputRow(gate, tuple(parameters), entry, place)

    def bound(self, label: Label) -> dict[str, Any]:
        """The parameters with the arguments of a label."""
        if len(label.arguments) != len(self.parameters):
            names = " ".join([self.gate, *self.parameters])
            raise AdapterError(f"{label} has {len(label.arguments)} arguments, its row is {names!r}; mend the table")
        return dict(zip(self.parameters, label.arguments, strict=True))


def input_rows(document: Mapping[str, Any], reserved: set[str], where: str) -> dict[str, InputRow]:
    """Read the rows of a table for inputs, by their gates."""
    rows: dict[str, InputRow] = {}
    for name, entry in _table(document, "inputs", where).items():
        row = InputRow.read(name, entry, reserved, f"{where}: inputs")
        if row.gate in rows:
            raise FormatError(f"{row.where}: there is a row for {row.gate} already")
        rows[row.gate] = row
    return rows


def row_for(label: Label, rows: Mapping[str, Any]) -> Any:
    """Return the row of a table for the label of an input."""
    if label.gate not in rows:
        row = " ".join([label.gate, *(f"argument{n}" for n, _ in enumerate(label.arguments, 1))])
        hint = did_you_mean(label.gate, rows)
        raise AdapterError(f'the table has no input {label.gate!r}; {hint}, or add [inputs."{row}"]')
    return rows[label.gate]


def missing_row(said: str, rows: Iterable[OutputRow], scope: Scope, usual: str) -> AdapterError:
    """Return the complaint about a table without a row for a message or label, with the row to write.

    The row looks at what the other rows look at, or at the `usual` part of a message.
    """
    looked = {hole: None for row in rows for hole in row.when} or {Hole.read(usual, ""): None}
    found = [f"{_key(hole)} = {value}" for hole in looked if (value := _proposed(scope, hole))]
    row = f'{{when = {{{", ".join(found)}}}, label = "…"}}'
    return AdapterError(f"the table has no row for this: {said}. Add {row}, without the label if it is no output")


def _key(hole: Hole) -> str:
    return hole.path[0] if len(hole.path) == 1 else f'"{".".join(hole.path)}"'


def _proposed(scope: Scope, hole: Hole) -> str:
    """Write a part of a message as a row compares it; nothing where it has no such part, or a large one."""
    try:
        value = scope.of(hole)
    except Absent:
        return ""
    short = isinstance(value, bool | int) or (isinstance(value, str) and value and "*" not in value)
    written = json.dumps(value, ensure_ascii=False) if short else ""
    return written if len(written) < _LONGEST else ""


def output_rows(
    entry: Mapping[str, Any], known: set[str], where: str, more: Iterable[str] = ()
) -> tuple[OutputRow, ...]:
    """Read the rows of a table for outputs: the messages that answer something."""
    rows = entry.get("outputs", [])
    if not isinstance(rows, list):
        raise FormatError(f"{where}: outputs should be a list of tables")
    return tuple(OutputRow.read(row, known, f"{where}: output {n}", more) for n, row in enumerate(rows, 1))


def refuse_other(entry: Any, known: Iterable[str], where: str) -> None:
    """Refuse entries that no row of such a table has."""
    if not isinstance(entry, Mapping):
        raise FormatError(f"{where}: it should be a table")
    for name in entry:
        if name not in known:
            raise FormatError(f"{where}: unknown {name!r}; {did_you_mean(str(name), known)}")


def text_in(entry: Mapping[str, Any], name: str, where: str, usual: str) -> str:
    """Read a text in a row of a table."""
    value = entry.get(name, usual)
    if not isinstance(value, str):
        raise FormatError(f"{where}: {name} should be a text")
    return value


def number_in(entry: Mapping[str, Any], name: str, where: str, usual: float) -> float:
    """Read a number of seconds in a row of a table."""
    value = entry.get(name, usual)
    if type(value) not in (int, float) or not 0 < value < 1e6:
        raise FormatError(f"{where}: {name} should be a number of seconds above 0")
    return float(value)


def _table(entry: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    found = entry.get(name, {})
    if not isinstance(found, dict):
        raise FormatError(f"{where}: {name} should be a table")
    return found


def numbered_entries(document: Mapping[str, Any], name: str, where: str) -> Iterator[tuple[str, Any]]:
    """Read the rows that a table holds as a list, with their places."""
    found = document.get(name, [])
    if not isinstance(found, list):
        raise FormatError(f"{where}: {name} should be a list of tables, [[{name}]]")
    return ((f"{where}: {name} {n}", entry) for n, entry in enumerate(found, 1))
