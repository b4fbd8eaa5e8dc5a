"""Whether a system is wrong: the shortest trace that the model forbids, or the proof that there is none.

The pairs of a state of the model and a state of the system that plays reach are searched breadth first, by numbers,
which takes a tenth of the time of `check` (ioco: Tretmans 2008). What conforms is given to `check` too where the model
is small.
"""

from __future__ import annotations

from typing import Any

from benchmarks.faults.rows import Rows, Simulation
from outplay.conformance import check
from outplay.conformance.transition_table import TransitionTable
from outplay.errors import ModelError

MOST_PAIRS = 100_000
SMALL = 1_000  # states of a model for which `check` is asked as well


class Undecided(Exception):
    """There are too many pairs to search, or the system breaks down."""


def shortest_forbidden(table: TransitionTable, moves: list[dict[int, int]], rows: Rows) -> int | None:
    """The length of a shortest trace to what the model forbids; None: there is none."""
    seen, layer, length = {(0, 0)}, [(0, 0)], 0
    while layer:
        length += 1
        reached = []
        for at, there in layer:
            row, given = moves[at], rows.given(there)
            for label, after in rows.shown(there):
                if label not in row:
                    return length
                reached.append((row[label], after))
            reached += [(after, given.get(label, there)) for label, after in row.items() if label < table.inputs]
        layer = [pair for pair in dict.fromkeys(reached) if pair not in seen]
        seen.update(layer)
        if len(seen) > MOST_PAIRS:
            raise Undecided(f"more than {MOST_PAIRS:,} pairs")
    return None


def is_wrong(model: Any, table: TransitionTable, moves: list[dict[int, int]], rows: Rows) -> bool | None:
    """Whether a system does what its model forbids; None where that was not decided."""
    try:
        if shortest_forbidden(table, moves, rows) is not None:
            return True
        if table.state_count < SMALL:
            assert check(model, Simulation(table, rows)).conforms, "two searches of the same pairs disagree"
    except (ModelError, Undecided):
        return None
    return False
