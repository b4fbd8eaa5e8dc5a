"""`outplay forecast`: before anything is played, what can be forced, what needs help or luck, what cannot be."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.output_files import check_output_name
from outplay.cli.printing import print_result, say_json, warn
from outplay.cli.progress import exploring_progress
from outplay.errors import UsageError
from outplay.formats.common.writing import write_whole
from outplay.runs.job import Job
from outplay.runs.queries.forecast import forecast_coverage, forecast_job
from outplay.strategy.forecast.entries import Entry
from outplay.strategy.forecast.forecast import STEPS
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.forecast.sentences import SHOWN, WIDTH, Listing
from outplay.verdict.forecast_page import forecast_page

COVERAGE = "coverage"


@click.command(
    "forecast",
    epilog=(
        "\b\nExamples:\n"
        "  outplay forecast examples/chat/model.py:Chat\n"
        "  outplay forecast examples/tcp/model.py:Tcp --goal established --assumption input-eager\n"
        "  outplay forecast examples/vending/vending.aut --of states --all -o forecast.html"
    ),
)
@options.whole_job_options(
    *options.READING,
    *options.RULES,
    *("goal", "steps", "cover", "plays", "time_limit", "assumption"),
    *options.LIMITS,
    steps={
        "default": STEPS,
        "type": click.IntRange(0),
        "help": "Moves within which the probability counts; of coverage, the labels of a play.",
    },
    cover={"help": "coverage: only of states, transitions or labels."},
    plays={"help": "coverage: how many plays to rehearse."},
    time_limit={"help": "coverage: how long to look for what is sure."},
)
@click.option(
    "--of",
    "kinds",
    multiple=True,
    type=click.Choice([*(f"{kind}s" for kind in KINDS), COVERAGE]),
    help="Forecast all targets of a kind. May be repeated  [default: all kinds]. coverage: how much a run will see.",
)
@click.option("--all", "all_lines", is_flag=True, help=f"Print every target, not {SHOWN} of each kind.")
@options.file("-o", "--output", help="Write the forecast as a page: .html.")
@options.json_output
def command(job: Job, kinds: tuple[str, ...], all_lines: bool, output: Path | None, as_json: bool) -> None:
    """Say what to expect of each goal, label, state and transition of MODEL (file.py:Class, module:Class or a file).

    Forced: it is reached whatever the system does. Needs help: the system, free to do otherwise, has to do what
    you wish, this many times. Impossible: no way leads there. Outcomes without probabilities count as equally likely.
    """
    check_output_name(output, (".html",))
    if COVERAGE in kinds and not job.goal:
        _coverage(job, alone=kinds == (COVERAGE,) and output is None, as_json=as_json)
        return
    with exploring_progress() as progress:
        found = forecast_job(job, [kind[:-1] for kind in kinds], progress)
    warn(*found.forecast.warnings)
    if output:
        write_whole(output, [forecast_page(found.forecast, title=job.model, assumption=job.assumption)])
    if as_json:
        say_json(found.json())
        return
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    for line in found.forecast.lines(Listing(None if all_lines else SHOWN, width, "--all lists them", _coloured)):
        click.echo(line)


def _coverage(job: Job, *, alone: bool, as_json: bool) -> None:
    """Tell how much of the model a run will see."""
    if not alone:
        raise UsageError("--of coverage is about no single target: ask for it by itself, without a page")
    with exploring_progress() as progress:
        found = forecast_coverage(job, progress)
    warn(*found.warnings)
    print_result(found, as_json=as_json)


def _coloured(line: str, entry: Entry) -> str:
    """Let the first word stand out: green, yellow or red on a terminal that has colours."""
    word = "forced" if entry.forced else "impossible" if entry.impossible else "not forced"
    colour = {"forced": "green", "impossible": "red"}.get(word, "yellow")
    start, found, end = line.rpartition(f"  {word}")
    return f"{start}  {click.style(word, fg=colour)}{end}" if found else line
