"""A text to read, where in it something is wrong, and what a file may hold at most.

All errors are `file:line:column: what; what to do`. Readers take a `Source` and raise only `FormatError` with a place
in it; writers refuse with one line what their format cannot hold, before they write anything.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from outplay.errors import FormatError

LARGEST = 64 << 20  # bytes
LARGEST_GAME = 1 << 30  # as JSON
LONGEST_LABEL = 100_000  # characters; reading a label takes time and room for each of them
_AT_ONCE = 1 << 16  # bytes of a file that is read bit by bit


@dataclass(frozen=True)
class Source:
    """The text of a file with its name."""

    name: str
    text: str
    first: int = 1
    """The line of the file that the text starts with."""
    column: int = 1
    """The column in that line where it starts."""

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are not blank, as they stand, with their numbers."""
        return ((n, line) for n, line in enumerate(self.text.split("\n"), 1) if line and not line.isspace())

    def error(self, line: int, column: int, what: str) -> FormatError:
        """An error at a line and column, both counted from 1; `what` ends with what to do."""
        place = column + self.column - 1 if line == 1 else column
        return FormatError(f"{self.name}:{self.first + line - 1}:{place}: {what}")

    def error_at(self, offset: int, what: str) -> FormatError:
        """An error at an offset into the text."""
        return self.error(*line_and_column(self.text, offset), what)


@dataclass(frozen=True)
class ReadLimits:
    """The limits on a file, checked before anything is built."""

    states: int = 1_000_000
    edges: int = 10_000_000
    depth: int = 100

    def refuse_states(self, source: Source, line: int, count: int) -> None:
        """Raise when there are too many states."""
        if count > self.states:
            what = f"{count:,} states, more than {self.states:,}; raise --max-states or make the model smaller"
            raise source.error(line, 1, what)

    def refuse_edges(self, source: Source, line: int, count: int) -> None:
        """Raise when there are too many transitions."""
        if count > self.edges:
            what = f"{count:,} transitions, more than {self.edges:,}; raise --max-edges or make the model smaller"
            raise source.error(line, 1, what)


LIMITS = ReadLimits()


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset in a source text, counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")


def shown(text: str) -> str:
    """Quote a word of a source text in an error message, cut where it is long."""
    return repr(text) if len(text) <= 50 else f"{text[:50]!r}…"


def column_of(line: str, part: str) -> int:
    """Return the column where a part of a source line starts, counted from 1."""
    return max(line.find(part), 0) + 1


def read_source(path: Path, *, largest: int = LARGEST) -> Source:
    """Read a file as the text of a source, or say in one line why that cannot be."""
    content = read_source_bytes(path, largest=largest)
    try:
        return Source(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise FormatError(f"{path}:{line}:{column}: not UTF-8; save it as UTF-8") from None


def read_source_bytes(path: Path, *, largest: int = LARGEST, missing: str = "check the path") -> bytes:
    """Read the bytes of a source file; what is no plain file could hang or never end, and is refused.

    `missing` is what to do where there is none.
    """
    with _opened(path, missing) as descriptor:
        return _content(path, descriptor, largest)


def read_source_pieces(path: Path) -> Iterator[str]:
    """Read a source file as text, bit by bit, or say in one line why that cannot be."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line, column = 1, 1
    with _opened(path) as descriptor:
        while True:
            content = os.read(descriptor, _AT_ONCE)
            try:
                yield decoder.decode(content, final=not content)
            except UnicodeDecodeError as error:
                before = error.object[: error.start]
                line, column = _moved(before, line, column - len(error.object) + len(content))
                raise FormatError(f"{path}:{line}:{column}: not UTF-8; save it as UTF-8") from None
            if not content:
                return
            line, column = _moved(content, line, column)


def _moved(content: bytes, line: int, column: int) -> tuple[int, int]:
    """The place after some more bytes."""
    lines = content.count(b"\n")
    return line + lines, len(content) - content.rfind(b"\n") if lines else column + len(content)


@contextmanager
def _opened(path: Path, missing: str = "check the path") -> Iterator[int]:
    """A descriptor of a plain file; what goes wrong there is told in one line."""
    if "\0" in str(path):
        raise FormatError(f"{path}: no name of a file; check the path")
    try:
        # Without O_NONBLOCK opening a pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise FormatError(f"{path}: {_kind(mode)}; give a plain file")
            yield descriptor
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; {missing}") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a readable file") from None


def _content(path: Path, descriptor: int, largest: int) -> bytes:
    size, content = os.fstat(descriptor).st_size, b""
    if size <= largest:
        with open(descriptor, "rb", closefd=False) as stream:
            content = stream.read(largest + 1)  # it may have grown since
    if max(size, len(content)) > largest:
        raise FormatError(f"{path}:1:1: larger than {largest:,} bytes; raise --max-bytes or make it smaller")
    return content


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "no plain file")
