"""The budget of a model: what it may take, and how much memory is in use.

Tracebacks of the user's own code that show the user's line and not ours.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from outplay.errors import ModelError, OutplayError

try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]

_STATM = "/proc/self/statm"


@dataclass(frozen=True)
class Budget:
    """The time that the user's code may run, and the memory that may be taken meanwhile."""

    seconds: float = 300.0
    memory: int = 4096
    """In MB, beyond what was in use before."""

    @property
    def bytes(self) -> int:
        return self.memory << 20


class OverBudget(BaseException):
    """A bound was passed, here. No `Exception`, so that what the user's code catches does not hold it up."""

    def __init__(self, bound: str, option: str) -> None:
        super().__init__(bound)
        self.bound, self.option, self.doing = bound, option, ""

    def during(self, doing: str) -> OverBudget:
        """The same, where it is now known what was going on; whoever knew before knew better."""
        self.doing = self.doing or doing
        return self


def resident_memory() -> int:
    """Return the bytes of memory in use now, or the most so far where the system tells only that, or 0."""
    try:
        return _pages(1)
    except (OSError, ValueError, IndexError):
        if resource is None:
            return 0
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most << 10


class Ceiling:
    """Lets the system refuse more memory than this much beyond what is in use: nothing else stops `"x" * 10**11`."""

    def __init__(self) -> None:
        self._before: tuple[int, int] | None = None

    def put(self, more: int) -> None:
        """Refuse more than this many bytes beyond those in use; nothing happens where that is not possible."""
        try:
            kept = resource.getrlimit(resource.RLIMIT_DATA)
            wanted = _pages(5) + max(more, 0)
            resource.setrlimit(resource.RLIMIT_DATA, (wanted if kept[1] < 0 else min(wanted, kept[1]), kept[1]))
        except (OSError, ValueError, IndexError, AttributeError):
            return
        self._before = self._before or kept

    def lift(self) -> None:
        """As it was before."""
        if self._before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, self._before)
            self._before = None


def _pages(field: int) -> int:
    with open(_STATM, "rb", buffering=0) as stream:
        return int(stream.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")


_OURS = (str(Path(__file__).resolve().parents[2]), "<actions of ")  # the latter is the loop action_loop.py writes


def blame_user_code(error: BaseException, doing: str) -> ModelError:
    """Turn an exception of user code into one line that names the place, the line of code and the mistake."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, MemoryError):
        what = f"{what} (keep it smaller, or raise --max-memory)"
    place, line = _place(error, of_libraries=True)
    return ModelError(f"{place}: {what}{line} (while {doing})" if place else f"{doing}: {what}")


def over_budget_error(stop: OverBudget) -> ModelError:
    """Return the error that says which bound of the budget was passed, and where."""
    place, line = _place(stop.__cause__ or stop)  # the cause is a MemoryError
    doing = f" (while {stop.doing})" if stop.doing else ""
    return ModelError(f"{place or 'the model'}: more than {stop.bound}{line}{doing}: mend it, or raise {stop.option}")


def _place(error: BaseException, *, of_libraries: bool = False) -> tuple[str, str]:
    """The place in the user's code that an exception came from, and the line there; empty where there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    # Where the user called a library that then raised, the user's own line is the one to look at.
    own = [frame for frame in frames if not frame.filename.startswith(_libraries())]
    if not (own or (of_libraries and frames)):
        return "", ""
    last = (own or frames)[-1]
    return f"{last.filename}:{last.lineno}", f" in `{last.line}`" if last.line else ""


def arose_in_outplay(error: BaseException) -> bool:
    """Say whether an exception arose in outplay's own code and not in the user's."""
    return traceback.extract_tb(error.__traceback__)[-1].filename.startswith(_OURS)


def _libraries() -> tuple[str, ...]:
    return "<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@contextmanager
def blaming_user_code(doing: str) -> Iterator[None]:
    """Turn whatever user code raises inside this context into a ModelError."""
    try:
        yield
    except (OutplayError, KeyboardInterrupt):
        raise
    except OverBudget as stop:
        raise stop.during(doing) from None
    except Exception as error:
        raise blame_user_code(error, doing) from error
