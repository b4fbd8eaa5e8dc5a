"""The parts of a job: the model and its rules, how far it is explored, the aim, the system, the budget, the output.

Each field is named like the option of the command line that sets it, and `run --help` shows the options by these parts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from outplay.game.exploring.breadth_first import Limits
from outplay.play.timing import Timing
from outplay.runs.run_budget import Fairness

_LIMITS, _TIMING, _FAIRNESS = Limits(), Timing(), Fairness()


@dataclass(frozen=True)
class ModelPart:
    """The model: where it is, how it is read, and by which rules it is played."""

    title: ClassVar[str] = "Model"

    model: str = ""
    """`file.py:Class`, `module:Class` or a model file."""
    set: tuple[str, ...] = ()
    """Constants of a model program, each `NAME=VALUE`."""
    inputs: tuple[str, ...] = ()
    channel: tuple[str, ...] = ()
    """Over which connections labels go, each `GLOB=NAME`, beside what the model itself says."""
    format: str | None = None
    max_bytes: int | None = None
    purpose: str | None = None
    """The file of a test purpose."""
    final: tuple[str, ...] = ()
    reset_cost: str | None = None
    assumption: str = "nondeterministic"


@dataclass(frozen=True)
class LimitPart:
    """The limits of exploring."""

    title: ClassVar[str] = "Limits"

    max_states: int = _LIMITS.states
    max_edges: int = _LIMITS.edges
    max_depth: int | None = _LIMITS.depth
    max_seconds: float = _LIMITS.seconds
    max_memory: int = _LIMITS.memory


@dataclass(frozen=True)
class AimPart:
    """The aim: a strategy for a goal, a tester, or a suite."""

    title: ClassVar[str] = "What to play"

    goal: tuple[str, ...] = ()
    objective: str = "auto"
    method: str = "auto"
    epsilon: float | None = None
    learnt: str | None = None
    """The run (its trace, folder or id) whose answers are used in place of the model's probabilities."""
    restart: bool = False
    """Whether the tester may reset the system in the middle of a play for more coverage."""
    time_limit: float | None = None
    """The seconds for a solver that can do with less time, and then gives bounds in place of an answer."""
    options: tuple[str, ...] = ()
    """Further options that the objective or the system declares, each `NAME=VALUE`."""
    tester: str | None = None
    """The tester where there is no goal (runs/preparing/testers.py): `mix` unless another is named. For a suite, who
    puts its tests in order; else they are played as they come."""
    strategy: str = "transitions"
    """The strategy of predicates that a tour meets (predicate_tours/strategies.py), with the tester `tour`."""
    deterministic: bool = False
    """Whether the system is believed never to change its mind, with the tester `tour`."""
    budget: int | None = None
    """After what cost a tour is given up, with the tester `tour`; what a run may cost, with `cover` and `nt-plan`."""
    gain: str = "s2"
    """The rule that picks the path of the next play (strategy/coverage/repeated_execution.py), with the tester
    `nt-plan`.
    """
    cover: str | None = None
    """The items to count coverage of: states, transitions or labels."""
    suite: str | None = None
    """The file of a suite to play instead of a strategy."""
    join: bool = False
    """Whether tests of a suite are joined without a reset where one can begin where another has ended."""
    chance: float = _FAIRNESS.chance
    confidence: float = _FAIRNESS.confidence
    exhaustive: bool = False
    """Whether a suite is played against everything that a simulated system can do."""
    extra_steps: int = 0
    end_in: tuple[str, ...] = ()
    """States or goals, to one of which every play is taken before it ends."""
    seed: int = 0


@dataclass(frozen=True)
class SystemPart:
    """The system under test, and its times."""

    title: ClassVar[str] = "System"

    sut: str = ""
    isolated: bool = False
    ready: str | None = None
    reset: str | None = None
    jobs: int | None = None
    """The number of workers that make the plays, each with a system of its own; None: this process does."""
    adversarial: bool = False
    silence: float = _TIMING.silence
    latency: float = _TIMING.latency
    settle: float | None = _TIMING.settle
    confirm: float | None = _TIMING.confirm


@dataclass(frozen=True)
class BudgetPart:
    """The end of the run."""

    title: ClassVar[str] = "When to stop"

    plays: int | None = None
    labels: int | None = None
    """The number of labels to play, with one for each start (run_budget.py)."""
    time: float | None = None
    """The seconds to play, from the first play on (run_budget.py)."""
    steps: int = 100
    until: tuple[str, ...] = ()
    """The conditions to stop at: `covered`, `confidence=SHARE` or `quiet=N`. They are kept as the three fields
    below.
    """
    until_covered: bool = False
    """Whether there is enough when all is covered that `cover` names."""
    until_quiet: int | None = None
    """After how many plays that show nothing new there is enough."""
    until_cleared: float | None = None
    """The share of single faults that would have been found, at which to stop."""
    retries: int = 0
    """The number of times that a system that is not ready, or cannot be reset, is tried again in a run."""
    keep_going: bool = False


@dataclass(frozen=True)
class OutputPart:
    """The output: what is shortened, and what is left out."""

    title: ClassVar[str] = "Output"

    shrink: float | None = None
    """The seconds to spend on making a failing play short; None is in proportion to the cost of a play."""
    no_cache: bool = False
    """Whether nothing is read from the user's cache folder, nor kept there."""
    redact: tuple[str, ...] = ()
    """Names of variables and options whose values are not written down, beside those that look like secrets."""


PARTS = (ModelPart, AimPart, SystemPart, BudgetPart, OutputPart, LimitPart)
TITLES = {field: part.title for part in PARTS for field in (one.name for one in fields(part))}
"""The title of the part that each field is of."""
