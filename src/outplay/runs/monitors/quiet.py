"""The stop rule `quiet`: a run ends when N plays in a row showed nothing new, and what that says about the unseen.

A stretch is the plays between two that showed something new. Suppose that in the k-th stretch each play, whatever came
before, shows something new with a chance of p. That N plays show nothing then has the chance (1 - p)^N. With a share
α/(k(k + 1)) of the doubt α for the k-th stretch, which sum to α, no run ends with p above
    1 - (α / (k(k + 1)))^(1/N)
but one in 1/α: however many stretches there are, and whenever one looks. For k = 1, and α halved, it is the rule of
three: about -ln(α)/N. The estimate of Good (1953) and Turing is beside it: of n plays that are all alike, the next
shows f/n new items on the average, where f items were seen in one play only. Testers that learn make plays unlike each
other, so it is told as an estimate and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from outplay.play.following import Step
from outplay.plurals import counted
from outplay.runs.events import Monitor, PlayEnded, RunEvent
from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.result import RunResult

DOUBT = 0.05


@dataclass
class Quiet(Monitor):
    """Counts the plays since anything new was seen, of one kind of items."""

    kind: str
    most: int | None = None
    """After this many there is enough; None where that is no reason to stop."""
    plays: int = 0
    since: int = 0
    """Plays since the last that showed something new."""
    stretches: int = 1
    once: set[object] = field(default_factory=set)
    """The items seen in one play only."""
    more: set[object] = field(default_factory=set)
    """The items seen in several plays."""
    _seen: Tally = field(default_factory=Tally)

    def ended(self, seen: Tally) -> None:
        """A play has ended that saw this."""
        items = set(seen.of(self.kind))
        new = items - self.once - self.more
        self.more |= items & self.once
        self.once = (self.once | new) - (items - new)
        self.plays += 1
        self.stretches += bool(new) and self.plays > 1
        self.since = 0 if new else self.since + 1

    @property
    def enough(self) -> bool:
        return self.most is not None and self.since >= self.most

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded):
            self.ended(self._seen)
        super().observe(event)

    def begin(self) -> None:
        self._seen = Tally()

    def take(self, step: Step) -> None:
        self._seen.take(step)

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, quiet=self.report())

    def report(self) -> QuietReport:
        """The stretch at the end."""
        new = len(self.once) / self.plays if self.plays else None
        return QuietReport(self.kind, self.since, self.stretches, new)


@dataclass(frozen=True)
class QuietReport:
    """The stretch of plays at the end that showed nothing new."""

    kind: str
    since: int
    """Plays since the last that showed something new."""
    stretches: int = 1
    expected: float | None = None
    """The expected number of new items of the next play, if plays are alike (Good and Turing)."""

    @property
    def chance(self) -> float | None:
        """The most that the chance of something new in a play can be, but for a doubt of `DOUBT`; None without plays.

        >>> round(QuietReport("states", since=20).chance, 3)
        0.168
        """
        share = DOUBT / (self.stretches * (self.stretches + 1))
        return 1.0 - share ** (1.0 / self.since) if self.since else None

    def line(self) -> str:
        """The stretch for people."""
        assert self.chance is not None
        assert self.expected is not None
        return (
            f"quiet: nothing new in {counted(self.since, 'play')}; that a play shows more has a chance of at most "
            f"{self.chance:.2g} ({1 - DOUBT:.0%} sure), and {self.expected:.2g} new {self.kind} a play are estimated"
        )

    def json(self) -> dict[str, object]:
        return {"plays": self.since, "chance_of_new": self.chance, "expected_new": self.expected}
