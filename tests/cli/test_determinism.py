"""The same files, options and seed give the same bytes, whatever the hash seed; times aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.commands import shell

MODEL = '''
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from outplay import Map, Model, controllable, given, goal, observable


class Mood(Enum):
    CALM = "calm"
    CROSS = "cross"


@dataclass(frozen=True)
class Note:
    text: str
    to: frozenset


class Crowd(Model):
    """Full of what iterates in another order each time: sets of text, maps, sets of sets."""

    names = frozenset({"ann", "bob", "cid", "zoë"})
    moods = Map(ann=Mood.CALM, bob=Mood.CROSS, cid=Mood.CALM)
    groups = frozenset({frozenset({"ann", "bob"}), frozenset({"cid", "zoë"}), frozenset({"ann", "cid"})})

    here: frozenset = frozenset()
    heard: Map = Map()
    board: frozenset = frozenset()

    @controllable(cost="1/3")
    @given(who="names")
    def enter(self, who):
        if who in self.here or len(self.here) == 2:
            return False
        self.here |= {who}

    @controllable
    @given(group="groups")
    def post(self, group):
        if not group & self.here or self.board:
            return False
        self.board |= {Note("hi", group), ("seen", frozenset(self.moods))}

    @observable(weight=2)
    @given(who="here", mood=Mood)
    def hear(self, who, mood):
        if self.moods.get(who) != mood or who in self.heard:
            return False
        self.heard = self.heard.set(who, mood)

    @observable(optional=True, weight=Fraction(1, 7))
    @given(who=lambda model: {name for name in model.here if name in model.heard})
    def leave(self, who):
        self.here -= {who}
        self.heard = self.heard.without(who)

    @controllable(returns={"yes", "no", "maybe"})
    @given(who="here")
    def ask(self, who, result):
        if (result == "yes") != (who in self.heard) or self.board:
            return False

    @goal
    def all_heard(self):
        return len(self.heard) == 2

    @goal
    def posted(self):
        return bool(self.board)
'''

SEEDS = ("0", "4242")


@pytest.fixture
def crowd() -> str:
    Path("crowd.py").write_text(MODEL)
    return "crowd.py:Crowd"


@pytest.mark.parametrize("assumption", ["nondeterministic", "timeout"])
def test_the_explored_game_is_the_same_to_the_byte(crowd, assumption):
    games = []
    for seed in SEEDS:
        result = shell("explore", crowd, "--assumption", assumption, "-o", "game.json", env={"PYTHONHASHSEED": seed})
        assert (result.code, result.err) == (0, "")
        games.append(Path("game.json").read_bytes())
    assert len(games[0]) > 10_000
    assert len(set(games)) == 1


def test_a_partial_game_is_the_same_too(crowd):
    games = []
    for seed in SEEDS:
        shell("explore", crowd, "--max-states", "40", "-o", "game.json", env={"PYTHONHASHSEED": seed})
        games.append(Path("game.json").read_bytes())
    assert len(set(games)) == 1


def test_the_answer_of_solve_is_the_same_but_for_the_seconds(crowd):
    answers = []
    for seed in SEEDS:
        options = ("--goal", "all_heard", "--goal", "posted", "--assumption", "input-eager", "--exact", "--json")
        answer = shell("solve", crowd, *options, env={"PYTHONHASHSEED": seed}).json
        assert answer.pop("seconds") >= 0
        answers.append(json.dumps(answer))
    assert len(set(answers)) == 1
    assert json.loads(answers[0])["value"] is not None


def test_a_run_against_a_simulation_is_the_same_but_for_when_it_was(crowd):
    traces = []
    for seed in SEEDS:
        asked = ("run", crowd, "--sut", f"model:{crowd}", "--plays", "3", "--steps", "30", "--seed", "9")
        result = shell(*asked, env={"PYTHONHASHSEED": seed})
        assert result.code == 0, result.out + result.err
        header, *rest = Path(".outplay/last/trace.jsonl").read_text().splitlines()
        traces.append((json.dumps({**json.loads(header), "started": ""}), rest))
    assert traces[0] == traces[1]
