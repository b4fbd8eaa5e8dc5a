"""AALpy's random Wp-method as a peer, where the model is a deterministic machine.

A step gives an input and waits for the answer; where the system has more to say it waits for that too, at no more than
the labels seen, so that a doubled answer is found at once. AALpy never waits for silence after an answer.
"""

from __future__ import annotations

import contextlib
import random
from functools import cache
from random import Random
from time import process_time
from typing import Any

from benchmarks.faults.playing import LIMIT, Found, World, Worlds
from benchmarks.faults.systems import System
from benchmarks.faults_suites import Spent, aalpy_machine


class Answering:
    """A system for AALpy: labels are counted by the world it plays in."""

    num_queries = num_steps = 0

    def __init__(self, system: System, world: World, limit: int) -> None:
        self._world, self._limit, self._labels = world, limit, system.table.labels
        inputs = range(system.table.inputs)
        self._numbers = {self._labels[number].message: number for number in inputs}
        self._begun = self.found = False

    def pre(self) -> None:
        if self._begun:  # the first play needs no reset
            self._world.reset()
        self._begun = True

    def post(self) -> None:
        """Nothing to be done."""

    def step(self, given: str) -> str:
        self._world.give(self._numbers[given])
        said = self._answer()
        while self._world.speaks:
            said = self._answer()
        return said

    def _answer(self) -> str:
        if self._world.labels >= self._limit:
            raise Spent
        seen = self._world.wait()
        if seen is None:
            self.found = True
            raise Spent
        return self._labels[seen].message


@cache
def _hypothesis(system: System) -> Any:
    assert system.machine is not None
    return aalpy_machine(system.machine.stem)


def random_wp(system: System, worlds: Worlds, seed: str, limit: int = LIMIT) -> Found:
    """How long AALpy's random Wp-method takes to find a fault."""
    from aalpy.oracles import RandomWpMethodEqOracle

    hypothesis = _hypothesis(system)
    world = worlds(Random(seed))
    answering = Answering(system, world, limit)
    random.seed(seed)  # AALpy draws from the one generator of Python
    oracle = RandomWpMethodEqOracle(hypothesis.get_input_alphabet(), answering, num_tests=limit)
    began = process_time()
    with contextlib.suppress(Spent):
        oracle.find_cex(hypothesis)
    return Found(world.labels if answering.found else None, world.labels, process_time() - began)
