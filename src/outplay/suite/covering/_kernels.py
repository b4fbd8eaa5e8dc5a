"""Kernels of walks: where to go next, and which wrong targets a walk would miss."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray


class SureRows(NamedTuple):
    """Transitions in rows, those of state q at `first[q]` to `first[q + 1]`, by label; which ones no walk has taken."""

    first: NDArray[Any]
    label: NDArray[Any]
    target: NDArray[Any]
    open: NDArray[Any]
    """1 for a transition that is still to be taken."""
    left: NDArray[Any]
    """The number of transitions of each state that are left."""


class WalkSearch(NamedTuple):
    """The traces of a search: the queue, who has met a state last, and the transition it was met by."""

    queue: NDArray[Any]
    met: NDArray[Any]
    by: NDArray[Any]
    source: NDArray[Any]


def open_walk(rows: SureRows, search: WalkSearch, start: int, longest: int, taken: Any, stamp: int) -> int:
    """Walk over open transitions, always to the nearest; return how many transitions were taken.

    `stamp` is a number that no earlier search had, and as many as there are transitions after it.
    """
    first, _, target, is_open, left = rows
    queue, met, by, source = search
    state = start
    count = 0
    while count < longest:
        stamp += 1
        queue[0] = state
        met[state] = stamp
        begin, end = 0, 1
        found = -1
        while begin < end:
            here = queue[begin]
            begin += 1
            if left[here] > 0:
                found = here
                break
            for edge in range(first[here], first[here + 1]):
                onward = target[edge]
                if met[onward] != stamp:
                    met[onward] = stamp
                    by[onward] = edge
                    source[onward] = here
                    queue[end] = onward
                    end += 1
        if found < 0:
            return count
        length = 0
        back = found
        while back != state:
            length += 1
            back = source[back]
        back = found
        for place in range(length):
            taken[count + length - 1 - place] = by[back]
            back = source[back]
        last = first[found]
        while is_open[last] == 0:
            last += 1
        taken[count + length] = last
        back = state
        for place in range(count, count + length + 1):
            edge = taken[place]
            if is_open[edge] == 1:
                is_open[edge] = 0
                left[back] -= 1
            back = target[edge]
        count += length + 1
        state = back
    return count


def missed_targets(rows: SureRows, others: Any, walk: Any, initial: int, left: Any, missed: Any) -> int:
    """For each transition of a walk, how many of some other states could have done the rest of it too."""
    first, label, target, _, _ = rows
    state = initial
    for place in range(len(walk)):
        state = target[_edge(first, label, state, walk[place])]
        count = 0
        for number in range(len(others)):
            if others[number] != state:
                left[count] = others[number]
                count += 1
        right = state
        merged = 0
        for rest in range(place + 1, len(walk)):
            if count == 0:
                break
            right = target[_edge(first, label, right, walk[rest])]
            kept = 0
            for number in range(count):
                edge = _edge(first, label, left[number], walk[rest])
                if edge >= 0:
                    if target[edge] == right:
                        merged += 1
                    else:
                        left[kept] = target[edge]
                        kept += 1
            count = kept
        missed[place] = merged + count
    return 0


def _edge(first: Any, label: Any, state: int, wanted: int) -> int:
    """The transition of a state by a label; -1 where it has none."""
    low, high = first[state], first[state + 1]
    while low < high:
        middle = (low + high) // 2
        if label[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < first[state + 1] and label[low] == wanted else -1
