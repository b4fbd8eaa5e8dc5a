"""Judging a recorded trace: the model is read as it was read then, and where another one is meant that is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model, other_model
from outplay.formats.trace_jsonl import verdict_json
from outplay.play.trace import Trace
from outplay.verdict.judge import judge
from outplay.verdict.show import headline, steps
from outplay.verdict.verdicts import Fail, Verdict


@dataclass(frozen=True)
class Judged:
    """A trace and the model it is judged by; the verdict is found when it is first asked for."""

    model: LoadedModel
    trace: Trace

    @property
    def warnings(self) -> tuple[str, ...]:
        """That the trace was recorded with another model: known before the verdict, which that may cost."""
        return other_model(self.trace.header, self.model.specification())

    @cached_property
    def verdict(self) -> Verdict:
        """What the model says to the trace."""
        return judge(self.model.judging(self.trace.header.goal), self.trace)

    @property
    def shown(self) -> Trace:
        """What is worth showing: the play that failed up to where it did, else the whole trace."""
        failed = self.verdict
        return self.trace.play(failed.event.play, until=failed.event.n) if isinstance(failed, Fail) else self.trace

    @property
    def labels(self) -> list[str]:
        """The moves of what is shown, for a picture."""
        return [event.label.text for event in self.shown.events if event.is_move and event.label]

    def json(self) -> dict[str, Any]:
        return verdict_json(self.verdict)

    @property
    def headline(self) -> str:
        """The verdict, for people."""
        return headline(self.verdict, goal=self.trace.header.goal)

    def lines(self) -> Iterator[str]:
        """What went wrong step by step, if anything did."""
        return steps(self.shown, self.verdict) if isinstance(self.verdict, Fail) else iter(())


def judge_job(trace: Trace, job: Job) -> Judged:
    """Hold a trace against the model of a job, most often the one it was recorded by."""
    return Judged(load_model(job), trace)
