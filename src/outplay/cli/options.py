"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from outplay.cli.models import load
from outplay.cli.systems import Contact
from outplay.errors import UsageError
from outplay.formats.common import ReadLimits
from outplay.formats.suite_json import read_suite
from outplay.game.assumption import Assumption
from outplay.game.unfold import Limits
from outplay.play.runner import Timing

Command = TypeVar("Command", bound=Callable[..., Any])
OBJECTIVES = {
    "win": ("win", "WinAnswer"),
    "bounded": ("bounded", "BoundedAnswer"),
    "probability": ("chance", "ProbabilityAnswer"),
    "expected": ("chance", "ExpectedAnswer"),
    "joker": ("joker", "JokerAnswer"),
}
"""By the name of an objective: the module of `cli.answers` that solves it, and the class in it."""
_LIMITS, _TIMING = Limits(), Timing()

json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a constant of a model program, e.g. --set \"clients=('ann','bob')\".",
)
inputs = click.option(
    "--inputs",
    multiple=True,
    metavar="GLOB",
    help="Which labels without a direction are inputs, e.g. --inputs 'r1*'; the others are outputs.",
)
format_name = click.option(
    "--format", "format_name", metavar="NAME", help="The format of a model file, whatever its ending."
)
goals = click.option(
    "--goal",
    "goals",
    multiple=True,
    metavar="NAME",
    help="What to reach: a goal's name, else a vertex or state, else a label, else a transition 'q !x -> r'. "
    "Repeated: any of them; forecast and suite take each by itself.",
)
max_bytes = click.option(
    "--max-bytes", type=click.IntRange(1), help="Read model files up to this size [default: 64 MiB, game .json 1 GiB]."
)
seed = click.option("--seed", default=0, show_default=True, help="Where chance starts from.")
assumption = click.option(
    "--assumption",
    default=Assumption.NONDETERMINISTIC.value,
    show_default=True,
    type=click.Choice([known.value for known in Assumption]),
    help="Who moves when tester and system both want to.",
)

method = click.option(
    "--method",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "vi", "pi", "lp"]),
    help="expected: by value iteration, policy iteration or a linear program.",
)
epsilon = click.option(
    "--epsilon",
    type=click.FloatRange(0, 1, max_open=True),
    help="expected, probability: how near the bounds shall be, relative; 0 for the exact value  [default: 1e-06].",
)


def objective(default: str | None, *others: str) -> Callable[[Command], Command]:
    """Make the option that says what the best strategy is the best at."""
    return click.option(
        "--objective",
        default=default,
        show_default=True,
        type=click.Choice([*others, *OBJECTIVES]),
        help="What the best strategy is the best at; see below.",
    )


def model(command: Command) -> Command:
    """Add the argument MODEL and how to read it; the command gets the loaded model as `named`."""
    return _reading(command, click.argument("model"))


def model_or_suite(command: Command) -> Command:
    """The same, but a suite may name the model; the command gets the suite, or None, as `suite`."""
    loading = _reading(command, lambda inner: inner)

    @functools.wraps(loading)
    def choosing(*args: Any, model: str | None, suite_file: Path | None, **others: Any) -> Any:
        suite = None if suite_file is None else read_suite(suite_file)
        reference = model or (suite.model if suite else "")
        if not reference:
            raise UsageError("name a MODEL to play, or with --suite a file that `outplay suite` has written")
        return loading(*args, model=reference, suite=suite, **others)

    wrapped: Any = choosing
    for option in (
        click.option(
            "--suite",
            "suite_file",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Play the test cases of a file, each until it passes, at most --plays times.",
        ),
        click.argument("model", required=False),
    ):
        wrapped = option(wrapped)
    return cast(Command, wrapped)


def _reading(command: Command, argument: Callable[[Any], Any]) -> Command:
    """Load what `model` names, read as the options say, and hand it on as `named`."""

    @functools.wraps(command)
    def loading(
        *args: Any,
        model: str,
        settings: tuple[str, ...],
        inputs: tuple[str, ...],
        format_name: str | None,
        max_bytes: int | None,
        **others: Any,
    ) -> Any:
        # A file is bounded like the exploring of a program, where the command bounds that.
        bounds = ReadLimits(others.get("max_states", _LIMITS.states), others.get("max_edges", _LIMITS.edges))
        named = load(model, settings, inputs=inputs, format_name=format_name, limits=bounds, largest=max_bytes)
        return command(*args, named=named, **others)

    wrapped: Any = loading
    for option in (max_bytes, format_name, inputs, settings, argument):
        wrapped = option(wrapped)
    return cast(Command, wrapped)


def limits(command: Command) -> Command:
    """Add the options that bound exploring; the command gets them as `limits`."""

    @functools.wraps(command)
    def bounded(
        *args: Any, max_states: int, max_edges: int, max_depth: int | None, max_seconds: float, **others: Any
    ) -> Any:
        return command(*args, limits=Limits(max_states, max_edges, max_depth, max_seconds), **others)

    wrapped: Any = bounded
    bound = functools.partial(click.option, show_default=True, type=click.IntRange(1))
    for option in (
        click.option("--max-seconds", default=_LIMITS.seconds, show_default=True, help="Stop exploring after so long."),
        bound("--max-depth", help="Stop exploring at this depth."),
        bound("--max-edges", default=_LIMITS.edges, help="Stop exploring at so many edges."),
        bound("--max-states", default=_LIMITS.states, help="Stop exploring at so many states."),
    ):
        wrapped = option(wrapped)
    return cast(Command, wrapped)


def contact(command: Command) -> Command:
    """Add the options that say how to deal with the system under test; the command gets them as `contact`."""

    @functools.wraps(command)
    def dealing(
        *args: Any,
        sut: str,
        silence: float | None,
        latency: float | None,
        ready: str | None,
        reset_message: str | None,
        seed: int,
        **others: Any,
    ) -> Any:
        return command(*args, contact=Contact(sut, seed, silence, latency, ready, reset_message), **others)

    wrapped: Any = dealing
    for option in (
        seed,
        click.option(
            "--reset",
            "reset_message",
            metavar="MESSAGE=ANSWER",
            help="Reset by a message and its answer instead of starting anew (exec:, tcp:).",
        ),
        click.option("--ready", metavar="LINE", help="A line the system sends when it is ready (exec:, tcp:)."),
        click.option(
            "--latency",
            type=click.FloatRange(0),
            help=f"Seconds within which an output may have crossed an input  [default: {_TIMING.latency}].",
        ),
        click.option(
            "--silence",
            type=click.FloatRange(0, min_open=True),
            help=f"Seconds without an output that count as silence  [default: {_TIMING.silence}].",
        ),
        click.option(
            "--sut",
            required=True,
            metavar="SUT",
            help="The system: exec:COMMAND LINE, tcp:HOST:PORT, python:MODULE:CLASS, or model:FILE (simulated).",
        ),
    ):
        wrapped = option(wrapped)
    return cast(Command, wrapped)
