"""One test for all states, with the columns of Table 3.2 of van den Bos 2020, and how the times grow.

    python -m benchmarks.one_test [ROWS]

Automata come from `shared/data` beside the repository, and are drawn with the sizes of (at most ROWS) rows of Table
3.1. Times are those of the processor, so that what else the machine does matters little.
"""

from __future__ import annotations

import gc
import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.automata import ROWS, drawn, engine_tables, read_tables, shaped
from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from benchmarks.plot import Points, write_panels
from outplay.conformance import compatible_states, distinguishing
from outplay.conformance.compatibility import Compatibility
from outplay.conformance.distinguishing import further_tests
from outplay.conformance.transition_table import TransitionTable

GROWTH = Path(__file__).parent / "growth-one-test.svg"
ENGINES = (11, 12, 13, 15, 16)
SIZES = (0.05, 0.12, 0.25, 0.5, 1.0)  # of Dropbox-4
WORDS = """\
Pairs are ordered, as in the thesis. *Not told apart* are incompatible pairs that can show the same trace of the test to
its end, *left out* those of which one lacks an input that is given; both are told apart by the *further tests*. Where
more than 1 % is missed, *at least* is what every one test must miss, proven by search: there no test is much better. A
`+` marks splitting graphs that were left incomplete, because their sets have too many states in all (20,000, and 20 for
each state of the automaton): the test then follows the tests of pairs where there is no split. That of *like LE-4*
would have 69,003 sets and take ten times as long; that of LE-4 itself has 91,577 in the thesis. Seconds are those of
the graph and the test, without the pairs.
"""
Answer = TypeVar("Answer")


def main(rows: int) -> None:
    tables = {**read_tables(), **dict(engine_tables(ENGINES))}
    tables |= {f"like {name}": drawn(name) for name in itertools.islice(ROWS, rows)}
    compatible_states(drawn("VM-121"))  # compiled, or loaded, before
    head = ("automaton", "states", "transitions", "compatible pairs", "sets", "depth", "not told apart", "%",
            "left out", "%", "further tests", "average leaf", "weighted leaf", "seconds")  # fmt: skip
    listed = [telling(name, one) for name, one in tables.items()]
    write_section("One test for all states", f"{WORDS}\n{table(head, listed)}\n\n{growth(tables)}")


def spent(work: Callable[[], Answer]) -> tuple[float, Answer]:
    """The processor's time, and the answer."""
    began = time.process_time()
    answer = work()
    return time.process_time() - began, answer


def apart(found: Compatibility) -> int:
    """How many unordered pairs are incompatible."""
    return max(len(found.rank) - found.count, 1)


def telling(name: str, one: TransitionTable) -> tuple[object, ...]:
    found = compatible_states(one)
    gc.collect()
    gc.freeze()  # what other rows have left behind is no part of this one
    took, test = spent(lambda: distinguishing(found))
    left, out = len(test.undistinguished), len(test.left_out)
    further = len(further_tests(test))
    sets = f"{len(test.graph):,}" + "+" * (not test.graph.complete)
    return (
        name, f"{one.state_count:,}", f"{len(one.target):,}", f"{2 * found.count:,}", sets,
        test.experiment.depth, f"{2 * left:,}",
        f"{100 * left / apart(found):.2f}", f"{2 * out:,}", f"{100 * out / apart(found):.2f}", further,
        f"{test.average_leaf:.2f}", f"{test.weighted_leaf:.2f}", seconds(took),
    )  # fmt: skip


def growth(tables: dict[str, TransitionTable]) -> str:
    """Draw how the times grow with the states; the picture's place on the page."""
    sizes = [[round(share * size) for size in ROWS["Dropbox-4"]] for share in SIZES]
    like = [shaped(states, 11, 20, given, shown) for states, _, _, given, shown in sizes]
    engines = [one for name, one in tables.items() if name.startswith("ESM,")]
    panels = {"drawn like Dropbox-4": lines(like), "ESM, growing sub-alphabets": lines(engines)}
    write_panels(GROWTH, {name: drawn for name, drawn in panels.items() if drawn}, "states", "seconds")
    return f"![growth]({GROWTH.name})"


def lines(tables: list[TransitionTable]) -> dict[str, Points]:
    pairs, peer, test = list[tuple[float, float]](), list[tuple[float, float]](), list[tuple[float, float]]()
    for one in tables:
        took, found = spent(lambda one=one: compatible_states(one))  # type: ignore[misc]
        pairs.append((one.state_count, took))
        peer.append((one.state_count, native.pairs(one.first, one.label, one.target, one.inputs, rounds=1)["seconds"]))
        test.append((one.state_count, spent(lambda found=found: distinguishing(found))[0]))  # type: ignore[misc]
    return {"pairs, C++": peer, "pairs": pairs, "graph and test": test} if tables else {}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else len(ROWS))
