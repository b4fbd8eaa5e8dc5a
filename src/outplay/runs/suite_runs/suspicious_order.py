"""Tests in the order of suspicion: the one is played next that meets the most of what is left for each label.

What a test meets is what its transitions meet that it is expected to take, each once; a start counts as a label. How
likely answers are was learnt while playing. Of a long suite only the next tests are looked at, so that few are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from outplay.strategy.suspicion.rows import Floats, States
from outplay.suite.suite import TestCase
from outplay.tester.suspicion_tester import SuspicionTester

WINDOW = 64  # tests of which the most suspicious is played next
_LEAST = 1e-6  # ways less likely than this are not followed


@dataclass(frozen=True)
class ExpectedPlay:
    """The expected course of one play of a test: transitions, how likely each, and how many labels."""

    edges: States
    probability: Floats
    labels: float


class SuspiciousOrder:
    """The tests of a suite, each once; which is next is asked when it is to be played."""

    def __init__(self, tests: Iterable[TestCase], suspicious: SuspicionTester, window: int = WINDOW) -> None:
        self._rest, self._suspicious, self._window = iter(tests), suspicious, window
        self._waiting: list[tuple[TestCase, ExpectedPlay]] = []
        self._grown = suspicious.known.grown

    def __iter__(self) -> Iterator[TestCase]:
        while self._fill():
            yield self._waiting.pop(int(np.argmax(self.ratios())))[0]

    def ratios(self) -> Floats:
        """The suspicion that each of the tests that wait would meet now, for each label."""
        courses = [course for _, course in self._waiting]
        edges = np.concatenate([course.edges for course in courses])
        met = self._suspicious.player.met(edges) * np.concatenate([course.probability for course in courses])
        owner = np.repeat(np.arange(len(courses)), [len(course.edges) for course in courses])
        each = np.bincount(owner, met, minlength=len(courses))
        ratios: Floats = each / (1.0 + np.array([course.labels for course in courses]))
        return ratios

    def _fill(self) -> bool:
        """Look at more tests, as far as there is room; those that wait anew where more of the model is known."""
        known = self._suspicious.known
        if known.grown != self._grown:
            self._grown = known.grown
            self._waiting = [(test, expected_play(test, self._suspicious)) for test, _ in self._waiting]
        more = islice(self._rest, self._window - len(self._waiting))
        self._waiting += [(test, expected_play(test, self._suspicious)) for test in more]
        return bool(self._waiting)


def expected_play(test: TestCase, suspicious: SuspicionTester) -> ExpectedPlay:
    """Follow a test through the table, label by label, by how likely answers are and how often outputs forestall."""
    table, player = suspicious.known.table, suspicious.player
    likely = player.learnt.rows.chance
    taken: dict[int, float] = {}
    places = {(test.initial, table.initial): 1.0}
    while places:
        after: dict[tuple[int, int], float] = {}
        for (place, state), chance in places.items():
            gives = test.given(place) is not None
            forestalled = float(player.races.lost[state]) if gives else 1.0
            for edge in range(int(table.first[state]), int(table.first[state + 1])):
                label = int(table.label[edge])
                target = test.moves(place).get(table.labels[label])
                if target is None:
                    continue
                answered = label >= table.inputs
                share = chance * (forestalled * float(likely[edge]) if answered else 1.0 - forestalled)
                if share > _LEAST:
                    taken[edge] = taken.get(edge, 0.0) + share
                    there = target, int(table.target[edge])
                    after[there] = after.get(there, 0.0) + share
        places = after
    edges = np.fromiter(taken, dtype=np.int64, count=len(taken))
    visits = np.fromiter(taken.values(), dtype=np.float64, count=len(taken))
    return ExpectedPlay(edges, np.minimum(visits, 1.0), float(visits.sum()))
