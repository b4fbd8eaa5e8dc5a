"""Who is compared: each tester by name, called alike with a model, a system and a seed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from benchmarks.faults.hypothesis_peer import hypothesis_stateful
from benchmarks.faults.own import Cover
from benchmarks.faults.players import Greedy, PatientGreedy, Uniform, Walk
from benchmarks.faults.playing import LIMIT, Found, Player, Worlds, play
from benchmarks.faults.product import by_run
from benchmarks.faults.systems import System
from benchmarks.faults.wp_peer import random_wp

Run = Callable[[System, Worlds, str, int], Found]
RESETS = (0.0, 0.01, 0.03, 0.1)
"""The chances of a reset that a random walk may have; the best for each system counts."""


@dataclass(frozen=True)
class Tester:
    """A tester: how it plays a system with one seed, and where it can play at all."""

    name: str
    run: Run
    peer: bool = True
    """Whether it is one of those that ours is compared with."""
    needs: str = ""
    """The package it needs."""
    machines_only: bool = False
    slow: bool = False
    make: Callable[[System, Random], Player] | None = None
    """Its player, where it is one."""

    def plays(self, system: System) -> bool:
        return self.is_here() and (system.machine is not None or not self.machines_only)

    def is_here(self) -> bool:
        return not self.needs or _is_there(self.needs)


@cache
def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of a package around it
        return False


Make = Callable[[System, Random], Player]


def by_player(name: str, make: Make, *, peer: bool = True, needs: str = "", slow: bool = False) -> Tester:
    """The tester of a player; it and the system have their own chances."""

    def run(system: System, worlds: Worlds, seed: str, limit: int = LIMIT) -> Found:
        player = make(system, Random(f"tester {seed}"))
        return play(player, worlds(Random(f"system {seed}")), limit)

    return Tester(name, run, peer, needs, slow=slow, make=make)


def _uniform(reset: float) -> Make:
    return lambda system, rng: Uniform(system, rng, reset=reset)


def _suspicion(system: System, rng: Random) -> Player:
    from outplay.strategy.suspicion import Suspicion

    return Suspicion(system.table, rng, _pairs(system))


@cache
def _pairs(system: System) -> Any:
    """The game on pairs, which is solved once for all plays; nothing of it changes while playing."""
    from outplay.strategy.suspicion.behaviour_table import answering_rows
    from outplay.strategy.suspicion.pair_game import Pairs, pair_game

    found = pair_game(answering_rows(system.table))
    return found if isinstance(found, Pairs) else None


TESTERS = {
    tester.name: tester
    for tester in (
        Tester("outplay run", by_run, peer=False, slow=True),
        by_player("suspicion", _suspicion, peer=False, needs="outplay.strategy.suspicion"),
        *(by_player(f"uniform {reset}", _uniform(reset)) for reset in RESETS),
        by_player("greedy", Greedy),
        by_player("greedy waiting", PatientGreedy),
        Tester("hypothesis", hypothesis_stateful, needs="hypothesis", slow=True),
        Tester("random Wp", random_wp, needs="aalpy", machines_only=True),
        by_player("walk", Walk, peer=False),
        by_player("cover", Cover, peer=False, slow=True),
    )
}
DEFAULT = tuple(name for name in TESTERS if name != "cover")
"""Coverage re-plans after every label, and is measured where it is asked for."""
