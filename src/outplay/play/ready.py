"""Waiting for a system to say that it is ready."""

from __future__ import annotations

import time

from outplay.errors import SystemUnready
from outplay.play.lines import line_event
from outplay.play.system import System


def expect(system: System, line: str, what: str, patience: float) -> None:
    """Wait for a line; anything from before it belongs to the past and is dropped."""
    wanted = line_event(line.encode(), 0.0).label  # as it will read when it comes, whatever its spaces
    deadline = time.monotonic() + patience
    while (left := deadline - time.monotonic()) > 0:
        event = system.observe(left)
        if event.kind == "output" and event.label == wanted:
            return
        if event.kind not in ("output", "silence"):
            raise SystemUnready(f"{event.kind} ({event.detail}) while waiting for the {what}")
    raise SystemUnready(f"no {line!r} within {patience:g} s, the {what}")
