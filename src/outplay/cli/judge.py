"""`outplay judge`: judge a recorded trace against a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import recorded_job
from outplay.campaign.preparing.loaded_model import load_model, other_model
from outplay.cli import options
from outplay.cli.colours import COLOURS, warn
from outplay.cli.output import check_output, write_picture
from outplay.cli.printing import say, say_json
from outplay.formats.texts.source import LARGEST
from outplay.formats.trace_jsonl import read_trace, verdict_json
from outplay.verdict.judge import judge
from outplay.verdict.show import headline, steps
from outplay.verdict.verdicts import Fail


@click.command("judge", epilog="\b\nExample:\n  outplay judge examples/chat/model.py:Chat .outplay/last/trace.jsonl")
@options.asked("MODEL", "set", *options.READING_LIMITS, MODEL={"metavar": "SPEC"})
@click.argument("trace", type=click.Path(path_type=Path))
@options.file("-o", "--output", help="Draw the trace on the model: .svg or .html.")
@options.json_output
def command(asked: dict[str, Any], trace: Path, output: Path | None, as_json: bool) -> int:
    """Judge TRACE (a .jsonl of `outplay run`, or a log in that form) by the model SPEC."""
    check_output(output)
    recorded = read_trace(trace, largest=asked.get("max_bytes", LARGEST))
    model = load_model(replace(recorded_job(recorded.header, str(trace)), **asked))
    for warning in other_model(recorded.header, model.specification()):
        warn(warning)
    verdict = judge(model.judging(recorded.header.goal), recorded)
    if recorded.cut:  # said last: a mistake in the call is one line
        warn(f"{trace} has no verdict at its end: the run was cut short, and so far it is judged")
    shown = recorded.play(verdict.event.play, until=verdict.event.n) if isinstance(verdict, Fail) else recorded
    if output:
        labels = [event.label.text for event in shown.events if event.is_move and event.label]
        write_picture(output, model.game(), title=f"{model.job.model}: {trace}", trace=labels)
    if as_json:
        say_json(verdict_json(verdict))
    else:
        say(headline(verdict, goal=recorded.header.goal), fg=COLOURS[verdict.name], bold=True)
        if isinstance(verdict, Fail):
            for line in steps(shown, verdict):
                say(line)
    return verdict.exit_code
