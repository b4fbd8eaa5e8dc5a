"""Judging what was recorded: a trace by the model it was recorded with or another one, or a history of calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.formats.trace_jsonl import verdict_json
from outplay.play.history import History
from outplay.play.trace import Trace
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model, other_model_warning
from outplay.runs.secrets import is_redacted_output
from outplay.verdict.impossible_window import window_lines
from outplay.verdict.judge import judge
from outplay.verdict.judge_history import NotLinearizable, judge_history
from outplay.verdict.linearize import SearchBounds
from outplay.verdict.show import explanation_json, failing_steps, headline
from outplay.verdict.verdicts import Error, Fail, Verdict

LOST = "a secret was left out of what the system said here, so nobody can tell whether it was allowed"


@dataclass(frozen=True)
class Judged:
    """A trace and the model it is judged by; the verdict is found when it is first asked for."""

    model: LoadedModel
    trace: Trace

    @property
    def warnings(self) -> tuple[str, ...]:
        """That the trace was recorded with another model: known before the verdict, which that may cost."""
        return other_model_warning(self.trace.header, self.model.specification())

    @cached_property
    def verdict(self) -> Verdict:
        """Return the verdict of the model on the trace."""
        found = judge(self.model.judging(self.trace.header.goal), self.trace)
        if isinstance(found, Fail) and is_redacted_output(found.event):
            return Error(f"{LOST}; play it again by `outplay replay`", found.event)
        return found

    @property
    def shown(self) -> Trace:
        """Return the part worth showing: the play that failed up to where it did, else the whole trace."""
        failed = self.verdict
        return self.trace.play(failed.event.play, until=failed.event.n) if isinstance(failed, Fail) else self.trace

    @property
    def labels(self) -> list[str]:
        """The moves of what is shown, for a picture."""
        return [event.label.text for event in self.shown.events if event.is_move and event.label]

    def json(self) -> dict[str, Any]:
        return {**verdict_json(self.verdict), **explanation_json(self.verdict)}

    @property
    def headline(self) -> str:
        """The verdict, for people."""
        return headline(self.verdict, goal=self.trace.header.goal)

    def lines(self) -> Iterator[str]:
        """Describe the failure step by step, if there is one."""
        return failing_steps(self.shown, self.verdict) if isinstance(self.verdict, Fail) else iter(())


@dataclass(frozen=True)
class JudgedHistory:
    """A history and the model of calls it is judged by."""

    model: LoadedModel
    history: History
    partition: str | None = None

    @cached_property
    def verdict(self) -> Verdict:
        """Return the verdict of the model on the history."""
        job = self.model.job
        bounds = SearchBounds(job.max_states, job.max_seconds)
        found = self.model.model
        return judge_history(found, self.history, partition=self.partition, bounds=bounds, budget=job.limits.budget)

    def json(self) -> dict[str, Any]:
        verdict = self.verdict
        window = verdict.window.labels if isinstance(verdict, NotLinearizable) and verdict.window else []
        return {"verdict": verdict.name, "why": verdict.why, "window": window}

    @property
    def headline(self) -> str:
        """The verdict, for people."""
        verdict = self.verdict
        return f"{headline(verdict)}: {verdict.why}" if isinstance(verdict, Fail) else headline(verdict)

    def lines(self) -> Iterator[str]:
        """The shortest part that is impossible, client by client."""
        verdict = self.verdict
        return window_lines(verdict.window) if isinstance(verdict, NotLinearizable) and verdict.window else iter(())


def judge_history_job(history: History, job: Job, partition: str | None = None) -> JudgedHistory:
    """Judge a history of calls by the model program of a job."""
    return JudgedHistory(load_model(job), history, partition)


def judge_job(trace: Trace, job: Job) -> Judged:
    """Judge a trace by the model of a job, most often the one it was recorded by."""
    return Judged(load_model(job), trace)
