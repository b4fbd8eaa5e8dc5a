"""What is done with an outcome before anybody sees it: the failing play is made short, and secrets are left out.

The command and `outplay.run` do it alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outplay.campaign.failing.shrinking import shrink
from outplay.campaign.outcome import Outcome
from outplay.interrupting import breakable
from outplay.model.specification import Specification
from outplay.play.event import Event
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import Trace
from outplay.redaction import Redact
from outplay.verdict.verdicts import Verdict


def shrunk(
    outcome: Outcome, spec: Specification, system: System, timing: Timing, seconds: float
) -> tuple[Outcome, tuple[str, ...]]:
    """Make the failing play short, where there is one, within so many seconds; with what went wrong in that."""
    failure = outcome.failure()
    if failure is None or not seconds:
        return outcome, ()
    try:
        with breakable():
            made = shrink(spec, failure, system, timing=timing, seconds=seconds)
        return replace(outcome, shrunk=made), made.warnings if made else ()
    except (Exception, KeyboardInterrupt) as error:  # this must not cost the verdict
        return outcome, (f"the failing play could not be made short: {type(error).__name__}: {error}",)


def without_secrets(outcome: Outcome, redact: Redact) -> Outcome:
    """The outcome with the secrets left out of all that is said in it."""

    def quiet(trace: Trace) -> Trace:
        header = replace(trace.header, sut=redact(trace.header.sut))
        return Trace(header, tuple(event_without_secrets(event, redact) for event in trace.events), trace.cut)

    short = outcome.shrunk
    if short:
        short = replace(short, trace=quiet(short.trace), verdict=verdict_without_secrets(short.verdict, redact))
    tests = tuple(replace(test, verdict=verdict_without_secrets(test.verdict, redact)) for test in outcome.tests)
    played = tuple(replace(play, verdict=verdict_without_secrets(play.verdict, redact)) for play in outcome.played)
    fields: dict[str, Any] = {"tests": tests, "played": played, "shrunk": short}
    return replace(
        outcome, trace=quiet(outcome.trace), verdict=verdict_without_secrets(outcome.verdict, redact), **fields
    )


def event_without_secrets(event: Event, redact: Redact) -> Event:
    """An event with what was said about it redacted; its label stays, since that is what is judged and given again."""
    if not event.detail and not event.traceback:
        return event
    return replace(event, detail=redact(event.detail), traceback=redact(event.traceback))


def verdict_without_secrets(verdict: Verdict, redact: Redact) -> Any:
    """The same for a verdict and the event it tells of."""
    event = getattr(verdict, "event", None)
    fields: dict[str, Any] = {"why": redact(verdict.why)}
    fields |= {"event": event_without_secrets(event, redact)} if event else {}
    return replace(verdict, **fields)
