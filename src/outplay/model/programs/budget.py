"""The budget of a model: what it may take, and how much memory is in use."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

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


def resident() -> int:
    """Bytes of memory in use now; where the system does not tell, the most there were; 0 where it tells nothing."""
    try:
        return _pages(1)
    except (OSError, ValueError, IndexError):
        if resource is None:
            return 0
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most << 10


class Ceiling:
    """Lets the system refuse more memory than so much beyond what is in use: nothing else stops `"x" * 10**11`."""

    def __init__(self) -> None:
        self._before: tuple[int, int] | None = None

    def put(self, more: int) -> None:
        """Refuse more than so many bytes beyond those in use; nothing happens where that is not possible."""
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
