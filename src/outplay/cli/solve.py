"""`outplay solve`: compute a strategy and what it guarantees, and let the checker confirm it."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options, registry_options
from outplay.cli.output_files import check_output_name, write_picture
from outplay.cli.printing import print_result, rendered_result, warn
from outplay.cli.progress import EXPLORING, SETTLING, stage_progress
from outplay.runs.job import Job
from outplay.runs.queries.solved_job import CHECKED_UP_TO, LISTED_UP_TO, solve_job
from outplay.strategy.objectives import OBJECTIVES


class _Solve(registry_options.OwnOptions):
    """Tells all objectives there are when it is asked for help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Objectives"):
            formatter.write_dl([(objective.name, objective.summary) for objective in OBJECTIVES.values()])
        super().format_epilog(ctx, formatter)


@click.command(
    "solve",
    cls=_Solve,
    epilog=(
        "\b\nExamples:\n"
        "  outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager\n"
        "  outplay solve examples/chat/model.py:Chat --goal two_pending --objective expected\n"
        "  outplay solve examples/graphs/two_doors.json --objective cover-nodes --restart\n"
        "  outplay solve examples/graphs/edge_tour.json --objective cover-edges"
    ),
)
@options.whole_job_options(
    *options.READING,
    *options.RULES,
    *("objective", *registry_options.OBJECTIVE_OPTIONS, "goal", "assumption"),
    *options.LIMITS,
    "disk",
    objective={"default": "win"},
    steps=registry_options.declared_option("steps", OBJECTIVES),
)
@options.file("-o", "--output", help="Draw the strategy here: .svg or .html.")
@click.option("--exact", is_flag=True, help='Print numbers as exact fractions, "a/b".')
@click.option("--values", "all_values", is_flag=True, help=f"Print values also above {LISTED_UP_TO:,} vertices.")
@click.option("--check/--no-check", default=None, help=f"Run the checker [default: up to {CHECKED_UP_TO:,} vertices].")
@options.json_output
def command(
    job: Job,
    output: Path | None,
    exact: bool,
    all_values: bool,
    check: bool | None,
    as_json: bool,
) -> None:
    """Solve the game of MODEL (file.py:Class, module:Class or a model file) for a goal."""
    check_output_name(output)
    with stage_progress(EXPLORING, SETTLING) as progress:
        solved = solve_job(job, *progress, exact=exact, values=all_values, check=check)
        shown = rendered_result(solved, as_json=as_json)
    answer = solved.answer
    warn(*answer.warnings)
    if output:
        title = answer.game.origin.scope + " to ".join(filter(None, [job.model, str(answer.goal)]))
        write_picture(output, answer.game, title=title, strategy=[edge for _, edge in answer.choices()])
    print_result(shown, as_json=as_json)
