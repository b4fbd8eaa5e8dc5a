"""What came of shrinking: the short play that fails, how often it does, and what that may mean."""

from __future__ import annotations

from dataclasses import dataclass

from outplay.campaign.failing.attempts import Rate, step_count
from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.verdict.verdicts import Fail

_STATEFUL = (
    "so the server may keep state from one connection to the next: start each play afresh with --reset MESSAGE=ANSWER"
)


@dataclass(frozen=True)
class Shrunk:
    """A failing play made short, and how often it fails."""

    trace: Trace
    verdict: Fail
    before: int
    """The steps of the play as it was found."""
    rate: Rate
    """Its inputs were given again so often, and so many of these plays failed."""
    trouble: str = ""
    """What ended the shrinking before its time: the system could not be reset, say."""

    @property
    def shorter(self) -> bool:
        """Say whether anything could be left out."""
        return step_count(self.trace.events) < self.before

    def __str__(self) -> str:
        parts = [f"shrunk from {counted(self.before, 'step')}"] * self.shorter
        parts += [str(self.rate)] * (self.rate.tries > 0)
        parts += [_STATEFUL] * self.may_be_kept_state
        return ", ".join(parts)

    @property
    def may_be_kept_state(self) -> bool:
        """Whether it never failed again and is against a server that may remember what earlier plays did."""
        header, never = self.trace.header, self.rate.tries > 0 and not self.rate.fails
        return never and header.sut.startswith("tcp:") and not header.job.get("reset")

    def json(self) -> dict[str, int]:
        return {"from": self.before, "to": step_count(self.trace.events), **self.rate._asdict()}
