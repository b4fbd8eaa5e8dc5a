"""The game graph: equality by content, a hash that no machine changes, and how its parts are found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from outplay import Game, GameBuilder
from outplay.errors import UsageError
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column_of
from outplay.game.game_specification import GameSpecification
from outplay.game.goals.goal import AtState
from outplay.game.goals.target import find_target
from outplay.game.roles import Numbered, Picked
from outplay.model.label import Label

Change = Callable[[GameBuilder], object]


def example(change: Change = lambda builder: None, **first: object) -> Game:
    """A small game with all its parts; `first` changes the first edge."""
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system", gain=2).vertex("g", "tester", goals=["done"])
    edge = {"source": "s", "target": "c", "label": "?a", "cost": 1, "moves": 1, "name": "first", **first}
    builder.edge(**edge)
    builder.edge("c", "g", "!x", probability="1/3").edge("c", "s", "!y", probability="2/3", cost="1/2")
    change(builder)
    return builder.build()


DIFFERENT = {
    "another target": example(target="g"),
    "another source": example(source="g"),
    "another label": example(label="?b"),
    "another cost": example(cost=2),
    "another weight in moves": example(moves=0),
    "another edge id": example(name="other"),
    "one more edge": example(lambda b: b.edge("s", "g")),
    "one more parallel edge": example(lambda b: b.edge("s", "c", "?a")),
    "one more vertex": example(lambda b: b.vertex("h", "tester")),
    "one more goal": example(lambda b: b.goal("more", ["g"])),
    "one more goal that holds nowhere": example(lambda b: b.goal("more", [])),
    "one more goal vertex": example(lambda b: b.goal("done", ["s"])),
    "another owner": replace(example(), owner=np.array([0, 1, 1], dtype=np.uint8)),
    "another initial vertex": replace(example(), initial=1),
    "another gain": replace(example(), gain=exact_column_of([1, 2, 3])),
    "no probabilities": replace(example(), probability=exact_column_of([None, None, None])),
    "other names": replace(example(), names=("s", "c", "h")),
    "vertices in another order": GameBuilder().vertex("b", "tester").vertex("a", "tester").build("a"),
    "the same vertices in this order": GameBuilder().vertex("a", "tester").vertex("b", "tester").build("a"),
}


def test_games_with_the_same_parts_are_equal_wherever_they_came_from():
    assert example() == example()
    assert hash(example()) == hash(example())
    assert replace(example(), known_origin="an exploration") == example()
    assert example() != "a game"


@pytest.mark.parametrize("name", DIFFERENT)
def test_games_that_differ_in_any_part_are_not_equal(name):
    others = [example(), *(game for other, game in DIFFERENT.items() if other != name)]
    assert DIFFERENT[name] not in others


def with_names(*names: str) -> Game:
    return game_from_arrays(owner=[0] * len(names), source=[], target=[], names=names)


def with_labels(*labels: str) -> Game:
    count = len(labels)
    return game_from_arrays(owner=[0], source=[0] * count, target=[0] * count, label=range(count), labels=labels)


@pytest.mark.parametrize("make", [with_names, with_labels])
@pytest.mark.parametrize("apart", ["\n", "\0", ",", '"', '", "', " ", "\\", "é"])
def test_where_one_text_ends_and_the_next_begins_matters(make, apart):
    assert make(f"a{apart}b", "c") != make("a", f"b{apart}c")


def test_text_that_no_encoding_can_write_still_has_a_hash():
    assert with_names("\ud800") != with_names("\ud801")


@pytest.mark.parametrize("seed", range(30))
def test_how_labels_are_numbered_changes_neither_hash_nor_equality(seed):
    rng = Random(seed)
    texts = [rng.choice(["?a", "!x", "!y", "", "delta"]) for _ in range(rng.randint(0, 12))]

    def numbered(labels: list[str]) -> Game:
        label = [labels.index(text) for text in texts]
        edges = np.zeros(len(texts), dtype=np.int64)
        return game_from_arrays(owner=[0], source=edges, target=edges, label=label, labels=labels)

    labels = ["?a", "!x", "!y", "", "delta", "not used"]
    assert numbered(labels) == numbered(rng.sample(labels, len(labels)))


HASHING = """
from outplay import GameBuilder
from outplay.formats.games.game_json import write
builder = GameBuilder()
for owner, name in enumerate(sorted({"alpha", "beta", "gamma", "delta", "epsilon"})):
    builder.vertex(name, "system" if owner % 2 else "tester", goals=[name, "all"])
for label in {"?one": 1, "?two": 2, "!three": 3}:
    builder.edge("alpha", "beta", label, cost="1/3").edge("beta", "gamma", label, moves=0)
builder.goal("set", {"alpha", "beta", "gamma"})
game = builder.build("gamma")
print(game.content_hash)
print("".join(write(game)))
"""


def test_no_hash_seed_changes_the_content_hash_or_what_is_written():
    shown = {
        subprocess.run(
            [sys.executable, "-c", HASHING],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(shown) == 1
    assert len(shown.pop().splitlines()[0]) == 64


def test_many_names_are_hashed_like_the_same_names_made_on_demand():
    count = 25_000
    spelled = [f"v{number}" for number in range(count)]
    owner = np.zeros(count, dtype=np.uint8)
    lazy = game_from_arrays(owner=owner, source=[], target=[])
    assert game_from_arrays(owner=owner, source=[], target=[], names=spelled) == lazy
    assert game_from_arrays(owner=owner, source=[], target=[], names=[*spelled[:-1], "other"]) != lazy


def test_names_taken_in_another_order_are_looked_up_when_asked_for():
    picked = Picked(Numbered("e", 4), np.array([2, 0, 3]))
    assert list(picked) == ["e2", "e0", "e3"]
    assert picked[1:] == ["e0", "e3"]
    assert picked[-1] == "e3"
    assert len(picked) == 3


def test_a_game_shows_its_size():
    assert repr(example()) == "Game(3 vertices, 3 edges, initial 's')"
    assert repr(game_from_arrays(owner=[0] * 1234, source=[0], target=[0])) == (
        "Game(1,234 vertices, 1 edge, initial 'v0')"
    )


def test_the_union_of_goals_holds_each_vertex_once_and_may_name_vertices():
    game = example(lambda b: b.goal("both", ["s", "g"]))
    assert find_target(game, ["both", "done", "c"]).vertices.tolist() == [0, 1, 2]
    assert game.goal_vertices("c").tolist() == [1]
    with pytest.raises(UsageError, match=r"no goal or vertex 'doen'; did you mean 'done'\?"):
        game.goal_vertices("doen")


def test_a_goal_comes_before_a_vertex_and_a_vertex_before_a_label_of_the_same_name():
    builder = GameBuilder().vertex("x", "tester").vertex("y", "tester").edge("x", "y", "x").edge("x", "y", "y")
    game = builder.goal("y", ["x"]).build()
    assert find_target(game, ["y"]).vertices.tolist() == [0]
    assert find_target(game, ["x"]).vertices.tolist() == [0]
    assert find_target(game, ["x"]).goal == AtState("x")


@pytest.mark.parametrize("seed", range(30))
def test_a_game_for_labels_leads_their_edges_through_new_vertices_and_keeps_all_else(seed):
    rng = Random(seed)
    builder = GameBuilder()
    for vertex in range(5):
        builder.vertex(f"v{vertex}", rng.choice(["tester", "system"]), gain=vertex)
    for _ in range(12):
        ends = [f"v{rng.randrange(5)}" for _ in range(2)]
        builder.edge(*ends, rng.choice(["?a", "!x", "!y"]), cost=rng.randrange(3), moves=rng.choice([0, 1, 1]))
    game = builder.goal("done", ["v0"]).build("v1")
    target = find_target(game, ["!x", "?a", "v3"])
    made = target.game
    hits = [edge for edge in range(12) if game.label_of(edge) in ("!x", "?a") and game.moves[edge]]
    assert target.vertices.tolist() == [3, *range(5, 5 + len(hits))]
    assert (made.vertex_count, made.edge_count, made.initial) == (5 + len(hits), 12 + len(hits), 1)
    for edge in range(12):
        through = int(made.target[edge])
        if edge in hits:
            (beyond,) = made.edges_of(through)
            assert (made.moves[beyond], made.cost[beyond], made.label_of(beyond)) == (0, 0, "")
            assert through >= 5
            through = int(made.target[beyond])
        assert through == game.target[edge]
        assert made.source[edge] == game.source[edge]
        assert made.cost[edge] == game.cost[edge]
        assert made.edge_names[edge] == game.edge_names[edge]
    assert [made.gain[vertex] for vertex in range(made.vertex_count)] == [0, 1, 2, 3, 4, *[0] * len(hits)]
    assert made.names[:5] == list(game.names)


def test_a_label_shown_by_several_edges_of_a_vertex_has_the_sum_of_their_chances():
    builder = GameBuilder().vertex("c", "system").vertex("a", "tester").vertex("b", "tester")
    builder.edge("c", "a", "!x", probability="1/4").edge("c", "b", "!x", probability="1/4")
    game = builder.edge("c", "b", "!y", probability="1/2").build()
    spec = GameSpecification(game)
    assert spec.weight(0, Label.parse("!x")) == spec.weight(0, Label.parse("!y")) == 0.5


def test_a_label_shown_behind_several_choices_of_the_tester_keeps_its_chance():
    builder = GameBuilder().vertex("q", "tester").vertex("r", "tester").vertex("wait", "system").vertex("give", "sut")
    builder.edge("q", "wait", moves=0).edge("q", "give", moves=0)
    builder.edge("wait", "r", "!x").edge("wait", "q", "delta").edge("give", "r", "!x").edge("give", "q", "?a")
    spec = GameSpecification(builder.build())
    assert spec.weight(0, Label.parse("!x")) == spec.weight(0, Label.parse("delta")) == 1.0
