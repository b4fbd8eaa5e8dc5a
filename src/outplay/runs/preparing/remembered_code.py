"""Code the user has run: which files, with which content, kept in the user's own data folder.

    ~/.local/share/outplay/code.json      {"format": "outplay-code/1", "files": {"/projects/chat.py": "sha256 …"}}

A file belongs here once it ran as a model program that the user named or trusted, or was imported by one from its
folder. No trace, suite or job writes here, and a memory that others could have written is not believed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from outplay.caching import is_private
from outplay.errors import UsageError
from outplay.model.programs.load import Admit

FORMAT = "outplay-code/1"
MOST = 10_000
"""Files that are remembered; the ones that ran longest ago are forgotten first."""
_LARGEST = 16 << 20  # bytes


def data_folder() -> Path | None:
    """Return the folder where remembered code and all else that belongs to the user is kept; None without a home."""
    given = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "outplay"
    with suppress(RuntimeError):
        home = Path.home()
        return home / ".local" / "share" / "outplay" if home.is_absolute() else None
    return None


def is_remembered_code(path: Path) -> bool | None:
    """Say whether a file of code ran before with the content it has now; None where it never ran."""
    known = _read().get(str(path.resolve()))
    return None if known is None else known == content_hash(path.read_bytes())


def known_hash(name: str) -> str | None:
    """Return the hash of the code that is remembered under a name; None where there is none."""
    return _read().get(name)


class Remembering:
    """Remembers code as it is admitted: while a program is loaded all at once at the end, afterwards one by one."""

    def __init__(self) -> None:
        self._loading: dict[str, str] | None = {}

    def admit(self, path: Path, content: bytes) -> None:
        """Let a file run, and remember it."""
        found = {str(path): content_hash(content)}
        if self._loading is None:
            remember_code(found)
        else:
            self._loading |= found

    def loaded(self) -> None:
        """Write down what ran while the program was loaded."""
        found, self._loading = self._loading or {}, None
        remember_code(found)


def only_remembered_code(model: str) -> Admit:
    """Let only code run that ran before with the same content; `model` is the program that imports it."""
    known = _read()

    def admit(path: Path, content: bytes) -> None:
        if known.get(str(path)) != content_hash(content):
            what = "has changed since you last ran it" if str(path) in known else "you have never run"
            raise UsageError(
                f"{model} runs {path}, which {what}; "
                f"if you trust it name the model, {model} with run or --model {model} with replay, or add --trust"
            )

    return admit


def remember_code(found: dict[str, str]) -> None:
    """Remember files of code with the hashes of their content. If that fails, the user is asked again next time."""
    folder = data_folder()
    if folder is None or found.items() <= _read().items():
        return
    with suppress(OSError), _alone(folder):
        kept = {path: code for path, code in _read().items() if path not in found} | found
        newest = dict(list(kept.items())[-MOST:])
        _write(folder / "code.json", json.dumps({"format": FORMAT, "files": newest}, indent=0) + "\n")


def remember_loaded_code(program: ModuleType) -> None:
    """Remember a program that runs in this process already, with the modules of its folder that do."""
    folder, installed = Path(program.__file__ or "").resolve().parent, Path(sys.prefix).resolve()
    files = {Path(file).resolve() for one in list(sys.modules.values()) if (file := getattr(one, "__file__", None))}
    own = [path for path in files if path.is_relative_to(folder) and not path.is_relative_to(installed)]
    with suppress(OSError):
        remember_code({str(path): content_hash(path.read_bytes()) for path in own})


def _read() -> dict[str, str]:
    folder = data_folder()
    if folder is None:
        return {}
    try:
        with (folder / "code.json").open("rb") as stream:
            if not is_private(os.fstat(stream.fileno())):
                return {}
            document = json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):  # missing, or damaged: nothing is known
        return {}
    files = document.get("files") if isinstance(document, dict) and document.get("format") == FORMAT else None
    whole = isinstance(files, dict) and all(isinstance(code, str) for code in files.values())
    return files if isinstance(files, dict) and whole else {}


def _write(path: Path, text: str) -> None:
    """Replace a file in one step; nobody else may read it."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes out while the file is read and replaced."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(folder / "code.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def content_hash(content: bytes) -> str:
    """Return the hash by which the content of a file of code is remembered."""
    return hashlib.sha256(content).hexdigest()
