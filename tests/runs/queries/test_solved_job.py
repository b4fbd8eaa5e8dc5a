"""A job that is solved: one value in, the answer with its certificate out, in words and as JSON."""

from __future__ import annotations

import pytest

from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.queries import solved_job
from outplay.runs.queries.solved_job import solve_job

DOORS = str(EXAMPLES / "graphs" / "two_doors.json")


def test_it_is_solved_and_confirmed():
    found = solve_job(Job(DOORS, objective="cover-nodes", restart=True))
    assert (found.answer.value, found.certificate["checked"]) == (4, True)
    assert (found.json()["objective"], found.json()["value"]) == ("cover-nodes", 4)
    assert found.lines()[0] == found.answer.sentence
    assert found.lines()[-1] == "confirmed by the checker"


def test_where_nothing_is_said_the_goal_is_to_be_forced():
    found = solve_job(Job(DOORS, goal=("lift",)), check=False)
    assert (found.objective, found.json()["certificate"]) == ("win", {"checked": False, "why": "--no-check"})
    assert found.lines()[-1] == "not checked (--no-check)"


def test_exact_numbers_come_from_an_exact_answer():
    found = solve_job(Job(DOORS, goal=("lift",), objective="expected"), exact=True)
    assert found.json()["value"] == "2/1"
    assert found.json()["bounds"] == ["2/1", "2/1"]


def test_large_games_are_listed_and_checked_only_where_that_is_asked(monkeypatch):
    monkeypatch.setattr(solved_job, "LISTED_UP_TO", 3)
    monkeypatch.setattr(solved_job, "CHECKED_UP_TO", 3)
    job = Job(DOORS, goal=("lift",))
    assert "values" not in solve_job(job).json()
    assert solve_job(job).certificate == {"checked": False, "why": "more than 3 vertices; add --check"}
    assert solve_job(job, values=True, check=True).json()["values"]["lift"] == 0


def test_what_the_objective_does_not_take_is_refused():
    with pytest.raises(UsageError, match="`win` takes no epsilon: leave it out"):
        solve_job(Job(DOORS, goal=("lift",), epsilon=0.5))
