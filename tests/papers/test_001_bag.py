"""The bag of "Play to Test" (paper 001, section 4): a model for every order of effects, and the locking error."""

from __future__ import annotations

import sys
from itertools import permutations
from random import Random

import pytest

from helpers.places import EXAMPLES
from outplay import Game, Process, Timing, explore, run
from outplay.model.kinds import specification
from outplay.model.label import Label
from outplay.model.programs.load import load_program
from outplay.model.specification import Specification
from outplay.play.plan import plan
from outplay.strategy.expected import expected

BAG = EXAMPLES / "bag"
MODEL = f"{BAG / 'model.py'}:Bag"
Call = tuple[int, int, str, str, bool | None]  # when called, when returned, operation, element, result
NEVER = 99


def bag_game(room: int, assumption: str = "timeout") -> Game:
    return explore(load_program(MODEL, [f"room={room}"]), assumption=assumption)


@pytest.mark.parametrize(("room", "vertices", "edges"), [(1, 124, 340), (2, 196, 528)])
def test_the_graphs_for_two_users_are_about_as_large_as_those_of_table_1(room: int, vertices: int, edges: int):
    """Table 1 has 128 and 277 vertices, from settings that are not told."""
    game = bag_game(room)
    assert (game.vertex_count, game.edge_count) == (vertices, edges)


def test_both_users_can_be_brought_to_rest_from_everywhere_by_waiting():
    game = bag_game(1)
    answer = expected(game, "inactive")
    assert all(answer.value_of(vertex) is not None for vertex in range(game.vertex_count))


def right(order: tuple[Call, ...], room: int) -> bool:
    """Do the operations one after the other and compare the results; one that has not returned may have any."""
    bag: list[str] = []
    for _, _, operation, element, result in order:
        possible = len(bag) < room if operation == "add" else element in bag
        if result is not None and result != possible:
            return False
        if possible and operation == "add":
            bag.append(element)
        if possible and operation == "delete":
            bag.remove(element)
    return True


def linearizable(calls: list[Call], room: int) -> bool:
    """Say whether some order that keeps apart what did not overlap explains all results; by trying all orders.

    A call that has not returned need not have taken effect, so it may be left out.
    """
    done = [call for call in calls if call[4] is not None]
    pending = [call for call in calls if call[4] is None]
    chosen = [[one for place, one in enumerate(pending) if bits >> place & 1] for bits in range(2 ** len(pending))]
    return any(
        all(later[1] > earlier[0] for place, earlier in enumerate(order) for later in order[place + 1 :])
        and right(order, room)
        for some in chosen
        for order in permutations([*done, *some])
    )


def history(rng: Random) -> tuple[list[Label], list[Call]]:
    """A few calls and returns with results drawn at random, as labels and as calls with their times."""
    labels: list[Label] = []
    calls: list[Call] = []
    busy: dict[str, int] = {}
    for now in range(rng.randint(2, 10)):
        user = rng.choice(("ann", "bob"))
        if user in busy:
            place, result = busy.pop(user), rng.random() < 0.5
            called, _, operation, element, _ = calls[place]
            calls[place] = (called, now, operation, element, result)
            labels.append(Label("!", "returned", (user, result)))
        else:
            operation, element = rng.choice(("add", "add", "delete", "lookup")), rng.choice("xy")
            busy[user] = len(calls)
            calls.append((now, NEVER, operation, element, None))
            labels.append(Label("?", operation, (user, element)))
    return labels, calls


def accepts(spec: Specification, labels: list[Label]) -> bool:
    states = set(spec.initial)
    for label in labels:
        states = {after for state in states for after in spec.after(state, label)}
    return bool(states)


@pytest.mark.parametrize("room", [1, 2])
def test_the_model_allows_exactly_the_histories_that_some_order_of_effects_explains(room: int):
    spec = specification(load_program(MODEL, ["elements=('x','y')", f"room={room}"]))
    rng, found = Random(room), []
    for _ in range(400):
        labels, calls = history(rng)
        assert accepts(spec, labels) == linearizable(calls, room), labels
        found.append(linearizable(calls, room))
    assert 100 < sum(found) < 300


def server(*options: str) -> Process:
    return Process([sys.executable, str(BAG / "server.py"), "--greet", *options], ready="ready")


def test_the_game_finds_the_locking_error():
    outcome = run(load_program(MODEL), server("--bug"), plays=10)
    assert outcome.verdict.name == "fail"


def test_the_right_bag_passes():
    outcome = run(load_program(MODEL), server("--pace", "0.003"), plays=3, steps=60, timing=Timing(silence=0.4))
    assert outcome.verdict.name == "pass"


def test_a_user_alone_never_meets_the_locking_error():
    alone = load_program(MODEL, ["users=('ann',)"])
    outcome = run(alone, server("--bug", "--pace", "0.003"), plays=2, steps=40, timing=Timing(silence=0.4))
    assert outcome.verdict.name == "pass"


@pytest.mark.long
def test_the_right_bag_passes_hundreds_of_plays():
    outcome = run(load_program(MODEL), server(), plays=300, steps=60, timing=Timing(silence=0.4))
    assert outcome.verdict.name == "pass"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_the_locking_error_is_found_within_ten_plays_whatever_the_seed(seed: int):
    assert run(plan(load_program(MODEL), seed=seed), server("--bug"), plays=10).verdict.name == "fail"
