"""Tests joined without a reset: which one can begin where the last one has ended?

A test about a transition (`TestCase.access`) can begin at any state on the way to it, any test at the start, once the
specification is surely there. But is the system? In a suite whose guarantee hangs on it, a test is joined only where
all transitions since the last reset have passed their own tests, which showed that they lead where they should. Where
tests tell all states apart, and the system has no more states than the specification and always does the same, the
system then is where the specification is, so what would fail after a reset fails here too. A suite that is to reach
goals is about what is seen and not about where the system is, so its tests are joined without that.

Of the next thousand tests one is taken that needs no reset, if there is one, and among those one that relies on little
that is not known yet. All that is seen is held against the specification from the last reset on, as ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification, State
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.play.trace import ENDS
from outplay.suite.suite import Suite, TestCase
from outplay.tester.tester import Labels

AHEAD = 1_000  # tests that are looked at to find one
MOST_TRANSITIONS = 1_000
States: TypeAlias = frozenset[State]
Transition: TypeAlias = tuple[States, Label]


class Start(NamedTuple):
    """The beginning of a test: its state, the labels that would have led there, and the states of the specification."""

    place: int
    prefix: Labels
    states: States


@dataclass(frozen=True)
class _Waiting:
    """A test that was not played yet, where it can begin, what it is about, and which other transitions it takes."""

    test: TestCase
    starts: list[Start]
    about: list[Transition]
    relies: set[Transition]


class Joining:
    """The tests of a suite, in an order that needs few resets."""

    def __init__(self, suite: Suite, spec: Specification) -> None:
        self._spec, self._careful = spec, suite.fair
        self._rest: Iterator[TestCase] = iter(suite.tests)
        self._waiting: dict[int, _Waiting] = {}
        self._by_states: dict[States, dict[int, None]] = {}
        self._about: Counter[Transition] = Counter()  # how many of the tests that wait are about a transition
        self._relied: Counter[Transition] = Counter()
        self._known: set[Transition] = set()
        self._count = 0
        self._where: States | None = None
        self._taken = frozenset[Transition]()

    def ended(self, whereabouts: Whereabouts, now: float) -> None:
        """A play has ended, and the next one may begin there."""
        self._where, self._taken = whereabouts.states(now), frozenset(whereabouts.transitions)

    def passed(self, test: TestCase) -> None:
        """A test has passed; after all tests about a transition have, it is known to lead where it should."""
        about = self._about_of(test, self._starts(test))
        self._known |= {transition for transition in about if not self._about[transition]}

    def next(self) -> TestCase | None:
        """The next test to play: one that can begin where the system is, else the first of all."""
        while len(self._waiting) < AHEAD and (test := next(self._rest, None)) is not None:
            self._wait(test)
        here = self._here()
        fitting = self._by_states.get(here) if here else None
        candidates = list(fitting or self._waiting)
        return self._begun(max(candidates, key=self._urgency)) if candidates else None

    def start(self, test: TestCase) -> Start | None:
        """Return where a test can begin now; None where it needs a reset."""
        here = self._here()
        found = [start for start in self._starts(test) if start.states == here]
        return found[-1] if found else None

    def _here(self) -> States | None:
        """Return where the system is, if that is known."""
        return self._where if not self._careful or self._taken <= self._known else None

    def _urgency(self, number: int) -> int:
        """Count the waiting tests that rely on what a test is about; what they rely on is best known early."""
        return max((self._relied[transition] for transition in self._waiting[number].about), default=0)

    def _wait(self, test: TestCase) -> None:
        starts = self._starts(test)
        about = self._about_of(test, starts)
        relies = self._transitions(test) - set(about) if self._careful else set[Transition]()
        self._waiting[self._count] = _Waiting(test, starts, about, relies)
        self._about.update(about)
        self._relied.update(relies)
        for start in starts:
            self._by_states.setdefault(start.states, {})[self._count] = None
        self._count += 1

    def _begun(self, number: int) -> TestCase:
        waiting = self._waiting.pop(number)
        self._about -= Counter(waiting.about)
        self._relied -= Counter(waiting.relies)
        for states in {start.states for start in waiting.starts}:
            del self._by_states[states][number]
            if not self._by_states[states]:
                del self._by_states[states]
        return waiting.test

    def _transitions(self, test: TestCase) -> set[Transition]:
        """Return the transitions of a test on its way to its Pass end; of a very large one only a part."""
        found = set[Transition]()
        stack = [(test.initial, Tracker(self._spec))]
        while stack and len(found) < MOST_TRANSITIONS:
            place, tracker = stack.pop()
            for label in test.asked(place):
                after = _followed(tracker, label)
                if label != SILENCE or after.states != tracker.states:
                    found.add((frozenset(tracker.states), label))
                stack.append((test.moves(place)[label], after))
        return found

    def _about_of(self, test: TestCase, starts: list[Start]) -> list[Transition]:
        """The transition that a test is about, and the outputs that alone can follow it."""
        place, found = starts[-1].place, list[Transition]()
        tracker = reduce(_followed, starts[-1].prefix, Tracker(self._spec))
        asked = [] if test.access is None else test.asked(place)
        while len(asked) == 1 and (not found or not (test.given(place) or test.leaves_a_choice(place))):
            found.append((frozenset(tracker.states), asked[0]))
            tracker = _followed(tracker, asked[0])
            place = test.moves(place)[asked[0]]
            asked = test.asked(place)
        return found

    def _starts(self, test: TestCase) -> list[Start]:
        """Return the possible beginnings of a test: its start, and after each label of its way."""
        tracker, prefix = Tracker(self._spec), list[Label]()
        found = [Start(test.initial, (), frozenset(tracker.states))]
        for label, place in test.access_path:
            tracker = _followed(tracker, label)
            prefix.append(label)
            found.append(Start(place, tuple(prefix), frozenset(tracker.states)))
        return found


def _followed(tracker: Tracker, label: Label) -> Tracker:
    return tracker.gave(label) if label.is_input else tracker.saw(label)


class Whereabouts:
    """Takes the steps of a play of a test case, and knows where it has left the specification, as far as that is sure.

    Surely means whatever the order of events was, with nothing on its way, and without the tester's own delay as an
    excuse.
    """

    def __init__(self) -> None:
        self._last: Tracker | None = None
        self._gone = False
        self.transitions: set[Transition] = set()
        """The transitions taken on the way; silence in which nothing changes is left out."""

    def take(self, step: Step) -> None:
        """Note where a step has led."""
        self._last = step.after
        self._gone = self._gone or step.event.kind in ENDS or step.event.failed
        if step.label is not None:
            before = _models(step.before)
            if step.label != SILENCE or before != _models(step.after):
                self.transitions.add((before, step.label))

    def states(self, now: float) -> States | None:
        """The states of the model, of which it is in one by now; None where that is not sure, or the system is gone."""
        if self._last is None or self._gone:
            return None
        settled = self._last.settled(now)
        unsure = settled.in_flight or settled.maybe_left or settled.unexcused is not settled
        return _models(settled) if settled.conforms and not unsure else None


def _models(tracker: Tracker) -> States:
    states: tuple[Any, ...] = tracker.states
    return frozenset(model for model, _ in states)
