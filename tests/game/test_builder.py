"""Building games: what is given is what the arrays hold, and every mistake names its place and its cure."""

from __future__ import annotations

import time
import tracemalloc
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers.seeds import seeds
from outplay import Game, GameBuilder
from outplay.errors import GameError
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column, exact_column_of
from outplay.game.validation import PartError

LABELS = ["", "?a", "!x", "!y 'quoted'", "delta", "!ü\n"]


def drawn(seed):
    """A game as plain lists, edges in any order."""
    rng = Random(seed)
    count = rng.randint(1, 12)
    owners = [rng.choice(["tester", "system", "sut"]) for _ in range(count)]
    gains = [rng.choice([0, 1, 1, 2, "1/3"]) for _ in range(count)]
    edges = []
    for _ in range(rng.randint(0, 30)):
        edges.append(
            {
                "source": rng.randrange(count),
                "target": rng.randrange(count),
                "label": rng.choice(LABELS),
                "cost": rng.choice([0, 1, 1, 2, 0.5, "1/3"]),
                "moves": rng.choice([0, 1, 1]),
                "name": rng.choice([None, f"edge {len(edges)}"]),
            }
        )
    degree = [sum(edge["source"] == vertex for edge in edges) for vertex in range(count)]
    by_chance = [owner != "tester" and rng.random() < 0.5 for owner in owners]
    for edge in edges:
        edge["probability"] = Fraction(1, degree[edge["source"]]) if by_chance[edge["source"]] else None
    goals = {name: rng.sample(range(count), rng.randint(0, count)) for name in rng.sample(["done", "a b", ""], 2)}
    return owners, gains, edges, goals, rng.randrange(count)


def built(owners, gains, edges, goals, initial):
    builder = GameBuilder()
    for vertex, (owner, gain) in enumerate(zip(owners, gains, strict=True)):
        builder.vertex(f"n{vertex}", owner, gain=gain)
    for edge in edges:
        ends = (f"n{edge['source']}", f"n{edge['target']}", edge["label"])
        builder.edge(*ends, **{key: edge[key] for key in ("cost", "probability", "moves", "name")})
    for name, members in goals.items():
        builder.goal(name, [f"n{vertex}" for vertex in members])
    return builder.build(f"n{initial}")


def from_arrays(owners, gains, edges, goals, initial, rng=None):
    labels = [*LABELS, "never used"]
    if rng:
        rng.shuffle(labels)
    return game_from_arrays(
        owner=np.array([owner != "tester" for owner in owners]),
        source=np.array([edge["source"] for edge in edges], dtype=np.int64),
        target=[edge["target"] for edge in edges],
        label=[labels.index(edge["label"]) for edge in edges],
        labels=labels,
        cost=exact_column_of(edge["cost"] for edge in edges),
        probability=exact_column_of(edge["probability"] for edge in edges),
        moves=np.array([edge["moves"] for edge in edges], dtype=np.int64),
        edge_names=[edge["name"] or f"e{place}" for place, edge in enumerate(edges)],
        names=[f"n{vertex}" for vertex in range(len(owners))],
        gain=exact_column_of(gains),
        initial=initial,
        goals=goals,
    )


@seeds(range(100))
def test_builder_and_arrays_make_the_same_game_whatever_the_numbers_of_its_labels(seed):
    drawing = drawn(seed)
    game = built(*drawing)
    again = from_arrays(*drawing, rng=Random(seed))
    assert game == again
    assert game.content_hash == again.content_hash
    assert hash(game) == hash(again)


@seeds(range(100))
def test_the_game_holds_what_was_given_with_edges_sorted_by_source_and_otherwise_in_order(seed):
    owners, gains, edges, goals, initial = drawn(seed)
    game = built(owners, gains, edges, goals, initial)
    assert [int(owner) for owner in game.owner] == [owner != "tester" for owner in owners]
    assert [game.gain[vertex] for vertex in range(game.vertex_count)] == [Fraction(gain) for gain in gains]
    assert game.initial == initial
    assert {name: members.tolist() for name, members in game.goals.items()} == {n: sorted(m) for n, m in goals.items()}
    order = sorted(range(len(edges)), key=lambda place: edges[place]["source"])  # stable, as Python's sort is
    assert list(game.edge_names) == [edges[place]["name"] or f"e{place}" for place in order]
    for number, place in enumerate(order):
        edge = edges[place]
        assert game.source[number] == edge["source"]
        assert game.target[number] == edge["target"]
        assert game.label_of(number) == edge["label"]
        assert game.cost[number] == Fraction(str(edge["cost"]))
        assert game.probability[number] == edge["probability"]
        assert game.moves[number] == edge["moves"]
        assert number in game.edges_of(edge["source"])
    assert sum(len(game.edges_of(vertex)) for vertex in range(game.vertex_count)) == len(edges) == game.edge_count


def test_what_is_not_given_is_one_move_at_cost_one_without_chance_and_the_first_vertex_is_initial():
    game = GameBuilder().vertex("a", "tester").vertex("b", "system").edge("b", "a").edge("a", "b").build()
    other = game_from_arrays(owner=[0, 1], source=[1, 0], target=[0, 1], names=["a", "b"])
    assert game == other
    assert (game.cost[0], game.moves[0], game.probability[0], game.label_of(0), game.gain[0]) == (1, 1, None, "", 1)
    assert list(game.edge_names) == ["e1", "e0"]
    assert game.initial == 0


def test_vertices_of_arrays_are_numbered_when_no_names_are_given():
    game = game_from_arrays(owner=[0, 1, 0], source=[], target=[])
    assert list(game.names) == ["v0", "v1", "v2"]
    assert game.names[-1] == "v2"
    assert game.names[1:] == ["v1", "v2"]
    with pytest.raises(IndexError):
        game.names[3]


def test_a_goal_may_be_named_with_its_vertices_or_afterwards_and_each_vertex_counts_once():
    builder = GameBuilder().vertex("a", "tester", goals=["done"]).vertex("b", "tester").vertex("c", "tester")
    game = builder.goal("done", ["b", "a", "b"]).build("c")
    assert game.goals["done"].tolist() == [0, 1]
    assert game.initial == 2


@pytest.mark.parametrize("digits", [9, 12, 15])
@pytest.mark.parametrize("count", [3, 6, 7])
def test_decimals_may_miss_a_sum_of_one_by_a_billionth(digits, count):
    share = f"{1 / count:.{digits}f}"
    missing = abs(count * Fraction(share) - 1)
    builder = GameBuilder().vertex("c", "system")
    for _ in range(count):
        builder.edge("c", "c", probability=share)
    if missing <= Fraction(1, 10**9):
        assert builder.build().probability[0] == Fraction(share)
    else:
        with pytest.raises(GameError, match="sum to"):
            builder.build()


@pytest.mark.parametrize(("off", "fits"), [("1e-9", True), ("-1e-9", True), ("1.001e-9", False), ("-1.001e-9", False)])
def test_the_billionth_itself_is_still_within_it_and_no_more(off, fits):
    builder = GameBuilder().vertex("c", "system")
    builder.edge("c", "c", probability="1/3").edge("c", "c", probability=Fraction(2, 3) + Fraction(off))
    if fits:
        assert builder.build().edge_count == 2
    else:
        with pytest.raises(PartError, match="sum to"):
            builder.build()


def two() -> GameBuilder:
    return GameBuilder().vertex("s", "tester").vertex("c", "system")


WRONG_PARTS = {
    "a vertex twice": (lambda: two().vertex("s", "tester"), "vertex 's' is there twice; give each its own id"),
    "no such owner": (lambda: GameBuilder().vertex("s", "me"), "vertex 's': owner is 'me'; write 'tester' or 'system'"),
    "no vertices": (lambda: GameBuilder().build(), "a game needs at least one vertex; add the one where play starts"),
    "no such initial": (lambda: two().build("x"), "initial: there is no vertex 'x'; add it or mend the id"),
    "no such source": (lambda: two().edge("x", "s").build(), "edge 0: source: there is no vertex 'x'; add it or mend"),
    "no such target": (lambda: two().edge("s", ["c"]).build(), r"edge 0: target: there is no vertex \['c'\]; add it"),
    "no such goal": (lambda: two().goal("done", ["x"]), "goal 'done': there is no vertex 'x'; add it or mend the id"),
    "an edge id twice": (
        lambda: two().edge("s", "c", name="x").edge("s", "c", name="x").build(),
        "edge id 'x' is there twice; give each its own id",
    ),
    "an id that another edge has by default": (
        lambda: two().edge("s", "c").edge("s", "c", name="e0").build(),
        "edge id 'e0' is there twice; give each its own id",
    ),
    "a cost below 0": (
        lambda: two().edge("c", "s").edge("s", "c", cost=-1, name="x").build(),
        "edge 'x': cost is -1; write a number that is 0 or more",
    ),
    "no cost": (lambda: two().edge("s", "c", cost=None).build(), "edge 'e0': cost is None; write a number"),
    "a cost that is no number": (
        lambda: two().edge("s", "c").edge("s", "c", cost="x").build(),
        "edge 1: cost: 'x' is no number; write 3, 0.5 or",
    ),
    "a cost that is a list": (lambda: two().edge("s", "c", cost=[1]).build(), "edge 0: cost"),
    "a cost without end": (lambda: two().edge("s", "c", cost=float("inf")).build(), "edge 0: cost: inf is no number"),
    "a gain below 0": (
        lambda: two().vertex("g", "tester", gain="-1/2").build(),
        "vertex 'g': gain is -1/2; write a number that is 0 or more",
    ),
    "no gain": (lambda: two().vertex("g", "tester", gain=None).build(), "vertex 'g': gain is None; write a number"),
    "a gain that is no number": (
        lambda: two().vertex("g", "tester", gain="much").build(),
        "vertex 2: gain: 'much' is no number; write 3",
    ),
    "two moves": (lambda: two().edge("s", "c", moves=2).build(), "edge 0: moves is 2; an edge counts 1 move, or 0"),
    "256 moves": (lambda: two().edge("s", "c", moves=256).build(), "edge 0: moves is 256; an edge counts 1 move"),
    "half a move": (lambda: two().edge("s", "c", moves=0.5).build(), "moves must be a flat list of whole numbers; an"),
    "probability 0": (
        lambda: two().edge("c", "s", probability=0, name="x").edge("c", "s", probability=1).build(),
        "edge 'x': probability is 0; it must be above 0 and at most 1, leave out what cannot happen",
    ),
    "probability 2": (lambda: two().edge("c", "s", probability=2).build(), "edge 'e0': probability is 2; it must be"),
    "probability beyond floats": (lambda: two().edge("c", "s", probability=10**299).build(), "it must be above 0 and"),
    "a chance of the tester": (
        lambda: two().edge("s", "c", probability=1, name="x").build(),
        "edge 'x' of a tester vertex has a probability; leave it out, only system vertices choose by chance",
    ),
    "some probabilities": (
        lambda: two().edge("c", "s", probability="1/2").edge("c", "c").build(),
        "vertex 'c': some probabilities are missing; give all or none",
    ),
    "probabilities short of 1": (
        lambda: two().edge("c", "s", probability="1/2").edge("c", "c", probability="1/3").build(),
        "vertex 'c': probabilities sum to 0.833333333333, not 1; add the missing outcome or mend them",
    ),
}


@pytest.mark.parametrize(("make", "message"), WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_a_mistake_in_a_part_is_refused_with_its_place_and_its_cure(make, message):
    with pytest.raises(GameError, match=message):
        make()


def arrays(**changed):
    given = {"owner": [0, 1, 0], "source": [0, 1, 1], "target": [1, 2, 0], "goals": {"done": [2]}}
    return game_from_arrays(**{**given, **changed})


WRONG_ARRAYS = {
    "no vertices": ({"owner": [], "source": [], "target": [], "goals": {}}, "initial is 0; the game has 0 vertices"),
    "owner 2": ({"owner": [0, 1, 2]}, "vertex 2: owner is 2; write 0 for the tester or 1 for the system"),
    "owner 256": ({"owner": np.array([0, 256, 0])}, "vertex 1: owner is 256; write 0 for the tester"),
    "owner -1": ({"owner": [-1, 1, 0]}, "vertex 0: owner is -1; write 0 for the tester"),
    "owner by name": ({"owner": ["tester", "system", "tester"]}, "owner must be a flat list of whole numbers; write 0"),
    "source outside": ({"source": [0, 1, 3]}, "edge 2: source is 3; the game has 3 vertices, numbered from 0"),
    "source below 0": ({"source": [0, -1, 1]}, "edge 1: source is -1; the game has 3 vertices"),
    "target outside": ({"target": [1, 9, 0]}, "edge 1: target is 9; the game has 3 vertices, numbered from 0"),
    "target far outside": ({"target": [1, 2**32, 0]}, "edge 1: target is 4294967296; the game has 3 vertices"),
    "target in between": ({"target": [1, 0.5, 0]}, "target must be a flat list of whole numbers"),
    "a table of targets": ({"target": [[1], [2], [0]]}, "target must be a flat list of whole numbers"),
    "fewer sources": ({"source": [0, 1]}, "source has 2 entries, not 3; give one for each edge"),
    "more sources, not sorted": ({"source": [2, 1, 0, 0]}, "source has 4 entries, not 3; give one for each edge"),
    "fewer moves, edges not sorted": ({"source": [2, 1, 0], "moves": [1]}, "moves has 1 entries, not 3; give one"),
    "more labels of edges": ({"label": [0, 0, 0, 0]}, "label has 4 entries, not 3; give one for each edge"),
    "fewer costs": ({"cost": exact_column_of([1, 2])}, "cost has 2 entries, not 3; give one for each edge"),
    "fewer probabilities": (
        {"probability": exact_column_of([None])},
        "probability has 1 entries, not 3; give one for each",
    ),
    "more gains": ({"gain": exact_column_of([1, 1, 1, 1])}, "gain has 4 entries, not 3; give one for each vertex"),
    "fewer names": ({"names": ["a", "b"]}, "names has 2 entries, not 3; give one for each vertex"),
    "fewer names of edges": ({"edge_names": ["a", "b"]}, "edge_names has 2 entries, not 3; give one for each edge"),
    "a name twice": ({"names": ["a", "b", "a"]}, "vertex id 'a' is there twice; give each its own id"),
    "a name of edges twice": ({"edge_names": ["a", "b", "b"]}, "edge id 'b' is there twice; give each its own id"),
    "a label without text": ({"label": [0, 0, 1]}, "edge 2: label is 1; there are 1, numbered from 0"),
    "a label below 0": ({"label": [0, 0, -1]}, "edge 2: label is -1; there are 1, numbered from 0"),
    "three moves": ({"moves": [0, 1, 3]}, "edge 2: moves is 3; an edge counts 1 move, or 0 where the tester"),
    "moves that would wrap": ({"moves": np.array([1, 1, 257])}, "edge 2: moves is 257; an edge counts 1 move"),
    "initial outside": ({"initial": 3}, "initial is 3; the game has 3 vertices, numbered from 0: name one of them"),
    "initial below 0": ({"initial": -1}, "initial is -1; the game has 3 vertices"),
    "a goal outside": ({"goals": {"done": [0, 7]}}, "goal 'done': member 1 is 7; the game has 3 vertices, numbered"),
    "a goal named in braces": ({"goals": {"{a}": [7]}}, "goal '{a}': member 0 is 7; the game has 3 vertices"),
    "a goal below 0": ({"goals": {"done": np.array([-1])}}, "goal 'done': member 0 is -1; the game has 3 vertices"),
    "a cost below 0": ({"cost": exact_column_of([1, 1, "-1/2"])}, "edge 'e2': cost is -1/2; write a number that is 0"),
    "no cost": ({"cost": exact_column_of([1, None, 1])}, "edge 'e1': cost is None; write a number that is 0 or more"),
    "a gain below 0": (
        {"gain": exact_column_of([1, -1, 1])},
        "vertex 'v1': gain is -1; write a number that is 0 or more",
    ),
}


@pytest.mark.parametrize(("changed", "message"), WRONG_ARRAYS.values(), ids=WRONG_ARRAYS)
def test_a_mistake_in_an_array_is_refused_with_its_place_and_its_cure(changed, message):
    with pytest.raises(GameError, match=message):
        arrays(**changed)
    assert arrays().vertex_count == 3


def test_one_text_is_no_list_of_goals():
    with pytest.raises(GameError, match=r"vertex 'a': goals is the text 'done'; write a list, \['done'\]"):
        GameBuilder().vertex("a", "tester", goals="done")


def test_a_mistake_at_an_edge_is_told_by_the_name_it_had_before_sorting():
    with pytest.raises(PartError) as caught:
        arrays(source=[2, 1, 0], cost=exact_column_of([-1, 1, 1]), edge_names=["a", "b", "c"])
    assert caught.value.edge == "a"


def test_numbers_in_a_table_that_no_edge_uses_are_no_mistake():
    game = arrays(cost=exact_column([-1, None, 2], [2, 2, 2]))
    assert game.cost.table == (2,)


@pytest.mark.parametrize("goal", ["done", "s"])
def test_the_builder_can_go_on_after_building(goal):
    builder = two().goal(goal, ["c"])
    first = builder.build()
    builder.vertex("more", "tester").edge("s", "more")
    assert (first.vertex_count, builder.build().vertex_count) == (2, 3)
    assert repr(builder) == "GameBuilder(3 vertices, 1 edge)"


@pytest.mark.long
def test_a_million_vertices_and_four_million_edges_fit_in_400_megabytes(capsys):
    vertices, edges = 1_000_000, 4_000_000
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, vertices, (2, edges), dtype=np.uint32)
    owner = rng.integers(0, 2, vertices, dtype=np.uint8)
    row, label = rng.integers(0, 5, (2, edges), dtype=np.uint8)
    tracemalloc.start()
    began = time.perf_counter()
    game = game_from_arrays(
        owner=owner,
        source=source,
        target=target,
        cost=exact_column([0, 1, 2, "1/2", "1/3"], row),
        label=label,
        labels=["", "?a", "?b", "!x", "!y"],
        goals={"done": [0]},
    )
    seconds = time.perf_counter() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with capsys.disabled():
        print(f"\n{game!r} built in {seconds:.2f} s under tracemalloc, peak {peak / 1e6:.0f} MB")
    assert peak < 400e6
    assert isinstance(game, Game)
    assert (game.vertex_count, game.edge_count, int(game.first[-1])) == (vertices, edges, edges)
    assert np.all(game.source[1:] >= game.source[:-1])
    for number in rng.integers(0, edges, 1000).tolist():
        place = int(game.edge_names[number][1:])
        assert (game.source[number], game.target[number]) == (source[place], target[place])
        assert game.cost[number] == (0, 1, 2, Fraction(1, 2), Fraction(1, 3))[row[place]]
        assert game.label[number] == label[place]
