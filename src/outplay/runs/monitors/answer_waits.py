"""The times that outputs were waited for while playing, and the silence and latency that follow, with their risk.

An output is waited for since the last input on its channel, or, where it answers none, since the last event. That is
what `--silence` has to outlast. What came after silence had been called is counted apart: the model allowed the
silence, so nothing hangs on that time.

The risk is one of order statistics. Of n + 1 waits that come by chance in the same way, in whatever way that is, each
is the slowest with the same chance. So the next wait is longer than the slowest of n with a chance of at most 1/(n+1).
The proposal is `SAFETY` times that slowest wait, which no theorem asks for: it is for days when the system is busier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from outplay.play.following import Step
from outplay.play.system import System, VirtualClock, least_silence, sleep_lateness
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.plurals import counted
from outplay.runs.events import Observer, PlayStarted, RunEvent

SAFETY = 2
ENOUGH = 19
"""This many answers make a risk of 5 %."""
_WORTH = 3  # times shorter
_SAVES = 5.0  # seconds at least, or nobody is told


@dataclass
class AnswerWaits(Observer):
    """Keeps how many outputs were waited for, the longest such wait, and how often silence was waited for in full.

    >>> waits = AnswerWaits()
    >>> waits.take(Event("input", given=1.0))
    >>> waits.take(Event("output", seen=1.5))
    >>> waits.take(Event("output", seen=1.8))
    >>> waits.answers, waits.slowest
    (2, 0.5)
    """

    silence: float = math.inf
    """The silence that is given, to know which waits for it were full."""
    answers: int = 0
    slowest: float = 0.0
    late: int = 0
    """Outputs that came after silence."""
    silences: int = 0
    """Silences that were waited for in full, rather than proven."""
    _given: dict[str | None, float] = field(default_factory=dict)
    _last: float | None = None

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step):
            self.take(event.event)
        elif isinstance(event, PlayStarted) and event.reset:
            self._given, self._last = {}, None

    def take(self, event: Event) -> None:
        """See the next event of a play."""
        if event.kind == "output" and event.seen is not None:
            since = self._given.pop(event.channel, self._last)
            if since is not None:
                self.answers += 1
                self.slowest = max(self.slowest, round(event.seen - since, 6))
        elif event.kind == "input" and event.given is not None:
            self._given[event.channel] = event.given
        elif event.kind == "silence":
            self.silences += self._last is not None and event.time - self._last >= 0.9 * self.silence
            self._given = {}
        self.late += event.kind == "late"
        if event.is_move or event.kind == "reset":
            self._last = event.time if event.seen is None else event.seen

    @property
    def risk(self) -> float:
        """The chance at most that the next answer is slower than all that were seen."""
        return 1 / (self.answers + 1)

    def proposed(self, given: Timing, lateness: float, *, synchronous: bool = False) -> TimingProposal:
        """The times to play with, where sleeps end so late on this machine."""
        fine, latency = SAFETY * self.slowest, given.latency
        if synchronous:
            latency = 0.0
        elif fine <= given.latency:
            latency = min(given.latency, _rounded_up(max(fine, least_silence(lateness) / 10)))
        silence = max(_rounded_up(max(fine, least_silence(lateness))), latency)
        return TimingProposal(silence, latency, self.risk, latency_bounded=synchronous or fine <= given.latency)

    def hint(self, given: Timing, lateness: float) -> str | None:
        """A line for after a run, where the silence could be much shorter, or is short for such answers."""
        if not self.answers:
            return None
        certain, option = given.silence + given.doubtful, "--confirm" if given.doubtful else "--silence"
        slowest, most = format_milliseconds(self.slowest), format_milliseconds(certain)
        seen = f"the slowest answer took {slowest} ms of the {most} it may take"
        if self.slowest > certain / 2:
            longer = _rounded_up(SAFETY * self.slowest)
            return f"{seen}: little is left, and slower ones are Fails; try {option} {longer:g} (outplay calibrate)"
        shorter = self.proposed(given, lateness).silence
        saved = self.silences * (given.silence - shorter)
        if self.answers < ENOUGH or shorter * _WORTH > given.silence or saved < _SAVES:
            return None
        safely = f"--silence {shorter:g} --confirm {certain:g}"
        return f"{seen}; {safely} would make such a run about {saved:.0f} s shorter (outplay calibrate)"


@dataclass(frozen=True)
class TimingProposal:
    """Times to play with, and the chance that an answer is slower than all that led to them."""

    silence: float
    latency: float
    risk: float
    latency_bounded: bool
    """Whether the answers bound the latency; if not, it is as it was given."""

    def json(self) -> dict[str, object]:
        return {
            "silence": self.silence,
            "latency": self.latency,
            "risk": self.risk,
            "latency_bounded": self.latency_bounded,
        }

    def told_risk(self, answers: int) -> str:
        """The risk in words."""
        return (
            f"risk: of {counted(answers, 'answer')} none was slower, so the next one is with a chance of at most "
            f"1 in {answers + 1:,}; the silence is at least {SAFETY} times as long"
        )


def format_milliseconds(seconds: float) -> str:
    """Write the time that an answer was waited for in milliseconds, with three digits.

    >>> format_milliseconds(0.0123456), format_milliseconds(1.0)
    ('12.3', '1000')
    """
    return f"{float(f'{1000 * seconds:.3g}'):g}"


def timing_hint(waits: AnswerWaits, system: System, given: Timing) -> str | None:
    """Return the hint about silence and latency after a run against a system in real time."""
    if isinstance(system.clock, VirtualClock) or not waits.answers:
        return None
    return waits.hint(given.for_system(system), sleep_lateness())


def _rounded_up(seconds: float) -> float:
    """Two digits, never less.

    >>> _rounded_up(0.1234), _rounded_up(0.2), _rounded_up(3.01), _rounded_up(0.0)
    (0.13, 0.2, 3.1, 0.0)
    """
    if not seconds:
        return 0.0
    digits = 1 - math.floor(math.log10(seconds))
    scale = 10.0**digits
    return round(math.ceil(round(seconds * scale, 6)) / scale, max(digits, 0))
