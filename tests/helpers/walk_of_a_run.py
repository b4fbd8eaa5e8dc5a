"""Run a command of outplay in this process, and print which of its files call which, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import outplay

ROOT = str(Path(outplay.__file__).parent) + "/"
NOT_CALLED = {"<module>", "find_spec", "_rang"}  # imports and signals break in anywhere
calls = dict[tuple[str, str, str], None]()  # who calls, who is called, by which function


def own(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of outplay, from a frame outwards."""
    while frame is not None and not frame.f_code.co_filename.startswith(ROOT):
        frame = frame.f_back
    return frame


def breaks_in(frame: FrameType | None) -> bool:
    """Whether a frame is part of what an import or a signal does."""
    while frame := own(frame):
        if frame.f_code.co_name in NOT_CALLED:
            return True
        frame = frame.f_back
    return False


def note(frame: FrameType, event: str, _: Any) -> None:
    """Note a call."""
    if event == "call" and frame.f_code.co_filename.startswith(ROOT):
        caller = own(frame.f_back)
        name = caller.f_code.co_filename.removeprefix(ROOT) if caller else ""
        call = name, frame.f_code.co_filename.removeprefix(ROOT), frame.f_code.co_name
        if call not in calls and not breaks_in(frame):
            calls[call] = None


if __name__ == "__main__":
    from outplay.cli.main import run_command

    sys.setprofile(note)
    code = run_command(sys.argv[1:])
    sys.setprofile(None)
    print(json.dumps({"code": code, "calls": [*calls]}))
