"""`outplay solve`: compute a strategy and what it guarantees, and let the checker confirm it."""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.load import load
from outplay.campaign.planning import is_input_fair, refuse_unfair
from outplay.cli import options
from outplay.cli.answers.base import SHOWN, Answer, Wishes
from outplay.cli.colours import warn
from outplay.cli.output import check_picture, write_output
from outplay.cli.progress import exploring
from outplay.errors import UsageError
from outplay.game.target import Target, find_target

CHECKED_UP_TO = 100_000
PRINTED_UP_TO = 10_000


@click.command(
    "solve",
    epilog=(
        "\b\nObjectives:\n"
        "  win          reach the goal whatever the system does, at the least worst-case cost\n"
        "  bounded      the best probability within --steps moves, then the least worst cost\n"
        "  probability  the best probability of ever reaching the goal\n"
        "  expected     the least expected cost among strategies that reach it with probability 1\n"
        "  joker        the fewest times the system has to help, then the fewest moves\n"
        "\n\b\nExamples:\n"
        "  outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager\n"
        "  outplay solve examples/chat/model.py:Chat --goal two_pending --objective expected"
    ),
)
@options.job(
    *options.READING,
    *options.RULES,
    *("objective", "steps", "method", "epsilon", "goal", "assumption"),
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
    job: Job,
    output: Path | None,
    exact: bool,
    all_values: bool,
    check: bool | None,
    as_json: bool,
) -> None:
    """Solve the game of MODEL (file.py:Class, module:Class or a model file) for a goal."""
    check_picture(output)
    with exploring() as progress:
        game, names = load(job).wanted(progress)
    target = find_target(game, names)
    if not len(target.vertices):
        warn(f"{' or '.join(target.names)} holds nowhere in this game")
    if game.origin.stopped:
        warn(f"{game.origin.stopped}; the answer is a lower bound on what can be reached")
    began = time.perf_counter()
    listed = all_values or game.vertex_count <= PRINTED_UP_TO
    answer = answer_to(job.objective, target, Wishes(job.steps, job.method, job.epsilon, exact, listed))
    certificate = _certified(answer, check)
    seconds = round(time.perf_counter() - began, 6)
    if output:
        title = f"{job.model} to {answer.goal}"
        write_output(output, answer.game, title=title, strategy=answer.edges())
    if as_json:
        click.echo(json.dumps(_json(job.objective, answer, certificate, seconds, listed), ensure_ascii=False))
    else:
        _show(answer, certificate)


def answer_to(objective: str, target: Target, wishes: Wishes) -> Answer:
    """Solve for an objective; its module is loaded only now, so that a sure win waits for no other solver."""
    if wishes.method != "auto" and objective != "expected":
        raise UsageError(f"--method chooses how `expected` is solved; `{objective}` has one method: leave it out")
    refuse_unfair(objective, target.game)
    if is_input_fair(target.game):
        warn("under input-fair only who wins is known; costs and steps are those of input-eager, and no bound")
    module, name = options.OBJECTIVES[objective]
    made: Answer = getattr(importlib.import_module(f"outplay.cli.answers.{module}"), name)(target, wishes)
    return made


def _certified(answer: Answer, wanted: bool | None) -> dict[str, Any]:
    """Have the checker confirm the answer; it raises when it does not."""
    if wanted is False or (wanted is None and answer.game.vertex_count > CHECKED_UP_TO):
        why = "--no-check" if wanted is False else f"more than {CHECKED_UP_TO} vertices; add --check"
        return {"checked": False, "why": why}
    confirmed = answer.check()
    return {"checked": True, "vertices": confirmed.vertices, "edges": confirmed.edges}


def _json(objective: str, answer: Answer, certificate: dict[str, Any], seconds: float, listed: bool) -> dict[str, Any]:
    game = answer.game
    made: dict[str, Any] = {
        "objective": objective,
        "goal": list(answer.goals),
        "initial": game.names[game.initial],
        "value": answer.value(game.initial),
    }
    if listed:
        made["values"] = {name: answer.value(vertex) for vertex, name in enumerate(game.names)}
        made["strategy"] = answer.strategy()
    return {**made, **answer.more(), "certificate": certificate, "seconds": seconds}


def _show(answer: Answer, certificate: dict[str, Any]) -> None:
    sentence, lines = answer.told()
    click.echo(sentence)
    for line in lines[:SHOWN]:
        click.echo(f"  {line}")
    if len(lines) > SHOWN:
        click.echo(f"  … and {len(lines) - SHOWN:,} more; --json lists them all")
    click.echo("confirmed by the checker" if certificate["checked"] else f"not checked ({certificate['why']})")
