"""The result of shrinking: the short play that fails, how often it does, and what that may mean."""

from __future__ import annotations

from dataclasses import dataclass

from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.runs.failing.attempts import Rate, count_steps
from outplay.verdict.verdicts import Fail

_STATEFUL = (
    "so the server may keep state from one connection to the next: start each play afresh with --reset MESSAGE=ANSWER"
)
_UNCLEARED = (
    "so this play alone does not fail, and some state may be left from the play before: the table needs a [[reset]] "
    "that clears all of it, or try --server-per-play"
)
_LEFT_BEHIND = "so the message of --reset may leave some state of earlier plays behind"


@dataclass(frozen=True)
class Shrunk:
    """A failing play made short, and how often it fails."""

    trace: Trace
    verdict: Fail
    before: int
    """The steps of the play as it was found."""
    rate: Rate
    """The number of plays that gave its inputs again, and of those that failed."""
    trouble: str = ""
    """The reason why shrinking ended before its time: the system could not be reset, say."""

    searched: int = 0
    """The number of plays that looked for a shorter one."""
    play: int = 1
    """The number of the play as it was found."""

    @property
    def shorter(self) -> bool:
        """Say whether anything could be left out."""
        return count_steps(self.trace.events) < self.before

    def __str__(self) -> str:
        nothing = [f"nothing shorter found in {counted(self.searched, 'play')}"] * (self.searched > 0)
        parts = [f"shrunk from {counted(self.before, 'step')}"] if self.shorter else nothing
        parts += [str(self.rate)] * (self.rate.tries > 0)
        parts += [hint] if (hint := self.hint) else []
        return ", ".join(parts)

    @property
    def hint(self) -> str:
        """Return a hint where it never failed again and the system may remember what earlier plays did; else
        nothing.
        """
        header = self.trace.header
        if self.rate.fails or not self.rate.tries:
            return ""
        if header.job.get("reset"):
            return _LEFT_BEHIND
        if header.sut.startswith(("http:", "https:")):
            return _UNCLEARED if self.play > 1 and not header.job.get("server_per_play") else ""
        return _STATEFUL if header.sut.startswith("tcp:") else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings where shrinking ended before its time."""
        return (f"making the failing play short ended early: {self.trouble}",) if self.trouble else ()

    def json(self) -> dict[str, int]:
        return {"from": self.before, "to": count_steps(self.trace.events), **self.rate._asdict()}
