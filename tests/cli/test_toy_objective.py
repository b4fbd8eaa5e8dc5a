"""An objective of one's own, in one place: all commands know it, and its checker is asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from outplay import Answer, read_model, solve
from outplay.errors import CertificateError, UsageError
from outplay.game.goals.target import find_target
from outplay.registries import DeclaredOption
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.objectives import OBJECTIVES, Objective
from outplay.strategy.strategy import Positional

GAME = {
    "format": "outplay-game/1",
    "initial": "s",
    "vertices": [{"id": "s", "owner": "tester"}, {"id": "c", "owner": "system"}, {"id": "g", "owner": "tester"}],
    "edges": [
        {"source": "s", "target": "s", "label": "?stay"},
        {"source": "s", "target": "c", "label": "?go"},
        {"source": "c", "target": "g", "label": "!ok"},
    ],
}


class LastEdge(Answer):
    """Always take the last edge: worth the number of edges to choose from."""

    def value_of(self, vertex):
        return len(self.game.edges_of(vertex))

    def chosen(self, vertex):
        return self.game.edges_of(vertex)[-1] if self.game.owner[vertex] == 0 and self.value_of(vertex) else None

    strategy = property(lambda self: Positional(self.game.first[1:].astype(int) - 1, np.zeros(3, dtype=bool)))
    sentence = property(lambda self: f"{self.goal} by the last of {self.value} edges")

    def check(self):
        if self.value != 2:
            raise CertificateError("the checker of the toy refuses")
        return Certificate(3, 3)


@pytest.fixture
def widths() -> list[tuple[int, bool]]:
    """What the solver was told, call by call."""
    return []


@pytest.fixture
def toy(monkeypatch, outplay, widths):
    def solver(game, goal, *, width, wild):
        widths.append((width, wild))
        target = find_target(game, goal)
        return LastEdge(target.game, target.goal, target.vertices)

    options = {"width": DeclaredOption("how wide it looks.", int, 3), "wild": DeclaredOption("or not.", bool, False)}
    monkeypatch.setitem(OBJECTIVES, "toy", Objective("toy", "the last edge, whatever it is", solver, options))
    Path("game.json").write_text(json.dumps(GAME))
    return outplay


def test_help_lists_it(toy):
    shown = toy("solve", "--help").out
    assert "|toy]" in shown
    assert "the last edge, whatever it is" in shown
    assert "|toy]" in toy("run", "--help").out
    for command in ("solve", "run", "suite"):
        assert re.search(r"--width INTEGER RANGE +toy: how wide it looks\.", toy(command, "--help").out)
    assert "|toy]" in toy("suite", "--help").out


def test_solve_tells_and_checks_it(toy, monkeypatch):
    arguments = ["solve", "game.json", "--goal", "g", "--objective", "toy"]
    found = toy(*arguments, "--json").json
    assert (found["objective"], found["value"], found["values"]["c"]) == ("toy", 2, 1)
    assert found["strategy"]["s"]["label"] == "?go"
    assert found["certificate"] == {"checked": True, "vertices": 3, "edges": 3}
    told = toy(*arguments).out
    assert "g by the last of 2 edges\n  s: ?go\nconfirmed by the checker" in told
    monkeypatch.setattr(LastEdge, "value_of", lambda self, vertex: 1)
    refused = toy(*arguments)
    assert refused.code != 0
    assert "the checker of the toy refuses" in refused.err


def test_it_is_played_and_written_out(toy):
    against = ["--sut", "model:game.json", "--goal", "g", "--plays", "5"]
    found = toy("run", "game.json", *against, "--objective", "toy", "--json")
    assert (found.json["verdict"], found.json["inputs"], found.json["steps"]) == ("pass", 5, 10)
    assert toy("suite", "game.json", "--goal", "g", "--method", "toy", "-o", "t.json", "--json").json["tests"] == 1


def test_its_own_options_reach_it_from_every_command(toy, widths):
    asked = ["game.json", "--goal", "g", "--objective", "toy"]
    against = ["--sut", "model:game.json", "--plays", "1"]
    assert toy("solve", *asked).code == 0
    assert toy("solve", *asked, "--width", "5").code == 0
    played = toy("run", *asked, *against, "--width", "6", "--wild", "--json").json
    assert toy("suite", *asked[:3], "--method", "toy", "--width", "7", "-o", "t.json").code == 0
    assert widths == [(3, False), (5, False), (6, True), (7, False)]
    job = json.loads(Path(played["trace"]).read_text().splitlines()[0])["job"]
    assert job["options"] == ["width=6", "wild=True"]
    Path("job.json").write_text(json.dumps({"format": "outplay-job/1", "job": {**job, "sut": "model:game.json"}}))
    assert toy("run", "--job", "job.json", "--trust", "--width", "8").code == 0
    assert widths[-1] == (8, True)
    assert toy("solve", *asked, "--width", "0").code == 2


@pytest.mark.parametrize(
    ("options", "more", "complaint"),
    [
        (["width=0"], {}, "--width 0: it should be a whole number from 1"),
        (["width=wide"], {}, "--width wide: it should be a whole number from 1"),
        (["wild=perhaps"], {}, "--wild perhaps: it should be true or false"),
        (["widht=4"], {}, "no objective or system has an option 'widht'; did you mean 'width'?"),
        (["width=4"], {"objective": "win"}, "--width needs --objective toy; with a --goal and --objective win"),
        (["width=4"], {"objective": "auto", "goal": []}, "--width needs --objective toy; with --tester mix"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_an_option_that_is_none_or_is_not_for_it_is_told(options, more, complaint):
    entry = {"model": "game.json", "goal": ["g"], "objective": "toy", "sut": "model:game.json", "options": options}
    with pytest.raises(UsageError) as refused:
        prepare(Job.from_json(entry | more))
    assert complaint in str(refused.value)


def test_python_solves_for_it_and_an_option_it_does_not_take_is_refused(toy):
    game = read_model("game.json")
    assert solve(game, "g", "toy", width=1).value == 2
    with pytest.raises(UsageError, match="`toy` takes no steps: leave it out; it is for `bounded`"):
        solve(game, "g", "toy", steps=3)
    with pytest.raises(UsageError, match=r"there is no objective 'toi'.*toy"):
        solve(game, "g", "toi")
    told = toy("solve", "game.json", "--goal", "g", "--objective", "toy", "--steps", "3")
    assert (told.code, "`toy` takes no steps: leave it out" in told.err) == (2, True)
