"""`outplay solve`: compute a strategy and what it guarantees, and let the checker confirm it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import load_model
from outplay.cli import options
from outplay.cli.colours import warn
from outplay.cli.output import check_output, write_output
from outplay.cli.printing import say, say_json
from outplay.cli.progress import exploring
from outplay.game.graph import Game
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import OBJECTIVES, objective_named

CHECKED_UP_TO = 100_000
PRINTED_UP_TO = 10_000
SHOWN = 20
OF_SOLVERS = ("steps", "method", "epsilon", "restart", "time_limit")


class _Solve(click.Command):
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
@options.asked(
    *options.READING,
    *options.RULES,
    *("objective", *OF_SOLVERS, "goal", "assumption"),
    *options.LIMITS,
    objective={"default": "win"},
    steps={"type": click.IntRange(0), "help": "bounded: how many moves."},
)
@options.file("-o", "--output", help="Draw the strategy here: .svg or .html.")
@click.option("--exact", is_flag=True, help='Print numbers as exact fractions, "a/b".')
@click.option("--values", "all_values", is_flag=True, help=f"Print values also above {PRINTED_UP_TO:,} vertices.")
@click.option("--check/--no-check", default=None, help=f"Run the checker [default: up to {CHECKED_UP_TO:,} vertices].")
@options.json_output
def command(
    asked: dict[str, Any],
    output: Path | None,
    exact: bool,
    all_values: bool,
    check: bool | None,
    as_json: bool,
) -> None:
    """Solve the game of MODEL (file.py:Class, module:Class or a model file) for a goal."""
    check_output(output)
    job = Job(**asked)
    with exploring() as progress:
        game, names = load_model(job).wanted(progress)
    began = time.perf_counter()
    listed = all_values or game.vertex_count <= PRINTED_UP_TO
    answer = _solved(game, names, asked, exact, listed)
    for warning in answer.warnings:
        warn(warning)
    certificate = _certified(answer, check)
    seconds = round(time.perf_counter() - began, 6)
    if output:
        title = " to ".join(filter(None, [job.model, str(answer.goal)]))
        write_output(output, answer.game, title=title, strategy=[edge for _, edge in answer.choices()])
    if as_json:
        made = {"objective": job.objective, **answer.json(exact=exact, listed=listed)}
        say_json({**made, "certificate": certificate, "seconds": seconds})
    else:
        _show(answer, certificate)


def _solved(game: Game, goals: tuple[str, ...], asked: dict[str, Any], exact: bool, listed: bool) -> Answer:
    """Solve with the options that were given; those the objective does not take are refused by it."""
    objective = objective_named(asked.get("objective", "auto"))
    given = {name: asked[name] for name in OF_SOLVERS if name in asked}
    if exact and "epsilon" in objective.options:
        given.setdefault("epsilon", 0)  # exact numbers need an exact answer
    if "everywhere" in objective.options:
        given["everywhere"] = listed
    if "progress" not in objective.options:
        return objective.solve(game, goals, **given)
    with exploring("settling … {:,} of {:,} vertices") as progress:
        return objective.solve(game, goals, progress=progress, **given)


def _certified(answer: Answer, wanted: bool | None) -> dict[str, Any]:
    """Have the checker confirm the answer; it raises when it does not."""
    if wanted is False or (wanted is None and answer.game.vertex_count > CHECKED_UP_TO):
        why = "--no-check" if wanted is False else f"more than {CHECKED_UP_TO} vertices; add --check"
        return {"checked": False, "why": why}
    confirmed = answer.check()
    return {"checked": True, "vertices": confirmed.vertices, "edges": confirmed.edges}


def _show(answer: Answer, certificate: dict[str, Any]) -> None:
    say(answer.sentence)
    lines = answer.lines()
    for line in lines[:SHOWN]:
        say(f"  {line}")
    if len(lines) > SHOWN:
        say(f"  … and {len(lines) - SHOWN:,} more; --json lists them all")
    say("confirmed by the checker" if certificate["checked"] else f"not checked ({certificate['why']})")
