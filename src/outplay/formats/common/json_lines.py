"""JSON Lines: one object a line, appended line by line, so that a last line may have been cut short by a kill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.json_document import InvalidDocument, clipped, decode_json, mistyped, placed_error
from outplay.formats.common.source import Source, read_source_bytes
from outplay.model.label import Label


def whole_json_lines(path: Path, *, largest: int, missing: str, what: str) -> list[bytes]:
    """Read the lines of a JSON Lines file, without the last one where a kill has cut it; `what` names the file."""
    *lines, cut = read_source_bytes(path, largest=largest, missing=missing).split(b"\n")
    if cut and (not lines or _is_whole(cut)):
        lines.append(cut)
    if not lines:
        raise FormatError(f"{path}:1:1: the file is empty; {what} starts with a header line")
    return lines


def json_line_objects(path: Path, lines: list[bytes], what: str) -> Iterator[tuple[Source, dict[str, Any]]]:
    """Read the object on each line of a JSON Lines file, with its place."""
    for number, line in enumerate(lines, 1):
        source = Source(str(path), _text(path, number, line, what), number)
        value = decode_json(source)
        if not isinstance(value, dict):
            raise placed_error(
                source, InvalidDocument(f"{clipped(value)} where an object should be; mend or remove the line")
            )
        yield source, value


def read_label_field(text: str, wanted: str | None, where: str, key: str = "label") -> Label:
    """Read a label in a field of a JSON line, of a direction where one is wanted."""
    try:
        label = Label.parse(text)
        label.text.encode()
    except (FormatError, ValueError) as error:
        raise InvalidDocument(f"{error}; mend or remove the line", key) from None
    if wanted and label.kind != wanted:
        raise InvalidDocument(f"{clipped(text)} is no label of {where}, which starts with {wanted}", key)
    return label


def read_seconds_field(value: dict[str, Any], name: str) -> float | None:
    """Read a time in a field of a JSON line; it may be missing."""
    found = value.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < _LONGEST:
        raise mistyped(name, found, "a number of seconds")
    return float(found)


_LONGEST = 1e15  # seconds; beyond that microseconds are lost


def _text(path: Path, number: int, line: bytes, what: str) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}:{number}:{error.start + 1}: not UTF-8; save {what} as UTF-8") from None


def _is_whole(line: bytes) -> bool:
    """Say whether a last line without an end lacks nothing but that; otherwise a kill cut it short."""
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        return False
    return True
