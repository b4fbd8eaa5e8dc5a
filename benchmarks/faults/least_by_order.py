"""What no tester beats on a machine whose fault may be in any of its answers.

A fault in the answer to a question is not seen before that question was asked in that state, and all of them are
equally likely to be the wrong one. Where an answer leads into a part that no play leaves but by a reset, a play gets no
more than one such answer, and has to come to its state first. So at best those are taken one play after the other, the
nearest first, as jobs on one processor (Smith 1956), and beside them all others, the nearest first too, as if it took
no more than a question and an answer to get the next one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchmarks.faults.playing import LIMIT
from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System

ANSWERED = 2  # labels: the question and its answer
Question = tuple[int, int]
"""A state and the input that is given there."""


def least_by_order(system: System, mutants: Sequence[Rows] = (), *, limit: int = LIMIT) -> float:
    """No tester needs fewer labels on average over all questions of all states, each wrong as likely as another.

    What is not found within the limit counts as that. Of the mutants nothing is used.
    """
    one_a_play, others = questions(system)
    alone, once = sorted(others.values()), sorted(one_a_play.values())
    found = np.concatenate(
        [
            np.maximum(alone, ANSWERED * np.arange(1, len(alone) + 1)),
            np.cumsum(once) + np.arange(len(once)),  # with a reset before each
        ]
    )
    return float(np.minimum(found, limit).mean())


def questions(system: System) -> tuple[dict[Question, int], dict[Question, int]]:
    """The questions of a machine with the labels from the start to their answers: one a play of the first, then others.

    Of the first kind are those whose answer leads into a part that no play leaves but by a reset.
    """
    distance, final = _distances(system), _no_way_back(system)
    one_a_play, others = {}, {}
    for state, row in enumerate(system.moves):
        for label, middle in row.items():
            if label < system.table.inputs and state in distance:
                (after,) = system.moves[middle].values()
                kind = one_a_play if final[after] and not final[state] else others
                kind[state, label] = distance[state] + ANSWERED
    return one_a_play, others


def _distances(system: System) -> dict[int, int]:
    """How many labels it takes at least to come to each state."""
    distance, queue = {0: 0}, deque([0])
    while queue:
        state = queue.popleft()
        for after in system.moves[state].values():
            if after not in distance:
                distance[after] = distance[state] + 1
                queue.append(after)
    return distance


def _no_way_back(system: System) -> list[bool]:
    """For each state whether all that can be reached from it can come back to it, which the first state cannot."""
    states = len(system.moves)
    pairs = [(state, after) for state, row in enumerate(system.moves) for after in row.values()]
    sources, targets = np.array(pairs).T
    graph = csr_array((np.ones(len(pairs)), (sources, targets)), shape=(states, states))
    count, part = connected_components(graph, connection="strong")
    closed = np.ones(count, dtype=bool)
    closed[part[sources[part[sources] != part[targets]]]] = False
    closed[part[0]] = False
    return closed[part].tolist()
