"""Linearizability: is there an order of calls, each at one moment between its question and its answer, that a model
allows?

The search goes from answer to answer (just-in-time linearization: Lowe, *Testing for linearizability*, 2017) and lets a
call take effect only when an answer needs it: the call that is answered, before it any other open ones. A configuration
is the set of open calls that have taken effect, with the state; none is followed twice (Wing and Gong 1993, with Lowe's
memory). Nor is one in which calls that need not take effect have done so in vain: whatever follows from it follows
from the one without them, in the same state. A call that cannot change the state takes effect as soon as it is allowed,
since nothing is gained by waiting. A history of n answers with at most k open calls and m states has at most
n · 2^k · m configurations; deciding is NP-complete in k.

The calls of a history laid out in time: at each answer, which calls are open, and which of them are owed. Each call has
a bit that is its own while it is open, so that a set of open calls is one small number however long the history is. A
call whose outcome is unknown stays open to the end.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from outplay.model.programs.call_stepper import Effect, Targets
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
    """Schedule the calls of a history: give each a bit that no other call has while it is open."""
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


def answer_turns(entries: Sequence[ScheduledCall], *, loose: Collection[ScheduledCall] = ()) -> list[Turn]:
    """Return the answers of a history in order; it is open whether `loose` calls take effect, and their answers."""
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


Configuration = tuple[int, int]
"""The open calls that have taken effect, as bits, and the state."""
_LOOK_EVERY = 1 << 12  # configurations


class BoundPassed(Exception):
    """A bound was passed before the search had ended: what it was, and the option that raises it."""

    def __init__(self, bound: str, option: str) -> None:
        super().__init__(bound)
        self.bound, self.option = bound, option


@dataclass(frozen=True)
class SearchBounds:
    """The number of configurations that may be kept, and the time that a search may take."""

    configurations: int = 1_000_000
    seconds: float = float("inf")


@dataclass(frozen=True)
class OrderSearch:
    """The findings of a search: whether there is an order and, by the answers, all configurations it met."""

    found: bool
    met: list[dict[Configuration, list[int]]]

    @property
    def stuck(self) -> int:
        """The first answer that no order explains, where there is none."""
        return max((place for place, known in enumerate(self.met) if known), default=0)

    @property
    def configurations(self) -> int:
        """The number of configurations that were met."""
        return sum(len(bits) for known in self.met for bits in known.values())

    def before(self, place: int) -> list[Configuration]:
        """The configurations in which an answer was awaited."""
        return [(bits | more, state) for (bits, state), kept in self.met[place].items() for more in kept]


def linearize(
    turns: Sequence[Turn],
    starts: Collection[Configuration],
    after: Callable[[Effect, int], Targets],
    bounds: SearchBounds,
) -> OrderSearch:
    """Linearize a history: search for an order that explains all answers, depth first, past every configuration."""
    met: list[dict[Configuration, list[int]]] = [{} for _ in turns]
    until = time.monotonic() + bounds.seconds
    count = 0
    stack = [(0, bits, state, False) for bits, state in starts]
    while stack:
        place, bits, state, waiting = stack.pop()
        if place == len(turns):
            return OrderSearch(True, met)
        turn = turns[place]
        if waiting:  # what is answered now was tried first, and in vain: let another call take effect before
            for other in turn.others:
                if not bits & other.bit and bits & other.stands_for == other.stands_for:
                    for target in other.effect.known.get(state) or after(other.effect, state):
                        if not (other.is_optional and target == state):
                            stack.append((place, bits | other.bit, target, False))
            continue
        for bit, effect in turn.pure:
            if not bits & bit and (effect.known.get(state) or after(effect, state)):
                bits |= bit
        if not _is_new(met[place], bits, turn.optional, state):
            continue
        count += 1
        if count > bounds.configurations:
            raise BoundPassed(f"{bounds.configurations:,} configurations", "--max-states")
        if count % _LOOK_EVERY == 0 and time.monotonic() > until:
            raise BoundPassed(f"{bounds.seconds:g} s", "--max-seconds")
        if bits & turn.entry.bit:
            stack.append((place + 1, bits ^ turn.entry.bit, state, False))
            continue
        stack.append((place, bits, state, True))
        if turn.is_optional:
            stack.append((place + 1, bits, state, False))
        for target in turn.effect.known.get(state) or after(turn.effect, state):
            stack.append((place + 1, bits, target, False))
    return OrderSearch(False, met)


def _is_new(known: dict[Configuration, list[int]], bits: int, optional: int, state: int) -> bool:
    """Note a configuration, unless it was met before with no more of what need not have happened."""
    key, more = (bits & ~optional, state), bits & optional
    kept = known.get(key)
    if kept is None:
        known[key] = [more]
        return True
    if any(one & more == one for one in kept):
        return False
    kept.append(more)
    return True
