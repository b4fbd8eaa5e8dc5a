"""A text to read, and where in it something is wrong: all errors are `file:line:column: what; what to do`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from outplay.errors import FormatError

LARGEST = 64 << 20  # bytes; game JSON has a limit of its own


@dataclass(frozen=True)
class Source:
    """The text of a file with its name."""

    name: str
    text: str
    first: int = 1
    """The line of the file that the text starts with."""

    def error(self, line: int, column: int, what: str) -> FormatError:
        """An error at a line and column, both counted from 1; `what` ends with what to do."""
        return FormatError(f"{self.name}:{self.first + line - 1}:{column}: {what}")

    def error_at(self, offset: int, what: str) -> FormatError:
        """An error at an offset into the text."""
        return self.error(*position(self.text, offset), what)


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")


def read_source(path: Path, *, largest: int = LARGEST) -> Source:
    """Read a file as text, or say in one line why that cannot be."""
    try:
        if path.stat().st_size > largest:
            raise FormatError(f"{path}:1:1: larger than {largest:,} bytes; raise --max-bytes or make it smaller")
        content = path.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a readable file") from None
    try:
        return Source(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise FormatError(f"{path}:{line}:{column}: not UTF-8; save it as UTF-8") from None
