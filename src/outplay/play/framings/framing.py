"""Messages in a stream of bytes: as lines, or behind their lengths.

A framing cuts a stream into whole messages as they stand there, and knows what is content in one. It remembers nothing:
what is not a whole message yet is handed to it again with what comes next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from outplay.errors import UsageError, did_you_mean

_LONGEST_HEAD = 64 * 1024  # bytes before a content


class NoMessage(Exception):
    """Bytes in a stream that cannot be a message."""


class Framing(Protocol):
    """One way in which messages follow each other."""

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        """The whole messages at the beginning, as they stand, and the rest; `NoMessage` where that can be none."""

    def content(self, message: bytes) -> bytes:
        """Return the part of a message between its head and its end."""

    def framed(self, content: bytes) -> bytes:
        """A content as it stands in the stream; `NoMessage` where it cannot stand there."""


@dataclass(frozen=True)
class Lines:
    """A message a line.

    >>> Lines().cut(b"one\\ntwo\\r\\nthr")
    ([b'one\\n', b'two\\r\\n'], b'thr')
    """

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        *lines, rest = pending.split(b"\n")
        return [line + b"\n" for line in lines], rest

    def content(self, message: bytes) -> bytes:
        return message.rstrip(b"\r\n")

    def framed(self, content: bytes) -> bytes:
        if b"\n" in content:
            raise NoMessage("a message of several lines cannot be sent as one line")
        return content + b"\n"


@dataclass(frozen=True)
class Headed:
    """A content behind a head that has its length.

    `head` reads the head at the beginning: its size and that of all that follows, or None where it is not whole yet.
    """

    head: Callable[[bytes], tuple[int, int] | None]
    written: Callable[[bytes], bytes]
    tail: bytes = b""

    def cut(self, pending: bytes) -> tuple[list[bytes], bytes]:
        messages, at = list[bytes](), 0
        while (found := self.head(pending[at : at + _LONGEST_HEAD])) is not None:
            end = at + found[0] + found[1] + len(self.tail)
            if len(pending) < end:
                break
            if not pending[at:end].endswith(self.tail):
                raise NoMessage(f"a message does not end with {self.tail!r}")
            messages.append(pending[at:end])
            at = end
        else:
            if len(pending) - at >= _LONGEST_HEAD:
                raise NoMessage("there is no length")
        return messages, pending[at:]

    def content(self, message: bytes) -> bytes:
        found = self.head(message)
        return b"" if found is None else message[found[0] : found[0] + found[1]]

    def framed(self, content: bytes) -> bytes:
        return self.written(content) + content + self.tail


def prefixed(size: int, order: str) -> Headed:
    """A length in so many bytes, `big` or `little` endian, before each message.

    >>> prefixed(2, "big").cut(b"\\0\\3abc\\0\\2d")
    ([b'\\x00\\x03abc'], b'\\x00\\x02d')
    """

    def head(pending: bytes) -> tuple[int, int] | None:
        return (size, int.from_bytes(pending[:size], order)) if len(pending) >= size else None  # type: ignore[arg-type]

    def written(content: bytes) -> bytes:
        try:
            return len(content).to_bytes(size, order)  # type: ignore[arg-type]
        except OverflowError:
            raise NoMessage(f"{len(content)} bytes are too many for a length of {size} bytes") from None

    return Headed(head, written)


def _netstring(pending: bytes) -> tuple[int, int] | None:
    found = re.match(rb"(\d{1,12}):", pending)
    if found:
        return found.end(), int(found[1])
    if pending and not re.fullmatch(rb"\d{1,12}", pending):
        raise NoMessage("there is no length with a colon")
    return None


def _headers(pending: bytes) -> tuple[int, int] | None:
    end = pending.find(b"\r\n\r\n")
    if end < 0:
        return None
    found = re.search(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", pending[: end + 2], re.IGNORECASE | re.MULTILINE)
    if not found:
        raise NoMessage("the headers have no Content-Length")
    return end + 4, int(found[1])


FRAMINGS: dict[str, Framing] = {
    "lines": Lines(),
    "netstring": Headed(_netstring, lambda content: b"%d:" % len(content), b","),
    "content-length": Headed(_headers, lambda content: b"Content-Length: %d\r\n\r\n" % len(content)),
    **{f"length{size}": prefixed(size, "big") for size in (1, 2, 4, 8)},
    **{f"length{size}-little": prefixed(size, "little") for size in (2, 4, 8)},
}
"""All framings by name."""


def framing_of(name: str) -> Framing:
    """The framing of a name.

    >>> framing_of("length3")
    Traceback (most recent call last):
    outplay.errors.UsageError: unknown framing 'length3'; did you mean 'length8'?
    """
    if name not in FRAMINGS:
        raise UsageError(f"unknown framing {name!r}; {did_you_mean(name, FRAMINGS)}")
    return FRAMINGS[name]
