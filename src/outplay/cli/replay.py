"""`outplay replay`: play a recorded trace again against a system."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.failing.replay import Replay, replay_job
from outplay.campaign.job import Job, recorded_job
from outplay.campaign.outcome import keep
from outplay.campaign.preparing.systems import against
from outplay.campaign.preparing.trust import refuse_unnamed_model
from outplay.cli import options
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.formats.texts.source import LARGEST
from outplay.formats.trace_jsonl import read_trace
from outplay.interrupting import breakable, hold
from outplay.plurals import counted
from outplay.verdict.show import headline, replay_line, steps

NOT_REPRODUCED = 6


@click.command(
    "replay",
    epilog="\b\nExample:\n  outplay replay .outplay/last/failures/4f2a91c0.jsonl --sut 'exec:python3 server.py --bug'",
)
@click.argument("trace", type=click.Path(path_type=Path))
@options.asked(*options.SYSTEM, "model", "set", *options.READING_LIMITS, sut={"required": True})
@click.option("--tries", default=20, show_default=True, type=click.IntRange(1), help="Give up after so many plays.")
@click.option(
    "--shrink",
    metavar="[SECONDS]",
    default=0.0,
    is_flag=False,
    flag_value=Job.shrink,
    type=click.FloatRange(0),
    help=f"Then make the play short, by playing on for so long ({Job.shrink:g} where no number is given).",
)
@options.trust
@options.json_output
def command(trace: Path, asked: dict[str, Any], tries: int, shrink: float, trust: bool, as_json: bool) -> int:
    """Give the inputs of TRACE's failing play again, at the same places, until the system fails again.

    What is not given is as it was when the trace was recorded, but for what a system of another kind does not take.
    """
    hold()
    with breakable():
        recorded = read_trace(trace, largest=asked.get("max_bytes", LARGEST))
        job = recorded_job(recorded.header, str(trace))
    if not trust and "model" not in asked:
        refuse_unnamed_model(job, trace, f"--model {job.model}")
    result = replay_job(recorded, replace(against(job, asked["sut"]), **asked), tries=tries, seconds=shrink)
    short = result.shrunk
    kept = keep(short.trace, short.verdict) if short and short.shorter else None
    warn(*result.warnings)
    if as_json:
        say_json(
            {
                "reproduced": result.reproduced,
                "tries": result.tries,
                "fails": result.fails,
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
        say(f"{headline(result.verdict)}, reproduced in try {result.tries}", fg=COLOURS[result.verdict.name], bold=True)
        for line in steps(result.shrunk.trace if result.shrunk else result.trace, result.shown):
            say(line)
        if result.shrunk:
            say(f"  {result.shrunk}")
        if kept:
            say(f"  replay: {replay_line(result.trace.header, kept)}")
    elif result.verdict.name == "error":
        say(headline(result.verdict), fg=COLOURS["error"], bold=True)
    else:
        say(
            f"? Not reproduced in {counted(result.tries, 'try')}: raise --tries, the system may choose otherwise",
            fg="yellow",
            bold=True,
        )
