"""The lock server that is tested with faults: what it may do, as its words say."""

from __future__ import annotations

from random import Random

import pytest
from benchmarks.faults.lock import Lock

from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE
from outplay.strategy.suspicion import RESET, WAIT, Suspicion
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.pair_game import solved_pairs

TABLE = table_of(Lock)
NUMBERS = {str(label): number for number, label in enumerate(TABLE.labels)}


def told(what, client):
    return f'!tell ["{what}","{client}"]'


def after(*labels):
    """What may be given and seen after some labels."""
    state = TABLE.initial
    for label in labels:
        state = TABLE.moves(state)[NUMBERS[label]]
    return {str(TABLE.labels[number]) for number in TABLE.moves(state)}


HELD = ("?acquire ann", told("granted", "ann"))


def test_a_lease_may_run_out_before_its_holder_is_told_and_before_any_question():
    assert after("?acquire ann") == {told("granted", "ann"), "!warn ann"}
    assert after("?acquire ann", "!warn ann", "!expire ann") == {told("granted", "ann")}
    assert {"!warn ann", "?renew ann", "?acquire bob"} <= after(*HELD)


def test_who_renews_in_time_is_warned_again_first():
    assert "!expire ann" in after(*HELD, "!warn ann")
    renewed = after(*HELD, "!warn ann", "?renew ann", told("renewed", "ann"))
    assert "!warn ann" in renewed
    assert "!expire ann" not in renewed


@pytest.mark.parametrize("first", ["bob", "cid"])
def test_who_waited_longest_is_next(first):
    other = {"bob": "cid", "cid": "bob"}[first]
    waiting = (*HELD, f"?acquire {first}", f"?acquire {other}")
    assert told("granted", first) in after(*waiting, "!warn ann", "!expire ann")
    assert told("granted", other) not in after(*waiting, "!warn ann", "!expire ann")
    left = (*waiting, f"?release {first}", told("released", first), "!warn ann", "!expire ann")
    assert told("granted", other) in after(*left)


def test_it_is_silent_where_nobody_holds_the_lock_and_all_is_told():
    assert str(SILENCE) in after()
    assert str(SILENCE) not in after(*HELD)
    assert str(SILENCE) in after(*HELD, "!warn ann", "!expire ann")


PAIRS = solved_pairs(answering_rows(TABLE))


def asked_twice(seed, labels):
    """How many labels it takes until somebody asks who holds the lock or waits for it; the server is the quicker."""
    rng, player = Random(f"lock {seed}"), Suspicion(TABLE, Random(seed), PAIRS)
    player.begin()
    for label in range(labels):
        move, moves = player.move(), TABLE.moves(player.state)
        shown = [one for one in moves if one >= TABLE.inputs]
        if move == RESET:
            player.begin()
            continue
        forestalled = move != WAIT and TABLE.labels[shown[0]] != SILENCE and rng.random() < 0.5
        said = rng.choice(shown) if move == WAIT or forestalled else move
        refused = said == move and any("refused" in str(TABLE.labels[one]) for one in TABLE.moves(moves[said]))
        if refused and str(TABLE.labels[said]).startswith("?acquire"):
            return label
        player.saw(said)
    return labels


def test_cases_of_a_question_are_not_taken_for_one_another():
    """Who asks twice is refused; it is not enough to have seen that others wait, or get the lock."""
    took = sorted(asked_twice(seed, 400) for seed in range(12))
    assert took[6] < 120
