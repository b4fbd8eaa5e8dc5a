"""What a run with default options comes to, measured as a user starts it: `python -m benchmarks.default_run`.

    python -m benchmarks.default_run --seeds 3 --only late,data

- *late*: a fault at the 8th and at the 30th request of a model of two states: the labels until it is found.
- *idle*: the right system, for each small model of `shared/data`: the share of the commonest play, in how many runs
  everything was taken that three walks take, and how many labels a run had.
- *data*: the bounded retransmission protocol with its public mutants, and some that show only where two of three data
  values are equal: the labels until they are found.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.page import table, write_section
from outplay import Simulated, automaton, read_model, run, specification
from outplay.model.expressions.reading import read_term
from outplay.model.expressions.simplifying import conjuncts
from outplay.model.expressions.term import conjunction, variable
from outplay.model.symbolic.building import checked_system
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.tester.known_behaviour import KnownBehaviour

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BRP = DATA / "brp"
SMALL = 60  # states
REQUESTS = automaton([("idle", "?a", "asked"), ("asked", "!x", "idle")])
EQUAL = {
    "first flag wrong where the last two are equal": ("m2", "x0 = x2"),
    "first flag wrong where the first two are equal": ("m2", "x0 = x1"),
    "first flag wrong where the first and the last are equal": ("m2", "x1 = x2"),
    "second frame wrong where the last two are equal": ("m3", "x0 = local_x0"),
    "after a time-out wrong where the first two are equal": ("m4", "x0 = x1"),
}
"""In which place an answer is another one, and where."""


def wrong_at(request: int) -> Any:
    """Answers as it should, but for one request of each round."""
    labels = [label for one in range(request) for label in ("?a", "!y" if one == request - 1 else "!x")]
    return automaton([(f"{n}", label, f"{(n + 1) % len(labels)}") for n, label in enumerate(labels)])


def wrong_where(system: SymbolicSystem, place: str, condition: str) -> SymbolicSystem:
    """The system, where one answer of a place has another first value under a condition."""
    switches = list[Switch]()
    for one in system.switches:
        if one.source != place:
            switches.append(one)
            continue
        scope = {name: variable(name) for name in (*system.variables, *map(str, one.parameters))}
        where = read_term(condition, scope)
        first = variable(str(one.parameters[0]))
        guards = {
            "right": conjunction([one.guard, read_term(f"not ({condition})", scope)]),
            "wrong": conjunction([_other_first(one, first), where]),
        }
        switches += [replace(one, name=f"{one.name}_{name}", guard=guard) for name, guard in guards.items()]
    return checked_system(replace(system, switches=tuple(switches)))


def _other_first(one: Switch, first: Any) -> Any:
    parts = [part for part in conjuncts(one.guard) if str(part.arguments[0]) != str(first)]
    return conjunction([first == 3, *parts])


def until_found(model: Any, system: Any, seeds: int) -> list[int | None]:
    """Labels until each run found a fault; None where it did not."""
    found = list[int | None]()
    for seed in range(seeds):
        outcome = run(model, Simulated(system, Random(seed)), seed=seed)
        found.append(outcome.tally.steps if outcome.verdict.name == "fail" else None)
    return found


def _row(name: str, found: list[int | None]) -> tuple[object, ...]:
    labels = [10_000 if one is None else one for one in found]
    return name, statistics.median(labels), max(labels), f"{sum(one is not None for one in found)} of {len(found)}"


def late(seeds: int) -> Iterator[tuple[object, ...]]:
    for request in (8, 30):
        yield _row(f"fault at request {request}", until_found(REQUESTS, wrong_at(request), seeds))


def data(seeds: int) -> Iterator[tuple[object, ...]]:
    right = read_model(BRP / "BRP_reference.register.xml")
    for number in (1, 2, 3):
        yield _row(f"mutant {number}", until_found(right, read_model(BRP / f"BRP_mutant{number}.register.xml"), seeds))
    for name, (place, condition) in EQUAL.items():
        yield _row(name, until_found(right, wrong_where(right, place, condition), seeds))


def idle(seeds: int) -> Iterator[tuple[object, ...]]:
    for path in [*sorted((DATA / "iolts").glob("*.dot")), *sorted((DATA / "mealy").glob("*.dot"))]:
        model = read_model(path)
        if (states := KnownBehaviour(specification(model)).table.state_count) > SMALL:
            continue
        walks = [run(model, Simulated(model, Random(seed)), seed=seed, tester="walk") for seed in range(3)]
        walked = set[tuple[str, str]]().union(*(one.tally.transitions for one in walks))
        outcomes = [run(model, Simulated(model, Random(seed)), seed=seed) for seed in range(seeds)]
        shares = [max(plays.values()) / sum(plays.values()) for plays in map(plays_of, outcomes) if plays.total() > 20]
        everything = sum(walked <= one.tally.transitions for one in outcomes)
        labels = statistics.median(one.tally.steps for one in outcomes)
        passed = all(one.verdict.name == "pass" for one in outcomes)
        share = f"{max(shares):.3f}" if shares else "–"
        yield path.stem, states, share, f"{everything} of {seeds}", labels, "yes" if passed else "NO"


def plays_of(outcome: Any) -> Counter[tuple[str, ...]]:
    """How often each play was made, by its labels."""
    plays = list[list[str]]()
    for event in outcome.trace.events:
        if event.kind == "reset":
            plays.append([])
        elif event.label is not None:
            plays[-1].append(str(event.label))
    return Counter(map(tuple, plays))


FOUND = ("fault", "median labels", "most labels", "found")
PARTS = {
    "late": (late, FOUND),
    "idle": (idle, ("model", "states", "commonest play", "takes what walks take", "median labels", "passed")),
    "data": (data, FOUND),
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.default_run")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--page", action="store_true", help="write the section of the results page")
    asked = parser.parse_args(arguments)
    if not DATA.exists():
        print("the folder shared/data is not here: there is nothing to test")
        return
    parts = [table(head, list(rows(asked.seeds))) for rows, head in (PARTS[name] for name in asked.only.split(","))]
    if asked.page:
        write_section(
            "A run with default options", f"{asked.seeds} runs of each; labels without starts.\n\n" + "\n\n".join(parts)
        )
    else:
        print("\n\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
