"""Interrupting a run: exit code 130, no process left behind, and what was recorded stays readable."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.commands import PROGRAM
from outplay.formats.trace_jsonl import read_trace


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def lives(pid: int) -> bool:
    """Say whether a process runs; a zombie that nobody has reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize(
    ("ending", "as_json"),
    [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False)],
)
def test_an_interrupted_run_leaves_no_process_and_a_readable_trace(model, system, ending, as_json):
    # Towards a goal that never comes, the tester gives one input after the other; a slow answer must not end the run.
    command = ["run", model, "--goal", "!cough", "--sut", system("family"), "--plays", "10000", "--steps", "6"]
    command += ["--ready", "ready", "--keep-going"]
    with subprocess.Popen(
        [*PROGRAM, *command, *(["--json"] if as_json else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        trace = Path(".outplay/last/trace.jsonl")
        wait_for(lambda: Path("pids").exists() and trace.exists() and trace.read_text().count("\n") > 8)
        running.send_signal(ending)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    [run] = Path(".outplay/runs").iterdir()
    said = rf"interrupted( after \d+ plays?)?; the trace so far is in {run}/trace.jsonl"
    said += "(; `outplay run --resume` goes on with it)?"
    assert re.fullmatch(f"outplay: {said}", err.splitlines()[-1])
    assert "Traceback" not in err
    assert not as_json or json.loads(out)
    pids = [int(pid) for pid in Path("pids").read_text().split()]
    assert len(pids) >= 2
    wait_for(lambda: not any(map(lives, pids)), 5.0)
    events = read_trace(trace).events
    assert len(events) >= 8
    assert {event.kind for event in events} >= {"reset", "input", "output"}


def test_an_interrupted_exploration_ends_at_once(model):
    Path("endless.py").write_text(
        "from outplay import Model, controllable\n"
        "class Endless(Model):\n"
        "    n: int = 0\n"
        "    @controllable\n"
        "    def up(self):\n"
        "        if self.n == 1000:\n"
        "            open('begun', 'w').close()\n"
        "        self.n += 1\n"
    )
    with subprocess.Popen(
        [*PROGRAM, "explore", "endless.py", "--max-states", "1000000000", "-o", "game.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        wait_for(lambda: Path("begun").exists())
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out) == (130, "")
    assert err.startswith("outplay: interrupted")
    assert not Path("game.json").exists()
