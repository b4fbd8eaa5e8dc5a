"""A run that was cut short goes on where it was: nothing that was told is lost, and it comes to what it would have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.commands import called
from helpers.places import ROOT
from outplay.cancellation import CancelToken
from outplay.errors import UsageError
from outplay.runs.events import Observer, PlayEnded
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.runs.run_folders import FOLDER
from outplay.store.cut_runs import run_to_resume
from outplay.store.stored_run import STORE, stored_run

PROGRAM = [sys.executable, str(ROOT / "tests/helpers/resumed_campaign.py")]
LAMP = """
from outplay import Model, controllable, given, observable

class Lamp(Model):
    on: bool = False

    @controllable
    def press(self):
        if self.on:
            return False
        self.on = True

    @observable
    def light(self):
        if not self.on:
            return False
        self.on = False

class Piano(Model):
    played: int = 0

    @controllable
    @given(key=range(5))
    def press(self, key):
        self.played = key

class Smoking(Lamp):
    @observable
    def smoke(self):
        if not self.on:
            return False
"""


@pytest.fixture
def lamp(tmp_path: Path, modules_as_they_were: None) -> str:
    path = tmp_path / "lamp_to_resume.py"
    path.write_text(LAMP)
    return f"{path}:Lamp"


def points(how: str, model: str, step: int) -> list[dict[str, Any]]:
    """Points at which a campaign was stopped in this way, a step apart, with what became of it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    command = [*PROGRAM, how, model, str(step)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.promise("B5", trials=100)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_any_point_a_campaign_goes_on_and_comes_to_the_same(lamp: str, step: int):
    *killed, whole = points("kill", lamp, step)
    assert len(killed) > 100 / step
    assert {point["code"] for point in killed} == {-9}
    assert whole["told"] == [1, 2, 3, 4, 5]
    in_the_middle = set[int]()
    for point in killed:
        if "refused" in point:
            assert point["told"] == [] or "no run was cut short" in point["refused"], point
            assert point["told"] in ([], [1, 2, 3, 4, 5]), point
            continue
        assert point["before"] >= max(point["told"], default=0), point
        assert point["verdict"] == "pass"
        assert point["plays"] == [1, 2, 3, 4, 5]
        assert len(point["runs"]) == 1
        assert point["trace"] == whole["trace"], point["point"]
        in_the_middle.add(point["before"])
    assert in_the_middle == {1, 2, 3, 4, 5}


@pytest.mark.promise("B6", trials=5)
@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.long)])
def test_out_of_room_a_campaign_goes_on_when_there_is_room_again(lamp: str, step: int):
    full = points("full", lamp, step)
    resumed = [point for point in full if "refused" not in point]
    assert len(resumed) > 3 / step
    for point in resumed:
        # The play at which it was noticed is told of, and then the Error that its keeping was.
        assert point["before"] + 1 >= max(point["told"], default=0), point
        assert point["verdict"] == "pass", point
        assert point["plays"] == [1, 2, 3, 4, 5]


class Cancelling(Observer):
    """Cancels a run when so many plays have ended."""

    def __init__(self, token: CancelToken, plays: int) -> None:
        self._token, self._plays = token, plays

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded) and event.play == self._plays:
            self._token.cancel()


def interrupted(job: Job, plays: int) -> None:
    token = CancelToken()
    run = stored_run(prepare(job), token=token, observers=[Cancelling(token, plays)])
    assert run.finish().interrupted


@pytest.mark.parametrize("further", [{"tester": "walk"}, {}, {"tester": "walk", "keep_going": True}])
def test_an_interrupted_run_goes_on_with_all_that_it_knew(lamp: str, further: dict[str, Any]):
    system = lamp.replace(":Lamp", ":Smoking") if "keep_going" in further else lamp
    interrupted(Job(lamp, sut=f"model:{system}", plays=9, steps=7, shrink=0.0, **further), 4)
    cut, job = run_to_resume(STORE)
    assert len(cut.plays) == 4
    result = stored_run(prepare(cut.rest(job)), cut=cut).finish()
    assert result.tally.plays == len(result.played) == 9
    assert not result.interrupted
    lines = [json.loads(line) for line in (FOLDER / "last/trace.jsonl").read_text().splitlines()[1:-1]]
    assert [line["n"] for line in lines] == [*range(1, len(lines) + 1)]
    assert [line["play"] for line in lines] == sorted(line["play"] for line in lines)
    assert sum(line["kind"] not in ("reset", "note") for line in lines) == result.tally.steps
    assert result.trace.header.job["plays"] == 9
    with pytest.raises(UsageError, match="no run was cut short"):
        run_to_resume(STORE)
    if "keep_going" in further:
        assert result.verdict.name == "fail"
        assert sum(group.count for group in result.failures) == sum(one.verdict.name == "fail" for one in result.played)


def test_plays_that_come_later_are_not_those_that_were_made(lamp: str):
    piano = lamp.replace(":Lamp", ":Piano")
    interrupted(Job(piano, sut=f"model:{piano}", plays=8, steps=12, tester="walk"), 4)
    cut, job = run_to_resume(STORE)
    result = stored_run(prepare(cut.rest(job)), cut=cut).finish()
    plays = [tuple(event.shown for event in events) for _, events in result.trace.plays()]
    assert plays[4:] != plays[:4]


def test_a_run_that_still_goes_on_is_not_resumed(lamp: str):
    with stored_run(prepare(Job(lamp, sut=f"model:{lamp}", plays=3, tester="walk"))) as run:
        for event in run:
            if isinstance(event, PlayEnded) and event.play == 2:
                cut, job = run_to_resume(STORE)
                with pytest.raises(UsageError, match="still goes on"):
                    stored_run(prepare(cut.rest(job)), cut=cut)


def test_a_trace_that_lacks_what_the_store_has_is_refused(lamp: str):
    interrupted(Job(lamp, sut=f"model:{lamp}", plays=8, steps=12, tester="walk"), 4)
    path = FOLDER / "last/trace.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:20]))
    with pytest.raises(Exception, match="does not have all plays"):
        run_to_resume(STORE)
    path.unlink()
    with pytest.raises(UsageError, match="is not there"):
        run_to_resume(STORE)


def test_the_time_that_is_left_is_what_was_not_used(lamp: str):
    interrupted(Job(lamp, sut=f"model:{lamp}", plays=8, steps=12, tester="walk", time=100.0), 4)
    cut, job = run_to_resume(STORE)
    assert cut.seconds > 0
    assert cut.rest(job).time == pytest.approx(100.0 - cut.seconds)


def test_the_command_goes_on_with_the_last_run_that_was_cut_short(lamp: str, capsys: pytest.CaptureFixture[str]):
    interrupted(Job(lamp, sut=f"model:{lamp}", plays=6, steps=5, tester="walk"), 2)
    done = called(capsys, "run", "--resume", "--trust", "--json")
    assert (done.code, done.json["plays"]) == (0, 6)
    refused = called(capsys, "run", "--resume", "--trust")
    assert (refused.code, "no run was cut short" in refused.err) == (2, True)
