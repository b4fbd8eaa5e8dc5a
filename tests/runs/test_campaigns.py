"""What long runs need: when there is enough, failures told apart, and events for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import called
from outplay import Model, Simulated, controllable, observable, run, specification
from outplay.cli.progress import _Lines
from outplay.errors import UsageError
from outplay.runs.events import CoverageChanged, PlayEnded
from outplay.runs.job import Job
from outplay.verdict.verdicts import Error, Pass


class Counter(Model):
    """Counts up to three and back."""

    at: int = 0
    moved: bool = False

    @controllable
    def step(self):
        if self.moved or self.at >= 3:
            return False
        self.at += 1
        self.moved = True

    @observable
    def now(self):
        if not self.moved:
            return False
        self.moved = False


class InvalidDocument(Counter):
    """Also says what it should not, in two of its states."""

    @observable
    def boo(self):
        if self.at < 2:
            return False


SPEC = specification(Counter)


def played(**how: Any) -> Any:
    return run(Counter, Simulated(SPEC), tester="walk", steps=10, **how)


@pytest.mark.parametrize(
    ("until", "fields"),
    [
        ("covered", {"until_covered": True}),
        ("confidence=0.95", {"until_cleared": 0.95}),
        (["confidence=95%"], {"until_cleared": 0.95}),
        (("quiet=7", "covered"), {"until_quiet": 7, "until_covered": True}),
    ],
)
def test_conditions_are_kept_as_fields_of_the_job(until: Any, fields: dict[str, Any]):
    job = Job(until=until)
    assert job.json() == fields
    assert Job.from_json(job.json()) == job == Job(**fields)


@pytest.mark.parametrize("until", ["", "quiet", "quiet=0", "quiet=-1", "confidence=0", "confidence=1.2", "all"])
def test_conditions_that_nobody_knows_are_refused(until: str):
    with pytest.raises(UsageError):
        Job(until=(until,))


def test_a_run_ends_when_all_is_covered():
    result = played(until="covered", plays=500)
    assert result.covered.json()["covered"] == result.covered.json()["total"] == 7
    assert result.tally.plays < 20
    assert played(plays=30).tally.plays == 30


def test_a_run_ends_when_nothing_new_came_for_long_and_says_what_that_means():
    result = played(until="quiet=9", plays=500)
    assert result.quiet.since == 9
    assert result.tally.plays < 100
    assert "nothing new in 9 plays" in result.quiet.line()
    assert 0 < result.quiet.chance < 1


def test_a_run_ends_at_the_first_condition_that_is_met():
    alone, both = (played(until=until, plays=500) for until in ("quiet=50", ("quiet=50", "confidence=0.2")))
    assert alone.quiet.since == 50
    assert both.suspected.cleared.share >= 0.2
    assert both.tally.plays < alone.tally.plays


def test_failures_of_one_kind_gate_and_state_are_counted_together():
    result = run(Counter, Simulated(specification(InvalidDocument)), plays=60, steps=12, tester="walk", keep_going=True)
    failed = [number for number, play in enumerate(result.played, 1) if play.verdict.name == "fail"]
    assert sum(group.count for group in result.failures) == len(failed) > 3
    assert len(result.failures) >= 2
    assert {(group.kind, group.gate) for group in result.failures} == {("output", "boo")}
    assert len({group.states for group in result.failures}) == len(result.failures)
    assert result.failures[0].play == failed[0]
    assert [group["count"] for group in result.json()["failures"]] == [group.count for group in result.failures]


def test_the_log_has_every_event_when_it_happens(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = tmp_path / "secretive.py"
    model.write_text(
        "from outplay import Model, observable\n\nclass Tick(Model):\n    on: bool = False\n\n"
        "    @observable\n    def tick(self):\n        self.on = not self.on\n"
    )
    told = f"{model}:Tick", "--sut", f"model:{model}:Tick", "--plays", "2", "--steps", "3", "--tester", "walk"
    done = called(capsys, "run", *told, "--log", "logs/events.jsonl", "--json")
    assert done.json["plays"] == 2
    events = [json.loads(line) for line in Path("logs/events.jsonl").read_text().splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds[0] == "run-started"
    assert kinds[-1] == "run-ended"
    assert kinds.count("play-started") == kinds.count("play-ended") == 2
    assert sum(event["type"] == "step" and event["label"] == "!tick" for event in events) == done.json["outputs"]
    assert events[-1]["result"]["verdict"] == "pass"
    refused = called(capsys, "run", *told, "--log", str(model / "events.jsonl"))
    assert refused.code == 4
    assert "events.jsonl" in refused.err


def test_the_log_leaves_secrets_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    system = tmp_path / "talks.py"
    system.write_text("import sys\nprint('said', sys.argv[2], flush=True)\nsys.stdin.read()\n")
    model = tmp_path / "silent.py"
    model.write_text(
        "from outplay import Model, controllable\n\nclass Silent(Model):\n    n: int = 0\n\n"
        "    @controllable\n    def poke(self):\n        self.n = 1 - self.n\n"
    )
    sut = f"exec:python3 {system} --password hunter2hunter2"
    done = called(capsys, "run", f"{model}:Silent", "--sut", sut, "--plays", "1", "--log", "events.jsonl")
    assert done.code == 1
    text = Path("events.jsonl").read_text()
    assert "failure-found" in text
    assert "hunter2" not in text


def test_where_nobody_watches_a_line_comes_now_and_then():
    lines, now = list[str](), [0.0]
    progress = _Lines(lines.append, lambda: now[0])
    for play in range(1, 200):
        now[0] += 1.0
        progress.observe(CoverageChanged(play, play, 2 * play))
        progress.observe(PlayEnded(play, Pass(), 10))
    assert lines[0] == "10 s: 10 plays, 100 steps, 10 states and 20 transitions seen"
    assert 5 < len(lines) < 15
    now[0] += 1000
    progress.observe(PlayEnded(200, Error("no"), 1, tests=3))
    assert lines[-1].startswith("1,199 s: 3 tests, 200 plays, 1,991 steps")
