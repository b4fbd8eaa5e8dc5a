"""Printing that cannot go wrong: what cannot be written is noted and changes no exit code, what could harm is escaped.

The standard streams are replaced by outlets. They take what anybody prints, in whatever encoding there is: a character
it lacks is written by its number, as are all that would move the cursor or turn text around; colours stay.
`say` is for lines with words of others in them: there colours are escaped too. NO_COLOR and FORCE_COLOR are
honoured.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import re
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

import click

from outplay.escaping import code, escaped, escaped_lines, shortened
from outplay.renderable import Renderable, Rendered

_COLOURS = re.compile("(\x1b\\[[0-9;]*m)")
_answering: TextIO | None = None
_ENOUGH = 8192  # bytes kept at most before they are written
COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow", "error": "red"}
"""The colour of each verdict; click drops colours where nobody sees them."""


def guard_streams() -> None:
    """Guard standard output and standard error, so that printing never raises, even where one is closed."""
    if os.name != "posix":
        return
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _occupy(number)
    sys.stdout, sys.stderr = Outlet(1, sys.stdout), Outlet(2, sys.stderr)


def say(line: str, *, err: bool = False, **style: Any) -> None:
    """Print one line, in which nothing but its own style is more than text."""
    click.secho(escaped(shortened(line)), err=err, color=colour_wanted(), **style)


def warn(*messages: str) -> None:
    """Print a warning on standard error, line by line."""
    for message in messages:
        say(f"outplay: {message}", err=True, fg="yellow")


def say_json(value: Any) -> None:
    """Print one JSON object on one line."""
    click.echo(escaped(json.dumps(value, ensure_ascii=False)), file=_answering)


def rendered_result(result: Renderable, *, as_json: bool) -> Rendered:
    """Render the part of a result that will be printed, now: words can take long to find."""
    return Rendered(result.json(), ()) if as_json else Rendered({}, tuple(result.lines()))


def print_result(result: Renderable, *, as_json: bool) -> None:
    """Print a result: one JSON object, or line by line."""
    if as_json:
        say_json(result.json())
        return
    for line in result.lines():
        say(line)


@contextmanager
def json_only_output(*, json_only: bool) -> Iterator[None]:
    """Keep standard output for the one JSON object that is printed; what a model prints goes to standard error."""
    global _answering
    if not json_only:
        yield
        return
    _answering = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _answering = None


def colour_wanted() -> bool | None:
    """Say whether the user wants what is printed in colours; None where the environment says nothing."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def output_error() -> OSError | None:
    """Return the error of printing to standard output, if it could not be written."""
    return getattr(_answering or sys.stdout, "lost", None)


def terminal_stream() -> TextIO:
    """Return standard error as a stream that keeps control sequences, to print a progress bar."""
    return Outlet(2, sys.stderr, bare=True)  # type: ignore[return-value]  # all of a TextIO that anybody prints with


class Outlet(io.TextIOBase):
    """A stream of text to a descriptor that never raises."""

    def __init__(self, descriptor: int, before: TextIO | None, *, bare: bool = False) -> None:
        self.lost = None if before else OSError(errno.EBADF, "it is closed")
        self._descriptor, self._pending, self._bare = descriptor, b"", bare
        self._encoding = getattr(before, "encoding", None) or "utf-8"

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "outplay"

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Take text; it is written at the end of a line."""
        if not isinstance(text, str):
            raise TypeError("only text can be printed here")
        self._pending += (text if self._bare else _harmless(text)).encode(self._encoding, "outplay")
        if "\n" in text or len(self._pending) > _ENOUGH:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write what is there; where that fails it is gone, and `lost` says why."""
        while self._pending and self.lost is None:
            try:
                self._pending = self._pending[os.write(self._descriptor, self._pending) :]
            except BlockingIOError:
                poll = select.poll()
                poll.register(self._descriptor, select.POLLOUT)
                poll.poll(100)
            except OSError as error:
                self.lost = error
        self._pending = b""


def _harmless(text: str) -> str:
    """Escape everything but colours, tabs and ends of lines."""
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(part if place % 2 else escaped_lines(part) for place, part in enumerate(_COLOURS.split(text)))


def _occupy(number: int) -> None:
    """Keep a closed descriptor from being given to a file, which would then get what is meant for the screen."""
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)


def _by_number(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(code, error.object[error.start : error.end])), error.end


codecs.register_error("outplay", _by_number)
