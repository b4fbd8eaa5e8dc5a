"""The ledger of a suite that is played: which branches of its tests were seen, which cannot come, which are open.

A branch is a label after a prefix of a play, from which a test can still come to its Pass end: an output or silence
where it waits, and where it gives an input, that one, before which an output may come. At a place where the system has
a choice each visit is a try of all that was not seen there yet; after enough tries (run_budget.py) it is concluded not
to come. Waiting after a prefix and giving an input there are tried apart: who waits has not tried whether the input
would be taken, and who gives it not whether an output would come. Tests that share a prefix share what was tried after
it. Should it come after all, the conclusion is taken back and told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.plurals import counted
from outplay.runs.run_budget import Fairness
from outplay.suite.suite import TestCase
from outplay.tester.tester import Labels

MOST_PLACES = 100_000  # places whose tries are remembered; of what is forgotten more tries are needed
MOST_LISTED = 1_000  # branches that are told one by one to programs
MOST_SHOWN = 3
_WORDS = {"open": "open", "excluded": "cannot come", "refuted": "came after all"}


@dataclass(frozen=True)
class Branch:
    """A label after a prefix of a test's play, and how often it was tried there."""

    test: str
    after: Labels
    label: Label
    tries: int = 0
    needed: int = 0
    """The number of tries that are enough to conclude that it cannot come."""

    def __str__(self) -> str:
        prefix = " ".join(label.text for label in self.after)
        return f"{self.label.text} after {prefix or 'the start'} ({self.tries} of {counted(self.needed, 'try')})"

    def json(self) -> dict[str, Any]:
        after = [label.text for label in self.after]
        return {"test": self.test, "after": after, "label": self.label.text, "tries": self.tries, "needed": self.needed}


@dataclass
class _Place:
    """The tries after a prefix: by giving an input, or by waiting, which is None here."""

    numbers: dict[Label | None, int] = field(default_factory=dict)
    tries: dict[Label | None, int] = field(default_factory=dict)
    seen: set[Label] = field(default_factory=set)
    excluded: dict[Label, int] = field(default_factory=dict)
    """The outputs concluded not to come, with the tries it took."""


class Ledger:
    """The fate of the branches of all tests so far; of the test that is being played, also the open ones."""

    def __init__(self, fairness: Fairness) -> None:
        self.fairness = fairness
        self.tests = 0
        """The number of tests that are done."""
        self.joined = 0
        """The number of times that a test was begun without a reset, because the specification surely was where it
        begins.
        """
        self.seen = self.excluded = self.left_open = 0
        self.listed: dict[str, list[Branch]] = {"excluded": [], "open": [], "refuted": []}
        self.refuted = 0
        self._doubt = 0.0
        self._places: dict[Labels, _Place] = {}
        self._numbered = 0
        self._case: TestCase | None = None
        self._taken: dict[Labels, set[Label]] = {}

    @property
    def confidence(self) -> float:
        """The probability that all conclusions so far are right, at least."""
        return max(0.0, 1.0 - self._doubt)

    def begin(self, case: TestCase) -> None:
        """The next test is going to be played."""
        self._case, self._taken = case, {}

    def watch(self, prefix: Labels = (), state: int | None = None) -> _Watching:
        """Return the taker of the steps of a play of it, which begins after a prefix where it needs no reset."""
        assert self._case is not None
        for place in range(len(prefix)):
            self._taken.setdefault(prefix[:place], set()).add(prefix[place])
        return _Watching(self, self._case, prefix, self._case.initial if state is None else state)

    def open(self) -> list[Branch]:
        """The branches of the test that were neither seen nor tried often enough."""
        return [branch for branch in self._unseen() if branch.tries < branch.needed]

    def end(self, *, concluded: bool) -> None:
        """The test is done; what never came is concluded not to be produced where it was tried enough, else open."""
        self.tests += 1
        self.seen += sum(len(labels) for labels in self._taken.values())
        for branch in list(self._unseen()):
            if concluded and branch.tries >= branch.needed:
                self._exclude(branch)
            else:
                self.left_open += 1
                self._tell("open", branch)
        self._case, self._taken = None, {}

    def took(self, case: TestCase, prefix: Labels, state: int, label: Label) -> None:
        """A label was given or seen after a prefix of a play."""
        self._taken.setdefault(prefix, set()).add(label)
        if not case.leaves_a_choice(state):
            return
        place = self._places.get(prefix)
        if place is None:
            place = self._places[prefix] = _Place()
            if len(self._places) > MOST_PLACES:
                del self._places[next(iter(self._places))]
        given = case.given(state)
        if given not in place.numbers:
            self._numbered += 1
            place.numbers[given] = self._numbered
        place.tries[given] = place.tries.get(given, 0) + 1
        place.seen.add(label)
        if label in place.excluded:
            tries = place.tries.get(_asked_by(label), 0)
            self._refute(Branch(case.name, prefix, label, tries, place.excluded.pop(label)))

    def _unseen(self) -> Iterator[Branch]:
        """Along all that was seen of the test: what it could come by next, and did not."""
        case = self._case
        stack: list[tuple[Labels, int]] = [] if case is None else [((), case.initial)]
        while stack and case is not None:
            prefix, state = stack.pop()
            taken, asked = self._taken.get(prefix, set()), case.asked(state)
            stack += [((*prefix, label), target) for label, target in case.moves(state).items() if label in taken]
            yield from (self._branch(case.name, prefix, label, len(asked)) for label in asked if label not in taken)

    def _branch(self, test: str, prefix: Labels, label: Label, asked: int) -> Branch:
        place, by = self._places.get(prefix) or _Place(), _asked_by(label)
        # What was seen there in another test can come, however long it stays away in this one.
        tries = 0 if label in place.seen else place.tries.get(by, 0)
        return Branch(test, prefix, label, tries, self.fairness.tries(place.numbers.get(by, self._numbered + 1), asked))

    def _exclude(self, branch: Branch) -> None:
        place = self._places[branch.after]
        if branch.label not in place.excluded:
            place.excluded[branch.label] = branch.tries
            self._doubt += self.fairness.doubt(branch.tries)
            self.excluded += 1
            self._tell("excluded", branch)

    def _refute(self, branch: Branch) -> None:
        self.excluded, self.refuted = self.excluded - 1, self.refuted + 1
        self._tell("refuted", branch)

    def _tell(self, what: str, branch: Branch) -> None:
        if len(self.listed[what]) < MOST_LISTED:
            self.listed[what].append(branch)

    def report(self) -> LedgerReport:
        """Report the fate of the branches so far, as plain data."""
        listed = {what: tuple(branches) for what, branches in self.listed.items()}
        counts = self.seen, self.excluded, self.left_open, self.refuted
        return LedgerReport(self.fairness, self.tests, self.joined, *counts, self.confidence, listed)


@dataclass(frozen=True)
class LedgerReport:
    """The fate of the branches of all tests."""

    fairness: Fairness
    tests: int
    joined: int
    seen: int
    excluded: int
    left_open: int
    refuted: int
    confidence: float
    listed: dict[str, tuple[Branch, ...]]

    def json(self) -> dict[str, Any]:
        counts = {"seen": self.seen, "excluded": self.excluded, "open": self.left_open, "refuted": self.refuted}
        listed = {what: [branch.json() for branch in branches] for what, branches in self.listed.items() if branches}
        asked = {"chance": self.fairness.chance, "confidence": self.confidence}
        return {**asked, "tests": self.tests, "joined": self.joined, "branches": counts, **listed}

    def lines(self) -> list[str]:
        """For people: how sure it is, and the first few that are open, cannot come, or came after all."""
        named = []
        for what, words in _WORDS.items():
            count = getattr(self, "left_open" if what == "open" else what)
            shown = "; ".join(f"{branch.test}: {branch}" for branch in self.listed[what][:MOST_SHOWN])
            more = f"; and {count - MOST_SHOWN:,} more" if count > MOST_SHOWN else ""
            named += [f"{words}: {shown}{more}"] if count else []
        return (
            [*named, f"joined: {counted(self.joined, 'time')} a test began without a reset"] if self.joined else named
        )


def _asked_by(label: Label) -> Label | None:
    """Return what has to be tried for a label to come: an input is given, anything else is waited for."""
    return label if label.is_input else None


class _Watching:
    """Follows one play of a test along its states, as long as it is sure where the test stands."""

    def __init__(self, ledger: Ledger, case: TestCase, prefix: Labels, state: int) -> None:
        self._ledger, self._case, self._prefix = ledger, case, prefix
        self._state: int | None = state

    def take(self, step: Step) -> None:
        """Note the next label; after the end of the test nothing matters."""
        if self._state is None or step.label is None or self._case.end(self._state):
            return
        target = self._case.after(self._state, step.label)
        if not step.label.is_input and _places(step.after) != {target}:
            target = None  # input and output may have crossed: nobody knows what came first
        if target is not None:
            self._ledger.took(self._case, self._prefix, self._state, step.label)
        self._prefix, self._state = (*self._prefix, step.label), target


def _places(tracker: Tracker) -> set[int | None]:
    """Return the places of the test, without the tester's own delay as an excuse."""
    certain = tracker.unexcused
    states: list[Any] = [state for state, _ in certain.places]
    return {*(place for _, place in states), *([None] if certain.maybe_left else [])}
