"""The fields of a job as options: what each is called, of which type it is, and what its help says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from outplay.cli.registry_options import OBJECTIVE_OPTIONS, SYSTEM_OPTIONS, Number, declared_option
from outplay.errors import UsageError
from outplay.game.assumption import Assumption
from outplay.play.adapters.adapters import ADAPTERS
from outplay.runs.preparing.testers import MIX, SUSPICION, TESTERS
from outplay.runs.run_budget import read_duration
from outplay.strategy.coverage.items import COVERABLE
from outplay.strategy.objectives import OBJECTIVES


class Name(click.ParamType):  # type: ignore[type-arg]  # only new versions of click have arguments
    """A name out of all that a registry knows when it is read, or one of some more words."""

    def __init__(self, known: Callable[[], Iterable[str]], name: str, *more: str) -> None:
        self._known, self.name, self._more = known, name, more

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join([*self._more, *self._known()])}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.Choice([*self._more, *self._known()]).convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in [*self._more, *self._known()] if name.startswith(incomplete)]


class Duration(click.ParamType):  # type: ignore[type-arg]  # only new versions of click have arguments
    """A time with its unit, in seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return read_duration(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


def objective_name(*more: str) -> Name:
    """Return the name of an objective from what the user writes as an option."""
    return Name(lambda: OBJECTIVES, "objective", *more)


def _strategies() -> Iterable[str]:
    from outplay.predicate_tours.strategies import STRATEGIES  # loaded only for those who ask

    return STRATEGIES


def _gains() -> Iterable[str]:
    from outplay.strategy.coverage.repeated_execution import GAINS

    return GAINS


_COUNT = click.IntRange(1)
JOB_OPTIONS: dict[str, dict[str, Any]] = {
    **{name: {"show_default": True, **declared_option(name, OBJECTIVES)} for name in OBJECTIVE_OPTIONS},
    **{name: declared_option(name, ADAPTERS) for name in SYSTEM_OPTIONS},
    "model": {"help": "The model to judge by [default: the one named in the trace]."},
    "set": {
        "multiple": True,
        "metavar": "NAME=VALUE",
        "help": "Set a constant of a model program, e.g. --set \"clients=('ann','bob')\".",
    },
    "inputs": {
        "multiple": True,
        "metavar": "GLOB",
        "help": "Which labels without a direction are inputs, e.g. --inputs 'r1*'; all others are outputs.",
    },
    "channel": {
        "multiple": True,
        "metavar": "GLOB=NAME",
        "help": "Send labels that match GLOB over connection NAME. Each connection keeps its order; labels of "
        "different connections may overtake each other. The first match counts, and goes before the model's "
        "own channels.",
    },
    "format": {"metavar": "NAME", "help": "Read the model file in this format, whatever its extension."},
    "max_bytes": {"type": _COUNT, "help": "Largest file to read, in bytes [default: 64 MiB, game .json 1 GiB]."},
    "purpose": {
        "metavar": "FILE",
        "help": "Test purpose: an automaton that follows the play. The goal is to reach one of its final states, and"
        " has the automaton's name.",
    },
    "final": {
        "multiple": True,
        "metavar": "STATE",
        "help": "Final state of the purpose [default: states called accept, final or goal, else those without moves].",
    },
    "reset_cost": {
        "metavar": "COST",
        "help": "Let the tester reset the system in the middle of a play, at this cost.",
    },
    "assumption": {
        "show_default": True,
        "type": click.Choice([known.value for known in Assumption]),
        "help": "The rule for when tester and system both want to move.",
    },
    "max_states": {"show_default": True, "type": _COUNT, "help": "Maximum number of states to explore."},
    "max_edges": {"show_default": True, "type": _COUNT, "help": "Maximum number of edges to explore."},
    "max_depth": {"show_default": True, "type": _COUNT, "help": "Maximum depth to explore."},
    "max_seconds": {
        "show_default": True,
        "type": Number(0),
        "help": "Maximum seconds for exploring, and for a single step of a model program.",
    },
    "max_memory": {
        "show_default": True,
        "type": _COUNT,
        "metavar": "MB",
        "help": "Maximum memory in MB for exploring, or for stepping a model program.",
    },
    "goal": {
        "multiple": True,
        "metavar": "NAME",
        "help": "What to reach: the name of a goal, vertex or state, a label, or a transition 'q --!x--> r', looked "
        "up in this order. 'A & B' asks for both. Repeat it for alternatives; forecast and suite take each "
        "by itself.",
    },
    "objective": {
        "show_default": True,
        "type": objective_name(),
        "help": "What to optimize; see below.",
    },
    "tester": {
        "type": Name(lambda: TESTERS, "tester"),
        "help": f"Who plays where there is no goal [default: {MIX}]; see below. With --suite, {SUSPICION} plays those "
        "tests first that are most likely to find a fault.",
    },
    "strategy": {
        "show_default": True,
        "type": Name(_strategies, "strategy"),
        "help": "Testing strategy that the tour satisfies (run --tester tour, suite --method tour).",
    },
    "deterministic": {
        "is_flag": True,
        "help": "--tester tour: assume that the system always answers alike, and skip what it can no longer do.",
    },
    "budget": {
        "metavar": "COST",
        "type": _COUNT,
        "help": "--tester tour: give up a test once it has cost this much. --tester cover, nt-plan: end the run once"
        " labels (1 each) and restarts (--reset-cost each, or 10) have cost this much.",
    },
    "gain": {
        "show_default": True,
        "type": Name(_gains, "gain"),
        "help": "--tester nt-plan: how to choose the path of the next play. s1.5: each path once; s2: any path that "
        "may show something new; s3: prefer paths that may show much; s4: prefer paths that show much with "
        "few choices of the system.",
    },
    "cover": {
        "type": click.Choice(COVERABLE),
        "help": "Report how much of all states, transitions or labels was covered; --tester cover aims for these "
        "[default there: states].",
    },
    "until": {
        "multiple": True,
        "metavar": "CONDITION",
        "help": "Stop early: covered (everything that --cover names was seen), confidence=0.9 (an estimated 90 % of "
        "single faults would have been noticed), or quiet=N (N plays in a row showed nothing new). Repeated:"
        " stop at the first that is met.",
    },
    "until_covered": {"hidden": True, "is_flag": True, "help": "The same as --until covered."},
    "until_quiet": {"hidden": True, "metavar": "N", "type": _COUNT, "help": "The same as --until quiet=N."},
    "until_cleared": {
        "hidden": True,
        "metavar": "SHARE",
        "type": Number(0, 1),
        "help": "Stop once this share of single faults would have been noticed, as estimated.",
    },
    "suite": {
        "metavar": "FILE",
        "help": "Play the test cases of this file, each until none of its branches is open, at most --plays times.",
    },
    "plays": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Number of plays [default: as many as fit into 10,000 labels, fewer where nothing is left to test; "
        "with --suite 100 tries of each test].",
    },
    "labels": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Number of labels to play, counting one for each start; the run ends with this or --plays.",
    },
    "time": {
        "metavar": "T",
        "type": Duration(),
        "help": "Time to play, such as 90s, 10m or 8h; the run ends with this, --plays or --labels.",
    },
    "jobs": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Play with N systems at once, each in a process of its own; {worker} in the options of the system "
        "stands for its number, from 0.",
    },
    "disk": {
        "metavar": "FOLDER",
        "help": "Explore a model program with states and game in files of an empty folder, where memory is too small.",
    },
    "scheduler": {
        "metavar": "ADDRESS",
        "help": "Play with the workers of a Dask cluster, such as tls://HOST:8786; as many as it has, or --jobs.",
    },
    "steps": {
        "show_default": True,
        "type": _COUNT,
        "help": "Maximum number of labels in a play; answers still due at its end come on top.",
    },
    "retries": {
        "metavar": "N",
        "show_default": True,
        "type": click.IntRange(0),
        "help": "Try again up to N times in a run, with growing pauses, where the system is not ready or not reset.",
    },
    "extra_steps": {
        "metavar": "N",
        "show_default": True,
        "type": click.IntRange(0),
        "help": "Keep playing for N more steps after the goal, or after a test that passed.",
    },
    "end_in": {
        "multiple": True,
        "metavar": "GOAL",
        "help": "Take every play to this goal or state before it ends, by the cheapest way; repeated: to any of them.",
    },
    "keep_going": {"is_flag": True, "help": "Do not stop at the first Fail."},
    "join": {
        "is_flag": True,
        "help": "--suite: begin a test without a reset where the system is known to be in its first state.",
    },
    "chance": {
        "show_default": True,
        "type": Number(0, 1, min_open=True),
        "help": "--suite: assume that each output that can come comes with at least this probability; 1 for a "
        "deterministic system.",
    },
    "confidence": {
        "show_default": True,
        "type": Number(0, 1, max_open=True),
        "help": "--suite: required confidence that outputs which never came cannot come.",
    },
    "exhaustive": {
        "is_flag": True,
        "help": "--suite with --sut model:FILE: play each test in all ways in which the simulated system can go, so "
        "that the verdict is a proof; at most 100,000 plays of a test, or --plays.",
    },
    "adversarial": {"is_flag": True, "help": "Make a simulated system choose what is worst for the tester."},
    "shrink": {
        "metavar": "SECONDS",
        "type": click.FloatRange(0),
        "help": "Seconds to spend on making a failing play shorter; 0 leaves it as it is  [default: 5, more where "
        "plays are slow].",
    },
    "sut": {
        "metavar": "SUT",
        "help": "The system under test; its kinds are listed below.",
    },
    "silence": {
        "show_default": True,
        "type": Number(0, min_open=True),
        "help": "Seconds without an output that count as silence.",
    },
    "latency": {
        "show_default": True,
        "type": Number(0),
        "help": "Seconds within which an output may have crossed an input.",
    },
    "confirm": {
        "type": Number(0),
        "help": "Seconds without an output after which silence is certain, where --silence may be too short: no Fail "
        "rests on less  [default: as --silence].",
    },
    "settle": {
        "type": Number(0),
        "help": "Seconds to wait after the goal for outputs that are still due  [default: as --silence].",
    },
    "no_cache": {"is_flag": True, "help": "Neither read nor write the cache folder; see the reference."},
    "redact": {
        "multiple": True,
        "metavar": "NAME",
        "help": "Leave the value of this variable or option out of all that is written, as passwords, tokens and keys "
        "always are.",
    },
    "seed": {"show_default": True, "help": "Random seed."},
}
"""Fields of a job as options: the name is that of the field, and so is the default (options.py)."""
