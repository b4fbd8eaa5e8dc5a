"""A job written as JSON and done by a fresh process, whatever its hash seed, comes to the same, to the byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outplay.cli.main import run_command
from outplay.runs.job import Job

CROWD = '''
from outplay import Map, Model, controllable, given, goal, observable


class Crowd(Model):
    """Full of what iterates in another order each time: sets of text and maps."""

    people = ("ann", "bob")
    board: frozenset = frozenset()
    heard: Map = Map()

    @controllable
    @given(who="people")
    def post(self, who):
        if who in self.board:
            return False
        self.board |= {who}

    @observable
    @given(who="board")
    def read(self, who):
        self.board -= {who}
        self.heard = self.heard.set(who, True)

    @observable(optional=True)
    def sigh(self):
        return len(self.board) == 2

    @goal
    def all_heard(self):
        return len(self.heard) == 2
'''
DOOR = "des (0, 4, 3)\n(0, ?push, 1)\n(1, !open, 0)\n(1, !stuck, 2)\n(2, !creak, 2)\n"
TWICE = "des (0, 4, 3)\n(0, !open, 1)\n(1, !open, 2)\n(1, !stuck, 0)\n(2, delta, 2)\n"
LAMP = "des (0, 4, 3)\n(0, press, 1)\n(1, light, 2)\n(1, flicker, 0)\n(2, press, 0)\n"
PROGRAM = Job("crowd.py:Crowd", sut="model:crowd.py:Crowd", plays=5, steps=30, seed=3)
AUTOMATON = Job("lamp.aut", inputs=("pr*",), sut="model:lamp.aut", plays=5, steps=30)
PURPOSE = Job("door.aut", purpose="twice.aut", final=("2",), sut="model:door.aut", plays=5)
JOBS = {
    "a walk through a program": PROGRAM,
    "a walk through a program with other constants": Job(
        "crowd.py:Crowd", set=("people=('cy','di','ed')",), sut="model:crowd.py:Crowd", plays=3, steps=30
    ),
    "a goal of a program": Job(
        "crowd.py:Crowd", goal=("all_heard",), assumption="input-eager", sut="model:crowd.py:Crowd", plays=5
    ),
    "a goal against an adverse system": Job(
        "crowd.py:Crowd", goal=("all_heard",), adversarial=True, sut="model:crowd.py:Crowd", plays=3
    ),
    "a label of an automaton with plain labels": Job(
        "lamp.aut", inputs=("pr*",), goal=("!light",), objective="joker", sut="model:lamp.aut", plays=5
    ),
    "a walk through an automaton": AUTOMATON,
    "a purpose": PURPOSE,
    "a purpose with resets": Job(
        "door.aut", purpose="twice.aut", final=("2",), reset_cost="3", sut="model:door.aut", plays=5
    ),
    "a game explored in part": Job(
        "crowd.py:Crowd", set=("people=('cy','di','ed')",), max_states=9, goal=("?post cy",), objective="probability",
        sut="model:crowd.py:Crowd", plays=3,
    ),
    "a suite": Job("lamp.aut", inputs=("pr*",), suite="tests.json", sut="model:lamp.aut", plays=5),
}  # fmt: skip

WORKER = """
import json, sys
from pathlib import Path
from outplay.runs.job import read_job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.planning import prepare
from outplay.runs.recorded_run import run_job

for path in sys.argv[1:]:
    job = read_job(path)
    prepared = prepare(job)
    result = run_job(prepared, trace=Path("trace.jsonl"), started="")
    seen = result.tally
    print(json.dumps({
        "job": job.json(),
        "game": (prepared.game or load_model(job).game()).content_hash,
        "strategy": prepared.answer and prepared.answer.json(),
        "verdict": str(result.verdict),
        "warnings": result.warnings,
        "findings": result.findings,
        "seen": [seen.plays, seen.steps, len(seen.states), len(seen.transitions)],
        "trace": Path("trace.jsonl").read_text(),
    }))
"""


@pytest.fixture(autouse=True)
def _files() -> None:
    for name, text in {"crowd.py": CROWD, "door.aut": DOOR, "twice.aut": TWICE, "lamp.aut": LAMP}.items():
        Path(name).write_text(text)
    made = ["suite", "lamp.aut", "--inputs", "pr*", "--method", "joker", "-o", "tests.json", "--json"]
    assert run_command(made) == 0


def done_elsewhere(jobs: Sequence[Job], hash_seed: str) -> list[str]:
    """What jobs come to that one fresh process does in this order."""
    paths = [f"job{number}.json" for number in range(len(jobs))]
    for path, job in zip(paths, jobs, strict=True):
        Path(path).write_text(json.dumps({"format": "outplay-job/1", "job": job.json()}))
    done = subprocess.run(
        [sys.executable, "-c", WORKER, *paths],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def checked(job: Job, found: dict[str, Any]) -> None:
    assert Job.from_json(found["job"]) == job
    assert found["seen"][1] > 0, "something was played"
    assert found["trace"].count("\n") > 3
    assert bool(found["strategy"]) == bool(job.goal or job.purpose)
    assert Job.from_json(json.loads(found["trace"].splitlines()[0])["job"]) == job


def test_jobs_come_to_the_same_in_every_process_and_in_any_order():
    jobs = list(JOBS.values())
    first = done_elsewhere(jobs, "1")
    for job, found in zip(jobs, first, strict=True):
        checked(job, json.loads(found))
    assert done_elsewhere(jobs[::-1], "2") == first[::-1]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (number > 0)) for number, name in enumerate(JOBS)]
)
def test_a_job_alone_in_its_process_comes_to_the_same(name):
    job = JOBS[name]
    [found] = done_elsewhere([job], "1")
    checked(job, json.loads(found))
    assert done_elsewhere([job], "2") == [found]


def test_a_job_with_another_seed_comes_to_something_else():
    one, other = done_elsewhere([PROGRAM, replace(PROGRAM, seed=4)], "1")
    assert json.loads(one)["trace"].splitlines()[1:] != json.loads(other)["trace"].splitlines()[1:]


def test_the_command_does_the_job_of_a_file_and_what_is_given_outweighs_it(capsys):
    job = JOBS["a goal of a program"]
    found = json.loads(done_elsewhere([job], "1")[0])
    assert run_command(["run", "--job", "job0.json", "--trust", "--trace", "mine.jsonl"]) == 0
    header, *events = Path("mine.jsonl").read_text().splitlines()
    first, *others = found["trace"].splitlines()
    assert events == others
    assert {**json.loads(header), "started": ""} == json.loads(first)
    assert run_command(["run", "--job", "job0.json", "--trust", "--plays", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["plays"] == 2
