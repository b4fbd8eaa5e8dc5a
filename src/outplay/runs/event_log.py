"""The events of a run as JSON Lines, written as they happen, for other programs that follow it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from outplay.errors import FormatError
from outplay.formats.texts.writing import unwritten
from outplay.play.following import Step
from outplay.redaction import Redact, redacted
from outplay.runs.events import FailureFound, Noted, Observer, RunEvent, run_event_json
from outplay.runs.secrets import event_without_secrets, trace_without_secrets


class EventLog(Observer):
    """Appends each event of a run to a file, without secrets, one JSON object a line."""

    def __init__(self, path: Path, redact: Redact) -> None:
        self._path, self._redact = path, redact
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: TextIO = path.open("w", encoding="utf-8")
        except OSError as error:
            raise FormatError(unwritten(path, error)) from None

    def observe(self, event: RunEvent) -> None:
        """Write the event before anything else happens."""
        line = json.dumps(self._told(event), ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:
            raise FormatError(unwritten(self._path, error)) from None

    def _told(self, event: RunEvent) -> object:
        """The event without secrets; what the system was given stays, for the model names it."""
        if isinstance(event, Step | Noted):
            told = replace(event, event=event_without_secrets(event.event, self._redact))
            return run_event_json(told)
        if isinstance(event, FailureFound):
            event = replace(event, trace=trace_without_secrets(event.trace, self._redact))
            return run_event_json(event) | {"why": self._redact(event.verdict.why)}
        return redacted(run_event_json(event), self._redact)

    def close(self, error: BaseException | None) -> None:
        self._stream.close()
