"""The situation in which a tester without a goal is made, and the entries of the registry of testers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from outplay.model.specification import Specification
from outplay.runs.job import Job
from outplay.runs.monitors.coverage_monitor import CoverageMonitor
from outplay.strategy.coverage.items import Sightings
from outplay.tester.tester import Tester


@dataclass(frozen=True)
class Situation:
    """The situation in which a tester is made: the job and, where the model was explored, the items of its game."""

    job: Job
    sightings: Sightings | None = None
    model: Any = None
    """The model as it was read."""
    reset_cost: Fraction | None = None
    """The cost of starting the system again in the middle of a play, where that is allowed."""
    specification: Specification | None = None
    """The specification by which plays are followed."""
    ends: bool = True
    """Whether it may end a play to start again."""
    warn: Callable[[str], None] = lambda text: None
    """Takes what the user should know."""

    @property
    def rng(self) -> Random:
        """Chance from the seed of the job."""
        return Random(self.job.seed)


@dataclass(frozen=True)
class NamedTester:
    """One kind of tester: a sentence, how it is made, and whether it needs the model explored."""

    name: str
    summary: str
    make: Callable[[Situation], Tester]
    explores: bool = False
    covers: bool = False
    """Whether it plays for coverage alone, so that it has nothing to do when all is covered."""
    monitor: Callable[[Any], CoverageMonitor] | None = None
    """The monitor of what its plays cover, where that is nothing of a game."""
    rehearsed: bool = False
    """Whether what it will cover can be forecast by rehearsals."""
    pays_for_starts: bool = False
    """Whether `budget` is what a whole run may cost, with its starts."""
    options: tuple[str, ...] = ()
    """The fields of a job that have a say in how it plays, and in no other tester's play."""
