"""Labels as JSON: a list of the gate and its arguments, `["deliver", "bob", "ann", "hi"]`, which keeps their types."""

from __future__ import annotations

import json
from typing import Any

from outplay.errors import OutplayError
from outplay.model.label import INPUT, Label
from outplay.play.adapters.messages.json_values import from_json, parsed, to_json
from outplay.play.serving.play_server import RESET


def json_of(label: Label) -> str:
    """A label as JSON.

    >>> json_of(Label.parse("!deliver bob 3"))
    '["deliver", "bob", 3]'
    """
    return json.dumps([label.gate, *map(to_json, label.arguments)], ensure_ascii=False)


def read_json_label(content: bytes) -> Label | str:
    """Read an input, `RESET`, or return why it is none."""
    try:
        said = parsed(content)
    except (ValueError, UnicodeDecodeError) as error:
        return f"this is no JSON: {error}"
    if not isinstance(said, list) or not said or not isinstance(said[0], str):
        return 'this is no label: send a list such as ["post", "ann", "hi"]'
    return RESET if said == [RESET] else json_input(said[0], said[1:])


def json_input(gate: str, arguments: list[Any]) -> Label | str:
    """An input of a gate and arguments as JSON has them, or why there is none."""
    try:
        label = Label(INPUT, gate, tuple(map(from_json, arguments)))
        label.text.encode()
        return label
    except (OutplayError, ValueError, TypeError) as error:
        return f"this is no label: {error}"
