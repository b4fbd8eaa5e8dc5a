"""Shrinking: from a failing play to a short one that fails too, on a system that may choose otherwise each time.

Delta debugging (Zeller and Hildebrandt 2002) leaves out inputs and tries again. Here the model helps: parts of the play
are replaced by the shortest ways between the places they connect, which leaves out loops and detours, and behind every
single step of the play, which may be the one where the system went wrong, whatever is shorter is tried in turn. Each
candidate is played several times, shortest first, until nothing shorter fails or the budget is used up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, islice, pairwise
from typing import Any, TypeAlias

from outplay.cancellation import CancelToken
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.following import follow
from outplay.play.system import System, VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import ENDS, Trace, TraceHeader
from outplay.runs.events import Observer
from outplay.runs.failing.attempts import (
    SECONDS,
    Attempt,
    Attempts,
    Rate,
    budget_of_attempts,
    count_steps,
    paced_labels,
)
from outplay.runs.failing.shrunk import Shrunk
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import RunResult
from outplay.tester.retracer import Leg, Retracer, Shortcuts, retraced_length
from outplay.tester.script import PACES, PacedScript
from outplay.tester.tester import Labels
from outplay.verdict.judge import judge_play
from outplay.verdict.nearest_change import with_change
from outplay.verdict.verdicts import Fail

ROUNDS = 4  # how often a candidate is tried before it counts as one that does not fail
RATE_TRIES = 10
LEAST_TRIES = 3  # also where the budget is used up, unless they are slow
MOST_CANDIDATES = 400
SMALL = 4  # parts up to this size are cut out at every place
SMALL_PLAY = 24  # in longer plays only larger parts are cut out, since trying that takes long
SEARCHES = 150  # plays at most behind one step of the play
ROOM = 6  # labels at most behind it
Legs: TypeAlias = tuple[Leg, ...]


def shrink(
    spec: Specification,
    failure: Trace,
    system: System,
    *,
    timing: Timing,
    seconds: float | None = None,
    token: CancelToken | None = None,
) -> Shrunk | None:
    """Shrink the failing play of a trace to a short one; None where that is no Fail by this specification.

    Without seconds it takes longer for slow plays. They are those of the clock on the wall; for a simulated system they
    are counted in steps, so that the same play is always shrunk alike. The system is closed afterwards.
    """
    verdict = judge_play(spec, failure.events, **failure.header.followed_by)
    if not isinstance(verdict, Fail):
        return None
    slow = not isinstance(system.clock, VirtualClock)
    budget = seconds if seconds is not None else budget_of_attempts(failure.events) if slow else SECONDS
    attempts = Attempts(spec, system, timing, budget, verdict, token)
    found = Attempt(failure.events, verdict)
    try:
        best = _Shrinking(spec, found, attempts, failure.header).shortest()
        searched = attempts.plays
        rate = _rate(best, attempts, failure.header.seed)
    finally:
        attempts.close()
    short, header = Trace(failure.header, best.events), failure.header
    explained = with_change(best.verdict, spec, best.events, **header.followed_by)
    return Shrunk(short, explained, count_steps(found.events), rate, attempts.trouble, searched)


def _rate(best: Attempt, attempts: Attempts, seed: int) -> Rate:
    """Give the inputs of the play again, at the same paces as `replay` does, and count how often it fails."""
    script = PacedScript(paced_labels(best.events), seed=seed)
    before, fails = attempts.plays, 0
    for number in range(RATE_TRIES):
        # One try whatever the time, and a few where that does not take much more of it.
        owed = number == 0 or (number < LEAST_TRIES and attempts.overdue < SECONDS)
        if (owed and attempts.allow(best.events)) or attempts.more(reserve=False):
            fails += attempts.play(script, best.length + 1) is not None
    return Rate(fails, attempts.plays - before)


class _Shrinking:
    def __init__(self, spec: Specification, found: Attempt, attempts: Attempts, header: TraceHeader) -> None:
        self._spec, self._attempts, self._header = spec, attempts, header
        self._tried: Counter[object] = Counter()
        self._spent: Counter[Labels] = Counter()
        self._left_out: Counter[Labels] = Counter()
        labels = [event.label for event in found.events if event.label is not None]
        self._shortcuts = Shortcuts(Tracker(spec), labels)
        self.best = found

    def shortest(self) -> Attempt:
        """The shortest play that was found to fail."""
        while self._attempts.more() and (shorter := self._shorter()):
            self.best = shorter
        return self.best

    def _shorter(self) -> Attempt | None:
        """A shorter play that fails, by what costs least first."""
        self._walk()
        straight = self._sorted(self._single())
        steep = [straight[2**power - 1] for power in range(len(straight).bit_length())]  # a few of them, soon
        plain = [*steep, *self._shorter_ones(self._without_idling()), *straight]
        cuts = list(self._shorter_ones(self._cuts()))
        for candidates, rounds in ((plain, 1), (cuts, 1), ([], 1), (plain, ROUNDS), (cuts, ROUNDS - 1), ([], ROUNDS)):
            if found := self._first(candidates, rounds) if candidates else self._without_an_input(rounds):
                return found
        return self._first(self._sorted(self._double()), ROUNDS - 1) or self._search()

    def _walk(self) -> None:
        """Return the way of the best play: its labels up to the failing observation, and the places between them."""
        header = self._header
        steps = [
            step
            for step in follow(self._spec, self.best.events, **header.followed_by)
            if step.label is not None or step.event.kind in ENDS
        ]
        self._shortcuts.add(step.before for step in steps)
        self._labels = tuple(step.label for step in steps[:-1] if step.label is not None)
        self._places = [self._shortcuts.place(step.before) for step in steps]
        self._home = self._shortcuts.place(Tracker(self._spec))

    def _without_an_input(self, rounds: int) -> Attempt | None:
        """The play at its own paces, with a single input left out, or with one and all that came before the next."""
        events = [event for event in self.best.events if event.is_move]
        recorded = paced_labels(self.best.events)
        inputs = [place for place, event in enumerate(events) if event.kind == "input"]
        ends = dict(pairwise([*inputs, len(events) - 1]))
        candidates = dict.fromkeys(
            recorded[:place] + recorded[end:] for place in inputs for end in (place + 1, ends[place])
        )
        for number in range(rounds):
            for candidate in candidates:
                key = tuple(beat.label for beat in candidate)
                if not self._attempts.more():
                    return None
                if self._left_out[key] <= number:
                    self._left_out[key] += 1
                    paces = PACES[number % len(PACES) :] + PACES[: number % len(PACES)]
                    script = PacedScript(candidate, paces, seed=number, checked=True)
                    found = self._attempts.play(script, self.best.length - 1)
                    if found and found.length < self.best.length:
                        return found
        return None

    def _leg(self, start: int, end: int) -> Leg | None:
        place, after = self._places[start], self._places[end]
        return None if place is None or after is None else Leg(place, self._labels[start:end], after)

    def _single(self) -> Iterator[tuple[Leg | None, ...]]:
        """Straight to a place of the play, and on from there as it went."""
        last = len(self._labels)
        return ((self._leg(start, last),) for start in range(1, last + 1))

    def _without_idling(self) -> Iterator[tuple[Leg | None, ...]]:
        """The play without the labels that leave the model where it is: all of them, and each by itself."""
        idle = [number for number in range(len(self._labels)) if self._places[number] == self._places[number + 1]]
        kinds = dict.fromkeys((self._places[number], self._labels[number]) for number in idle)
        for left_out in ([*kinds], *([kind] for kind in kinds)):
            places = [number for number in idle if (self._places[number], self._labels[number]) in left_out]
            bounds = zip([0, *(number + 1 for number in places)], [*places, len(self._labels)], strict=True)
            yield tuple(self._leg(start, end) for start, end in bounds)

    def _cuts(self) -> Iterator[tuple[Leg | None, ...]]:
        """One part of the play replaced by a shortcut: large parts first, as in delta debugging."""
        last = size = len(self._labels)
        smallest = 1 if last <= SMALL_PLAY else last // 8
        while (size := size // 2) >= smallest:
            for start in range(0, last, size if size > SMALL else 1):
                yield self._leg(0, start), self._leg(min(start + size, last), last)

    def _double(self) -> Iterator[tuple[Leg | None, ...]]:
        """Straight to a place, along a part of the play, and by another shortcut to how it ended."""
        last = len(self._labels)
        for start, end, again in islice(combinations(range(last + 1), 3), 10 * MOST_CANDIDATES):
            yield self._leg(start, end), self._leg(again, last)

    def _sorted(self, candidates: Iterable[tuple[Leg | None, ...]]) -> list[Legs]:
        """The candidates that are shorter than the best play, shortest first."""
        found = {legs: self._total(legs) or 0 for legs in self._shorter_ones(candidates)}
        return sorted(found, key=found.__getitem__)[:MOST_CANDIDATES]

    def _shorter_ones(self, candidates: Iterable[tuple[Leg | None, ...]]) -> Iterator[Legs]:
        for candidate in candidates:
            legs = tuple(leg for leg in candidate if leg is not None)
            total = self._total(legs) if len(legs) == len(candidate) else None
            if total is not None and total < self.best.length:
                yield legs

    def _total(self, legs: Legs) -> int | None:
        """Count the steps of a candidate, with the failing one."""
        path = None if self._home is None else self._shortcuts.distance(self._home, legs[0].place)
        rest = retraced_length(self._shortcuts, legs)
        return None if path is None or rest is None else path + rest + 1

    def _first(self, candidates: list[Legs], rounds: int) -> Attempt | None:
        """The first candidate that fails; those that say the same count as one, and none is tried for ever."""
        by_labels: dict[Labels, Legs] = {}
        for legs in candidates:
            by_labels.setdefault(self._planned(legs), legs)
        for number in range(rounds):
            for labels, legs in by_labels.items():
                if not self._attempts.more():
                    return None
                if self._spent[labels] <= number:
                    self._spent[labels] += 1
                    if found := self._played(legs):
                        return found
        return None

    def _planned(self, legs: Legs) -> Labels:
        """Return the labels of a candidate if the system goes along."""
        labels, here = [], self._home
        for leg in legs:
            labels += [*self._shortcuts.path(here or 0, leg.place), *leg.then]
            here = leg.end
        return tuple(labels)

    def _search(self) -> Attempt | None:
        """Behind each step of the play, try what is short enough; most where there is most room."""
        single = self._sorted((self._leg(start, start + 1),) for start in range(len(self._labels)))
        rooms = {legs: self.best.length - 1 - (self._total(legs) or 0) for legs in single}
        plays = {legs: min(SEARCHES, 3 * 4 ** (1 + room)) for legs, room in rooms.items()}
        for number in range(max(plays.values(), default=0)):
            for legs in single:
                if number < plays[legs] and self._attempts.more() and (found := self._played(legs, ROOM)):
                    return found
        return None

    def _played(self, legs: Legs, room: int = 1) -> Attempt | None:
        longest = self.best.length - 1
        tester = Retracer(self._shortcuts, legs, longest=longest, room=room, tried=self._tried)
        found = self._attempts.play(tester, longest)
        return found if found and found.length < self.best.length else None


class Shrinking(Observer):
    """Makes the failing play short, where there is one, within the seconds of the job."""

    def __init__(self, prepared: Prepared, token: CancelToken) -> None:
        self._prepared, self._token = prepared, token

    def complete(self, result: RunResult) -> RunResult:
        prepared, failure = self._prepared, result.failure()
        job = prepared.job
        if failure is None or job.shrink == 0 or result.interrupted:
            return result
        how: dict[str, Any] = {"timing": job.timing, "seconds": job.shrink, "token": self._token}
        made = shrink(prepared.specification, failure, prepared.system, **how)
        if made and isinstance(result.verdict, Fail):
            made = replace(made, play=result.verdict.event.play)
        return replace(result, shrunk=made, warnings=(*result.warnings, *(made.warnings if made else ())))
