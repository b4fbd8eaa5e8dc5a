"""Writing files whole or not at all: beside its place first, then put there, so that nobody ever reads half of one."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from outplay.errors import FormatError

_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: str | Path, pieces: Iterable[str] | Iterable[bytes], *, folders: bool = False) -> Path:
    """Write a file whole or not at all; where that fails it is as it was before. `folders` makes missing ones.

    A link stays a link. A pipe, a terminal or a device is written as it comes.
    """
    place = Path(path)
    try:
        if folders:
            place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists() and not place.is_file():
            with place.open("wb") as stream:
                stream.writelines(map(_bytes, pieces))
        else:
            _replace(place.resolve(), pieces)
    except UnicodeEncodeError:
        raise FormatError(f"{path}: a name or label holds half a character, which no file can; rename it") from None
    except OSError as error:
        raise FormatError(unwritten_file(path, error)) from None
    return place


def unwritten_file(path: str | Path, error: OSError) -> str:
    """Return the error for a file that could not be written, in one line."""
    cure = "make room there" if error.errno in _ROOM else "give a path that can be written"
    return f"{path}: {error.strerror or error}; {cure}"


def _bytes(piece: str | bytes) -> bytes:
    return piece.encode() if isinstance(piece, str) else piece


def _replace(path: Path, pieces: Iterable[str] | Iterable[bytes]) -> None:
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            stream.writelines(map(_bytes, pieces))
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
