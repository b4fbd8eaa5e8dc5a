"""The tests of a suite as a tree that is never built: counted and listed, with common beginnings shared.

A test is a trace after which the tester watches. With a fair execution it does not matter how traces are put together
into tests: a suite finds a fault exactly where it watches after a trace of the system that is followed by a forbidden
output. So a suite is a set of traces to watch after, and its tests are those that are no beginning of another. What is
left to do after a trace is a set of *obligations*; traces of the same state and the same obligations go on alike, so
tests and their lengths are counted once for each such pair: O(pairs · labels), however many tests there are.

By these counts the test of any number is found without those before it, so tests may come in any order. First come
some that take each transition and look where it led, the nearest first, or those first whose target is most in doubt;
then the others, spread over the whole suite. So easy faults fall early, and nothing has to be remembered but a test for
each transition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import gcd
from typing import NamedTuple, Protocol, TypeAlias

from outplay.errors import ModelError

MOST_PLACES = 300_000


class Obligation(Protocol):
    """Something to do from a state on; the same obligation is the same object or equal."""

    @property
    def watches(self) -> bool:
        """Whether the tester waits here for any output."""

    def moves(self) -> Mapping[int, Collection[Obligation]]:
        """The obligations that are left after a label; labels that nothing is left after may be missing."""

    def within(self, other: Obligation) -> bool:
        """Say whether all that is to be done here is done by another obligation as well."""


Place: TypeAlias = tuple[int, frozenset[Obligation]]  # a state of the specification, and what is to be done there
LabelPath: TypeAlias = tuple[int, ...]
Step: TypeAlias = tuple[int, int]  # a state of the specification, and a label


class SuiteSize(NamedTuple):
    """The number of tests, and of their labels together, the last one watched for included."""

    tests: int
    labels: int

    @property
    def symbols(self) -> int:
        """Labels and resets."""
        return self.tests + self.labels


_WATCH = -1  # in place of a label: the test ends here


class SuiteTree:
    """The tests that do some obligations in a specification, given by where the labels of each state lead."""

    def __init__(
        self,
        rows: list[dict[int, int]],
        inputs: int,
        start: int,
        obligations: Collection[Obligation],
        most: int = MOST_PLACES,
    ) -> None:
        self._rows, self._inputs, self._most = rows, inputs, most
        self._moves: dict[Place, list[tuple[int, Place]]] = {}
        self._sizes: dict[Place, SuiteSize] = {}
        self._known: dict[Place, list[tuple[int, Place, int]]] = {}
        self._start: Place = (start, _lasting(obligations))

    @property
    def size(self) -> SuiteSize:
        """The exact number of tests and of their labels; no test is written down for it."""
        self.count()
        return self._sizes[self._start]

    def count(self) -> None:
        """Count the tests of every place, those behind it first."""
        stack = [self._start] if self._start not in self._sizes else []
        while stack:
            place = stack[-1]
            missing = [after for _, after in self._after(place) if after not in self._sizes]
            if missing:
                stack += missing
            else:
                self._sizes[stack.pop()] = self._size(place)

    def begins(self, path: LabelPath) -> bool:
        """Say whether a test begins with a trace."""
        self.count()
        place = self._start
        for label in path:
            following = [after for going, after, _ in self._branches(place) if going == label]
            if not following:
                return False
            place = following[0]
        return True

    def paths(self, doubts: Mapping[Step, int] | None = None) -> Iterator[LabelPath]:
        """The traces after which to watch, each with nothing to do behind it: some for each transition first.

        `doubts` says of each transition how many wrong targets it may still have after what was played before; what it
        does not name may have any.
        """
        count = self.size.tests
        listed = self._early() if doubts is None else self._doubted(doubts)
        early = dict.fromkeys(listed) if count else {}
        yield from early
        yield from (path for path in map(self.path, golden_order(count)) if path not in early)

    def path(self, number: int) -> LabelPath:
        """The trace of a number, from 0, found without those before it."""
        place, path = self._start, list[int]()
        while True:
            branches = iter(self._branches(place))
            label, place, count = next(branches)
            while number >= count:
                number -= count
                label, place, count = next(branches)
            if label == _WATCH:
                return tuple(path)
            path.append(label)

    def _early(self) -> Iterator[LabelPath]:
        """A test for each transition, the nearest first: those that no test before has taken, and then the others."""
        taken, left = set[Step](), list[tuple[Place, LabelPath]]()
        for transition, place, path in self._transitions():
            if transition in taken:
                left.append((place, path))
            else:
                test = self._finished(place, path)
                taken.update(self._taken(test))
                yield test
        yield from (self._finished(place, path) for place, path in left)

    def _doubted(self, doubts: Mapping[Step, int]) -> list[LabelPath]:
        """A test for each transition, those first that settle the most doubts for each label."""
        order = sorted(self._transitions(), key=lambda one: -doubts.get(one[0], len(self._rows)) / (1 + len(one[2])))
        return [self._finished(place, path) for _, place, path in order]

    def _transitions(self) -> Iterator[tuple[Step, Place, LabelPath]]:
        """Each transition of the specification that some test takes on a shortest way, breadth first."""
        reached = {self._start[0]}
        queue: list[tuple[Place, LabelPath]] = [(self._start, ())]
        for place, path in queue:  # grows on the way
            for label, after, _ in self._branches(place):
                if label != _WATCH:
                    yield (place[0], label), after, (*path, label)
                    if after[0] not in reached:
                        reached.add(after[0])
                        queue.append((after, (*path, label)))

    def _finished(self, place: Place, path: LabelPath) -> LabelPath:
        """A test that begins so, and goes where tests are short."""
        while True:
            label, place, _ = min(self._branches(place), key=self._length)
            if label == _WATCH:
                return path
            path = (*path, label)

    def _length(self, branch: tuple[int, Place, int]) -> float:
        """Return the mean number of labels of the tests of a branch."""
        label, after, count = branch
        return 0 if label == _WATCH else self._sizes[after].labels / count

    def _taken(self, path: LabelPath) -> Iterator[Step]:
        state = self._start[0]
        for label in path:
            yield state, label
            state = self._rows[state][label]

    def _branches(self, place: Place) -> list[tuple[int, Place, int]]:
        """Return the ways of tests from a place, and their number: that which only watches, and those of each label."""
        known = self._known.get(place)
        if known is None:
            sizes = ((label, after, self._sizes[after].tests) for label, after in self._after(place))
            going = [branch for branch in sizes if branch[2]]
            alone = self._watches(place) and all(label < self._inputs for label, _, _ in going)
            known = self._known[place] = [*[(_WATCH, place, 1)] * alone, *going]
        return known

    def _size(self, place: Place) -> SuiteSize:
        tests = labels = shown = 0
        for label, after in self._after(place):
            size = self._sizes[after]
            tests, labels = tests + size.tests, labels + size.symbols
            shown += size.tests if label >= self._inputs else 0
        alone = self._watches(place) and not shown
        return SuiteSize(tests + alone, labels + alone)

    def _watches(self, place: Place) -> bool:
        return any(obligation.watches for obligation in place[1])

    def _after(self, place: Place) -> list[tuple[int, Place]]:
        known = self._moves.get(place)
        if known is None:
            if len(self._moves) >= self._most:
                raise TooLarge(f"more than {self._most:,} different situations to test in; ask for fewer --states")
            known = self._moves[place] = list(self._following(place))
        return known

    def _following(self, place: Place) -> Iterator[tuple[int, Place]]:
        state, obligations = place
        left: dict[int, list[Obligation]] = {}
        for obligation in obligations:
            for label, after in obligation.moves().items():
                left.setdefault(label, []).extend(after)
        for label, target in self._rows[state].items():
            if left.get(label):
                yield label, (target, _lasting(left[label]))


def golden_order(count: int) -> Iterator[int]:
    """Order the numbers of a suite's tests in steps by the golden section, so that the first come from everywhere.

    >>> list(golden_order(8))
    [0, 5, 2, 7, 4, 1, 6, 3]
    """
    step = max(count * 618_033_988_749 // 10**12, 1)
    while gcd(step, count) > 1:
        step += 1
    return (number * step % count for number in range(count))


class TooLarge(ModelError):
    """A suite has more parts than can be kept."""


def _lasting(obligations: Collection[Obligation]) -> frozenset[Obligation]:
    """The obligations without those that others do as well."""
    found = list(dict.fromkeys(obligations))
    if len(found) == 1:
        return frozenset(found)
    return frozenset(one for one in found if not any(one is not other and one.within(other) for other in found))
