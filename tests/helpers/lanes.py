"""Random plays over several channels, and by definition where they may have led: every order of their events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.specification import Channel, Channels
from outplay.model.tracking import GoalTest, Tracker

INPUTS, OUTPUTS = ("a", "b", "c"), ("x", "y", "z")
SPAN = 1_000_000


@dataclass(frozen=True)
class Happened:
    """An input given or an observation seen, at a time in seconds, and when an input was taken."""

    label: Label
    time: float
    channel: str
    taken: float | None = None

    @property
    def given(self) -> bool:
        return self.label.is_input


def drawn_channels(rng: Random) -> Channels:
    """One to three channels, on which inputs and outputs are."""
    names = ["one", "two", "three"][: rng.randint(1, 3)]
    gates: dict[tuple[str, str], int | Channel] = {}
    for kind, labels in (("?", INPUTS), ("!", OUTPUTS)):
        gates |= {(kind, label): Channel(rng.choice(names)) for label in labels}
    return Channels(gates)


def drawn_play(rng: Random, channels: Channels, latency: float, most: int = 7) -> list[Happened]:
    """A play whose stamps never go back."""
    now, happened = 0.0, []
    for _ in range(rng.randint(1, most)):
        now += rng.choice([0.0, 0.25, 0.25, 0.5, 1.0])
        label = Label.parse(rng.choice(["?a", "?b", "?c", "!x", "!y", "!z", "?a", "?b", "!x", "!y", "delta"]))
        taken = now + rng.choice([0.0, 0.25, latency]) if label.is_input and rng.random() < 0.25 else None
        taken = None if taken is None or taken > now + latency else taken
        happened.append(Happened(label, now, "" if label == SILENCE else channels.of(label), taken))
    return happened


def came_first(one: Happened, other: Happened, latency: float) -> bool:
    """Did the one with the earlier stamp come first for sure? The definition, word by word."""
    if SILENCE in (one.label, other.label):
        return True
    if round(other.time * SPAN) - round(one.time * SPAN) >= round(latency * SPAN):
        return True
    if one.given == other.given and one.channel == other.channel:
        return True
    if not one.given and other.given:
        return True
    return one.given and other.given and one.taken is not None and one.taken <= other.time


def orders(happened: Sequence[Happened], latency: float) -> Iterator[list[Happened]]:
    """All orders that keep what came first for sure."""
    after = [
        {place for place in range(later) if came_first(happened[place], happened[later], latency)}
        for later in range(len(happened))
    ]

    def further(done: frozenset[int]) -> Iterator[list[Happened]]:
        if len(done) == len(happened):
            yield []
        for place in range(len(happened)):
            if place not in done and after[place] <= done:
                yield from ([happened[place], *rest] for rest in further(done | {place}))

    return further(frozenset())


def results(table, order: Sequence[Happened], goal: GoalTest) -> set[tuple[object, bool]]:
    """Where one order may lead, with whether the goal was met; states that do not specify an input drop out."""
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


def by_definition(
    table, happened: Sequence[Happened], latency: float, goal: GoalTest
) -> set[frozenset[tuple[object, bool]]]:
    """The sets of states after each order that is allowed."""
    found = (frozenset(results(table, order, goal)) for order in orders(happened, latency))
    return {result for result in found if result}


def tracked(tracker: Tracker, move: Happened) -> Tracker:
    """The tracker after one event."""
    if move.given:
        return tracker.settled(move.time).gave(move.label, move.time, taken=move.taken)
    return tracker.saw(move.label, move.time)


def followed(tracker: Tracker) -> set[frozenset[tuple[object, bool]]]:
    """The sets of states that a tracker knows of when nothing is on its way any more."""
    return {frozenset(p.members) for p in tracker.settled(float("inf")).possible}


def following(table, latency: float, goal: GoalTest, channels: Channels) -> Callable[[Sequence[Happened]], Tracker]:
    """Follow a play from its beginning."""
    table.channels = channels

    def follow(happened: Sequence[Happened]) -> Tracker:
        tracker = Tracker(table, latency=latency, goal=goal)
        for move in happened:
            tracker = tracked(tracker, move)
        return tracker

    return follow
