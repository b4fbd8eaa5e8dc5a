"""`outplay solve`: compute a strategy and what it guarantees, and let the checker confirm it."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from typing import Any

import click

from outplay.cli import options
from outplay.cli.models import load
from outplay.game.explore import Limits
from outplay.strategy.certificate import check_win
from outplay.strategy.result import NoStrategy, Result
from outplay.strategy.win import win

CHECKED_UP_TO = 100_000
PRINTED_UP_TO = 10_000
SHOWN = 20


@click.command(
    "solve", epilog="Example: outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager"
)
@click.argument("model")
@click.option(
    "--objective",
    default="win",
    show_default=True,
    type=click.Choice(["win"]),
    help="win: reach the goal whatever the system does, at the least worst-case cost.",
)
@options.goals
@options.settings
@options.assumption
@options.limits
@click.option("--exact", is_flag=True, help='Print numbers as exact fractions, "a/b".')
@click.option("--values", "all_values", is_flag=True, help=f"Print values also above {PRINTED_UP_TO:,} vertices.")
@click.option("--check/--no-check", default=None, help=f"Run the checker [default: up to {CHECKED_UP_TO:,} vertices].")
@options.json_output
def command(
    model: str,
    objective: str,
    goals: tuple[str, ...],
    settings: tuple[str, ...],
    assumption: str,
    max_states: int,
    max_edges: int,
    max_depth: int | None,
    max_seconds: float,
    exact: bool,
    all_values: bool,
    check: bool | None,
    as_json: bool,
) -> None:
    """Solve the game of MODEL (file.py:Class, module:Class or a game .json) for a goal."""
    game = load(model, settings).game(assumption, Limits(max_states, max_edges, max_depth, max_seconds))
    if game.origin and game.origin.stopped:
        click.secho(
            f"outplay: {game.origin.stopped}; the answer is a lower bound on what can be forced", err=True, fg="yellow"
        )
    began = time.perf_counter()
    result = win(game, goals)
    certificate = _certify(result, check)
    seconds = round(time.perf_counter() - began, 6)
    if as_json:
        listed = all_values or game.vertex_count <= PRINTED_UP_TO
        click.echo(json.dumps(_json(objective, result, certificate, seconds, exact, listed), ensure_ascii=False))
    else:
        _show(result, certificate)


def _certify(result: Result, wanted: bool | None) -> dict[str, Any]:
    """Have the checker confirm the answer; it raises when it does not."""
    game, solution = result.game, result.solution
    if wanted is False or (wanted is None and game.vertex_count > CHECKED_UP_TO):
        return {
            "checked": False,
            "why": "--no-check" if wanted is False else f"more than {CHECKED_UP_TO} vertices; add --check",
        }
    confirmed = check_win(
        game, result.goal_vertices.tolist(), solution.values(), solution.rank.tolist(), solution.choice.tolist()
    )
    return {"checked": True, "vertices": confirmed.vertices, "edges": confirmed.edges}


def _json(
    objective: str, result: Result, certificate: dict[str, Any], seconds: float, exact: bool, listed: bool
) -> dict[str, Any]:
    game = result.game
    answer: dict[str, Any] = {
        "objective": objective,
        "goal": list(result.goals),
        "initial": game.names[game.initial],
        "value": _number(result.solution.value(game.initial), exact),
    }
    if listed:
        values = zip(game.names, result.solution.values(), strict=True)
        answer["values"] = {name: _number(value, exact) for name, value in values}
        answer["strategy"] = {
            game.names[vertex]: {"edge": game.edge_names[edge], "label": game.label_of(edge)}
            for vertex, edge in result.solution.moves()
        }
    if isinstance(result, NoStrategy):
        answer["blocking"] = [game.names[vertex] for vertex in result.blocking[:PRINTED_UP_TO].tolist()]
    return {**answer, "certificate": certificate, "seconds": seconds}


def _number(value: Fraction | None, exact: bool) -> float | str | None:
    if value is None:
        return None
    return f"{value.numerator}/{value.denominator}" if exact else float(value)


def _show(result: Result, certificate: dict[str, Any]) -> None:
    game = result.game
    goal = " or ".join(result.goals)
    if isinstance(result, NoStrategy):
        click.echo(f"{goal} cannot be forced: the system can stay within {len(result.blocking):,} vertices")
        for vertex in result.blocking[:SHOWN].tolist():
            click.echo(f"  {_vertex(result, vertex)}")
    else:
        click.echo(
            f"{goal} can be forced at cost {_plain(result.value)}, in at most "
            f"{result.solution.rank[game.initial]} steps"
        )
        for vertex, edge in _reachable(result)[:SHOWN]:
            click.echo(f"  {_vertex(result, vertex)}: {game.label_of(edge) or game.edge_names[edge]}")
    confirmed = "confirmed by the checker" if certificate["checked"] else f"not checked ({certificate['why']})"
    click.echo(confirmed)


def _vertex(result: Result, vertex: int) -> str:
    """A vertex with the state it stands for."""
    origin, name = result.game.origin, result.game.names[vertex]
    state = int(name.split()[0][1:]) if origin and name[0] == "s" else None
    return name if state is None else f"{name} ({origin.specification.describe(state)})"


def _reachable(result: Result) -> list[tuple[int, int]]:
    """The tester's moves at the vertices that can come up when the strategy is followed from the start."""
    game, found, stack, seen = result.game, [], [result.game.initial], {result.game.initial}
    goals = set(result.goal_vertices.tolist())
    while stack:
        vertex = stack.pop(0)
        edge = result.solution.edge(vertex)
        if edge is not None:
            found.append((vertex, edge))
        edges = [] if vertex in goals else [edge] if edge is not None else list(game.edges_of(vertex))
        for target in (int(game.target[e]) for e in edges):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return found


def _plain(value: Fraction) -> str:
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({float(value):.4g})"
