"""`outplay inspect`: sizes and properties of a model, and what looks wrong in it."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.output_files import check_output_name, write_picture
from outplay.cli.printing import print_result, rendered_result
from outplay.cli.progress import exploring_progress
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.queries.model_report import inspect_loaded


@click.command("inspect", epilog="\b\nExample:\n  outplay inspect examples/chat/model.py:Chat")
@options.whole_job_options(*options.READING, *options.LIMITS)
@click.option("--pairs", is_flag=True, help="List the compatible pairs of states (automata).")
@options.file("-o", "--output", help="Draw the model here: .svg or .html.")
@options.json_output
def command(job: Job, pairs: bool, output: Path | None, as_json: bool) -> None:
    """Show the size and properties of MODEL, and what looks wrong in it."""
    check_output_name(output)
    with exploring_progress() as progress:
        loaded = load_model(job)
        if output:
            write_picture(output, loaded.drawn, title=job.model)
        report = rendered_result(inspect_loaded(loaded, pairs=pairs, progress=progress), as_json=as_json)
    print_result(report, as_json=as_json)
