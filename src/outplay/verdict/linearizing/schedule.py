"""The calls of a history laid out in time: at each answer, which calls are open, and which of them are owed.

Each call has a bit that is its own while it is open, so that a set of open calls is one small number however long the
history is. A call whose outcome is unknown stays open to the end.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from outplay.model.programs.call_stepper import Effect
from outplay.play.history import RecordedCall


@dataclass(frozen=True, eq=False)
class ScheduledCall:
    """A call with what it does, with the answer that was recorded and with any."""

    call: RecordedCall
    effect: Effect
    any_effect: Effect
    bit: int


@dataclass(frozen=True)
class Candidate:
    """An open call that may take effect before the one that is answered."""

    bit: int
    effect: Effect
    is_optional: bool
    """It need not take effect at all."""
    stands_for: int
    """Open calls asked earlier that do the same and never end: they take effect first."""


@dataclass(frozen=True)
class Turn:
    """An answer: its call has taken effect by now, unless it is optional."""

    entry: ScheduledCall
    effect: Effect
    is_optional: bool
    pure: tuple[tuple[int, Effect], ...]
    """Other open calls that change nothing and are owed: they take effect as soon as they are allowed."""
    others: tuple[Candidate, ...]
    """The other open calls that may change something, those that are least worth trying first."""
    optional: int
    """The bits of open calls that need not take effect."""


def scheduled_calls(calls: Sequence[tuple[RecordedCall, Effect, Effect]]) -> list[ScheduledCall]:
    """Give each call a bit that no other call has while it is open."""
    free: list[int] = []
    ending: list[tuple[int, int]] = []
    found: list[ScheduledCall] = []
    used = 0
    for call, effect, any_effect in sorted(calls, key=lambda one: one[0].asked):
        while ending and ending[0][0] < call.asked:
            heapq.heappush(free, heapq.heappop(ending)[1])
        if free:
            slot = heapq.heappop(free)
        else:
            slot, used = used, used + 1
        if call.answered is not None:
            heapq.heappush(ending, (call.answered, slot))
        found.append(ScheduledCall(call, effect, any_effect, 1 << slot))
    return found


def turns_of(entries: Sequence[ScheduledCall], *, loose: Collection[ScheduledCall] = ()) -> list[Turn]:
    """The answers in their order. Of `loose` calls it is left open whether they take effect, and with which answer."""
    events = [(one.call.asked, 0, number) for number, one in enumerate(entries)]
    events += [(one.call.answered, 1, n) for n, one in enumerate(entries) if one.call.answered is not None]
    is_open: dict[int, ScheduledCall] = {}
    turns: list[Turn] = []
    for _, ends, number in sorted(events):
        if not ends:
            is_open[number] = entries[number]
            continue
        entry = is_open.pop(number)
        turns.append(_turn(entry, is_open.values(), loose))
    return turns


def _turn(entry: ScheduledCall, others: Collection[ScheduledCall], loose: Collection[ScheduledCall]) -> Turn:
    """Calls that change nothing and need not take effect are left out."""
    # Those asked last are tried first: ten times faster on logs of key-value stores than those asked or owed first.
    owed = sorted((one for one in others if _is_owed(one, loose)), key=lambda one: -one.call.asked)
    pure = tuple((one.bit, one.effect) for one in owed if one.effect.is_pure)
    candidates = [Candidate(one.bit, one.effect, False, 0) for one in owed if not one.effect.is_pure]
    same: dict[Effect, int] = {}
    for one in others:
        if not one.any_effect.is_pure and not _is_owed(one, loose):
            earlier = 0 if one.call.answered is not None else same.get(one.any_effect, 0)
            candidates.append(Candidate(one.bit, one.any_effect, True, earlier))
            if one.call.answered is None:
                same[one.any_effect] = earlier | one.bit
    is_loose = entry in loose
    optional = sum(one.bit for one in candidates if one.is_optional) | (entry.bit if is_loose else 0)
    return Turn(
        entry, entry.any_effect if is_loose else entry.effect, is_loose, pure, tuple(reversed(candidates)), optional
    )


def _is_owed(entry: ScheduledCall, loose: Collection[ScheduledCall]) -> bool:
    """Say whether a call must take effect, with the answer that was recorded."""
    return entry.call.answered is not None and entry not in loose
