"""Conformance and compatible states, beside plain Python and C++.

    python -m benchmarks.conformance [ROWS]

Random automata have the sizes of rows of Table 3.1 of van den Bos 2020 (at most ROWS of them). *Plain Python* checks
ioco by following pairs of states by their labels, and finds compatible states by striking out pairs until nothing
changes; *C++* is `pairs.cpp`, a tuned `g++ -O3` program with a worklist of pairs.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from benchmarks.automata import drawn
from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from outplay import Automaton, automaton
from outplay.conformance import check, compatible_states
from outplay.conformance.transition_table import TransitionTable
from outplay.model.suspension import SuspensionAutomaton

COMPARED = ("TCP", "VM-121", "ESM-IISl", "Dropbox-4")
LARGEST_PLAIN = 500
Answer = TypeVar("Answer")


def main(rows: int) -> None:
    tables = {name: drawn(name) for name in COMPARED[:rows]}
    head = ("implementation × specification", "pairs", "check", "plain Python", "ratio")
    write_section("Conformance of rings", table(head, [conformance(*sizes) for sizes in ((40, 41), (300, 331))]))
    head = ("like", "states", "transitions", "compatible", "ours", "C++", "ratio", "plain Python", "ratio")
    write_section("Compatible states", table(head, [compatibility(name, one) for name, one in tables.items()]))


def timed(work: Callable[[], Answer], rounds: int = 3) -> tuple[float, Answer]:
    """The best time of several rounds, and the answer."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - began)
    return min(times), answer


def ring(size: int) -> Automaton:
    """A ring that says x or y and takes a: two of them with sizes that share no divisor meet in all pairs of states."""
    steps = [(str(n), label, str((n + 1) % size)) for n in range(size) for label in ("?a", "!x", "!y")]
    return automaton(steps)


def conformance(impl_size: int, spec_size: int) -> tuple[object, ...]:
    spec, impl = ring(spec_size), ring(impl_size)
    ours, found = timed(lambda: check(spec, impl))
    plain, pairs = timed(lambda: plain_check(SuspensionAutomaton(spec), SuspensionAutomaton(impl)))
    assert found.conforms
    assert len(found.related) == pairs
    return f"{impl_size} × {spec_size}", f"{pairs:,}", seconds(ours), seconds(plain), f"{ours / plain:.2f}"


def plain_check(spec: SuspensionAutomaton, impl: SuspensionAutomaton) -> int | None:
    """How many pairs of states are met; None where the implementation shows what it may not."""
    queue = [(impl.initial[0], spec.initial[0])]
    seen = set(queue)
    for i, s in queue:
        allowed, own = spec.moves(s), impl.moves(i)
        for label in own:
            if label not in allowed and not label.is_input:
                return None
            if label in allowed and (reached := (own[label], allowed[label])) not in seen:
                seen.add(reached)
                queue.append(reached)
    return len(seen)


def compatibility(name: str, one: TransitionTable) -> tuple[object, ...]:
    compatible_states(one)  # compiled, or loaded, before
    ours, found = timed(lambda: compatible_states(one))
    peer = native.pairs(one.first, one.label, one.target, one.inputs)
    assert peer["compatible"] == found.count
    assert peer["ranks"] == int(found.rank[found.rank >= 0].sum())
    plain: list[Any] = ["", ""]
    if one.state_count <= LARGEST_PLAIN:
        slow, count = timed(lambda: plain_pairs(one), 1)
        assert count == found.count
        plain = [seconds(slow), f"{ours / slow:.2g}"]
    sizes = f"{one.state_count:,}", f"{len(one.target):,}", f"{2 * found.count:,}"
    return name, *sizes, seconds(ours), seconds(peer["seconds"]), f"{ours / peer['seconds']:.2f}", *plain


def plain_pairs(one: TransitionTable) -> int:
    """How many pairs of states are compatible, by the definition."""
    rows = [one.moves(state) for state in range(one.state_count)]
    kept = set(itertools.combinations(range(one.state_count), 2))
    while True:
        gone = {pair for pair in kept if not stays(rows, one.inputs, kept, *pair)}
        if not gone:
            return len(kept)
        kept -= gone


def stays(rows: list[dict[int, int]], inputs: int, kept: set[tuple[int, int]], p: int, q: int) -> bool:
    """Whether a pair may stay among the compatible ones."""
    good = False
    for label in rows[p].keys() & rows[q].keys():
        s, t = rows[p][label], rows[q][label]
        related = s == t or (min(s, t), max(s, t)) in kept
        if label < inputs and not related:
            return False
        good |= label >= inputs and related
    return good


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else len(COMPARED))
