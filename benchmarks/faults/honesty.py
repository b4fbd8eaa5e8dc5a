"""Is the number told honest? The share of single faults found, beside what a run against a right system says.

    python -m benchmarks.faults.honesty --systems alarm,tftp,mqtt --faults 40
    python -m benchmarks.faults.honesty --systems random-0,random-1,linux,maestro --faults 200 --runs 20

Faults are drawn by the definition of `outplay.strategy.suspicion.detection_chance`. Each is played by the suspicion
game until it is found; the number told is the mean over as many runs against the right system.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from random import Random
from statistics import mean, variance

from benchmarks.faults.playing import RESET, WAIT, World, play
from benchmarks.faults.rows import Rows, Shown, lists_of, of_lists
from benchmarks.faults.systems import SYSTEMS, System
from benchmarks.faults.unseen import UNSEEN
from outplay.model.label import SILENCE
from outplay.strategy.suspicion import Suspicion
from outplay.strategy.suspicion.detection_chance import Clearing

MOMENTS = (10, 20, 50, 100, 200, 500, 1000)


def drawn_faults(clearing: Clearing, rng: Random) -> Iterator[Rows]:
    """Systems with one fault each: by turns a wrong or missing answer and a wrong target, of each step as often."""
    steps = [int(step) for step in clearing.outstanding.answers.nonzero()[0]]
    units = [unit for unit, possible in enumerate(clearing.outstanding.possible) if possible]
    while True:
        for step, unit in zip(_again(steps, units, rng), _again(units, steps, rng), strict=True):
            if steps:
                yield with_step(clearing, step, None, rng)
            if units:
                slots = [int(slot) for slot in (clearing.outstanding.left[unit] > 0).nonzero()[0]]
                suspect = int(clearing.outstanding.suspect[unit, rng.choice(slots)])
                yield with_step(clearing, int(clearing.outstanding.step[unit]), suspect, rng)


def _again(ones: list[int], others: list[int], rng: Random) -> list[int]:
    """All of them, shuffled, as often as it takes to be as many as the others."""
    count = max(len(ones), len(others))
    rounds = [rng.sample(ones, len(ones)) for _ in range(-(-count // len(ones)))] if ones else [[-1] * count]
    return [one for shuffled in rounds for one in shuffled][:count]


def with_step(clearing: Clearing, step: int, target: int | None, rng: Random) -> Rows:
    """A step leads to another state or, without one, answers otherwise; a question keeps its own answers."""
    table = clearing.table
    given, shown = (list(one) for one in lists_of(table))
    asked, edge = int(clearing.steps.credited[step]), int(clearing.steps.edge[step])
    source, label = int(table.source[edge]), int(table.label[edge])
    if label < table.inputs:
        assert target is not None
        given[source] = {**given[source], label: target}
        return of_lists(given, shown)
    answers = _changed(table, shown[source], label, target, rng, source)
    if asked == edge:
        shown[source] = answers
        return of_lists(given, shown)
    start, question = int(table.source[asked]), int(table.label[asked])
    given[start] = {**given[start], question: len(given)}
    return of_lists([*given, given[source]], [*shown, answers])


def _changed(table, shown: Shown, label: int, target: int | None, rng: Random, source: int) -> Shown:
    if target is not None:
        return tuple((said, target if said == label else to) for said, to in shown)
    others = [said for said in range(table.inputs, len(table.labels)) if said not in dict(shown)]
    silence = table.labels.index(SILENCE)
    if len(shown) > 1:
        others = [said for said in others if said != silence]  # that another answer stays away is allowed
    said = rng.choice(others) if others else len(table.labels)  # one that the model never shows
    return tuple((said if one == label else one, (source if said == silence else to)) for one, to in shown)


def told(system: System, clearing: Clearing, seed: str, moments: Sequence[int]) -> Iterator[float]:
    """The number told at some moments of a run against the right system."""
    player, world = Suspicion(system.table, Random(f"tester {seed}"), clearing.pairs), _world(system, seed)
    clearing.begin()
    player.begin()
    for moment in moments:
        while world.labels < moment:
            move = player.move()
            if move == RESET:
                world.reset()
                player.begin()
                clearing.begin()
                continue
            seen = world.wait() if move == WAIT else world.give(move)
            assert seen is not None
            player.saw(seen)
            clearing.waited = move == WAIT
            clearing.saw(seen)
        yield clearing.cleared.share


def _world(system: System, seed: str, rows: Rows | None = None) -> World:
    return World(system, rows or system.right, Random(f"system {seed}"))


@dataclass(frozen=True)
class Agreement:
    """At each moment the share of faults found, and the number told."""

    system: str
    moments: tuple[int, ...]
    found: tuple[float, ...]
    told: tuple[float, ...]
    error: tuple[float, ...]
    """The standard error of the difference: that faults are drawn, and that runs differ."""

    @property
    def worst(self) -> float:
        return max(self._apart)

    @property
    def by_chance(self) -> float:
        """By how much the two may differ by chance where they differ most, in 19 cases of 20."""
        return 2 * self.error[self._apart.index(self.worst)]

    @property
    def _apart(self) -> list[float]:
        return [abs(found - told) for found, told in zip(self.found, self.told, strict=True)]


def compared(
    system: System, moments: Sequence[int], labels: Sequence[float], said: Sequence[Sequence[float]]
) -> Agreement:
    """After how many labels each fault was found, beside what each run told at each moment."""
    found = [mean(one <= moment for one in labels) for moment in moments]
    columns = list(zip(*said, strict=True))
    chances = [share * (1 - share) / len(labels) for share in found]
    runs = [variance(one) / len(one) if len(one) > 1 else 0.0 for one in columns]
    error = tuple(sqrt(drawn + run) for drawn, run in zip(chances, runs, strict=True))
    return Agreement(system.name, tuple(moments), tuple(found), tuple(map(mean, columns)), error)


def agreement(system: System, faults: int, runs: int, moments: Sequence[int] = MOMENTS) -> Agreement:
    """Play so many faults, each by itself, and the right system so often."""

    def fresh() -> Clearing:
        return Clearing(system.table, pairs)

    pairs = Suspicion(system.table, Random(0)).pairs
    drawn, labels = drawn_faults(fresh(), Random(f"faults {system.name}")), []
    for number, rows in enumerate(islice(drawn, faults)):
        seed = f"{system.name} {number}"
        player = Suspicion(system.table, Random(f"tester {seed}"), pairs)
        labels.append(play(player, _world(system, seed, rows), moments[-1]).labels or moments[-1] + 1)
    said = [[*told(system, fresh(), f"{system.name} right {number}", moments)] for number in range(runs)]
    return compared(system, moments, labels, said)


def main(
    arguments: list[str],
    program: str = "honesty",
    systems: str = "chat,chat-races,alarm,tftp,mqtt,tcp",
    agree: Callable[[System, int, int], Agreement] = agreement,
    faults: int = 40,
    runs: int = 5,
) -> None:
    """Measure the systems that are asked for; on a wire, by another way to agree."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.faults.{program}")
    parser.add_argument("--systems", default=systems)
    parser.add_argument("--faults", type=int, default=faults)
    parser.add_argument("--runs", type=int, default=runs)
    asked = parser.parse_args(arguments)
    names = asked.systems.split(",")
    print_agreements((agree((SYSTEMS | UNSEEN)[name](), asked.faults, asked.runs) for name in names), asked.faults)


def print_agreements(agreements: Iterable[Agreement], faults: int) -> None:
    """A row for each system, and one for all together."""
    all_found: list[Agreement] = []
    for one in agreements:
        if not all_found:
            heads = [f"{moment:,} labels" for moment in one.moments]
            print(f"| system (faults) | {' | '.join(heads)} | worst | by chance |")
            print("|---|" + "---|" * (len(one.moments) + 2))
        all_found.append(one)
        _row(f"{one.system} ({faults})", one)
    count, moments = len(all_found), all_found[0].moments
    found, said = (
        tuple(sum(getattr(one, name)[place] for one in all_found) / count for place in range(len(moments)))
        for name in ("found", "told")
    )
    error = tuple(sqrt(sum(one.error[place] ** 2 for one in all_found)) / count for place in range(len(moments)))
    _row(f"all ({count * faults})", Agreement("all", moments, found, said, error))


def _row(name: str, one: Agreement) -> None:
    cells = [f"{told:.2f}, {found:.2f}" for told, found in zip(one.told, one.found, strict=True)]
    print(f"| {name} | {' | '.join(cells)} | {one.worst:.2f} | {one.by_chance:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
