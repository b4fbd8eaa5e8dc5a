from __future__ import annotations

from random import Random

import pytest

from helpers.automata import random_steps
from helpers.lanes import INPUTS, OUTPUTS, by_definition, drawn_channels, drawn_play, followed, tracked
from helpers.tables import Table
from outplay.errors import ModelError, UsageError
from outplay.game.goals.live_goal import followed_goal
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.possibility import MOST_UNSEEN, UNSPECIFIED
from outplay.model.programs.actions import controllable, given, observable
from outplay.model.programs.program import Model
from outplay.model.specification import Channel, Channels
from outplay.model.tracking import Tracker, no_goal
from outplay.play.following import Following
from outplay.play.trace import Event

A, B, X, Y = map(Label.parse, ("?a", "?b", "!x", "!y"))
APART = Channels(
    {("?", "a"): Channel("1"), ("!", "x"): Channel("1"), ("?", "b"): Channel("2"), ("!", "y"): Channel("2")}
)


def tracker_of(*edges, latency=0.1, channels=APART, **more):
    table = Table(list(edges))
    table.channels = channels
    return Tracker(table, latency=latency, **more)


def drawn_table(rng: Random) -> Table:
    labels = [*(f"?{label}" for label in INPUTS), *(f"!{label}" for label in OUTPUTS)]
    names, steps = random_steps(
        rng, most=4, labels=labels, share=(0.3, 0.5, 0.7), copies=2, silence=rng.choice((0.0, 0.0, 0.5))
    )
    numbers = {name: number for number, name in enumerate(names)}
    edges = [(numbers[source], Label.parse(label), numbers[target]) for source, label, target in steps]
    return Table(edges, tuple(rng.sample(range(len(names)), rng.randint(1, min(2, len(names))))))


def check_plays(seeds: range) -> tuple[int, int]:
    told_apart = unseen = unsure = 0
    for seed in seeds:
        rng = Random(f"channels {seed}")
        table, channels, latency = drawn_table(rng), drawn_channels(rng), rng.choice([0.0, 0.25, 0.5, 1.0, 2.0])
        happened = drawn_play(rng, channels, latency, most=6)
        goal = followed_goal(table, [rng.choice(["odd", "0", "!x", "?b", "delta"])])[1]
        table.channels = channels
        tracker = Tracker(table, latency=latency, goal=goal)
        for length, move in enumerate(happened, 1):
            tracker = tracked(tracker, move)
            expected = by_definition(table, happened[:length], latency, goal)
            assert followed(tracker) == expected, f"seed {seed}, after {happened[:length]} with latency {latency}"
            unsure += tracker.unsure
            unseen += any(p.unseen for p in tracker.possible)
            one_wire = {move_.channel for move_ in happened[:length]} <= {"", "one"}
            told_apart += not one_wire and expected != by_definition(
                table, [type(m)(m.label, m.time, "", m.taken) for m in happened[:length]], latency, goal
            )
            if not tracker.conforms:
                break
    assert unsure <= len(seeds) // 100, "hardly any of such small plays has more orders than are followed"
    return told_apart, unseen


C, W, Z = map(Label.parse, ("?c", "!w", "!z"))


def together(*more) -> Table:
    """Two steps of other channels matter to !x together, and none does alone; afterwards !w tells nothing."""
    edges = [*((s, X, s) for s in range(3)), (0, A, 1), (1, C, 3), (0, C, 2), (2, A, 3), (3, X, 4), (4, Z, 5)]
    table = Table([*edges, *((s, W, s) for s in (0, 1, 2, 4)), *more])
    places = {("?", "a"): "2", ("?", "c"): "3", ("!", "x"): "1", ("!", "w"): "1", ("!", "z"): "4"}
    table.channels = Channels({gate: Channel(name) for gate, name in places.items()})
    return table


def taken(table, *labels, goal=no_goal):
    """The knowledge after events a hundredth of a second apart, silence later, as a run follows it."""
    following = Following(Tracker(table, latency=1.0, goal=goal))
    for number, label in enumerate(labels):
        now = number * 0.01 + 3.0 * (label == SILENCE)
        kind = "input" if label.is_input else "silence" if label == SILENCE else "output"
        following.take(Event(kind, label, **{"given" if label.is_input else "seen": now}))
    return following.tracker


@pytest.mark.parametrize("between", [0, 20, 80, 1_500])
def test_a_fail_is_confirmed_in_all_orders_however_long_ago_some_were_left_out(between):
    table, labels = together((3, W, 3)), [A, C, X, *[W] * between, Z, SILENCE]
    tracker = Tracker(table, latency=1.0)
    for number, label in enumerate(labels):
        now = number * 0.01 + 3.0 * (label == SILENCE)
        tracker = tracker.gave(label, now) if label.is_input else tracker.saw(label, now)
    assert not tracker.conforms, "this test needs a play in which orders were left out that matter"
    assert tracker.reduced
    assert taken(table, *labels).conforms


def test_a_goal_that_is_reached_in_the_orders_followed_is_confirmed_in_all_of_them():
    def goal(before, label, after):
        return after == 6

    table, labels = together((3, W, 6), (6, W, 6)), [A, C, X, *[W] * 150]
    assert not taken(table, *labels, goal=goal).settled(9.0).reached
    assert taken(table, *labels, Z, goal=goal).conforms
    assert taken(table, *labels, goal=lambda before, label, after: after in (4, 6)).settled(9.0).reached


def test_a_fail_is_inconclusive_where_there_are_too_many_orders_to_confirm_it(monkeypatch):
    table, labels = together((3, W, 3)), [A, C, X, *[W] * 80, Z, SILENCE, Z]
    assert not taken(table, *labels).unsure
    monkeypatch.setattr("outplay.play.following.MOST_LOOKED_AT", 0)
    assert not taken(table, *labels).conforms
    assert taken(table, *labels).unsure


@pytest.mark.parametrize("block", range(4))
def test_the_tracker_follows_exactly_the_orders_that_keep_what_came_first(block):
    told_apart, unseen = check_plays(range(block * 150, (block + 1) * 150))
    assert told_apart > 10, "channels must matter in enough plays for this test to mean something"
    assert unseen > 3, "and so must outputs that were sent before others and are seen later"


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_the_tracker_follows_exactly_the_orders_of_five_thousand_plays(block):
    check_plays(range(block * 500, (block + 1) * 500))


class Work(Model):
    """Jobs go to workers in the order in which both come; what one client is told comes in order."""

    channel = "who"
    clients = ("pam", "pat", "ann", "bob")
    waiting: int = 0
    ready: tuple[str, ...] = ()
    told: tuple[tuple[str, str], ...] = ()

    def match(self):
        if self.waiting and self.ready:
            self.told += ((self.ready[0], "job"),)
            self.waiting, self.ready = self.waiting - 1, self.ready[1:]

    @controllable
    @given(who=("pam", "pat"))
    def push(self, who):
        self.waiting += 1
        self.told += ((who, "queued"),)
        self.match()

    @controllable
    @given(who=("ann", "bob"))
    def wants(self, who):
        self.ready += (who,)
        self.told += ((who, "wait"),)
        self.match()

    @observable
    @given(who="clients", word=("queued", "wait", "job"))
    def said(self, who, word):
        mine = [number for number, one in enumerate(self.told) if one[0] == who]
        if not mine or self.told[mine[0]][1] != word:
            return False
        self.told = self.told[: mine[0]] + self.told[mine[0] + 1 :]


def test_six_inputs_in_flight_are_followed_though_their_order_matters():
    given_ = ["?wants ann", "?push pam", "?wants bob", "?push pat", "?wants ann", "?push pam"]
    seen = ["bob wait", "pat queued", "bob job", "ann wait", "pam queued", "ann wait", "ann job", "pam queued"]
    tracker = Tracker(specification(Work), latency=1.0)
    for number, text in enumerate([*given_, *(f"!said {what}" for what in seen)]):
        label, now = Label.parse(text), number * 0.01
        tracker = tracker.gave(label, now) if label.is_input else tracker.saw(label, now)
    assert tracker.conforms
    assert not tracker.unsure
    assert tracker.looked_at < 3_000, "with outputs of others tried before each that is seen it is over 100,000"


def test_inputs_of_two_channels_may_be_taken_in_either_order():
    tracker = tracker_of((0, A, 1), (1, B, 2), (0, B, 3), (3, A, 4))
    tracker = tracker.gave(A, 0.0).gave(B, 0.05)
    assert set(tracker.states) == {2, 4}
    assert tracker_of((0, A, 1), (1, B, 2), (0, B, 3), (3, A, 4), one_wire=True).gave(A).gave(B, 0.05).states == (2,)


def test_an_input_that_was_taken_comes_before_those_given_later():
    edges = [(0, A, 1), (1, B, 2), (0, B, 3), (3, A, 4)]
    assert tracker_of(*edges).gave(A, 0.0, taken=0.05).gave(B, 0.05).states == (2,)
    assert set(tracker_of(*edges).gave(A, 0.0, taken=0.06).gave(B, 0.05).states) == {2, 4}


def test_an_output_may_overtake_one_of_another_channel_which_then_has_to_come_in_time():
    tracker = tracker_of((0, X, 1), (1, Y, 2)).saw(Y, 0.0)
    assert tracker.conforms
    assert tracker.in_flight
    assert tracker.outputs() == [X]
    assert tracker.saw(X, 0.09).conforms
    assert not tracker.saw(X, 0.1).conforms
    assert not tracker.saw(Y, 0.05).conforms
    assert not tracker.saw(SILENCE, 0.05).conforms
    assert not tracker_of((0, X, 1), (1, Y, 2), one_wire=True).saw(Y, 0.0).conforms


def test_two_outputs_of_one_channel_keep_their_order_when_a_third_overtakes_both():
    z = Label.parse("!z")
    channels = Channels({("!", "x"): Channel("1"), ("!", "z"): Channel("1"), ("!", "y"): Channel("2")})
    tracker = tracker_of((0, X, 1), (1, z, 2), (2, Y, 3), channels=channels).saw(Y, 0.0)
    assert tracker.saw(X, 0.01).saw(z, 0.02).states == (3,)
    assert not tracker.saw(z, 0.01).conforms


def test_an_output_seen_before_an_input_was_given_was_sent_before_it():
    assert not tracker_of((0, A, 1), (1, X, 2)).saw(X, 0.0).gave(A, 0.01).conforms


def test_what_had_to_be_seen_is_excused_for_as_long_as_the_tester_was_late():
    tracker = tracker_of((0, X, 1), (1, Y, 2)).saw(Y, 0.0).excused(0.2)
    assert tracker.saw(X, 0.29).conforms
    assert not tracker.saw(X, 0.29).unexcused.conforms
    assert not tracker.saw(X, 0.31).conforms


def test_an_order_that_left_the_specification_makes_nothing_wrong():
    tracker = tracker_of((0, A, 1), (1, B, 2), (2, X, 0)).gave(A, 0.0).gave(B, 0.05)
    assert tracker.maybe_left
    assert {state for p in tracker.possible if p.left for state in p.states} == {UNSPECIFIED}
    assert tracker.saw(Y, 0.06).conforms


def test_an_input_is_given_only_where_it_is_enabled_whatever_other_channels_bring_first():
    tracker = tracker_of((0, A, 1), (1, B, 2)).gave(A, 0.0)
    assert tracker.inputs() == [], "?b may overtake ?a, and nothing says what it does then"
    assert tracker.settled(0.1).inputs() == [B]


def test_more_outputs_on_their_way_than_are_followed_make_no_fail():
    edges = [*((n, X, n + 1) for n in range(MOST_UNSEEN + 1)), (MOST_UNSEEN + 1, Y, 99)]
    free = [(0, X, 0), (0, Y, 0)]
    tracker = tracker_of(*edges).saw(Y, 0.0)
    assert not tracker.conforms
    often = tracker_of(*free).exhaustively().saw(Y, 0.0)
    for _ in range(MOST_UNSEEN + 1):
        often = often.saw(X, 0.05)
    assert often.unsure
    assert not tracker_of(*free).exhaustively().saw(Y, 0.0).saw(X, 0.05).unsure
    assert not tracker_of(*free).saw(Y, 0.0).unsure, (
        "where the channels do not matter to each other nothing is left out"
    )


def test_a_model_names_the_channel_of_each_action_by_a_parameter_or_for_good():
    class Chat(Model):
        channel = "who"

        @controllable
        @given(text=("hi",), who=("ann", "bob"))
        def post(self, text, who): ...

        @observable(channel="reader")
        @given(reader=("ann", 3))
        def deliver(self, reader): ...

        @observable(channel=Channel("log"))
        def logged(self): ...

        @controllable
        def stop(self): ...

    channels = specification(Chat).channels
    labels = ("?post hi bob", "!deliver ann", "!deliver 3", "!logged", "?stop")
    assert [channels.of(Label.parse(text)) for text in labels] == ["bob", "ann", "3", "log", ""]


def test_a_channel_that_no_parameter_names_is_refused():
    class Wrong(Model):
        @controllable(channel="sender")
        @given(who=("ann",))
        def post(self, who): ...

    with pytest.raises(ModelError, match="channel names 'sender', which is no parameter"):
        specification(Wrong)


def test_patterns_name_the_channels_of_labels():
    channels = Channels.of_patterns(["?a*=1", "!*=2"])
    assert [channels.of(label) for label in (A, B, X)] == ["1", "", "2"]
    with pytest.raises(UsageError, match="write GLOB=NAME"):
        Channels.of_patterns(["=x"])
