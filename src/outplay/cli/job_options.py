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
from outplay.runs.run_budget import seconds_of
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
            return seconds_of(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


def objective_name(*more: str) -> Name:
    """The name of an objective."""
    return Name(lambda: OBJECTIVES, "objective", *more)


def _strategies() -> Iterable[str]:
    from outplay.predicates.strategies import STRATEGIES  # loaded only for those who ask

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
        "help": "The labels without a direction that are inputs, e.g. --inputs 'r1*'; the others are outputs.",
    },
    "channel": {
        "multiple": True,
        "metavar": "GLOB=NAME",
        "help": "Labels that match GLOB go over connection NAME: order is kept on it, and not across connections. "
        "The first match counts, before what the model says.",
    },
    "format": {"metavar": "NAME", "help": "The format of a model file, whatever its ending."},
    "max_bytes": {"type": _COUNT, "help": "Read files up to this many bytes [default: 64 MiB, game .json 1 GiB]."},
    "purpose": {
        "metavar": "FILE",
        "help": "A test purpose: an automaton that follows the play; its final states are the goal, named like it.",
    },
    "final": {
        "multiple": True,
        "metavar": "STATE",
        "help": "A final state of the purpose [default: those called accept, final or goal, else without moves].",
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
        "help": "Stop exploring after so long; no step of a model program may take longer.",
    },
    "max_memory": {
        "show_default": True,
        "type": _COUNT,
        "metavar": "MB",
        "help": "Stop exploring, or stepping a model program, when it has taken so many MB.",
    },
    "goal": {
        "multiple": True,
        "metavar": "NAME",
        "help": "The goal: a goal's name, else a vertex or state, else a label, else a transition 'q --!x--> r'; "
        "'A & B' asks for all of them. Repeated: any of them; forecast and suite take each by itself.",
    },
    "objective": {
        "show_default": True,
        "type": objective_name(),
        "help": "What to optimize; see below.",
    },
    "tester": {
        "type": click.Choice(list(TESTERS)),
        "help": f"Who plays where there is no goal [default: {MIX}]. "
        + " ".join(f"{kind.name}: {kind.summary}." for kind in TESTERS.values())
        + f" With --suite, {SUSPICION} plays those tests first that meet the most of it.",
    },
    "strategy": {
        "show_default": True,
        "type": Name(_strategies, "strategy"),
        "help": "The strategy of predicates that a tour meets (run --tester tour, suite --method tour).",
    },
    "deterministic": {
        "is_flag": True,
        "help": "--tester tour: the system never changes its mind; leave out what it cannot do any more.",
    },
    "budget": {
        "metavar": "COST",
        "type": _COUNT,
        "help": "--tester tour: give a test up when it has cost this much. --tester cover, nt-plan: end the run when "
        "labels (1 each) and restarts (--reset-cost each, or 10) have cost this much.",
    },
    "gain": {
        "show_default": True,
        "type": Name(_gains, "gain"),
        "help": "--tester nt-plan: the path of the next play. s1.5: each path once; s2: any that may show something "
        "new; s3: rather one that may show much; s4: rather one that shows much with few choices of the system.",
    },
    "cover": {
        "type": click.Choice(COVERABLE),
        "help": "Tell how much of all states, transitions or labels was covered, and cover these with --tester cover "
        "[default there: states].",
    },
    "until": {
        "multiple": True,
        "metavar": "CONDITION",
        "help": "Stop when there is enough: covered (all that --cover names was seen), confidence=0.9 (so large a "
        "share of single faults would have been noticed, as estimated), or quiet=N (N plays in a row have shown "
        "nothing new). Repeated: stop at the first that is met.",
    },
    "until_covered": {"hidden": True, "is_flag": True, "help": "The same as --until covered."},
    "until_quiet": {"hidden": True, "metavar": "N", "type": _COUNT, "help": "The same as --until quiet=N."},
    "until_cleared": {
        "hidden": True,
        "metavar": "SHARE",
        "type": Number(0, 1),
        "help": "Stop when so large a share of single faults would have been found, as estimated.",
    },
    "suite": {
        "metavar": "FILE",
        "help": "Play the test cases of a file, each until nothing of it is open, at most --plays times.",
    },
    "plays": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Number of plays. [default: 10,000 labels, in as many plays as the tester likes, and no more where "
        "nothing is left to test; 100 tries of each test of a suite]",
    },
    "labels": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Number of labels to play, with one for each start; the run ends with this or --plays.",
    },
    "time": {
        "metavar": "T",
        "type": Duration(),
        "help": "Time to play, such as 90s, 10m or 8h; the run ends with this, --plays or --labels.",
    },
    "jobs": {
        "metavar": "N",
        "type": _COUNT,
        "help": "Play with N systems at once, each with a process of its own; {worker} in what the system is told "
        "is its number, from 0.",
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
        "help": "--suite: begin a test without a reset where the system is known to be where it begins.",
    },
    "chance": {
        "show_default": True,
        "type": Number(0, 1, min_open=True),
        "help": "--suite: whatever the system can show comes with at least this chance; 1 for one that always does "
        "the same.",
    },
    "confidence": {
        "show_default": True,
        "type": Number(0, 1, max_open=True),
        "help": "--suite: how sure to be that all outputs that never came cannot come.",
    },
    "exhaustive": {
        "is_flag": True,
        "help": "--suite with --sut model:FILE: play each test in all ways in which the simulated system can go, so "
        "that the verdict is a proof; at most 100,000 plays of a test, or --plays if it is given.",
    },
    "adversarial": {"is_flag": True, "help": "A simulated system plays as badly for the tester as it may."},
    "shrink": {
        "metavar": "SECONDS",
        "type": click.FloatRange(0),
        "help": "Make a failing play short by playing on for so long; 0 leaves it as it is  "
        "[default: 5, more where plays are slow].",
    },
    "sut": {
        "metavar": "SUT",
        "help": "The system under test; see below which kinds there are.",
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
    "settle": {
        "type": Number(0),
        "help": "Seconds after the goal within which to wait for what the system still owes  [default: as --silence].",
    },
    "no_cache": {
        "is_flag": True,
        "help": "Read nothing from the cache folder, and keep nothing there; see the reference.",
    },
    "redact": {
        "multiple": True,
        "metavar": "NAME",
        "help": "Do not write down the value of this variable or option; passwords, tokens and keys never are.",
    },
    "seed": {"show_default": True, "help": "Random seed."},
}
"""Fields of a job as options: the name is that of the field, and so is the default (options.py)."""
