"""The last work on a result before anybody sees it: the failing play is made short, and secrets are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outplay.cancellation import CancelToken
from outplay.redaction import Redact
from outplay.runs.events import Observer
from outplay.runs.failing.shrinking import shrink
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import RunResult
from outplay.runs.secrets import shrunk_without_secrets, trace_without_secrets, verdict_without_secrets


class Shrinking(Observer):
    """Makes the failing play short, where there is one, within the seconds of the job."""

    def __init__(self, prepared: Prepared, token: CancelToken) -> None:
        self._prepared, self._token = prepared, token

    def complete(self, result: RunResult) -> RunResult:
        prepared, failure = self._prepared, result.failure()
        job = prepared.job
        if failure is None or job.shrink == 0 or result.interrupted:
            return result
        how: dict[str, Any] = {"timing": job.timing, "seconds": job.shrink, "token": self._token}
        made = shrink(prepared.specification, failure, prepared.system, **how)
        return replace(result, shrunk=made, warnings=(*result.warnings, *(made.warnings if made else ())))


class Secrets(Observer):
    """Leaves the secrets out of the result."""

    essential = True

    def __init__(self, redact: Redact) -> None:
        self._redact = redact

    def complete(self, result: RunResult) -> RunResult:
        return without_secrets(result, self._redact)


def without_secrets(result: RunResult, redact: Redact) -> RunResult:
    """The result with the secrets left out of all that is said in it."""
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
