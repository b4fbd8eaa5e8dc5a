"""Lessons: a play written down, so that a tester elsewhere learns from it what the one that made it has learnt.

A tester learns by what it sees, and what that means hangs on what was decided: whether it waited, whose turn it was. So
a lesson has the decisions and the labels in their order, and a tester is `shown` what it decided elsewhere. A walk
learns nothing from other plays: so it is the same however many workers share the plays.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, TypeAlias

import numpy as np

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Stop, Tester, Wait

Entry: TypeAlias = list[Any]
"""The number of the tester of a play that it concerns; what it is; and what belongs to that."""
BEGUN, SEEN, TRIED = "begin", "see", "try"
GIVE, WAIT, STOP = "give", "wait", "stop"


class LessonWriter(Tester):
    """Moves as a tester does, and writes down what others can learn from."""

    def __init__(self, number: int, tester: Tester, entries: list[Entry], events: Callable[[], int]) -> None:
        """`events` counts the events of the play so far."""
        self._number, self._tester, self._entries, self._events = number, tester, entries, events

    def begin(self) -> None:
        self._tester.begin()
        self._write(BEGUN, self._tester.turn_number)

    def decide(self, tracker: Tracker) -> Decision:
        decision = self._tester.decide(tracker)
        turn = self._tester.turn_number
        if isinstance(decision, Stop):
            self._write(STOP, turn, decision.end.value, self._tester.report().ended_early)
        elif isinstance(decision, Give):
            self._write(GIVE, turn, decision.label.text)
        else:
            self._write(WAIT, turn)
        return decision

    def observe(self, tracker: Tracker, label: Label) -> None:
        self._tester.observe(tracker, label)
        self._write(SEEN, self._events())

    def end(self) -> None:
        """Write down which follow-ups came to their end in the play, which is over."""
        suspicious = self._tester.suspicions
        if suspicious is not None:
            suspicious.player.end()
            for step, news in suspicious.player.untested.over:
                self._write(TRIED, int(step), bool(news))

    def _write(self, *what: Any) -> None:
        self._entries.append([self._number, *what])


class Lesson:
    """A play that testers learn from: its entries are taken as its events are followed."""

    def __init__(self, testers: Sequence[Tester], entries: Iterable[Entry]) -> None:
        self._testers = testers
        self._left = deque(entries if any(tester.learns for tester in testers) else ())

    def take(self, event: int, before: Tracker, label: Label | None) -> None:
        """Learn from the event of this number in the play; the tracker stands before it."""
        while self._left:
            number, what, *further = self._left[0]
            if what == SEEN and further[0] > event:
                return
            self._left.popleft()
            if what == SEEN:
                if label is not None:
                    self._testers[number].observe(before, label)
                return
            self._learn(number, what, further, before)

    def end(self, last: Tracker) -> None:
        """Learn what is left when the play is over."""
        while self._left:
            number, what, *further = self._left.popleft()
            if what != SEEN:
                self._learn(number, what, further, last)

    def _learn(self, number: int, what: str, further: Sequence[Any], tracker: Tracker) -> None:
        tester = self._testers[number]
        if what == BEGUN:
            tester.begin()
            tester.take_turn(further[0])
        elif what == TRIED:
            suspicious = tester.suspicions
            step, news = further
            if suspicious is not None and step < len(suspicious.player.untested.taken):
                suspicious.player.untested.attempted(step, news=news)
        else:
            tester.take_turn(further[0])
            tester.shown(tracker, _decision(what, further), early=what == STOP and further[2])


def entries_from_labels(labels: Sequence[Label | None], moves: Sequence[bool]) -> list[Entry]:
    """Make the entries of the lesson of a recorded play from its labels, and which of its events are moves."""
    entries: list[Entry] = [[0, BEGUN, 0]]
    for number, (label, move) in enumerate(zip(labels, moves, strict=True), 1):
        if move:
            given = [0, GIVE, 0, label.text] if label is not None and label.is_input else [0, WAIT, 0]
            entries += [given, [0, SEEN, number]]
    return entries


def copied_testers(testers: Sequence[Tester], fixed: Iterable[object], seed: str) -> list[Tester]:
    """Copy testers with all they have learnt, drawing by chance from a seed of their own.

    What is `fixed` stays the same thing; what is learnt on the copies is not learnt by the testers.
    """
    memo: dict[int, Any] = {id(one): one for one in fixed if one is not None}
    for suspicious in filter(None, (tester.suspicions for tester in testers)):
        known, player = suspicious.known, suspicious.player
        parts = known.behaviour, known.behaviour.spec, known.table, player.pairs
        memo |= {id(part): part for part in parts}
    copies = copy.deepcopy(list(testers), memo)
    for number, made in enumerate([*memo.values()]):
        if isinstance(made, Random):
            made.seed(f"{seed}, {number}")
        elif isinstance(made, np.random.Generator):
            made.bit_generator.state = np.random.PCG64(_number(f"{seed}, {number}")).state
    return copies


def _number(text: str) -> int:
    return Random(text).getrandbits(64)


def _decision(what: str, further: Sequence[Any]) -> Decision:
    if what == GIVE:
        return Give(Label.parse(further[1]))
    return Wait() if what == WAIT else Stop(End(further[1]))
