"""`outplay explore`: play a model out on paper and write the game graph."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.output_files import check_output_name, explored_endings, write_explored
from outplay.cli.printing import print_result, say, warn
from outplay.cli.progress import exploring_progress
from outplay.formats.registry import ENDINGS
from outplay.pictures.svg import PICTURES
from outplay.runs.job import Job
from outplay.runs.queries.explored_model import explore_job

GRAPHS = (".dot", ".drn", ".tra")  # formats of the graph alone


@click.command("explore", epilog="\b\nExample:\n  outplay explore examples/chat/model.py:Chat -o chat.json")
@options.whole_job_options(
    *options.READING,
    "assumption",
    *options.LIMITS,
    "jobs",
    "scheduler",
    "disk",
    jobs={"help": "Explore with up to N more processes, where that is faster; the game is the same."},
    scheduler={"help": "Explore with the workers of a Dask cluster, such as tls://HOST:8786, or --jobs of them."},
)
@options.file(
    "-o",
    "--output",
    help="Write the game (.json .dot .drn .tra .mmd .npz) or draw it (.svg .html); where MODEL is a file also the "
    "automaton (.aut .csv), machine (.fsm .efsm) or symbolic system (.sts) that it holds.",
)
@click.option(
    "--compress",
    metavar="GOAL",
    help="Merge parallel edges and pass over chains of answers (Blass et al. 2005): a smaller game, in which reaching "
    "GOAL has the same expected cost and probability. What lies behind GOAL is left out.",
)
@options.json_output
def command(job: Job, output: Path | None, compress: str | None, as_json: bool) -> None:
    """Explore MODEL (file.py:Class, module:Class or a model file) into a game between tester and system."""
    # What a file holds is known when it is read; a program is a game whatever it says.
    check_output_name(output, explored_endings() if job.is_code else (*ENDINGS, *PICTURES))
    with exploring_progress() as progress:
        explored = explore_job(job, compress=compress, progress=progress)
    if output:
        write_explored(output, explored.game, explored.model.model, title=explored.origin.scope + job.model)
        if explored.origin.assumption.waits_for_timeout and output.suffix in GRAPHS:
            warn(f"{output} keeps the graph and not the rule of time-outs: to be played, write it as .json")
        if (explored.origin.approximate or explored.origin.stopped) and output.suffix in GRAPHS:
            what = "that states are grouped" if explored.origin.approximate else "that it is not complete"
            warn(f"{output} does not say {what}: to have answers say so, write it as .json")
    warn(*explored.warnings)
    print_result(explored, as_json=as_json)
    if output and not as_json:
        say(f"written: {output}")
