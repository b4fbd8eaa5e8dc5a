"""Replay: give a recorded play's inputs again, at the same places, until the system fails again.

A nondeterministic system may answer otherwise this time. So the play is tried several times, every answer that the
model allows is taken, and how often it failed is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outplay.campaign.failing.shrinking import shrink
from outplay.campaign.failing.shrunk import Shrunk
from outplay.campaign.job import Job, recorded_job
from outplay.campaign.preparing.loaded_model import load_model, other_model
from outplay.campaign.preparing.systems import system_of
from outplay.campaign.preparing.ways import refuse_untaken
from outplay.campaign.run import run
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.interrupting import breakable
from outplay.model.kinds import specification
from outplay.model.label import SILENCE
from outplay.model.specification import Specification
from outplay.play.event import Event
from outplay.play.plan import Plan
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import Trace
from outplay.tester.script import Script
from outplay.verdict.judge import judge_play
from outplay.verdict.verdicts import Fail, Verdict


@dataclass(frozen=True)
class Replay:
    """What came of playing a trace again."""

    tries: int
    fails: int
    verdict: Verdict
    """Of the last try: the Fail when it was reproduced."""
    trace: Trace
    """The last try."""
    warnings: tuple[str, ...] = ()
    shrunk: Shrunk | None = None
    """The failing try made short, where that was asked for."""

    @property
    def reproduced(self) -> bool:
        return self.fails > 0

    @property
    def shown(self) -> Verdict:
        """The verdict on the play that is shown: on the short one where it was shrunk."""
        return self.shrunk.verdict if self.shrunk else self.verdict


def replay_job(trace: Trace, job: Job, *, tries: int = 20, seconds: float = 0.0) -> Replay:
    """Play a trace again by the model and against the system of a job, most often the one it was recorded by.

    One that fails again is then made short, for so many seconds.
    """
    refuse_untaken(job)
    with breakable():
        model = load_model(job)
        spec = model.specification()
        system = system_of(job, model)
    result = replay(spec, trace, system, timing=job.timing, tries=tries)
    result = replace(result, warnings=other_model(trace.header, spec))
    if not (result.reproduced and seconds):
        return result
    timing = job.timing.for_system(system)
    times = {"latency": timing.latency, "silence": timing.silence}
    header = replace(trace.header, options=trace.header.options | times)
    failure = Trace(header, result.trace.events)
    try:
        with breakable():
            made = shrink(spec, failure, system, timing=job.timing, seconds=seconds)
    except KeyboardInterrupt:  # this must not cost the verdict
        return result
    return replace(result, shrunk=made, warnings=result.warnings + (made.warnings if made else ()))


def replay(
    model: Any, trace: Trace | str | Path, system: System | str, *, timing: Timing | None = None, tries: int = 20
) -> Replay:
    """Play the trace's first failing play (or its last play) until it fails again, at most `tries` times.

    A trace may be named by its file, and a system as on the command line: `replay(Chat, "t.jsonl", "exec:./server")`.
    Without a timing the times are those it was recorded with.
    """
    spec, trace = specification(model), trace if isinstance(trace, Trace) else read_trace(Path(trace))
    timing = timing or recorded_job(trace.header).timing
    with breakable():
        events = failing_play(spec, trace)
    if not any(event.is_move for event in events):
        raise UsageError("the trace has no moves to replay")
    script = Script(SILENCE if event.label is None else event.label for event in events if event.is_move)
    system = system_of(Job(sut=system)) if isinstance(system, str) else system
    steps = sum(event.is_move for event in events) + 1
    for number in range(1, tries + 1):
        outcome = run(Plan(spec, script), system, timing=timing, plays=1, steps=steps)
        if isinstance(outcome.verdict, Fail):
            return Replay(number, 1, outcome.verdict, outcome.failure() or outcome.trace)
        if outcome.verdict.name == "error":
            break
    return Replay(number, 0, outcome.verdict, outcome.trace)


def failing_play(spec: Specification, trace: Trace) -> list[Event]:
    """The events of the first play that fails, cut where it does; the last play where none does."""
    chosen: list[Event] = []
    for _, events in trace.plays():
        chosen = events
        verdict = judge_play(spec, events, latency=trace.header.latency, silence=trace.header.silence)
        if isinstance(verdict, Fail):
            return [event for event in events if event.n <= verdict.event.n]
    return chosen
