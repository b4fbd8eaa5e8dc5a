"""Shortcuts: the shortest ways between the places of a model, where the system goes along.

A place is what a tracker knows: the set of states the system may be in. The model is explored breadth first from the
start, and around the places of a recorded play, up to a number of places; ways are shortest in what was explored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer
from outplay.model.tracking import Tracker
from outplay.searching import nearest_first
from outplay.tester.tester import Labels

MOST_PLACES = 3_000


class Shortcuts:
    """The places found so far and the labels that lead from one to the next.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> start = Tracker(lamp)
    >>> found = Shortcuts(start)
    >>> lit = found.place(start.gave(Label.parse("?press")))
    >>> found.distance(found.place(start), lit), str(found.step(found.place(start), lit))
    (1, '?press')
    """

    def __init__(self, start: Tracker, labels: Iterable[Label] = ()) -> None:
        self._labels = tuple(dict.fromkeys(labels))
        self._places: dict[frozenset[object], int] = {}
        self._edges: list[list[tuple[Label, int]]] = []
        self._before: list[list[int]] = []
        self._distances: dict[int, dict[int, int]] = {}
        self._waiting: deque[tuple[int, Tracker]] = deque()
        self._explore(start, MOST_PLACES)

    def place(self, tracker: Tracker) -> int | None:
        """The number of the place a tracker is at; None where it was not found."""
        return self._places.get(frozenset(tracker.states))

    def add(self, trackers: Iterable[Tracker]) -> None:
        """Make sure of the places of a play, and of what is around them."""
        for tracker in trackers:
            if tracker.states and not tracker.in_flight:
                self._explore(tracker, len(self._edges) + 1)
        self._distances.clear()

    def distance(self, source: int, target: int) -> int | None:
        """How many labels it takes at least; None where no way is known."""
        return self._to(target).get(source)

    def step(self, source: int, target: int) -> Label | None:
        """The first label of a shortest way, one of the tester where there is a choice; None at the target itself."""
        far = self._to(target)
        nearer = [label for label, place in self._edges[source] if place in far and far[place] < far[source]]
        return min(nearer, key=lambda label: not label.is_input, default=None)

    def path(self, source: int, target: int) -> Labels:
        """The labels of a shortest way."""
        labels: list[Label] = []
        while (label := self.step(source, target)) is not None:
            labels.append(label)
            source = next(place for known, place in self._edges[source] if known == label)
        return tuple(labels)

    def inputs(self, tracker: Tracker) -> list[Label]:
        """The inputs that can be given, each by itself; of a family those that are known by name."""
        return self._listed(tracker.inputs())

    def _to(self, target: int) -> dict[int, int]:
        found = self._distances.get(target)
        if found is None:
            found = self._distances[target] = {target: 0}
            for place, after in nearest_first([target], self._before.__getitem__).items():
                found[place] = found[after] + (place != after)
        return found

    def _explore(self, start: Tracker, most: int) -> None:
        self._found(start)
        while self._waiting and len(self._edges) < most:
            place, tracker = self._waiting.popleft()
            for label in [*self.inputs(tracker), *self._listed(tracker.outputs()), SILENCE]:
                after = tracker.gave(label) if label.is_input else tracker.saw(label)
                if after.states and not after.maybe_left:
                    target = self._found(after)
                    self._edges[place].append((label, target))
                    self._before[target].append(place)

    def _found(self, tracker: Tracker) -> int:
        key = frozenset(tracker.states)
        number = self._places.setdefault(key, len(self._places))
        if number == len(self._edges):
            self._edges.append([])
            self._before.append([])
            self._waiting.append((number, tracker))
        return number

    def _listed(self, offers: Iterable[Offer]) -> list[Label]:
        listed: list[Label] = []
        for offer in offers:
            listed += [offer.only] if offer.only is not None else [label for label in self._labels if label in offer]
        return list(dict.fromkeys(listed))
