"""`outplay calibrate`: times are measured against a real system, and proposed as lines to write down."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

SLOW = """
import sys, time
print("ready", flush=True)
for line in sys.stdin:
    time.sleep(0.15)
    print("echo", line.split()[1], flush=True)
"""


@pytest.fixture
def slow() -> str:
    Path("slow.py").write_text(SLOW)
    return f"exec:{sys.executable} slow.py"


def test_a_system_is_measured_and_the_lines_can_be_written_down(outplay, model, slow):
    plays = ("--ready", "ready", "--plays", "1", "--steps", "4", "--silence", "2", "--latency", "0.2")
    found = outplay("calibrate", model, "--sut", slow, *plays, "--json").json
    assert found["verdict"] == "pass"
    assert found["slowest"] >= 0.15
    assert found["silence"] >= 2 * found["slowest"]
    assert (found["latency"], found["latency_bounded"]) == (0.2, False)  # twice 0.15 s is more
    assert found["risk"] == 1 / (found["answers"] + 1)
    done = outplay("calibrate", model, "--sut", slow, *plays)
    assert done.code == 0
    assert "latency as given" in done.out
    lines = tomllib.loads(done.out[done.out.index("[tool.outplay]") :])["tool"]["outplay"]
    assert lines["silence"] >= 0.3
    assert lines["confirm"] == 2.0
    Path("pyproject.toml").write_text(done.out[done.out.index("[tool.outplay]") :])
    again = outplay("run", model, "--sut", f"model:{model}", "--plays", "1", "--steps", "4")
    header = Path(".outplay/last/trace.jsonl").read_text().splitlines()[0]
    assert again.code == 0
    assert f'"silence": {lines["silence"]:g}' in header


def test_times_of_a_system_that_fails_are_not_proposed(outplay, model, system):
    done = outplay("calibrate", model, "--sut", system("wrong"), "--ready", "ready", "--plays", "2", "--json")
    assert done.code == 1
    assert (done.json["silence"], done.json["latency"], done.json["risk"]) == (None, None, None)
    told = outplay("calibrate", model, "--sut", system("wrong"), "--ready", "ready", "--plays", "2")
    assert "nothing is proposed" in told.out
    assert "[tool.outplay]" not in told.out


def test_a_simulated_clock_and_a_missing_system_are_refused(outplay, model):
    simulated = outplay("calibrate", model, "--sut", f"model:{model}")
    assert simulated.code != 0
    assert "simulated clock" in simulated.err
    assert "name the system with --sut" in outplay("calibrate", model).err
