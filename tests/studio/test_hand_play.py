"""Playing by hand: who answers for the other side keeps its word, and what is written down is what was played."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random

import pytest

from helpers.commands import shell
from helpers.games import draw
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.game.graph import SYSTEM
from outplay.runs.job import Job, recorded_job
from outplay.runs.queries.judge import judge_job
from outplay.studio.document import Asked, Document
from outplay.studio.hand_play import ADVERSARY, CHANCE, HELPER, HandPlay, exported_play, play_by_hand

TCP = f"{EXAMPLES / 'tcp' / 'model.py'}:Tcp"
CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"


def of_game(seed: int) -> Document:
    made = Document("x", Job("drawn"), "drawn")
    made.__dict__["game"] = draw(seed, most=9).game()
    return made


@seeds(range(150))
def test_an_adversary_never_loses_what_it_can_keep_and_a_helper_never_keeps_what_it_can_give(seed: int):
    document = of_game(seed)
    game, rng = document.game, Random(seed)
    goal = next(iter(game.goals))
    for rival in (ADVERSARY, HELPER):
        play = HandPlay(document, (), rival=rival, goal=goal)
        for _ in range(30):
            before = play
            play = play.answered()
            values = play.values
            assert values
            for edge in play.path[len(before.path) :]:
                source, target = int(game.source[edge]), int(game.target[edge])
                assert game.owner[source] == SYSTEM
                others = [values.after(one).order for one in game.edges_of(source)]
                assert values.at(target).order == (max(others) if rival == ADVERSARY else min(others))
                if rival == ADVERSARY and values.at(source).cost is None:
                    assert values.at(target).cost is None
            if play.reached or not play.moves_here or not len(game.edges_of(play.vertex)):
                break
            play = HandPlay(document, (*play.path, rng.choice([*game.edges_of(play.vertex)])), rival=rival, goal=goal)


@seeds(range(150))
def test_a_tester_that_can_win_wins_against_whoever_plays_the_system(seed: int):
    document = of_game(seed)
    game, rng = document.game, Random(seed)
    goal = next(iter(game.goals))
    play = HandPlay(document, (), side="system", rival=ADVERSARY, goal=goal)
    assert play.values
    if play.values.at(game.initial).cost is None:
        return
    for _ in range(game.vertex_count + 1):
        play = play.answered()
        if play.reached:
            assert play.answered() is play
            ends = play.moves_here or not len(game.edges_of(play.vertex))
            assert (play.answered(onwards=True) is play) == ends
            return
        edge = rng.choice([*game.edges_of(play.vertex)])
        play = HandPlay(document, (*play.path, edge), side="system", rival=ADVERSARY, goal=goal)
    raise AssertionError("the tester did not reach what it can force")


def test_chance_answers_the_same_path_alike_and_different_seeds_differently():
    document = Document("x", Job(CHAT), "chat")
    start = document.game.edges_of(document.game.initial)[0]
    first = {seed: HandPlay(document, (start,), "tester", CHANCE, "", seed).answered().path for seed in range(20)}
    again = {seed: HandPlay(document, (start,), "tester", CHANCE, "", seed).answered().path for seed in range(20)}
    assert first == again


def test_a_path_with_a_gap_or_another_side_is_refused():
    document = Document("x", Job(CHAT), "chat")
    for given in ({"path": [5, 900]}, {"path": [10**9]}, {"path": "1"}, {"side": "nobody"}, {"rival": "adversary"}):
        with pytest.raises(UsageError):
            play_by_hand(document, Asked({"path": [], "rival": "chance", **given}))


def played(document: Document, steps: int, seed: int) -> list[int]:
    game, path, rng = document.game, list[int](), Random(seed)
    at = game.initial
    for _ in range(steps):
        edge = rng.choice([*game.edges_of(at)])
        path.append(edge)
        at = int(game.target[edge])
    return path


@pytest.mark.parametrize("model", [CHAT, str(EXAMPLES / "vending" / "vending.aut"), TCP])
def test_a_play_that_is_written_down_passes_and_a_changed_one_fails(model: str, tmp_path: Path):
    document, file = Document("x", Job(model), "model"), tmp_path / "play.jsonl"
    for seed in range(8):
        found = exported_play(document, Asked({"form": "trace", "path": played(document, 12, seed)}))
        file.write_text(found["text"])
        trace = read_trace(file)
        assert json.loads(found["text"].splitlines()[-1])["verdict"] == "pass"
        assert judge_job(trace, recorded_job(trace.header)).verdict.name == "pass"
        broken = found["text"].replace('"label": "!', '"label": "!not ')
        if broken != found["text"]:
            file.write_text(broken)
            assert judge_job(read_trace(file), recorded_job(trace.header)).verdict.name == "fail"


def test_a_play_becomes_a_test_that_the_model_itself_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    document = Document("x", Job(CHAT), "chat")
    game = document.game
    path, at = list[int](), game.initial
    for _ in range(6):
        path.append(game.edges_of(at)[0])
        at = int(game.target[path[-1]])
    found = exported_play(document, Asked({"form": "suite", "path": path}))
    Path("play.json").write_text(found["text"])
    done = shell("run", "--suite", "play.json", "--sut", f"model:{CHAT}", "--plays", "40", "--trust", "--json")
    assert done.json["verdict"] == "pass"
    test = exported_play(document, Asked({"form": "test", "path": path}))
    compile(test["text"], "test_play.py", "exec")
    assert "?post" in test["text"]
    assert list(itertools.islice(test["command"].split(), 2)) == ["pytest", "test_play.py"]
