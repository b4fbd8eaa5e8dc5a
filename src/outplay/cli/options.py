"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from outplay.game.arena import Assumption
from outplay.game.explore import Limits
from outplay.play.runner import Timing

Command = TypeVar("Command", bound=Callable[..., Any])
_LIMITS, _TIMING = Limits(), Timing()

json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a constant of a model program, e.g. --set \"clients=('ann','bob')\".",
)
goals = click.option(
    "--goal",
    "goals",
    multiple=True,
    metavar="NAME",
    help="What to reach: a goal's name, else a vertex or state, else a label. May be repeated.",
)
seed = click.option("--seed", default=0, show_default=True, help="Where chance starts from.")
assumption = click.option(
    "--assumption",
    default=Assumption.NONDETERMINISTIC.value,
    show_default=True,
    type=click.Choice([known.value for known in Assumption]),
    help="Who moves when tester and system both want to.",
)
sut = click.option(
    "--sut", required=True, metavar="SUT", help="The system under test: exec:COMMAND LINE, or model:FILE (simulated)."
)


def limits(command: Command) -> Command:
    """Add the options that bound exploring; the command gets one `limits`."""
    for option in (
        click.option("--max-seconds", default=_LIMITS.seconds, show_default=True, help="Stop exploring after so long."),
        click.option("--max-depth", type=click.IntRange(1), help="Stop exploring at this depth."),
        click.option("--max-edges", default=_LIMITS.edges, show_default=True, type=click.IntRange(1)),
        click.option("--max-states", default=_LIMITS.states, show_default=True, type=click.IntRange(1)),
    ):
        command = option(command)
    return command


def timing(command: Command) -> Command:
    """Add the options that say how long to wait."""
    for option in (
        click.option(
            "--silence",
            type=click.FloatRange(0, min_open=True),
            help=f"Seconds without an output that count as silence  [default: {_TIMING.silence}].",
        ),
        click.option(
            "--latency",
            type=click.FloatRange(0),
            help=f"Seconds within which an output may have crossed an input  [default: {_TIMING.latency}].",
        ),
        click.option("--ready", metavar="LINE", help="A line the system prints when it is ready (exec:)."),
        click.option(
            "--reset",
            "reset_message",
            metavar="MESSAGE=ANSWER",
            help="Reset by a message and its answer instead of restarting (exec:).",
        ),
    ):
        command = option(command)
    return command
