"""The fields of a job as options: what each is called, of which type it is, and what its help says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from outplay.campaign.preparing.testers import SUSPICION, TESTERS
from outplay.cli.registry_options import TOLD, Number, of_objectives
from outplay.game.assumption import Assumption
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


def objective_name(*more: str) -> Name:
    """The name of an objective."""
    return Name(lambda: OBJECTIVES, "objective", *more)


def _strategies() -> Iterable[str]:
    from outplay.predicates.strategies.ready_strategies import STRATEGIES  # loaded only for those who ask

    return STRATEGIES


_COUNT = click.IntRange(1)
JOB_OPTIONS: dict[str, dict[str, Any]] = {
    **{name: {"show_default": True, **of_objectives(name)} for name in TOLD},
    "model": {"help": "The model to judge by [default: the one named in the trace]."},
    "set": {
        "multiple": True,
        "metavar": "NAME=VALUE",
        "help": "Set a constant of a model program, e.g. --set \"clients=('ann','bob')\".",
    },
    "inputs": {
        "multiple": True,
        "metavar": "GLOB",
        "help": "Which labels without a direction are inputs, e.g. --inputs 'r1*'; the others are outputs.",
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
        "help": "Who moves when tester and system both want to.",
    },
    "max_states": {"show_default": True, "type": _COUNT, "help": "Stop exploring at so many states."},
    "max_edges": {"show_default": True, "type": _COUNT, "help": "Stop exploring at so many edges."},
    "max_depth": {"show_default": True, "type": _COUNT, "help": "Stop exploring at this depth."},
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
        "help": "What to reach: a goal's name, else a vertex or state, else a label, else a transition 'q --!x--> r'; "
        "'A & B' asks for all of them. Repeated: any of them; forecast and suite take each by itself.",
    },
    "objective": {
        "show_default": True,
        "type": objective_name(),
        "help": "What the best strategy is the best at; see below.",
    },
    "tester": {
        "type": click.Choice(list(TESTERS)),
        "help": f"Who plays where there is no goal [default: {SUSPICION}]. "
        + " ".join(f"{kind.name}: {kind.summary}." for kind in TESTERS.values())
        + f" With --suite, {SUSPICION} plays those tests first that meet the most of it.",
    },
    "strategy": {
        "show_default": True,
        "type": Name(_strategies, "strategy"),
        "help": "What a tour is for (run --tester tour, suite --method tour).",
    },
    "deterministic": {
        "is_flag": True,
        "help": "--tester tour: the system never changes its mind; leave out what it cannot do any more.",
    },
    "budget": {"metavar": "COST", "type": _COUNT, "help": "--tester tour: give a test up when it has cost so much."},
    "cover": {
        "type": click.Choice(COVERABLE),
        "help": "Tell how much of all states, transitions or labels was covered, and cover these with --tester cover "
        "[default there: states].",
    },
    "until_quiet": {"metavar": "N", "type": _COUNT, "help": "Stop when N plays in a row have shown nothing new."},
    "until_cleared": {
        "metavar": "SHARE",
        "type": Number(0, 1),
        "help": "Stop when so large a share of single faults would have been found, as estimated.",
    },
    "suite": {
        "metavar": "FILE",
        "help": "Play the test cases of a file, each until nothing of it is open, at most --plays times.",
    },
    "plays": {
        "show_default": True,
        "type": _COUNT,
        "help": "How many plays at most; --tester suspicion may play as many labels in more and shorter ones.",
    },
    "steps": {"show_default": True, "type": _COUNT, "help": "How many labels a play may have."},
    "then_walk": {
        "metavar": "N",
        "show_default": True,
        "type": click.IntRange(0),
        "help": "Go on for so many steps after the goal, or after a test that passed, against what may be wrong.",
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
    "adverse": {"is_flag": True, "help": "A simulated system plays as badly for the tester as it may."},
    "shrink": {
        "show_default": True,
        "metavar": "SECONDS",
        "type": click.FloatRange(0),
        "help": "Make a failing play short by playing on for so long; 0 leaves it as it is.",
    },
    "sut": {
        "metavar": "SUT",
        "help": "The system: exec:COMMAND LINE, tcp:HOST:PORT, python:MODULE:CLASS, or model:FILE (simulated).",
    },
    "isolated": {
        "is_flag": True,
        "help": "Run a python: object in a process of its own, so that nothing it does can end outplay.",
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
    "ready": {"metavar": "LINE", "help": "A line the system sends when it is ready (exec:, tcp:)."},
    "reset": {
        "metavar": "MESSAGE=ANSWER",
        "help": "Reset by a message and its answer instead of starting anew (exec:, tcp:).",
    },
    "redact": {
        "multiple": True,
        "metavar": "NAME",
        "help": "Do not write down the value of this variable or option; passwords, tokens and keys never are.",
    },
    "seed": {"show_default": True, "help": "Where chance starts from."},
}
"""Fields of a job as options: the name is that of the field, and so is the default (options.py)."""
