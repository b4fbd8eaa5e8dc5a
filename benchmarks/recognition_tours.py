"""Tours with state recognition on machines from outside, beside the classical method.

python -m benchmarks.recognition_tours

Each transition is met and its final state told from every other state that can be told from it (the strategy
`forward`), with resets of cost 1. The classical method gives each transition tests of its own: a reset, the shortest
way there, the transition, and shortest sequences that tell its final state from the others, as few as a greedy choice
takes. Machines are read from ../shared/data.
"""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

from benchmarks.page import table, write_section
from outplay.formats.registry import read_model
from outplay.model.machine import Machine
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.strategies import strategy_named
from outplay.predicate_tours.system_model import system_model
from outplay.predicate_tours.tour_planning import plan_tour

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
MOST_STATES, SECONDS, LARGE, MORE_SECONDS = 100, 90.0, 1_000, 300.0
HEAD = (
    *("machine", "states", "transitions", "transition tour", "with recognition", "at least", "gap", "seconds"),
    "classical",
)

TEXT = (
    "Inputs and resets in all, with 90 seconds for each tour, 300 where there are more than 1,000 transitions, on a "
    "machine that had other work to do as well. `At least` is proven in whole numbers, and ~ says that in floats a "
    "better bound was found. The gap is what of a tour may be too much. The classical method is for machines without "
    "choices; what no test that surely leads back can meet is left out of the tours. With ≈ the unfolding is too "
    "large, and predicates are underestimated."
)


def main() -> None:
    rows = []
    for path in sorted([*(DATA / "mealy").glob("*.dot"), *(DATA / "onfsm").glob("*.dot")]):
        machine = read_model(path)
        if isinstance(machine, Machine) and len(machine.names) <= MOST_STATES:
            rows.append(row(path.stem, machine))
            print(rows[-1], flush=True)
    write_section("Tours with state recognition", f"{TEXT}\n\n{table(HEAD, rows)}")


def row(name: str, machine: Machine) -> tuple[str, ...]:
    """One machine."""
    model, limit = system_model(machine, reset=1), MORE_SECONDS if len(machine.steps) > LARGE else SECONDS
    plain = plan_tour(model, strategy_named("transitions").make(model), time_limit=limit)
    began = time.perf_counter()
    assert isinstance(plain, PlannedTour)
    found = plan_tour(model, strategy_named("forward").make(model), time_limit=limit)
    assert isinstance(found, PlannedTour)
    seconds = time.perf_counter() - began
    costs = [f"{int(one):,}" for one in (plain.cost[0], found.cost[0], found.checked[0])]
    costs[1] = f"≈ {costs[1]}" if found.approximate else costs[1]
    costs[2] += " ~" if found.checked < found.bound else ""
    gap = f"{float(1 - found.checked[0] / found.cost[0]):.0%}"
    old = f"{classical(machine):,}" if machine.deterministic else "–"
    return (name, str(len(machine.names)), f"{len(machine.steps):,}", *costs, gap, f"{seconds:.1f}", old)


def classical(machine: Machine) -> int:
    """Inputs and resets of the classical method."""
    after = {(source, given): (shown, target) for source, given, shown, target in machine.steps}
    access = _access(machine)
    telling = _telling(machine, after)
    words = {state: _words(machine, after, telling, state) for state in range(len(machine.names))}
    total = 0
    for source, _, _, target in dict.fromkeys(machine.steps):
        if source in access:
            total += sum(1 + access[source] + 1 + len(word) for word in words[target] or [()])
    return total


def _words(
    machine: Machine,
    after: dict[tuple[int, str], tuple[str, int]],
    telling: dict[tuple[int, int], tuple[str, ...]],
    target: int,
) -> list[tuple[str, ...]]:
    """Sequences that tell a state from all others that can be told from it: greedily few."""
    left, words = {other for other in range(len(machine.names)) if (target, other) in telling}, []
    while left:
        # A sequence tells all states apart that answer it otherwise, or do not take it.
        candidates = dict.fromkeys(telling[target, other] for other in sorted(left))
        words.append(max(candidates, key=lambda one: len(_distinguished(after, target, one, left))))
        left -= _distinguished(after, target, words[-1], left)
    return words


def _access(machine: Machine) -> dict[int, int]:
    """How far each state is from the start."""
    found, queue = {machine.initial: 0}, deque([machine.initial])
    while queue:
        here = queue.popleft()
        for source, _, _, target in machine.steps:
            if source == here and target not in found:
                found[target] = found[here] + 1
                queue.append(target)
    return found


def _telling(machine: Machine, after: dict[tuple[int, str], tuple[str, int]]) -> dict[tuple[int, int], tuple[str, ...]]:
    """For pairs of states a shortest sequence that the first takes and the second answers otherwise."""
    pairs = [(one, other) for one in range(len(machine.names)) for other in range(len(machine.names)) if one != other]
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for one, other in pairs:
        for given in machine.inputs:
            if (one, given) in after and after.get((other, given), ("", -1))[0] != after[one, given][0]:
                found.setdefault((one, other), (given,))
    changed = True
    while changed:
        longer = {}
        for one, other in pairs:
            for given in machine.inputs if (one, other) not in found else ():
                if (one, given) in after and (after[one, given][1], after[other, given][1]) in found:
                    longer[one, other] = (given, *found[after[one, given][1], after[other, given][1]])
                    break
        changed = bool(longer)
        found |= longer
    return found


def _distinguished(
    after: dict[tuple[int, str], tuple[str, int]], state: int, word: tuple[str, ...], others: set[int]
) -> set[int]:
    own = _answers(after, state, word)
    return {other for other in others if _answers(after, other, word) != own}


def _answers(after: dict[tuple[int, str], tuple[str, int]], state: int, word: tuple[str, ...]) -> list[str]:
    shown = []
    for given in word:
        if (state, given) not in after:
            return [*shown, "refused"]
        answer, state = after[state, given]
        shown.append(answer)
    return shown


if __name__ == "__main__":
    main()
