"""Secrets left out of a run: of its result, events, traces and verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outplay.errors import UsageError
from outplay.model.label import OUTPUT, Label
from outplay.play.trace import Event, Trace
from outplay.redaction import LEFT_OUT, MARK, Redact, redaction
from outplay.registries import flag
from outplay.runs.events import Observer
from outplay.runs.failing.shrunk import Shrunk
from outplay.runs.job import Job
from outplay.runs.result import RunResult
from outplay.verdict.verdicts import Fail, Verdict


def redaction_of(job: Job) -> Redact:
    """Return the redaction of secrets: those of the environment and those that a job gives its system."""
    return redaction(job.redact, texts=[job.sut, job.ready or "", job.reset or "", *job.options])


def refuse_redacted(job: Job, *names: str) -> None:
    """Refuse a job whose secrets were left out when it was written down, in these fields and further options."""
    for option, text in job.own_options:
        if MARK in text:
            raise UsageError(
                f"{flag(option)} {text}: the secret was not written down; give {flag(option)} again, with it"
            )
    for name in names:
        value = getattr(job, name) or ""
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and MARK in text:
                raise UsageError(f"--{name} {text}: the secret was not written down; give --{name} again, with it")


class Secrets(Observer):
    """Leaves the secrets out of the result."""

    essential = True

    def __init__(self, redact: Redact) -> None:
        self._redact = redact

    def complete(self, result: RunResult) -> RunResult:
        return result_without_secrets(result, self._redact)


def result_without_secrets(result: RunResult, redact: Redact) -> RunResult:
    """Leave secrets out of the result of a run."""
    tests = tuple(replace(test, verdict=verdict_without_secrets(test.verdict, redact)) for test in result.tests)
    alike = {play: replace(play, verdict=verdict_without_secrets(play.verdict, redact)) for play in {*result.played}}
    return replace(
        result,
        trace=trace_without_secrets(result.trace, redact),
        verdict=verdict_without_secrets(result.verdict, redact),
        played=tuple(alike[play] for play in result.played),  # there may be a million, most of them alike
        tests=tests,
        shrunk=shrunk_without_secrets(result.shrunk, redact),
        failures=tuple(group.without_secrets(redact) for group in result.failures),
        warnings=tuple(map(redact, result.warnings)),
    )


def shrunk_without_secrets(short: Shrunk | None, redact: Redact) -> Shrunk | None:
    """Leave secrets out of a failing play that was made short, if one was."""
    if short is None:
        return None
    verdict = verdict_without_secrets(short.verdict, redact)
    return replace(short, trace=trace_without_secrets(short.trace, redact), verdict=verdict)


def trace_without_secrets(trace: Trace, redact: Redact) -> Trace:
    """Leave secrets out of a trace: out of what its header says of the system, and each event."""
    header = replace(trace.header, sut=redact(trace.header.sut))
    return Trace(header, tuple(event_without_secrets(event, redact) for event in trace.events), trace.cut)


def event_without_secrets(event: Event, redact: Redact) -> Event:
    """Leave secrets out of an event: of what was said about it, and of an output; inputs are given again."""
    label = event.label
    if label is not None and label.kind == OUTPUT:
        gate, *arguments = redact.words((label.gate, *label.arguments))
        said_as = gate, tuple(arguments)
        label = label if said_as == (label.gate, label.arguments) else Label(OUTPUT, *said_as)
    about = {"detail": event.detail, "traceback": event.traceback, "words": event.words}
    said: dict[str, Any] = {name: redact(text) for name, text in about.items() if text}
    return event if label is event.label and not said else replace(event, label=label, **said)


def is_redacted_output(event: Event) -> bool:
    """Say whether a secret was left out of an output; nobody can tell any more whether it was allowed."""
    return event.label is not None and LEFT_OUT in (event.label.gate, *event.label.arguments)


def verdict_without_secrets(verdict: Verdict, redact: Redact) -> Any:
    """Leave secrets out of a verdict and its event."""
    event = getattr(verdict, "event", None)
    fields: dict[str, Any] = {"why": redact(verdict.why)}
    fields |= {"event": event_without_secrets(event, redact)} if event else {}
    if isinstance(verdict, Fail) and (change := verdict.change):
        fields["change"] = replace(change, label=redact(change.label), text=redact(change.text))
    return replace(verdict, **fields)
