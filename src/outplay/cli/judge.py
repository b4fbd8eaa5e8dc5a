"""`outplay judge`: judge a recorded trace, or a history of concurrent calls, against a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.cancellation import raise_if_cancelled
from outplay.cli import options
from outplay.cli.output_files import check_output_name, write_picture
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.cli.progress import stage_progress
from outplay.errors import UsageError
from outplay.formats.common.source import LARGEST
from outplay.formats.history_jsonl import is_history, read_history
from outplay.formats.trace_jsonl import read_trace
from outplay.runs.job import Job, recorded_job
from outplay.runs.queries.judge import Judged, JudgedHistory, judge_history_job, judge_job
from outplay.signals import cancel_on_signals

_EXAMPLES = (
    "\b\nExamples:\n  outplay judge examples/chat/model.py:Chat .outplay/last/trace.jsonl\n"
    "  outplay judge examples/store/store.py:Store examples/store/history.jsonl --partition key"
)
_MOST = {"help": "With a history: maximum number of configurations to search."}


@click.command("judge", epilog=_EXAMPLES)
@options.job_field_options(
    "MODEL", "set", "channel", *options.READING_LIMITS, "max_states", MODEL={"metavar": "SPEC"}, max_states=_MOST
)
@click.argument("trace", type=click.Path(path_type=Path))
@options.file("-o", "--output", help="Draw the trace on the model: .svg or .html.")
@click.option("--partition", metavar="ARGUMENT", help="With a history: judge each value of this argument by itself.")
@options.json_output
def command(asked: dict[str, Any], trace: Path, output: Path | None, partition: str | None, as_json: bool) -> int:
    """Judge TRACE by the model SPEC: a .jsonl of `outplay run`, a log in that form, or a history of calls."""
    check_output_name(output)
    token = cancel_on_signals()
    with token.stretch():
        with stage_progress():
            if is_history(trace):
                judged: Judged | JudgedHistory = _history(asked, trace, output, partition)
            else:
                judged = _trace(asked, trace, partition)
        verdict = judged.verdict
        if isinstance(judged, Judged):
            _draw(judged, trace, output)
        raise_if_cancelled()
    if as_json:
        say_json(judged.json())
    else:
        say(judged.headline, fg=COLOURS[verdict.name], bold=True)
        for line in judged.lines():
            say(line)
    return verdict.exit_code


def _history(asked: dict[str, Any], path: Path, output: Path | None, partition: str | None) -> JudgedHistory:
    if output:
        raise UsageError("-o draws traces, and this is a history; remove it")
    history = read_history(path, largest=asked.get("max_bytes", LARGEST))
    return judge_history_job(history, Job(**asked), partition)


def _trace(asked: dict[str, Any], path: Path, partition: str | None) -> Judged:
    recorded = read_trace(path, largest=asked.get("max_bytes", LARGEST))
    for name, value in (("partition", partition), ("max-states", asked.get("max_states"))):
        if value is not None:
            raise UsageError(f"--{name} has no effect on a trace; remove it, or give a history")
    judged = judge_job(recorded, replace(recorded_job(recorded.header, str(path)), **asked))
    warn(*judged.warnings)
    return judged


def _draw(judged: Judged, path: Path, output: Path | None) -> None:
    if judged.trace.cut:  # said last: a mistake in the call is one line
        warn(f"{path} has no verdict at its end: the run was cut short, and so far it is judged")
    if output:
        write_picture(output, judged.model.game(), title=f"{judged.model.job.model}: {path}", trace=judged.labels)
