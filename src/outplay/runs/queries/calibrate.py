"""The silence and latency that fit a system: measured in plays with long times, proposed with their risk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from outplay.cancellation import CancelToken
from outplay.errors import UsageError
from outplay.play.system import VirtualClock, sleep_lateness
from outplay.plurals import counted
from outplay.runs.configuration import TABLE
from outplay.runs.events import Observer
from outplay.runs.monitors.answer_waits import ENOUGH, AnswerWaits, TimingProposal, format_milliseconds
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import RunResult
from outplay.runs.run import Run
from outplay.verdict.verdicts import Error, Fail


@dataclass(frozen=True)
class Calibration:
    """The plays that were measured, and the times proposed; none where a play failed."""

    result: RunResult
    waits: AnswerWaits
    proposal: TimingProposal | None

    @property
    def exit_code(self) -> int:
        """The code of the Fail or Error, where there is one."""
        return 0 if self.proposal else self.result.exit_code

    def json(self) -> dict[str, object]:
        proposal = self.proposal
        return {
            **(proposal.json() if proposal else dict.fromkeys(("silence", "latency", "risk", "latency_bounded"))),
            "slowest": self.waits.slowest,
            "answers": self.waits.answers,
            "late": self.waits.late,
            "plays": self.result.tally.plays,
            "verdict": self.result.verdict.name,
            **({} if proposal else {"why": self.result.verdict.why}),
        }

    def lines(self) -> Iterator[str]:
        plays = counted(self.result.tally.plays, "play")
        if self.proposal is None:
            yield self.result.headline
            yield f"nothing is proposed: times of plays that fail prove nothing; mend that first (outplay run), {plays}"
            return
        slowest = format_milliseconds(self.waits.slowest)
        yield f"{counted(self.waits.answers, 'answer')} in {plays}, the slowest after {slowest} ms"
        yield self.proposal.told_risk(self.waits.answers)
        if self.waits.answers < ENOUGH:
            yield f"that is little to go by: play longer, for {ENOUGH} answers or more (--time, --plays)"
        if not self.proposal.latency_bounded:
            yield "latency as given: answers took longer than that, so they do not show how long the way takes"
        if self.waits.late:
            yield f"{counted(self.waits.late, 'output')} came after silence, as the model allows, and did not count"
        yield TABLE
        yield f"silence = {self.proposal.silence:g}"
        yield f"confirm = {self.waits.silence:g}"
        yield f"latency = {self.proposal.latency:g}"


def _refuse_simulated(prepared: Prepared) -> None:
    """Refuse a system whose time is simulated: nothing is measured there."""
    if isinstance(prepared.system.clock, VirtualClock):
        prepared.system.close()
        raise UsageError(f"{prepared.job.sut} goes by a simulated clock: calibrate measures a real system, name one")


def calibrate_times(
    prepared: Prepared, *, observers: Iterable[Observer] = (), token: CancelToken | None = None
) -> Calibration:
    """Play what was prepared, and propose silence and latency by how long its answers took."""
    _refuse_simulated(prepared)
    timing, system = prepared.job.timing.for_system(prepared.system), prepared.system
    waits = AnswerWaits(timing.silence)
    result = Run(prepared, observers=[waits, *observers], token=token).finish()
    if isinstance(result.verdict, Fail | Error):
        return Calibration(result, waits, None)
    if not waits.answers:
        plays = counted(result.tally.plays, "play")
        raise UsageError(f"no output was seen in {plays}, so there is nothing to go by; play longer (--time, --plays)")
    return Calibration(result, waits, waits.proposed(timing, sleep_lateness(), synchronous=system.synchronous))
