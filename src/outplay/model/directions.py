"""The directions of the labels of a file: inputs and outputs.

Files say it in several ways: `?a` and `!x`, `a?` and `x!`, or `a_i` and `x_o` where all labels of the file end so.
Silence is `delta`, `δ` or `QUIESCENCE`, internal steps are `tau`, `τ` or `i`. Labels that say nothing stay without
direction until the user tells which are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from outplay.errors import FormatError
from outplay.model.automaton import Automaton
from outplay.model.label import INPUT, NEUTRAL, OUTPUT, SILENCE, TAU, Label

_SILENCE = {"delta", "δ", "QUIESCENCE"}
_INTERNAL = {"tau", "τ", "i"}
_MARKS = (INPUT, OUTPUT)


def directed_labels(texts: Iterable[str]) -> Callable[[str], Label]:
    """Look at all label texts of a file and return how to read one of them.

    >>> read = directed_labels(["0_i", "1_o", "tau"])
    >>> read("0_i"), read("1_o"), read("tau")
    (?0, !1, tau)
    >>> directed_labels(["0_i", "b"])("0_i").kind
    ''
    >>> directed_labels(["?a_i"])("?a_i")
    ?a_i
    """
    plain = {text for text in texts if text.lstrip("!") not in _SILENCE and text not in _INTERNAL}
    marked = any(len(text) > 1 and (text[0] in _MARKS or text[-1] in _MARKS) for text in plain)
    by_ending = bool(plain) and all(text.endswith(("_i", "_o")) and len(text) > 2 for text in plain)
    return _by_ending if by_ending and not marked else _by_mark


def _special(text: str) -> Label | None:
    if text.lstrip("!") in _SILENCE:
        return SILENCE
    return Label(TAU) if text in _INTERNAL else None


def _by_ending(text: str) -> Label:
    return _special(text) or _label(INPUT if text.endswith("_i") else OUTPUT, text[:-2])


def _by_mark(text: str) -> Label:
    special = _special(text)
    if special:
        return special
    if text[:1] in _MARKS and len(text) > 1:
        return _label(text[0], text[1:])
    if text[-1:] in _MARKS and len(text) > 1:
        return _label(text[-1], text[:-1])
    return _label(NEUTRAL, text)


def _label(kind: str, text: str) -> Label:
    """A label in its normal form; text that is no proper message is kept whole as the gate."""
    try:
        return Label.from_message(kind, text)
    except FormatError:
        return Label(kind, text)


def with_inputs(automaton: Automaton, globs: Sequence[str]) -> Automaton:
    """Give directions to labels that have none: those that match a pattern are inputs, the others outputs."""
    labels = tuple(
        label
        if label.kind != NEUTRAL
        else _label(INPUT if any(fnmatchcase(label.message, glob) for glob in globs) else OUTPUT, label.message)
        for label in automaton.labels
    )
    return replace(automaton, labels=labels)
