"""Results that took long to compute, kept in the user's cache folder under a hash of all that they depend on.

    ~/.cache/outplay/pairs-5f2c…      outplay-cache/1, the hash of the content, the content

The name of an entry tells what it was computed from, so an entry is never out of date. It is bytes, which the reader
takes for numbers: whoever could write there might mislead a tester, and run nothing. An entry is put in place in one
step, so runs at the same time see it whole or not at all. One that is damaged, or that others might have written, is
not believed. The folder is bounded: the entries that were used longest ago go first.

    >>> from tempfile import mkdtemp
    >>> cache = Cache(Path(mkdtemp()) / "outplay")
    >>> name = entry_name("squares", b"3")
    >>> cache.write(name, b"9")
    >>> cache.read(name), cache.read(entry_name("squares", b"4"))
    (b'9', None)
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 256 << 20
"""In all entries together."""
_HEAD = b"outplay-cache/1\n"
_HASHED = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Cache:
    """A folder of entries; without a folder nothing is found and nothing is kept."""

    folder: Path | None = None
    most: int = MOST_BYTES

    def read(self, name: str) -> bytes | None:
        """Return an entry; None where there is none that can be believed."""
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
                found = os.fstat(stream.fileno())
                if not is_private(found) or found.st_size > self.most:
                    return None
                head = stream.read(len(_HEAD) + _HASHED)
                content = stream.read(self.most)
        except OSError:
            return None
        if head != _HEAD + hashlib.sha256(content).digest():
            return None
        with suppress(OSError):
            os.utime(path)  # used last
        return content

    def write(self, name: str, content: bytes) -> None:
        """Keep an entry; where that cannot be done it is computed anew next time."""
        if self.folder is None or len(_HEAD) + _HASHED + len(content) > self.most:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = self.folder / f".{secrets.token_hex(8)}.tmp"
            try:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(descriptor, "wb") as stream:
                    stream.writelines((_HEAD, hashlib.sha256(content).digest(), content))
                temporary.replace(self.folder / name)
            finally:
                temporary.unlink(missing_ok=True)
            self._make_room(self.folder)

    def _make_room(self, folder: Path) -> None:
        """Remove what was used longest ago until the rest fits; another run may do the same."""
        found = list[tuple[float, int, Path]]()
        for path in folder.iterdir():
            with suppress(OSError):
                known = path.lstat()
                if stat.S_ISREG(known.st_mode):
                    found.append((known.st_mtime, known.st_size, path))
        spare = self.most - sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if spare >= 0:
                return
            path.unlink(missing_ok=True)
            spare += size


def user_cache() -> Cache:
    """The cache of the user; where there is no home, nothing is kept."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Cache(Path(given) / "outplay")
    with suppress(RuntimeError):
        home = Path.home()
        if home.is_absolute():
            return Cache(home / ".cache" / "outplay")
    return Cache()


def entry_name(kind: str, *parts: bytes) -> str:
    """Name an entry by its kind and all that it depends on."""
    made = hashlib.sha256()
    for part in parts:
        made.update(b"%d:" % len(part))
        made.update(part)
    return f"{kind}-{made.hexdigest()}"


def is_private(found: os.stat_result) -> bool:
    """Say whether nobody else can have written a file."""
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
