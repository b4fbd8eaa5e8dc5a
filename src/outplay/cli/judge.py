"""`outplay judge`: judge a recorded trace against a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.asking.judging import judge_job
from outplay.campaign.job import recorded_job
from outplay.cli import options
from outplay.cli.output import check_output, write_picture
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.formats.texts.source import LARGEST
from outplay.formats.trace_jsonl import read_trace
from outplay.interrupting import breakable, hold, look


@click.command("judge", epilog="\b\nExample:\n  outplay judge examples/chat/model.py:Chat .outplay/last/trace.jsonl")
@options.asked("MODEL", "set", *options.READING_LIMITS, MODEL={"metavar": "SPEC"})
@click.argument("trace", type=click.Path(path_type=Path))
@options.file("-o", "--output", help="Draw the trace on the model: .svg or .html.")
@options.json_output
def command(asked: dict[str, Any], trace: Path, output: Path | None, as_json: bool) -> int:
    """Judge TRACE (a .jsonl of `outplay run`, or a log in that form) by the model SPEC."""
    check_output(output)
    hold()
    with breakable():
        recorded = read_trace(trace, largest=asked.get("max_bytes", LARGEST))
        judged = judge_job(recorded, replace(recorded_job(recorded.header, str(trace)), **asked))
        warn(*judged.warnings)
        verdict = judged.verdict
        if recorded.cut:  # said last: a mistake in the call is one line
            warn(f"{trace} has no verdict at its end: the run was cut short, and so far it is judged")
        if output:
            write_picture(output, judged.model.game(), title=f"{judged.model.job.model}: {trace}", trace=judged.labels)
        look()
    if as_json:
        say_json(judged.json())
    else:
        say(judged.headline, fg=COLOURS[verdict.name], bold=True)
        for line in judged.lines():
            say(line)
    return verdict.exit_code
