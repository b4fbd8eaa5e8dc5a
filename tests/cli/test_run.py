"""`outplay run` as the contract has it, against real processes and simulated systems."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import PROGRAM
from outplay.formats.trace_jsonl import read_trace

# Patient enough for a busy machine; nothing in these tests waits for silence unless it says so.
READY = ("--ready", "ready", "--silence", "2", "--latency", "0.02")
KEYS = {"verdict", "plays", "steps", "inputs", "outputs", "trace", "coverage"}


def test_a_right_system_passes(outplay, model, system):
    result = outplay("run", model, "--goal", "answered", "--sut", system("right"), "--plays", "3", *READY, "--json")
    found = result.json
    assert (result.code, found["verdict"]) == (0, "pass")
    assert set(found) >= KEYS
    assert (type(found["plays"]), type(found["steps"]), type(found["inputs"]), type(found["outputs"])) == (int,) * 4
    assert found["plays"] == 3
    assert found["inputs"] > 0
    assert found["outputs"] > 0
    assert Path(found["trace"]).exists()
    assert isinstance(found["coverage"], dict)


def test_a_wrong_system_fails_and_the_failure_is_kept(outplay, model, system):
    result = outplay("run", model, "--sut", system("wrong"), *READY, "--json")
    found = result.json
    assert (result.code, found["verdict"]) == (1, "fail")
    trace = read_trace(Path(found["trace"]))
    assert [event.kind for event in trace.events[-2:]] == ["input", "output"]
    assert Path(found["trace"]).parent.name == "failures"


@pytest.mark.parametrize("mode", ["crash", "mute"])
def test_a_system_that_crashes_or_stays_silent_where_it_must_speak_fails(outplay, model, system, mode):
    # A play in which the tester itself was late is inconclusive, and then another one is played.
    result = outplay("run", model, "--sut", system(mode), *READY, "--silence", "0.3", "--shrink", "0")
    assert result.code == 1
    assert re.match(r"✗ Fail in play \d+ \(seed 0\)\n", result.out)
    assert ("out of ideas" if mode == "crash" else "silence is not allowed here") in result.out


def test_people_see_the_steps_what_was_allowed_and_how_to_see_it_again(outplay, model, system):
    result = outplay("run", model, "--sut", system("wrong"), *READY, "--seed", "7", "-v")
    lines = result.out.splitlines()
    assert lines[0] == "✗ Fail in play 1 (seed 7)"
    assert any("not allowed here" in line for line in lines)
    assert any(line.strip().startswith("allowed: !echo ") for line in lines)
    (replay,) = [line for line in lines if line.startswith("  replay: outplay replay ")]
    assert Path(replay.split()[3]).exists()
    (report,) = [line for line in lines if line.startswith("  report: ")]
    page = Path(report.split()[1]).read_text()
    assert page.startswith("<!doctype html>")
    assert f"  look: outplay studio {replay.split()[3]}" in lines
    assert f"outplay studio {replay.split()[3]}" in page


def test_a_goal_that_was_reached_passes_and_one_that_was_not_is_inconclusive(outplay, model, system):
    reached = outplay("run", model, "--goal", "answered", "--sut", system("right"), "--plays", "2", *READY)
    assert reached.code == 0
    assert "answered reached in " in reached.out
    missed = outplay(
        "run", model, "--goal", "!cough", "--sut", system("right"), "--plays", "2", "--steps", "4", *READY, "--json"
    )
    assert (missed.code, missed.json["verdict"]) == (6, "inconclusive")
    assert "!cough" in missed.json["why"]


def test_a_goal_that_cannot_be_forced_is_played_for_the_least_cost_and_that_is_told_on_stderr(outplay, model):
    result = outplay("run", model, "--goal", "answered", "--sut", f"model:{model}", "--plays", "5", "--json")
    assert "answered cannot be forced (assumption nondeterministic); playing for the least" in result.err
    assert result.json["verdict"] in ("pass", "inconclusive")


def test_a_system_that_cannot_be_started_is_an_error_and_no_fail(outplay, model):
    result = outplay("run", model, "--sut", "exec:./missing", "--json")
    assert (result.code, result.json["verdict"]) == (4, "error")
    assert set(result.json) >= KEYS
    assert "no such program" in result.json["why"]


def test_a_system_that_never_gets_ready_is_an_error(outplay, model):
    Path("gone.py").write_text("raise SystemExit(3)\n")
    result = outplay("run", model, "--sut", f"exec:{sys.executable} gone.py", *READY)
    assert result.code == 4
    assert result.err.count("\n") == 1
    assert "while waiting for the line that says it is ready" in result.err


def test_the_trace_is_what_the_contract_says(outplay, model, system):
    sut = system("right")
    goal = ("--goal", "answered")
    outplay("run", model, *goal, "--sut", sut, "--plays", "2", "--seed", "5", *READY, "--trace", "my/t.jsonl")
    header, *events, last = [json.loads(line) for line in Path("my/t.jsonl").read_text().splitlines()]
    assert header["format"] == "outplay-trace/2"
    assert (header["model"], header["sut"], header["goal"], header["seed"]) == (model, sut, ["answered"], 5)
    assert {"model_hash", "options", "started"} <= set(header)
    assert all({"n", "kind", "label", "given", "seen", "play"} <= set(event) for event in events)
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert {event["play"] for event in events} == {1, 2}
    assert set(last) >= {"verdict", "why", "allowed"}
    assert last["verdict"] == "pass"


def test_the_same_seed_gives_the_same_run_on_a_simulated_system(outplay, model):
    def events(seed: str) -> list[object]:
        outplay("run", model, "--sut", f"model:{model}", "--plays", "5", "--seed", seed)
        lines = Path(".outplay/last/trace.jsonl").read_text().splitlines()
        return [{**json.loads(line), "started": None} for line in lines]

    assert events("3") == events("3")
    assert events("3")[1:] != events("4")[1:]


def test_plays_and_steps_are_at_most_what_was_asked_for(outplay, model):
    found = outplay("run", model, "--sut", f"model:{model}", "--plays", "7", "--steps", "1", "--json").json
    assert found["plays"] == 7
    assert found["steps"] <= 7 * 2  # an input as the last step is watched for its answer


def test_a_run_stops_at_the_first_fail_unless_told_to_keep_going(outplay, model, system):
    sut = system("wrong")
    stopped = outplay("run", model, "--sut", sut, "--plays", "3", *READY, "--json")
    going = outplay("run", model, "--sut", sut, "--plays", "3", "--keep-going", *READY, "--json")
    assert (stopped.code, stopped.json["plays"]) == (1, 1)
    assert (going.code, going.json["plays"]) == (1, 3)


def test_an_adverse_simulation_needs_a_goal_and_a_simulated_system(outplay, model, system):
    assert "--adversarial needs a --goal" in outplay("run", model, "--sut", f"model:{model}", "--adversarial").err
    wrong = outplay("run", model, "--sut", system("right"), "--adversarial", "--goal", "answered")
    assert (wrong.code, "--adversarial is for a simulation of the model itself" in wrong.err) == (2, True)
    result = outplay("run", model, "--sut", f"model:{model}", "--adversarial", "--goal", "waiting", "--plays", "2")
    assert result.code == 0


def test_json_is_all_of_stdout_even_where_somebody_watches_progress_on_stderr(model, system):
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [
            *PROGRAM,
            *("run", model, "--sut", system("right"), "--goal", "waiting", "--plays", "2", *READY, "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    ) as running:
        os.close(theirs)
        assert running.stdout is not None
        printed = running.stdout.read().decode()
        watched = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            watched += piece
    os.close(ours)
    assert running.returncode == 0
    assert printed.count("\n") == 1
    assert json.loads(printed)["verdict"] == "pass"
    assert b"playing" in watched
    assert "playing" not in printed


def test_nothing_is_said_on_stderr_when_nobody_watches(outplay, model):
    result = outplay("run", model, "--sut", f"model:{model}", "--plays", "2")
    assert (result.code, result.err) == (0, "")


def test_a_system_is_reset_by_a_message_where_one_is_given(outplay, model):
    Path("resettable.py").write_text(
        "import sys\nprint('ready', flush=True)\nopen('starts', 'a').write('x')\n"
        "for line in sys.stdin:\n"
        "    word = line.split()\n"
        "    print('OK' if word == ['RESET'] else 'echo ' + word[1], flush=True)\n"
    )
    sut = f"exec:{sys.executable} resettable.py"
    options = ("--reset", "RESET=OK", "--goal", "answered", "--plays", "4", *READY)
    result = outplay("run", model, "--sut", sut, *options)
    assert result.code == 0, result.out
    assert Path("starts").read_text() == "x"


def test_a_model_is_run_with_the_constants_that_were_set(outplay, model):
    outplay("run", model, "--sut", f"model:{model}", "--set", "words=('c',)", "--plays", "2")
    labels = {event.label.text for event in read_trace(Path(".outplay/last/trace.jsonl")).events if event.label}
    assert "?say c" in labels
    assert "?say a" not in labels


def test_an_object_in_a_process_of_its_own_cannot_end_outplay(outplay, model):
    Path("subject.py").write_text("import os\n\nclass Subject:\n    def say(self, word):\n        os._exit(0)\n")
    played = outplay("run", model, "--sut", "python:subject.py:Subject", "--isolated", "--silence", "2", "--json")
    assert (played.code, played.json["verdict"]) == (1, "fail")
    assert "the system crashed: its process ended" in played.json["why"]
    again = outplay("replay", ".outplay/last/trace.jsonl", "--sut", "python:subject.py:Subject", "--silence", "2")
    assert again.code == 1, "how the system is run is kept in the trace"
