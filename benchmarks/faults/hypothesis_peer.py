"""Hypothesis' stateful testing as a peer: a rule for each input of the model, and one for waiting.

Where the model has no input after one was given, the rule that gave it waits for the answer, as is usual. Chances of
the system come from a generator that Hypothesis draws for each example: a system with chances of its own is refused as
flaky. An example is a play. Nothing is made smaller or kept, since only the first finding counts.
"""

from __future__ import annotations

from random import Random
from time import process_time
from typing import Any

from benchmarks.faults.playing import LIMIT, Found, Worlds
from benchmarks.faults.systems import System

STEPS = 50  # rules of an example, which is what Hypothesis takes unless it is told otherwise


class Ended(Exception):
    """The fault was found, or the limit is spent."""


def hypothesis_stateful(system: System, worlds: Worlds, seed: str, limit: int = LIMIT) -> Found:
    """How long Hypothesis takes to find a fault."""
    from hypothesis import HealthCheck, Phase, Verbosity, settings
    from hypothesis.stateful import run_state_machine_as_test

    counted = _Counted(system, worlds, limit)
    machine = _machine(system, counted)
    machine._hypothesis_internal_use_seed = Random(seed).getrandbits(64)
    chosen = settings(
        max_examples=limit,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    began = process_time()
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except Exception:
        if not counted.ended:  # what is played afterwards, to say what was found, is another play
            raise
    return Found(counted.found, counted.spent, process_time() - began)


class _Counted:
    """A system whose labels are counted over all examples."""

    def __init__(self, system: System, worlds: Worlds, limit: int) -> None:
        self._worlds, self._limit = worlds, limit
        self._moves, self._inputs = system.moves, system.table.inputs
        self.spent, self.found, self.ended = -1, None, False  # the first play needs no reset

    def begin(self, rng: Random) -> None:
        self._world = self._worlds(rng)
        self._spend(1)

    def allows(self, label: int) -> bool:
        return label in self._moves[self._world.at]

    def give(self, label: int) -> None:
        self._see(self._world.give(label))
        while not any(one < self._inputs for one in self._moves[self._world.at]):
            self.wait()

    def wait(self) -> None:
        self._see(self._world.wait())

    def _see(self, seen: int | None) -> None:
        self._spend(1)
        if seen is None and not self.ended:
            self.found, self.ended = self.spent, True
        if self.ended:
            raise Ended

    def _spend(self, labels: int) -> None:
        self.spent += labels
        self.ended = self.ended or self.spent >= self._limit


def _machine(system: System, counted: _Counted) -> Any:
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

    def begin(self: Any, rng: Random) -> None:
        counted.begin(rng)

    def giving(label: int) -> Any:
        def give(self: Any) -> None:
            counted.give(label)

        give.__name__ = f"give_{label}"
        return precondition(lambda self: counted.allows(label))(rule()(give))

    def wait(self: Any) -> None:
        counted.wait()

    body = {f"give_{label}": giving(label) for label in range(system.table.inputs)}
    begins = initialize(rng=st.randoms(use_true_random=True))(begin)
    return type("Testing", (RuleBasedStateMachine,), body | {"wait": rule()(wait), "begin": begins})
