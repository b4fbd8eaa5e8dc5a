"""`outplay replay`: play a recorded trace again against a system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from outplay.cli import options, registry_options
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.cli.progress import stage_progress
from outplay.formats.common.source import LARGEST
from outplay.formats.trace_jsonl import read_trace
from outplay.plurals import counted
from outplay.runs.failing.replay import Replay, replay_job
from outplay.runs.job import recorded_job
from outplay.runs.preparing.configured_code import refuse_unnamed_server, with_remembered_model
from outplay.runs.preparing.systems import with_other_system
from outplay.runs.run_folders import keep_failing_play
from outplay.signals import cancel_on_signals
from outplay.tester.script import PACES, Pace
from outplay.verdict.show import failing_steps, headline, replay_line

NOT_REPRODUCED = 6


@click.command(
    "replay",
    cls=registry_options.SystemOptions,
    epilog="\b\nExample:\n  outplay replay .outplay/last/failures/4f2a91c0.jsonl --sut 'exec:python3 server.py --bug'",
)
@click.argument("trace", type=click.Path(path_type=Path))
@options.job_field_options(
    *options.SYSTEM, "confirm", "model", "set", "channel", *options.READING_LIMITS, sut={"required": True}
)
@click.option("--tries", default=20, show_default=True, type=click.IntRange(1), help="Maximum number of plays.")
@click.option(
    "--pace",
    type=click.Choice(PACES),
    help="The pace of the inputs: at the recorded times, fast, or after random pauses  [default: each in turn].",
)
@click.option(
    "--shrink",
    metavar="[SECONDS]",
    default=0.0,
    is_flag=False,
    flag_value=-1.0,
    type=click.FloatRange(-1),
    help="Then make the play short, in this many seconds; without a number, in proportion to what a play costs.",
)
@options.trust
@options.json_output
def command(
    trace: Path, asked: dict[str, Any], tries: int, pace: Pace | None, shrink: float, trust: bool, as_json: bool
) -> int:
    """Give the inputs of TRACE's failing play again, at the same places, until the system fails again.

    Options you omit keep their recorded values, except those that the new system does not support.
    """
    token = cancel_on_signals()
    with token.stretch():
        recorded = read_trace(trace, largest=asked.get("max_bytes", LARGEST))
        job = recorded_job(recorded.header, str(trace))
    if not trust and "model" not in asked:
        job = with_remembered_model(job, trace, f"--model {job.model}")
    job = with_other_system(job, asked["sut"])
    if not trust:
        job = refuse_unnamed_server(job, asked.get("options", ()), trace)
    seconds = None if shrink < 0 else shrink
    with stage_progress():
        result = replay_job(
            recorded, options.with_options_added(job, asked), tries=tries, pace=pace, seconds=seconds, token=token
        )
    short = result.shrunk
    kept = keep_failing_play(short.trace, short.verdict) if short and short.shorter else None
    warn(*result.warnings)
    if as_json:
        say_json(
            {
                "reproduced": result.reproduced,
                "tries": result.tries,
                "fails": result.fails,
                "pace": result.pace,
                "verdict": result.verdict.name,
                "why": result.shown.why,
                **({"shrunk": short.json(), "trace": str(kept or trace)} if short else {}),
            }
        )
    else:
        _show(result, kept)
    return 1 if result.reproduced else result.verdict.exit_code or NOT_REPRODUCED


def _show(result: Replay, kept: Path | None) -> None:
    if result.reproduced:
        say(
            f"{headline(result.verdict)}, reproduced in try {result.tries} ({result.pace} pace)",
            fg=COLOURS[result.verdict.name],
            bold=True,
        )
        for line in failing_steps(result.shrunk.trace if result.shrunk else result.trace, result.shown):
            say(line)
        if result.shrunk:
            say(f"  {result.shrunk}")
        if kept:
            say(f"  replay: {replay_line(result.trace.header, kept)}")
    elif result.verdict.name == "error":
        say(headline(result.verdict), fg=COLOURS["error"], bold=True)
    else:
        why = "the system chose otherwise, or it is mended; raise --tries"
        say(f"? Not reproduced in {counted(result.tries, 'try')}: {why}", fg="yellow", bold=True)
