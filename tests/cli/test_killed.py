"""Killed at any point of a run: no orphan after TERM and INT, files whole, and what had been found by then is kept.

The system fails in its third play of five, and has a child that has left its session. Points are counted calls of
outplay, so they lie in loading, exploring, playing, making the failure short, writing and leaving alike.
"""

from __future__ import annotations

import json
import os
import signal
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from helpers.echo import MODEL
from helpers.killing import HUNG, Killer, killing, marked
from outplay.formats.trace_jsonl import read_trace
from outplay.model.programs.load import load_program
from outplay.verdict.judge import judge
from outplay.verdict.verdicts import Fail

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")

SYSTEM = """
echo x >> starts
setsid sleep 600 >/dev/null 2>&1 &
while read said word; do
  if [ $(wc -l < starts) = 3 ]; then echo "echo c"; else echo "echo $word"; fi
done
"""
PLAYS, BAD = 5, 3
RUN = ["run", "echo.py:Echo", "--goal", "answered", "--sut", "exec:sh system.sh", "--plays", str(PLAYS)]
RUN += ["--keep-going", "--silence", "20", "--settle", "0", "--latency", "0.01", "--shrink", "0.2", "--json"]
QUICK, MANY = 4, 200  # points for each signal


def trial(killer: Killer, folder: Path, number: int, point: int) -> dict[str, Any]:
    """A run in a folder of its own that gets a signal at a point; afterwards nothing it started is left."""
    folder.mkdir()
    (folder / "echo.py").write_text(MODEL)
    (folder / "system.sh").write_text(SYSTEM)
    mark = uuid.uuid4().hex
    done = killer.kill(folder=str(folder), arguments=RUN, signal=number, point=point, mark=mark)
    left = marked(mark)
    for process in left:
        os.kill(process, signal.SIGKILL)
    return {**done, "left": [*left.values()]}


def check(folder: Path, number: int, done: dict[str, Any]) -> str:
    """Check what a run that got a signal has left behind; return how far it had come."""
    started = len((folder / "starts").read_text()) // 2 if (folder / "starts").exists() else 0
    assert done["code"] != HUNG
    assert done["code"] != 0, "a run that failed or was ended is no success"
    assert "Traceback" not in (folder / "err").read_text()
    if number != signal.SIGKILL:
        assert done["left"] == [], "an orphan"
        # Before the first line of `main` has been run a signal ends it as it ends any program.
        assert done["code"] in (1, 130) or (started == 0 and done["code"] in (4, -number)), done
    whole = _whole(folder, killed=number == signal.SIGKILL)
    _verdict_kept(folder, started, done["code"])
    return f"{'whole' if whole else 'cut'} after {started} starts"


def _whole(folder: Path, *, killed: bool) -> bool:
    """No file is half written; only the trace, which grows, may have been cut."""
    ended = False
    for path in folder.glob(".outplay/runs/*/**/*"):
        if path.suffix == ".tmp":
            assert killed, "what is written beside its place is removed, unless nobody is left to do so"
        elif path.name == "job.json":
            json.loads(path.read_text())
        elif path.name == "report.html":
            assert path.read_text().rstrip().endswith("</html>")
        elif path.parent.name == "failures":
            assert not read_trace(path).cut
        elif path.name == "trace.jsonl" and path.read_bytes():
            ended = not read_trace(path).cut
    return ended


def _verdict_kept(folder: Path, started: int, code: int) -> None:
    """Once the play after the bad one has begun, its failure is in the trace, and whoever can still tell tells it."""
    traces = list(folder.glob(".outplay/runs/*/trace.jsonl"))
    if started <= BAD:
        return
    (trace,) = traces
    recorded = read_trace(trace)
    verdict = judge(load_program(f"{folder / 'echo.py'}:Echo"), recorded)
    assert isinstance(verdict, Fail)
    assert verdict.event.play == BAD
    if code > 0:
        told = json.loads((folder / "out").read_text())
        assert (code, told["verdict"]) == (1, "fail")
        assert told["plays"] >= BAD


def killed_everywhere(tmp_path: Path, number: int, points: int) -> dict[str, int]:
    """Kill a run at so many points, spread over all its calls; return how far runs had come."""
    met: dict[str, int] = {}
    with killing() as killer:
        done = trial(killer, tmp_path / "whole", 0, 0)
        assert (done["code"], done["left"]) == (1, [])
        for place in range(points):
            folder = tmp_path / f"{place}"
            # From the first call to somewhat after the last one that was counted.
            point = 1 + round(done["calls"] * 1.02 * (place + 0.5) / points)
            ended = trial(killer, folder, number, point)
            try:
                what = check(folder, number, ended)
            except AssertionError as error:
                raise AssertionError(f"{number!r} at call {point} of {done['calls']}: {ended}") from error
            met[what] = met.get(what, 0) + 1
    return met


SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGKILL]


@pytest.mark.promise("B5", trials=QUICK)
@pytest.mark.parametrize("number", SIGNALS)
def test_a_run_that_is_killed_leaves_whole_files_and_what_it_had_found(tmp_path, number):
    assert len(killed_everywhere(tmp_path, number, QUICK)) > 1


@pytest.mark.promise("B5", trials=MANY)
@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("number", SIGNALS)
def test_the_same_at_two_hundred_points(tmp_path, number):
    began = time.monotonic()
    met = killed_everywhere(tmp_path, number, MANY)
    print(number, met, f"{time.monotonic() - began:.0f} s")
    assert len(met) > 6
