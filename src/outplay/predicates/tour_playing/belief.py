"""Which systems may be at the other end, after what was observed.

Kapus-Kolar 2007, 7.3: every observation leaves only the implementations that can have shown it. A system that may
choose anew each time can always show any transition of the machine. One that is deterministic has made one choice for
each state and input: what it showed once it will show again there, so that the transitions beside it are ruled out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from outplay.errors import UsageError
from outplay.predicates.system_model import MachineStep, SystemModel

MOST_READINGS = 10_000


class ManyReadings(UsageError):
    """There are too many runs to look at each of them."""


@dataclass(frozen=True)
class Belief:
    """All that may be true: the present state, and for a deterministic system the choices it is known to have made."""

    model: SystemModel
    readings: frozenset[tuple[int, frozenset[MachineStep]]]
    deterministic: bool

    def answers(self, given: str) -> set[str]:
        """The outputs that may answer an input now."""
        return {step.shown for state, made in self.readings for step in self._next(state, made, given)}

    def after(self, given: str, shown: str) -> Belief:
        """What is believed after an input was answered; empty where no system of the kind answers so."""
        longer = set[tuple[int, frozenset[MachineStep]]]()
        for state, made in self.readings:
            for step in self._next(state, made, given):
                if step.shown == shown:
                    longer.add((step.target, made | {step} if self.deterministic else made))
        if len(longer) > MOST_READINGS:  # then choices are forgotten, and nothing is ruled out that may be true
            longer = {(state, frozenset()) for state, _ in longer}
        return replace(self, readings=frozenset(longer))

    def remaining(self) -> SystemModel:
        """The machine without the transitions that no possible system has any more."""
        ruled_out = [step for step in self.model.machine_steps if not self._possible(step)]
        return self.model.without(ruled_out) if ruled_out else self.model

    def _possible(self, step: MachineStep) -> bool:
        return any(step in _left([step], made) for _, made in self.readings)

    def _next(self, state: int, made: frozenset[MachineStep], given: str) -> list[MachineStep]:
        return _left(self.model.answers.get((state, given), []), made)


def belief(model: SystemModel, *, deterministic: bool = False) -> Belief:
    """What is believed before anything was observed."""
    return Belief(model, frozenset([(model.root, frozenset())]), deterministic)


def runs_showing(
    model: SystemModel, observed: Sequence[tuple[str, str]], *, deterministic: bool = False
) -> list[tuple[MachineStep, ...]]:
    """The runs of the machine that show what was observed; of a deterministic system those without a second choice.

    Where there are too many of them, `ManyReadings` is raised.
    """
    runs: list[tuple[MachineStep, ...]] = [()]
    for label in observed:
        longer = []
        for run in runs:
            here = run[-1].target if run else model.root
            steps = [step for step in model.answers.get((here, label[0]), []) if step.shown == label[1]]
            longer += [(*run, step) for step in (_left(steps, frozenset(run)) if deterministic else steps)]
        runs = longer
        if len(runs) > MOST_READINGS:
            raise ManyReadings(f"more than {MOST_READINGS:,} runs show what was observed")
    return runs


def _left(steps: Iterable[MachineStep], made: frozenset[MachineStep]) -> list[MachineStep]:
    """The steps that go with the choices made."""
    chosen = {(one.source, one.given): one for one in made}
    return [step for step in steps if chosen.get((step.source, step.given), step) == step]
