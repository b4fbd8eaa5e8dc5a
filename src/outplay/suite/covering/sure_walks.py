"""Walks that take every transition which the tester is sure to take, each as early as can be.

A move is sure where the specification leaves the system no choice: an input where it can only be silent, or the one
output that must come. A walk goes on to the nearest transition that no walk has taken, and starts again where there is
none, or where it has become long. Such walks find a wrong output at once, and of transitions that lead astray most, as
what comes next is another state's; the system is reset rarely, so they do so with few labels. O(transitions · states).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE
from outplay.tester.tester import Labels

_LONGEST = 250
_COMPARED = 300


def sure_moves(table: TransitionTable, state: int) -> dict[int, int]:
    """The labels that are sure to be taken in a state where the tester wants them, with the states they lead to."""
    row = table.moves(state)
    inputs = {label: target for label, target in row.items() if label < table.inputs}
    shown = {label: target for label, target in row.items() if label >= table.inputs}
    if len(shown) != 1:
        return inputs if not shown else {}
    return {**inputs, **shown} if table.labels[next(iter(shown))] == SILENCE else shown


def sure_walks(table: TransitionTable, *, longest: int = _LONGEST) -> list[Labels]:
    """Traces from the initial state that together take all sure transitions which sure moves can reach.

    Silence in which nothing changes is none of them.

    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("off", "?hit", "off")])
    >>> sure_walks(table_of(lamp))
    [(?hit, ?press, !light)]
    """
    walker = _SureWalker(table)
    walks = []
    while walk := walker.walk(longest):
        walks.append(tuple(table.labels[label] for label in walk))
    return walks


def doubts(table: TransitionTable, walks: Sequence[Labels]) -> dict[tuple[int, int], int]:
    """For each transition that walks take, by state and label: how many wrong targets the rest of no walk would show.

    A wrong target is shown where it lacks the next label; it is missed where it comes to the right state after all, or
    the walk ends. Of many states some are looked at.
    """
    rows, numbers = table.rows, table.numbers
    others = range(0, table.state_count, -(-table.state_count // _COMPARED))
    found: dict[tuple[int, int], int] = {}
    for walk in walks:
        labels, state = [numbers[label] for label in walk], table.initial
        for place, label in enumerate(labels):
            target = rows[state][label]
            missed = _missed(rows, others, target, labels[place + 1 :])
            found[state, label] = min(missed, found.get((state, label), missed))
            state = target
    return found


def _missed(rows: Sequence[dict[int, int]], others: Iterable[int], state: int, rest: Sequence[int]) -> int:
    """How many of some states could have done the rest of a walk too, in place of the right one."""
    left = [other for other in others if other != state]
    merged = 0
    for label in rest:
        if not left:
            break
        state = rows[state][label]
        left = [rows[other][label] for other in left if label in rows[other]]
        merged += left.count(state)
        left = [other for other in left if other != state]
    return merged + len(left)


class _SureWalker:
    def __init__(self, table: TransitionTable) -> None:
        self.initial = table.initial
        self.moves = [sure_moves(table, state) for state in range(table.state_count)]
        self.open = [
            [label for label, target in moves.items() if table.labels[label] != SILENCE or target != state]
            for state, moves in enumerate(self.moves)
        ]

    def walk(self, longest: int) -> list[int]:
        """A walk over transitions that none has taken before; empty where there are no more to be reached."""
        state, taken = self.initial, list[int]()
        while len(taken) < longest:
            path = self._path(state)
            if path is None:
                break
            for label in path:
                if label in self.open[state]:
                    self.open[state].remove(label)
                taken.append(label)
                state = self.moves[state][label]
        return taken

    def _path(self, start: int) -> list[int] | None:
        """A shortest way that ends with a transition which no walk has taken."""
        by: dict[int, tuple[int, int]] = {}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            if self.open[state]:
                return [*_back(by, start, state), self.open[state][0]]
            for label, target in self.moves[state].items():
                if target not in by and target != start:
                    by[target] = state, label
                    queue.append(target)
        return None


def _back(by: Mapping[int, tuple[int, int]], start: int, state: int) -> list[int]:
    labels = []
    while state != start:
        state, label = by[state]
        labels.append(label)
    return labels[::-1]
