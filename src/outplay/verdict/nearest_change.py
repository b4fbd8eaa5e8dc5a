"""The reason why a play failed: the smallest single change of what was seen that would make it allowed.

A change is one of six: an output was lost (it is put in), came twice (it is left out), came late (it is moved forward),
or was another one of its gate (one argument is changed, as where it came from another connection); an input was lost
(it is left out), or taken later (it is moved back). A change explains a failing play where the changed play, with the
event that failed, is allowed. The nearest to that event is the smallest. A crash has no such explanation.

Races: a Fail that several connections would explain, where the model names none. A model without channels says that
everything goes over one connection, which keeps the order of all labels. Where the play is allowed as soon as an
argument of the actions names the connection, what failed was the order on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from outplay.model.label import INPUT, OUTPUT, Label
from outplay.model.offer import Offer
from outplay.model.programs.program import Program
from outplay.model.specification import Channel, Channels, Specification
from outplay.model.tracking import Tracker
from outplay.model.wrapping import Wrapped, own_specification
from outplay.play.following import Following, follow
from outplay.play.trace import ENDS, Event
from outplay.verdict.verdicts import Fail, SingleChange


def explaining_race(
    spec: Specification, events: Sequence[Event], *, latency: float = 0.0, silence: float = 0.0, one_wire: bool = False
) -> SingleChange | None:
    """Find the argument that would explain a failing play as a race if it named the connection; None where none does.

    Nothing crosses where there is no latency, one wire keeps its order whatever the model says, and no order explains
    the end of a system or what is no message.
    """
    program = program_of(spec)
    if program is None or one_wire or not latency or spec.channels.named or not events or events[-1].kind in ENDS:
        return None
    for name in _parameters(program):
        around = Wrapped(spec)
        around.channels = _channels(program, name)
        steps = follow(around, events, latency=latency, silence=silence)
        if all(step.after.conforms and step.after.specified for step in steps):
            why = f'a race between connections would explain this; declare channels: channel = "{name}" in the model'
            label = events[-1].label
            return SingleChange("race", "" if label is None else label.text, sum(e.is_move for e in events), why)
    return None


def program_of(spec: Any) -> Program | None:
    """Return the model program that a specification was made of, if it was."""
    found: Program | None = getattr(own_specification(spec), "program", None)
    return found


def _parameters(program: Program) -> list[str]:
    """The parameters of actions, those first that most actions have."""
    counts = Counter(name for action in program.actions for name in action.domains)
    return [name for name, _ in counts.most_common()]


def _channels(program: Program, name: str) -> Channels:
    gates: dict[tuple[str, str], int | Channel] = {}
    for action in program.actions:
        if name in action.domains:
            kind = INPUT if action.mark.controllable else OUTPUT
            gates[kind, action.name] = tuple(action.domains).index(name)
    return Channels(gates)


REACH = 20  # events before the one that failed
MOST_STEPS = 8_000  # events followed in all
MOST_LABELS = 50  # outputs that may have been lost at one place
KINDS = ("lost", "doubled", "late", "other", "input lost", "input later")


class ChangedPlay(NamedTuple):
    """A change: the events from a place on, as they are after it; and how far it is from the event that failed."""

    cost: int
    kind: str
    place: int
    """The event that is changed, or before which one is put in."""
    label: Label
    """The output put in or in place of the one seen, else the label of the event."""
    to: int
    """The place to which the event is moved, or of the first of two."""
    start: int
    rest: tuple[Event, ...]
    seen: Label | None = None
    """The label that another one takes the place of."""


def possible_changes(
    events: Sequence[Event], outputs: Sequence[Iterable[Offer]], first: int = 0
) -> Iterator[ChangedPlay]:
    """Return all single changes of a play that failed at its last event, from the first place on."""
    last = len(events) - 1
    for place in range(first, last + 1):
        event, away = events[place], last - place
        rest = tuple(events[place:])
        for lost in _plain(outputs[place]):
            put_in = Event("output", lost, seen=event.time)
            yield ChangedPlay(away, "lost", place, lost, place, place, (put_in, *rest))
        if event.kind in ("output", "late") and event.label is not None:
            yield from _changed_output(events, outputs, first, place, event.label)
        if event.kind == "input" and event.label is not None:
            yield ChangedPlay(away, "input lost", place, event.label, place, place, rest[1:])
            for to in range(place + 1, last + 1):
                moved = replace(event, given=events[to].time, taken=None)
                later = (*events[place + 1 : to + 1], moved, *events[to + 1 :])
                yield ChangedPlay(away + to - place, "input later", place, event.label, to, place, later)


def _changed_output(
    events: Sequence[Event], outputs: Sequence[Iterable[Offer]], first: int, place: int, label: Label
) -> Iterator[ChangedPlay]:
    event, away = events[place], len(events) - 1 - place
    rest = tuple(events[place + 1 :])
    twin = next((one for one in range(place - 1, -1, -1) if events[one].label == label), None)
    if twin is not None:
        yield ChangedPlay(away + place - twin, "doubled", place, label, twin, place, rest)
    for to in range(first, place):
        moved = replace(event, kind="output", seen=events[to].time)
        yield ChangedPlay(away + place - to, "late", place, label, to, to, (moved, *events[to:place], *rest))
    for other in _plain(outputs[place]):
        if other.gate == label.gate and _differ_in_one(other.arguments, label.arguments):
            yield ChangedPlay(
                away + 1, "other", place, other, place, place, (replace(event, label=other), *rest), label
            )


def _plain(offers: Iterable[Offer]) -> list[Label]:
    found = (offer.only for offer in offers)
    return [label for label in found if label is not None and label.kind == OUTPUT][:MOST_LABELS]


def _differ_in_one(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


@dataclass
class _Trial:
    """Follows changed plays from the trackers of the play that was seen, as long as the budget lasts."""

    trackers: list[Tracker]
    left: int = MOST_STEPS

    def allows(self, candidate: ChangedPlay) -> bool:
        following = Following(self.trackers[candidate.start])
        for event in candidate.rest:
            self.left -= 1
            after = following.take(event).after
            if not (after.conforms and after.specified):
                return False
        return True


def nearest_change(
    spec: Specification, events: Sequence[Event], *, latency: float = 0.0, silence: float = 0.0, one_wire: bool = False
) -> SingleChange | None:
    """Find the smallest single change that makes a play allowed which failed at its last event; None where none does.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> press, light = Event("input", Label.parse("?press")), Event("output", Label.parse("!light"))
    >>> print(nearest_change(lamp, [press, light, light]).text)
    without the second !light (step 3) it would be allowed: an output may have come twice
    >>> print(nearest_change(lamp, [press, Event("silence")]).text)
    if !light had come before step 2 it would be allowed: an output may be lost
    """
    numbers, moves, made = list[int](), list[Event](), 0
    for event in events:
        made += event.is_move
        if event.is_move or event.kind == "tester-late":
            moves.append(event)
            numbers.append(made)
    if not moves or events[-1].kind in ENDS:
        return None
    trackers = [Tracker(spec, latency=latency, silence=silence, one_wire=one_wire)]
    for event in moves[:-1]:
        trackers.append(Following(trackers[-1]).take(event).after)
    first = max(len(moves) - 1 - REACH, 0)
    outputs = [tracker.outputs() for tracker in trackers]
    search = _Trial(trackers)
    ordered = sorted(possible_changes(moves, outputs, first), key=lambda one: (one.cost, KINDS.index(one.kind)))
    for candidate in ordered:
        if search.allows(candidate):
            return _told(candidate, numbers, trackers[candidate.place].channel)
        if search.left <= 0:
            return None
    return None


def with_change(fail: Fail, spec: Specification, events: Iterable[Event], **followed_by: Any) -> Fail:
    """Return a Fail with the nearest change of its play; a model that raises on the way has none."""
    until = [event for event in events if event.n <= fail.event.n]
    try:
        return replace(
            fail, change=explaining_race(spec, until, **followed_by) or nearest_change(spec, until, **followed_by)
        )
    except Exception:
        return fail


def _told(found: ChangedPlay, numbers: Sequence[int], channel_of: Callable[[Label], str]) -> SingleChange:
    seen = found.seen
    moved = seen is not None and channel_of(seen) != channel_of(found.label)
    elsewhere = "it may come from another connection" if moved else "its value may be wrong"
    place, to, label = numbers[found.place], numbers[found.to], found.label
    text = {
        "lost": f"if {label} had come before step {place} it would be allowed: an output may be lost",
        "doubled": f"without the second {label} (step {place}) it would be allowed: an output may have come twice",
        "late": f"if {label} (step {place}) had come before step {to} it would be allowed: an output may be late",
        "other": f"with {label} as step {place} it would be allowed: {elsewhere}",
        "input lost": f"without {label} (step {place}) it would be allowed: an input may be lost",
        "input later": f"if {label} (step {place}) were taken after step {to} it would be allowed: taken late",
    }
    return SingleChange(found.kind, label.text, place, text[found.kind])
