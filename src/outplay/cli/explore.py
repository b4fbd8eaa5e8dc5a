"""`outplay explore`: play a model out on paper and write the game graph."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.models import load
from outplay.errors import UsageError
from outplay.formats.game_json import write_game
from outplay.game.explore import Limits


@click.command("explore", epilog="Example: outplay explore examples/chat/model.py:Chat -o chat.json")
@click.argument("model")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the game here (.json).")
@options.settings
@options.assumption
@options.limits
@options.json_output
def command(
    model: str,
    output: Path | None,
    settings: tuple[str, ...],
    assumption: str,
    max_states: int,
    max_edges: int,
    max_depth: int | None,
    max_seconds: float,
    as_json: bool,
) -> None:
    """Explore MODEL (file.py:Class, module:Class or a game .json) into a game between tester and system."""
    if output and output.suffix != ".json":
        raise UsageError(f"-o {output}: games are written as .json")
    began = time.perf_counter()
    game = load(model, settings).game(assumption, Limits(max_states, max_edges, max_depth, max_seconds))
    if output:
        write_game(output, game)
    origin = game.origin
    goals = {name: len(members) for name, members in sorted(game.goals.items())}
    result = {
        "states": origin.states if origin else game.vertex_count,
        "vertices": game.vertex_count,
        "edges": game.edge_count,
        "complete": origin.complete if origin else True,
        "approximate": origin.approximate if origin else False,
        "seconds": round(time.perf_counter() - began, 3),
        "goals": goals,
    }
    if origin and origin.stopped:
        click.secho(f"outplay: {origin.stopped}", err=True, fg="yellow")
        result["stopped"] = origin.stopped
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(
        f"{result['states']:,} states, {game.vertex_count:,} vertices, {game.edge_count:,} edges"
        f"{'' if result['complete'] else ' (not complete)'} in {result['seconds']} s"
    )
    for name, count in goals.items():
        click.echo(f"  goal {name}: holds at {count:,} vertices" if count else f"  goal {name}: never holds")
    if output:
        click.echo(f"written: {output}")
