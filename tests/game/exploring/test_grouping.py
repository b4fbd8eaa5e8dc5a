"""Grouping: one representative a group, said to be approximate; playing steps the exact model."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from helpers.commands import called
from outplay import (
    Model,
    Simulated,
    controllable,
    explore,
    forecast,
    goal,
    group,
    observable,
    run,
    solve,
    specification,
    win,
)
from outplay.errors import ModelError
from outplay.game.assumption import GROUPED
from outplay.runs.job import Job
from outplay.runs.queries.solved_job import solve_job


class Counter(Model):
    """Counts for ever; only the remainder matters."""

    count: int = 0

    @controllable
    def up(self):
        self.count += 1

    @observable(optional=True)
    def tick(self):
        if self.count % 3 != 2:
            return False
        self.count += 2

    @goal
    def two(self):
        return self.count % 3 == 2

    @group
    def remainder(self):
        return self.count % 3


def test_exploring_follows_one_state_of_each_group_and_says_so():
    game = explore(Counter)
    assert (game.origin.states, game.origin.complete, game.origin.approximate) == (3, True, True)
    assert [game.origin.describe(place) for place in range(3)] == ["count=0", "count=1", "count=2"]
    assert game.goals["two"].tolist() == [2]


def test_without_groups_nothing_is_approximate():
    class Small(Model):
        on: bool = False

        @controllable
        def press(self):
            self.on = not self.on

    assert explore(Small).origin.approximate is False


def test_the_strategy_is_played_on_the_exact_model():
    plan = win(explore(Counter), "two")
    assert plan.value == 2
    spec = plan.game.origin.specification
    outcome = run(plan, Simulated(specification(Counter), Random(3)), plays=10)
    assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 10)
    (five,) = spec.initial
    for _ in range(5):
        (five,) = spec.after(five, next(label for label in spec.inputs(five)))
    assert (spec.describe(five), plan.game.origin.vertex(five)) == ("count=5", 2)


@pytest.mark.parametrize("place", range(1, 7))
def test_a_place_as_goal_means_the_same_when_solved_and_when_played(place):
    class Floors(Model):
        floor: int = 0
        lamps: int = 0

        @controllable
        def light(self):
            if self.lamps == 20:
                return False
            self.lamps += 1

        @controllable
        def up(self):
            if self.floor == 6:
                return False
            self.floor += 1

        @group
        def height(self):
            return self.floor

    plan = win(explore(Floors), f"s{place}")
    spec = plan.game.origin.specification
    assert (plan.value, spec.is_state("s6"), spec.is_state("s7")) == (place, True, False)
    outcome = run(plan, Simulated(specification(Floors), Random(3)), plays=2)
    inputs = [event for event in outcome.trace.events if event.is_move and event.label.is_input]
    assert (outcome.verdict.reached, len(inputs)) == (2, 2 * place)


def test_values_of_different_type_are_different_groups():
    class Mixed(Model):
        step: int = 0

        @controllable
        def go(self):
            if self.step == 2:
                return False
            self.step += 1

        @group
        def key(self):
            return (True, 1, 1)[self.step]

    assert explore(Mixed).origin.states == 2


def test_a_group_that_is_no_proper_value_is_refused():
    class Wrong(Model):
        x: int = 0

        @group
        def listed(self):
            return [self.x]

    with pytest.raises(ModelError, match=r"group 'listed' holds a list.*use a tuple"):
        explore(Wrong)


PROGRAM = """
from outplay import Model, controllable, goal, group, observable
STEPS, ANSWERS, GOAL, GROUPS = {steps}, {answers}, {goal}, {groups}

class Drawn(Model):
    at: int = 0

    @controllable
    def go(self):
        if self.at not in STEPS:
            return False
        self.at = STEPS[self.at]

    @observable(optional=True)
    def say(self):
        if self.at not in ANSWERS:
            return False
        self.at = ANSWERS[self.at]

    @goal
    def done(self):
        return self.at == GOAL
"""
GROUPING = """
    @group
    def kind(self):
        return GROUPS[self.at]
"""


def check_drawn(folder: Path, seed: int) -> bool:
    """Solve a drawn program with its groups and without; return whether the answers differ."""
    rng, count = Random(f"groups {seed}"), 7
    drawn = {
        "steps": {at: rng.randrange(count) for at in range(count) if rng.random() < 0.8},
        "answers": {at: rng.randrange(count) for at in range(count) if rng.random() < 0.4},
        "goal": rng.randrange(1, count),
        "groups": [rng.randrange(4) for _ in range(count)],
    }
    (folder / "plain.py").write_text(PROGRAM.format(**drawn))
    (folder / "grouped.py").write_text(PROGRAM.format(**drawn) + GROUPING)
    plain, coarse = (solve_job(Job(model=f"{folder / name}.py:Drawn", goal=("done",))) for name in ("plain", "grouped"))
    assert plain.certificate["checked"]
    assert GROUPED not in plain.answer.warnings
    assert not coarse.certificate["checked"]
    assert "confirmed" not in "".join(coarse.lines())
    game = coarse.answer.game
    told = [coarse.answer, *(solve(game, (), name) for name in ("cover-nodes", "cover-edges")), forecast(game)]
    assert all(answer.warnings[0] == GROUPED for answer in told)
    assert forecast(game).json()["approximate"]
    return plain.answer.value != coarse.answer.value


def test_no_answer_of_a_grouped_model_is_given_for_one_of_the_model(tmp_path: Path):
    assert sum(check_drawn(tmp_path, seed) for seed in range(12))  # some answers differ, so the sample can tell


@pytest.mark.long
def test_no_answer_of_300_grouped_models_is_given_for_one_of_the_model(tmp_path: Path):
    assert sum(check_drawn(tmp_path, seed) for seed in range(300))


MISLED = PROGRAM.format(steps={0: 1, 1: 2, 2: 3, 4: 6}, answers={1: 4, 2: 0}, goal=3, groups=[0, 1, 2, 3, 1, 0, 0])
HIDDEN = PROGRAM.format(steps={0: 1, 1: 2}, answers={}, goal=2, groups=[0, 1, 0])  # the start stands for the goal
ASKED = (
    ("solve", "--goal", "done", "--objective", "joker", "-o", "solved.html"),
    ("solve", "--objective", "cover-nodes"),
    ("forecast", "-o", "forecast.html"),
    ("forecast", "--of", "coverage"),
    ("explore", "-o", "explored.html"),
    ("suite", "--method", "nodes", "--count"),
    ("suite", "--method", "win", "--goal", "s1", "-o", "suite.json"),
    ("run", "--goal", "done", "--objective", "joker", "--sut", "model:grouped.py:Drawn"),
    ("run", "--objective", "cover-nodes", "--sut", "model:grouped.py:Drawn"),
    ("run", "--tester", "cover", "--sut", "model:grouped.py:Drawn"),
)


@pytest.mark.parametrize(("command", "options"), [(name, options) for name, *options in ASKED], ids=str)
def test_every_command_says_that_its_answer_is_of_the_grouped_model(
    command: str, options: list[str], capsys: pytest.CaptureFixture[str]
):
    Path("grouped.py").write_text(MISLED + GROUPING)
    done = called(capsys, command, "grouped.py:Drawn", *options)
    assert "of the grouped model" in done.out
    assert "outplay is wrong" not in done.out
    for page in Path().glob("*.html"):
        assert "of the grouped model" in page.read_text()
    for report in Path(".outplay").glob("runs/*/report.html"):
        assert "of the grouped model" in report.read_text()


@pytest.mark.parametrize(("command", "options"), [(name, options) for name, *options in ASKED])
def test_programs_learn_that_an_answer_is_approximate(
    command: str, options: list[str], capsys: pytest.CaptureFixture[str]
):
    Path("grouped.py").write_text(MISLED + GROUPING)
    done = called(capsys, command, "grouped.py:Drawn", *options, "--json")
    assert done.json
    assert '"approximate": true' in done.out


@pytest.mark.parametrize("compress", [[], ["--compress", "done"]], ids=str)
def test_a_game_that_was_written_still_says_so(compress: list[str], capsys: pytest.CaptureFixture[str]):
    Path("grouped.py").write_text(MISLED + GROUPING)
    assert called(capsys, "explore", "grouped.py:Drawn", "-o", "game.json", *compress).code == 0
    done = called(capsys, "solve", "game.json", "--goal", "done", "--objective", "joker")
    assert done.out.startswith("of the grouped model: ")
    assert "confirmed" not in done.out
    assert "does not say that states are grouped" in called(capsys, "explore", "game.json", "-o", "game.dot").err


def test_a_goal_that_no_explored_state_of_a_group_has_is_not_called_out_of_reach(capsys: pytest.CaptureFixture[str]):
    Path("grouped.py").write_text(HIDDEN + GROUPING)
    done = called(capsys, "run", "grouped.py:Drawn", "--goal", "done", "--sut", "model:grouped.py:Drawn")
    assert done.code == 2
    assert "others of its group may be there; remove @group" in done.err


def test_a_notebook_shows_that_answers_are_of_the_grouped_model():
    game = explore(Counter)
    assert "of the grouped model" in forecast(game)._repr_html_()
    assert "of the grouped model" in win(game, "two")._repr_svg_()
