"""Symbolic transition systems as text, one statement a line; indented lines go on with the statement above.

    system "adder"                                  # comments start with #
    enumeration colour = red, green
    constant most = 10
    variable x: integer = 0
    input inX(p: integer)
    output outX(p: integer)
    output done
    initial l0
    switch r0: l0 -> l1 on inX(p) when 1 <= p <= most do x := x + p
    switch r1: l1 -> l0 on outX(p) when p = x
    switch r2: l0 -> l2 on done when x > 15
    goal full at l0 when x > 100

Sorts are boolean, integer, text, `low..high` and enumerations. The parameters of a switch may be called otherwise than
those of its gate. Expressions are those of `outplay.model.expressions.reading`; nothing in a file is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from outplay.errors import ModelError
from outplay.formats.common.source import LIMITS, ReadLimits, Source
from outplay.formats.symbolic.sts_statements import Statements
from outplay.model.expressions.reading import ExpressionError, Words
from outplay.model.symbolic.building import SwitchError
from outplay.model.symbolic.symbolic_system import SymbolicSystem, system_text

Made = TypeVar("Made")
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|#[^\n]*')


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> SymbolicSystem:
    """Read a symbolic transition system, `.sts`; `name` is what it is called unless the file says so."""
    statements = Statements(name or source.name)
    return take_statements(source, statements, statements.system, limits)


def write(system: SymbolicSystem) -> Iterable[str]:
    """Write a symbolic transition system as text, `.sts`."""
    return system_text(system)


def take_statements(source: Source, statements: Statements, made: Callable[[], Made], limits: ReadLimits) -> Made:
    """Take all statements of an `.sts` or `.efsm` text and return what they declare, or refuse a mistake."""
    _take_all(source, statements, limits)
    try:
        return made()
    except SwitchError as error:
        raise source.error_at(statements.places.get(error.switch, 0), str(error)) from None
    except ExpressionError as error:
        raise source.error_at(error.offset, error.what) from None
    except ModelError as error:
        raise source.error(1, 1, str(error)) from None


def _take_all(source: Source, statements: Statements, limits: ReadLimits) -> None:
    for offset, text in _statements_of(source.text):
        try:
            statements.take(Words(text), offset)
        except ExpressionError as error:
            raise source.error_at(offset + error.offset, error.what) from None
        limits.refuse_edges(source, source.text.count("\n", 0, offset) + 1, statements.transitions)


def _statements_of(text: str) -> Iterator[tuple[int, str]]:
    """The statements with their offsets; comments are blanks, so that places stay."""
    bare = _COMMENT.sub(lambda found: found[1] or " " * len(found[0]), text.replace("\r", " "))
    start, end = 0, 0
    for line in bare.split("\n"):
        length = len(line) + 1
        if line[:1] not in ("", " ", "\t") and bare[start:end].strip():
            yield start, bare[start:end]
            start = end
        end += length
    if bare[start:end].strip():
        yield start, bare[start:end]
