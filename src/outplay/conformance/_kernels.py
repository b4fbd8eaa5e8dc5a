"""Kernels on pairs of states. Each pair is kept once: that of p and q, with p > q, has the number p(p-1)/2 + q."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

UNKNOWN, WAIT = -1, -1
"""No rank (a pair that nothing has told apart), and the move that waits for an output."""


class LabelledRows(NamedTuple):
    """Transitions in rows, those of state q at `first[q]` to `first[q + 1]`, by label; forwards or backwards."""

    first: NDArray[Any]
    label: NDArray[Any]
    other: NDArray[Any]


class PairRanks(NamedTuple):
    """The state of each pair: the moves until it is told apart, the first of them, and outputs still in common."""

    rank: NDArray[Any]
    move: NDArray[Any]
    common: NDArray[Any]


def blocked(masks: Any, words: int, count: int, ranks: PairRanks) -> int:
    """Give rank 0 to the pairs without a common output; `masks` has the outputs of each state as bits in words."""
    rank = ranks.rank
    left = 0
    number = 0
    for p in range(count):
        for q in range(p):
            shared = 0
            for word in range(words):
                shared |= masks[p * words + word] & masks[q * words + word]
            if shared == 0:
                rank[number] = 0
            else:
                rank[number] = -1
                left += 1
            number += 1
    return left


def first_moves(rows: LabelledRows, inputs: int, ranks: PairRanks, queue: Any) -> int:
    """Give rank 1 to the pairs that one move turns into blocked ones, and count the outputs that are left to others.

    Most pairs are blocked, so looking forward from the others takes a fraction of the time of looking back from those.
    """
    first, label, target = rows
    rank, move, common = ranks
    count = len(first) - 1
    found = 0
    number = 0
    for p in range(count):
        for q in range(p):
            if rank[number] == 0:
                number += 1
                continue
            left = 0
            given = -1
            i, j = first[p], first[q]
            while i < first[p + 1] and j < first[q + 1]:
                if label[i] < label[j]:
                    i += 1
                elif label[i] > label[j]:
                    j += 1
                else:
                    s, t = target[i], target[j]
                    apart = False
                    if s != t:
                        apart = rank[s * (s - 1) // 2 + t if s > t else t * (t - 1) // 2 + s] == 0
                    if label[i] >= inputs:
                        left += 0 if apart else 1
                    elif apart and given < 0:
                        given = label[i]
                    i += 1
                    j += 1
            common[number] = left
            if left == 0 or given >= 0:
                move[number] = -1 if left == 0 else given
                queue[found] = p * count + q
                found += 1
            number += 1
    for place in range(found):
        p, q = queue[place] // count, queue[place] % count
        rank[p * (p - 1) // 2 + q] = 1
    return found


def spread(back: LabelledRows, inputs: int, ranks: PairRanks, queue: Any, found: int) -> int:
    """Go on layer by layer from the pairs of rank 1: first waits, then inputs, so that a wait is preferred."""
    begin = 0
    layer = 1
    while begin < found:
        end = found
        for place in range(begin, end):
            found = _before(back, inputs, ranks, queue, found, queue[place], layer + 1, True)
        for place in range(begin, end):
            found = _before(back, inputs, ranks, queue, found, queue[place], layer + 1, False)
        begin = end
        layer += 1
    return found


def _before(
    back: LabelledRows, inputs: int, ranks: PairRanks, queue: Any, found: int, pair: int, layer: int, waiting: bool
) -> int:
    """Give a rank to the pairs from which a wait, or an input, leads to a pair that has its rank."""
    first, label, source = back
    rank, move, common = ranks
    count = len(first) - 1
    p, q = pair // count, pair % count
    i, j = first[p], first[q]
    while i < first[p + 1] and j < first[q + 1]:
        if label[i] < label[j]:
            i += 1
            continue
        if label[i] > label[j]:
            j += 1
            continue
        shared = label[i]
        start = j
        while i < first[p + 1] and label[i] == shared:
            s = source[i]
            j = start
            while j < first[q + 1] and label[j] == shared:
                t = source[j]
                j += 1
                number = s * (s - 1) // 2 + t if s > t else t * (t - 1) // 2 + s
                if rank[number] != -1 or (shared >= inputs) != waiting:
                    continue
                if waiting:
                    common[number] -= 1
                if not waiting or common[number] == 0:
                    rank[number] = layer
                    move[number] = -1 if waiting else shared
                    queue[found] = s * count + t if s > t else t * count + s
                    found += 1
            i += 1
    return found


def invalid(rows: LabelledRows, back: LabelledRows, inputs: int, ranks: PairRanks, queue: Any) -> int:
    """Algorithm 2 of van den Bos 2020 on single states: from which ones can the tester force that nothing is shown?"""
    first, label, _ = rows
    before, back_label, source = back
    rank, move, common = ranks
    found = 0
    for q in range(len(first) - 1):
        shown = 0
        for place in range(first[q], first[q + 1]):
            if label[place] >= inputs:
                shown += 1
        common[q] = shown
        rank[q] = 0 if shown == 0 else -1
        move[q] = -1
        if shown == 0:
            queue[found] = q
            found += 1
    begin = 0
    while begin < found:
        end = found
        for waiting in (True, False):
            for place in range(begin, end):
                p = queue[place]
                for edge in range(before[p], before[p + 1]):
                    q = source[edge]
                    if rank[q] != -1 or (back_label[edge] >= inputs) != waiting:
                        continue
                    if waiting:
                        common[q] -= 1
                    if not waiting or common[q] == 0:
                        rank[q] = rank[p] + 1
                        move[q] = -1 if waiting else back_label[edge]
                        queue[found] = q
                        found += 1
        begin = end
    return found


def alike_after(rank: Any, states: Any, targets: Any, enough: int) -> int:
    """Count the incompatible pairs of these states whose targets are compatible, up to `enough`."""
    found = 0
    for i in range(len(states)):
        p, s = states[i], targets[i]
        for j in range(i):
            t = targets[j]
            if s == t or rank[s * (s - 1) // 2 + t if s > t else t * (t - 1) // 2 + s] < 0:
                q = states[j]
                if rank[p * (p - 1) // 2 + q if p > q else q * (q - 1) // 2 + p] >= 0:
                    found += 1
                    if found >= enough:
                        return found
    return found


def least_rank(rank: Any, states: Any, none: int) -> int:
    """The least rank of a pair of these states, which are in ascending order; `none` where all are compatible."""
    least = none
    for i in range(len(states)):
        start = states[i] * (states[i] - 1) // 2
        for j in range(i):
            found = rank[start + states[j]]
            if 0 <= found < least:
                least = found
        if least == 0:
            break
    return least
