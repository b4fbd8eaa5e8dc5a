"""`outplay calibrate`: measure how fast a system answers, and propose the silence and latency to play it with."""

from __future__ import annotations

from dataclasses import replace

import click

from outplay.cli import options, registry_options
from outplay.cli.printing import print_result, warn
from outplay.cli.progress import EXPLORING, SETTLING, playing_progress, stage_progress
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.runs.queries.calibrate import calibrate_times
from outplay.signals import cancel_on_signals

INTERRUPTED = 130
TIME = 30.0  # seconds


@click.command(
    "calibrate",
    cls=registry_options.SystemOptions,
    epilog=(
        "\b\nExamples:\n"
        "  outplay calibrate examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py'\n"
        "  outplay calibrate shop.py:Shop --sut tcp:localhost:7000 --silence 5 --latency 1 --time 2m"
    ),
)
@options.whole_job_options(
    *options.READING,
    "channel",
    *options.RULES,
    *options.SYSTEM,
    *options.LIMITS,
    *("tester", "plays", "labels", "time", "steps"),
    silence={"help": "The time without an event that counts as silence while measuring: take a long one."},
    time={"help": f"Play for this long, e.g. 90s or 10m  [default: {TIME:g}s, unless --plays or --labels is given]."},
)
@options.json_output
def command(job: Job, as_json: bool) -> int:
    """Play MODEL against a system, measure its answers, and propose --silence and --latency with the risk they carry.

    Give a --silence and a --latency that are certainly long enough. No file is changed; copy the last lines into
    pyproject.toml.
    """
    if not job.sut:
        raise UsageError("name the system with --sut, such as --sut 'exec:./server'")
    if job.time is None and job.plays is None and job.labels is None:
        job = replace(job, time=TIME)
    with stage_progress(EXPLORING, SETTLING) as progress:
        prepared = prepare(job, *progress)
    warn(*prepared.warnings)
    token = cancel_on_signals()
    with playing_progress(prepared, quiet=False) as observers:
        found = calibrate_times(prepared, observers=observers, token=token)
    warn(*found.result.warnings)
    print_result(found, as_json=as_json)
    return INTERRUPTED if found.result.interrupted else found.exit_code
