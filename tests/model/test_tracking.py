from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from helpers.automata import random_steps
from helpers.tables import Table
from outplay.errors import UsageError
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.tracking import Tracker

A, B = Label.parse("?a"), Label.parse("?b")
X, Y = Label.parse("!x"), Label.parse("!y")


@dataclass(frozen=True)
class Move:
    label: Label
    time: float

    @property
    def given(self) -> bool:
        return self.label.is_input


def test_it_starts_in_the_initial_states_and_follows_labels():
    tracker = Tracker(Table([(0, A, 1), (1, X, 0), (1, X, 2)], initial=(0, 1)))
    assert tracker.states == (0, 1)
    tracker = tracker.saw(X, 0.0)
    assert tracker.conforms
    assert set(tracker.states) == {0, 2}


def test_an_output_that_no_state_allows_leaves_nothing():
    tracker = Tracker(Table([(0, X, 1)])).saw(Y)
    assert not tracker.conforms
    assert not tracker.specified


def test_silence_keeps_only_the_states_that_are_quiet():
    tracker = Tracker(Table([(0, X, 1)], initial=(0, 1)))
    assert tracker.allowed() == [X, SILENCE]
    tracker = tracker.saw(SILENCE, 1.0)
    assert tracker.conforms
    assert tracker.states == (1,)


def test_without_latency_the_order_seen_is_the_order():
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 3)]))
    tracker = tracker.gave(A, 0.0)
    assert not tracker.saw(X, 0.0).conforms


def test_an_output_within_the_latency_may_have_come_before_the_input():
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 3)]), latency=0.1)
    tracker = tracker.gave(A, 0.0)
    assert set(tracker.states) == {1}
    tracker = tracker.saw(X, 0.09)
    assert tracker.conforms
    assert set(tracker.states) == {3}


def test_an_output_beyond_the_latency_came_after_the_input():
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 3)]), latency=0.1)
    tracker = tracker.gave(A, 0.0)
    assert not tracker.saw(X, 0.1001).conforms


def test_what_is_on_its_way_is_excused_for_as_long_as_the_tester_was_late():
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 3)]), latency=0.1)
    tracker = tracker.gave(A, 0.0)
    tracker = tracker.excused(0.5)
    tracker = tracker.saw(X, 0.59)
    assert tracker.conforms
    assert set(tracker.states) == {3}


def test_silence_called_while_the_tester_was_late_rules_nothing_out():
    tracker = Tracker(Table([(0, A, 1), (0, A, 2), (1, X, 0)]))
    tracker = tracker.gave(A, 0.0)
    tracker = tracker.excused(0.5)
    tracker = tracker.saw(SILENCE, 1.0)
    assert tracker.conforms
    assert set(tracker.states) == {1, 2}
    tracker = tracker.saw(SILENCE, 2.0)
    assert tracker.conforms, "this time nothing was late"
    assert set(tracker.states) == {2}


def test_a_silence_nothing_allows_is_possible_only_with_the_excuse_that_the_tester_was_late():
    tracker = Tracker(Table([(0, X, 1)]))
    assert not tracker.saw(SILENCE, 1.0).conforms
    late = tracker.excused(0.5).saw(SILENCE, 1.0)
    assert late.states == (0,)
    assert not late.unexcused.conforms
    assert not late.saw(Y, 2.0).conforms, "what is forbidden either way is no matter of time"


def test_an_output_that_a_late_tester_heard_after_the_time_for_silence_may_have_come_too_late():
    tracker = Tracker(Table([(0, A, 1), (1, X, 0)]), silence=1.0).gave(A, 0.0).excused(2.0)
    assert tracker.saw(X, 0.9).unexcused.conforms, "it came in time, however late the tester was"
    assert not tracker.saw(X, 2.0).unexcused.conforms
    assert tracker.saw(X, 2.0).states == (0,)


def test_nothing_is_on_its_way_once_silence_was_seen():
    tracker = Tracker(Table([(0, A, 1), (1, X, 0)]), latency=1.0).gave(A, 0.0)
    assert not tracker.saw(SILENCE, 0.5).conforms
    assert [str(label) for label in tracker.allowed()] == ["!x"], "silence is not among what is allowed"


def test_an_input_no_state_specifies_leads_out_of_the_specification_where_anything_may_happen():
    tracker = Tracker(Table([(0, X, 1)]))
    tracker = tracker.gave(A, 0.0)
    assert tracker.maybe_left
    assert not tracker.specified
    assert tracker.states == ()
    assert tracker.inputs() == []
    assert tracker.saw(Y, 0.0).conforms


def test_only_inputs_enabled_in_all_states_are_offered():
    tracker = Tracker(Table([(0, A, 0), (0, B, 0), (1, B, 1)], initial=(0, 1)))
    assert tracker.inputs() == [B]


def test_states_that_do_not_specify_an_input_drop_out_when_it_arrives():
    tracker = Tracker(Table([(0, A, 0), (0, B, 0), (1, B, 1)], initial=(0, 1)))
    assert not tracker.enabled(A)
    tracker = tracker.gave(A, 0.0)
    assert tracker.states == (0,)
    assert not tracker.maybe_left
    assert tracker.enabled(A)


def test_no_input_is_offered_while_the_specification_may_have_been_left():
    tracker = Tracker(Table([(0, A, 0), (0, B, 0), (0, X, 1), (1, B, 1)]), latency=1.0)
    tracker = tracker.gave(A, 0.0).saw(X, 0.5)
    assert tracker.maybe_left
    assert tracker.states == (1,)
    assert tracker.inputs() == []


@pytest.mark.parametrize("shift", range(40))
def test_an_output_that_comes_just_as_the_latency_ends_came_after_the_input_whatever_floats_say(shift):
    """0.3 - 0.2 is less than 0.1 as floats go; stamps are whole microseconds and are compared as such."""
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 3)]), latency=0.1)
    start = round(shift * 0.1, 6)
    tracker = tracker.gave(A, start)
    assert tracker.saw(X, round(start + 0.099999, 6)).conforms
    assert not tracker.saw(X, round(start + 0.1, 6)).conforms


def test_outputs_of_all_possibilities_are_expected_while_an_input_is_on_its_way():
    tracker = Tracker(Table([(0, A, 1), (0, X, 0), (1, Y, 0)]), latency=1.0)
    tracker = tracker.gave(A, 0.0)
    assert set(tracker.outputs()) == {X, Y}
    assert tracker.in_flight
    tracker = tracker.settled(1.1)
    assert tracker.outputs() == [Y]
    assert not tracker.in_flight


def test_settling_never_loses_what_has_arrived():
    tracker = Tracker(Table([(0, A, 1), (1, B, 2)]), latency=1.0)
    tracker = tracker.gave(A, 0.0)
    tracker = tracker.gave(B, 0.5)
    tracker = tracker.settled(float("inf"))
    assert tracker.states == (2,)


def at_one(before, label, after):
    return after == 1


def test_a_goal_counts_only_once_it_is_met_under_every_order():
    tracker = Tracker(Table([(0, A, 1), (0, X, 2), (2, A, 4), (1, X, 4)]), latency=0.1, goal=at_one)
    tracker = tracker.gave(A, 0.0)
    assert (tracker.maybe_reached, tracker.reached) == (True, False)
    tracker = tracker.saw(X, 0.05)
    assert tracker.conforms
    assert (tracker.maybe_reached, tracker.reached) == (True, False)


def test_a_goal_met_once_stays_met():
    tracker = Tracker(Table([(0, A, 1), (1, X, 0)]), goal=at_one)
    tracker = tracker.gave(A, 0.0)
    tracker = tracker.saw(X, 0.0)
    assert tracker.reached


def test_a_goal_may_be_a_goal_of_the_model_a_state_or_a_label():
    table = Table([(0, A, 2), (2, X, 0)])
    assert followed_goal(table, ["odd"])[1](None, None, 3)
    assert followed_goal(table, ["2"])[1](None, None, 2)
    assert followed_goal(table, ["!x"])[1](2, X, 0)
    assert not followed_goal(table, ["!x", "odd"])[1](2, Y, 0)
    assert not followed_goal(table, [])[1](0, X, 1)
    with pytest.raises(UsageError, match="no goal, state, label or transition 'even'"):
        followed_goal(table, ["even"])


# Against the definition: every order that fits, one by one.

INSTANCES = 6_000


def drawn_table(rng: Random) -> Table:
    names, steps = random_steps(rng, share=(0.2, 0.4, 0.6), copies=2, silence=rng.choice((0.0, 0.0, 0.5)))
    numbers = {name: number for number, name in enumerate(names)}
    edges = [(numbers[source], Label.parse(label), numbers[target]) for source, label, target in steps]
    return Table(edges, tuple(rng.sample(range(len(names)), rng.randint(1, min(2, len(names))))))


def random_moves(rng: Random) -> list[Move]:
    time, moves = 0.0, []
    for _ in range(rng.randint(1, 7)):
        time += rng.choice([0.0, 0.25, 0.5, 1.0])
        moves.append(Move(rng.choice([A, B, A, B, X, Y, X, Y, SILENCE]), time))
    return moves


def orders(moves: list[Move], latency: float) -> Iterator[list[Move]]:
    """All orders in which an output comes before inputs given less than `latency` before it was seen.

    Inputs keep their order among themselves, and so do outputs. Without latency nothing crosses, even at one moment.
    Silence never does: it means that nothing is on its way.
    """
    inputs = [position for position, move in enumerate(moves) if move.given]
    outputs = [position for position, move in enumerate(moves) if not move.given]

    def merged(i: int, o: int) -> Iterator[list[Move]]:
        if i == len(inputs) and o == len(outputs):
            yield []
        if i < len(inputs) and all(position > inputs[i] for position in outputs[o:]):
            yield from ([moves[inputs[i]], *rest] for rest in merged(i + 1, o))
        if o < len(outputs):
            overtaken = [moves[position] for position in inputs[i:] if position < outputs[o]]
            seen = moves[outputs[o]]
            crossed = latency and seen.label != SILENCE and all(seen.time - m.time < latency for m in overtaken)
            if not overtaken or crossed:
                yield from ([moves[outputs[o]], *rest] for rest in merged(i, o + 1))

    return merged(0, 0)


def results(table: Table, order: list[Move], goal) -> set[tuple[object, bool]]:
    """Where one order may lead, with whether the goal was met on the way.

    States that do not specify an input drop out; where none specifies it, the order has left the specification.
    """
    now = {(state, goal(None, None, state)) for state in table.initial}
    for move in order:
        if any(state is UNSPECIFIED for state, _ in now):
            return now
        after = {
            (target, met or goal(state, move.label, target))
            for state, met in now
            for target in table.after(state, move.label)
        }
        now = {(UNSPECIFIED, met) for _, met in now} if move.given and not after else after
    return now


def by_definition(table: Table, moves: list[Move], latency: float, goal) -> set[tuple[object, bool]]:
    return {result for order in orders(moves, latency) for result in results(table, order, goal)}


def test_the_orders_of_an_input_and_a_close_output_are_two():
    given, seen = Move(A, 0.0), Move(X, 0.1)
    assert sorted(map(tuple, orders([given, seen], 0.2)), key=str) == sorted([(given, seen), (seen, given)], key=str)
    assert list(orders([given, seen], 0.1)) == [[given, seen]]
    assert list(orders([given, seen], 0.0)) == [[given, seen]]
    assert list(orders([seen, given], 9.9)) == [[seen, given]]


@pytest.mark.parametrize("block", range(10))
def test_the_tracker_knows_exactly_what_some_order_explains(block):
    told_apart = 0
    for seed in range(block * INSTANCES // 10, (block + 1) * INSTANCES // 10):
        rng = Random(seed)
        table, moves, latency = drawn_table(rng), random_moves(rng), rng.choice([0.0, 0.25, 0.5, 1.0, 5.0])
        goal = followed_goal(table, [rng.choice(["odd", "0", "!x", "?b", "delta"])])[1]
        tracker = Tracker(table, latency=latency, goal=goal)
        for length, move in enumerate(moves, 1):
            before, was = tracker, tracker.possible
            tracker = tracker.gave(move.label, move.time) if move.given else tracker.saw(move.label, move.time)
            assert before.possible == was, "a tracker is a value"
            expected = by_definition(table, moves[:length], latency, goal)
            arrived = {member for p in tracker.possible if not p.on_the_way for member in p.members}
            assert arrived == expected, f"seed {seed}, after {moves[:length]} with latency {latency}"
            assert set(tracker.states) == {state for state, _ in expected if state is not UNSPECIFIED}
            if not tracker.in_flight:
                assert tracker.reached == (bool(expected) and all(met for _, met in expected))
                assert tracker.maybe_reached == any(met for _, met in expected)
            in_given_order = results(table, moves[:length], goal)
            told_apart += expected != in_given_order
            if not expected:
                break
    assert told_apart > 50, "orders must matter in enough instances for this test to mean something"


def test_being_late_is_the_same_as_a_longer_latency_for_what_is_on_its_way():
    compared = 0
    for seed in range(300):
        rng = Random(seed)
        table, moves = drawn_table(rng), random_moves(rng)
        inputs = [Move(move.label, 0.0) for move in moves if move.given]
        outputs = [move for move in moves if not move.given]
        late, slow = Tracker(table, latency=0.5, silence=99.0).started(0.0), Tracker(table, latency=1.5)
        for move in inputs:
            late, slow = late.gave(move.label, 0.0), slow.gave(move.label, 0.0)
        late = late.excused(1.0)
        for move in outputs:
            if move.label != SILENCE:
                late, slow = late.saw(move.label, move.time), slow.saw(move.label, move.time)
                assert bool(late.conforms) == bool(slow.conforms)
                assert set(late.states) == set(slow.states)
                compared += bool(late.states and inputs)
    assert compared > 50


def test_something_is_owed_as_long_as_the_system_may_have_to_speak():
    """After ?a it must speak in 1 and may be silent in 2."""
    tracker = Tracker(Table([(0, A, 1), (0, A, 2), (1, X, 0), (2, A, 2)]))
    assert not tracker.owes
    assert tracker.gave(A).owes
    assert not tracker.gave(A).saw(SILENCE).owes
