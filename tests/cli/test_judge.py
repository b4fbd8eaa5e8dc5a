"""`outplay judge` and `outplay replay` as the contract has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.places import EXAMPLES

# Patient enough for a busy machine; nothing in these tests waits for silence unless it says so.
READY = ("--ready", "ready", "--silence", "2", "--latency", "0.02")
HEADER = {"format": "outplay-trace/1", "model": "echo.py:Echo"}


def trace(*labels: str, goal: str | None = None, name: str = "trace.jsonl") -> str:
    """A trace written by hand: the simplest log somebody could bring."""
    lines: list[dict[str, object]] = [{**HEADER, "goal": [goal] if goal else []}]
    for n, label in enumerate(labels, 1):
        kind = {"?": "input", "!": "output"}.get(label[0], "silence")
        lines.append({"n": n, "kind": kind, "label": label, "given": n, "seen": n, "play": 1})
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return name


@pytest.mark.parametrize(
    ("labels", "verdict", "code"),
    [
        (["?say a", "!echo a"], "pass", 0),
        (["delta", "?say b", "!cough", "!cough", "!echo b", "delta"], "pass", 0),
        (["?say a", "!echo b"], "fail", 1),
        (["!echo a"], "fail", 1),
        (["?say a", "delta"], "fail", 1),
        (["?say a", "?say a"], "inconclusive", 6),
        ([], "inconclusive", 6),
    ],
)
def test_a_log_is_judged_by_the_model(outplay, model, labels, verdict, code):
    result = outplay("judge", model, trace(*labels), "--json")
    assert (result.code, result.json["verdict"]) == (code, verdict)
    assert set(result.json) >= {"verdict", "why", "allowed"}
    assert isinstance(result.json["allowed"], list)
    assert outplay("judge", model, "trace.jsonl").code == code


def test_what_was_allowed_is_listed(outplay, model):
    assert outplay("judge", model, trace("?say a", "!echo b"), "--json").json["allowed"] == ["!echo a", "!cough"]
    shown = outplay("judge", model, "trace.jsonl").out
    assert "!echo b   ← not allowed here" in shown
    assert "allowed: !echo a, !cough" in shown


@pytest.mark.parametrize(
    "command", ["judge echo.py:Echo trace.jsonl", "replay trace.jsonl --trust --sut model:echo.py:Echo"]
)
def test_a_trace_may_be_larger_where_that_is_said(outplay, model, command):
    trace("?say a", "!echo b")
    size = Path("trace.jsonl").stat().st_size
    small = outplay(*command.split(), "--max-bytes", str(size - 1))
    assert small.code == 4
    assert f"trace.jsonl:1:1: larger than {size - 1:,} bytes; raise --max-bytes" in small.err
    assert outplay(*command.split(), "--max-bytes", "1000000").code in (1, 6)


def test_a_goal_in_the_header_counts(outplay, model):
    assert outplay("judge", model, trace("?say a", "!echo a", goal="answered")).code == 0
    assert outplay("judge", model, trace("?say a", goal="answered")).code == 6
    assert outplay("judge", model, trace("?say a", "!echo a", goal="!echo a")).code == 0
    assert outplay("judge", model, trace("?say a", goal="s1")).code == 0


def test_judging_a_recorded_run_again_gives_the_same_verdict(outplay, model, system):
    for mode, code in (("right", 0), ("wrong", 1)):
        ran = outplay("run", model, "--goal", "answered", "--sut", system(mode), "--plays", "2", *READY)
        assert (ran.code, outplay("judge", model, ".outplay/last/trace.jsonl").code) == (code, code)
        assert outplay("judge", model, ".outplay/last/trace.jsonl").err == ""


def test_a_trace_of_another_model_is_judged_with_a_warning(outplay, model, system):
    outplay("run", model, "--goal", "answered", "--sut", system("right"), "--plays", "1", *READY)
    Path("other.py").write_text(Path("echo.py").read_text().replace("class Echo", "class Other"))
    result = outplay("judge", "other.py:Other", ".outplay/last/trace.jsonl")
    assert result.code == 0
    assert result.err == ("outplay: the trace was recorded with echo.py:Echo, which is another model or has changed\n")


@pytest.mark.parametrize(
    "asked",
    [
        ["--goal", "lift", "--reset-cost", "1"],
        ["--goal", "?left", "--reset-cost", "1"],
        ["--reset-cost", "1"],
        ["--objective", "cover-nodes", "--restart"],
        ["--purpose", "left.aut", "--final", "1", "--reset-cost", "1"],
    ],
)
def test_a_game_that_was_played_with_resets_is_still_the_same_model(outplay, asked):
    doors = EXAMPLES / "graphs" / "two_doors.json"
    Path("left.aut").write_text('des (0, 1, 2)\n(0, "?left", 1)\n')
    assert outplay("run", doors, "--sut", f"model:{doors}", "--plays", "2", *asked).code == 0
    result = outplay("judge", doors, ".outplay/last/trace.jsonl")
    assert (result.code, result.err) == (0, "")


def test_the_constants_of_the_run_are_used_again(outplay, model):
    outplay("run", model, "--sut", f"model:{model}", "--set", "words=('c',)", "--plays", "1", "--steps", "4")
    result = outplay("judge", model, ".outplay/last/trace.jsonl")
    assert (result.code, result.err) == (0, "")


def test_a_trace_that_was_cut_short_is_judged_as_far_as_it_goes(outplay, model):
    name = trace("?say a", "!echo b", "!echo b")
    text = Path(name).read_text()
    Path(name).write_text(text[:-20])
    assert outplay("judge", model, name, "--json").json["verdict"] == "fail"


def test_a_fail_is_reproduced(outplay, model, system):
    sut = system("wrong")
    failure = outplay("run", model, "--sut", sut, *READY, "--json").json["trace"]
    result = outplay("replay", failure, "--sut", sut, "--json")
    assert result.code == 1
    assert (result.json["reproduced"], result.json["verdict"], result.json["tries"]) == (True, "fail", 1)
    shown = outplay("replay", failure, "--sut", sut)
    assert (shown.code, "reproduced in try 1" in shown.out) == (1, True)


def test_a_fail_that_does_not_come_back_is_told_so(outplay, model, system):
    failure = outplay("run", model, "--sut", system("wrong"), *READY, "--json").json["trace"]
    result = outplay("replay", failure, "--sut", system("right"), "--tries", "2", *READY, "--json")
    assert result.code == 6
    assert (result.json["reproduced"], result.json["tries"]) == (False, 2)
    shown = outplay("replay", failure, "--sut", system("right"), "--tries", "2", *READY)
    assert "Not reproduced in 2 tries: the system chose otherwise, or it is mended" in shown.out


def test_replaying_against_a_system_that_cannot_be_started_is_an_error(outplay, model, system):
    failure = outplay("run", model, "--sut", system("wrong"), *READY, "--json").json["trace"]
    result = outplay("replay", failure, "--sut", "exec:./missing")
    assert result.code == 4
    assert "no such program" in result.out + result.err


def test_a_changed_model_is_told_before_replaying(outplay, model, system):
    failure = outplay("run", model, "--sut", system("wrong"), *READY, "--json").json["trace"]
    Path("echo.py").write_text(Path("echo.py").read_text() + "\n# changed\n")
    assert outplay("replay", failure, "--sut", system("wrong")).code == 2, "code that is not known is named again"
    result = outplay("replay", failure, "--model", model, "--sut", system("wrong"))
    assert result.code == 1
    assert "which is another model or has changed" in result.err
