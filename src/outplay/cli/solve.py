"""`outplay solve`: compute a strategy and what it guarantees, and let the checker confirm it."""

from __future__ import annotations

import json
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from outplay.cli import options
from outplay.cli.models import Named
from outplay.cli.output import check_output, write_output
from outplay.game.targets import find_target
from outplay.game.unfold import Limits
from outplay.model.specification import ProgramSpecification
from outplay.strategy.certificate import check_win
from outplay.strategy.result import NoStrategy, Result, Strategy
from outplay.strategy.win import win_target

CHECKED_UP_TO = 100_000
PRINTED_UP_TO = 10_000
SHOWN = 20


@click.command(
    "solve",
    epilog="\b\nExample:\n  outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager",
)
@options.model
@click.option(
    "--objective",
    default="win",
    show_default=True,
    type=click.Choice(["win"]),
    help="win: reach the goal whatever the system does, at the least worst-case cost.",
)
@options.goals
@options.assumption
@options.limits
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Draw the strategy here: .svg or .html.")
@click.option("--exact", is_flag=True, help='Print numbers as exact fractions, "a/b".')
@click.option("--values", "all_values", is_flag=True, help=f"Print values also above {PRINTED_UP_TO:,} vertices.")
@click.option("--check/--no-check", default=None, help=f"Run the checker [default: up to {CHECKED_UP_TO:,} vertices].")
@options.json_output
def command(
    named: Named,
    objective: str,
    goals: tuple[str, ...],
    assumption: str,
    limits: Limits,
    output: Path | None,
    exact: bool,
    all_values: bool,
    check: bool | None,
    as_json: bool,
) -> None:
    """Solve the game of MODEL (file.py:Class, module:Class or a model file) for a goal."""
    check_output(output)
    game = named.game(assumption, limits)
    target = find_target(game, goals)
    if not len(target.vertices):
        click.secho(f"outplay: {' or '.join(target.names)} holds nowhere in this game", err=True, fg="yellow")
    if game.origin and game.origin.stopped:
        click.secho(
            f"outplay: {game.origin.stopped}; the answer is a lower bound on what can be forced", err=True, fg="yellow"
        )
    began = time.perf_counter()
    result = win_target(target)
    certificate = _certify(result, check)
    seconds = round(time.perf_counter() - began, 6)
    if output:
        strategy = [edge for _, edge in result.solution.moves()]
        write_output(output, result.game, title=f"{named.reference} to {' or '.join(goals)}", strategy=strategy)
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
        _list([_vertex(result, vertex) for vertex in result.blocking[:SHOWN].tolist()], len(result.blocking))
    else:
        following = _Following(result)
        steps, moves = following.longest(), following.moves()
        click.echo(
            f"{goal} can be forced at cost {_plain(result.value)}, in at most {steps} step{'' if steps == 1 else 's'}"
        )
        shown = [
            (_vertex(result, vertex), game.label_of(edge) or game.edge_names[edge]) for vertex, edge in moves[:SHOWN]
        ]
        _list([f"{where}: {what}" for where, what in shown], len(moves))
    confirmed = "confirmed by the checker" if certificate["checked"] else f"not checked ({certificate['why']})"
    click.echo(confirmed)


def _list(lines: list[str], count: int) -> None:
    """Print some of so many lines, and how many are left out."""
    for line in lines:
        click.echo(f"  {line}")
    if count > len(lines):
        click.echo(f"  … and {count - len(lines):,} more; --json lists them all")


def _vertex(result: Result, vertex: int) -> str:
    """A vertex with the state it stands for."""
    origin, name = result.game.origin, result.game.names[vertex]
    numbered = re.match(r"s(\d+)(?: |$)", name)
    if numbered and origin and isinstance(origin.specification, ProgramSpecification):
        return f"{name} ({origin.describe(int(numbered[1]))})"
    return name


class _Following:
    """The play as far as the system can lead it when the strategy is followed from the start."""

    def __init__(self, result: Strategy) -> None:
        self._game, self._solution = result.game, result.solution
        self._goals = set(result.goal_vertices.tolist())
        self.vertices = [self._game.initial]
        met = set(self.vertices)
        for vertex in self.vertices:
            new = [after for edge in self._edges(vertex) if (after := int(self._game.target[edge])) not in met]
            met.update(new)
            self.vertices += dict.fromkeys(new)

    def moves(self) -> list[tuple[int, int]]:
        """What the tester does at each vertex of its own."""
        return [(vertex, edge) for vertex in self.vertices if (edge := self._solution.edge(vertex)) is not None]

    def longest(self) -> int:
        """The most labels the play can take; ranks fall along the strategy, so nearer vertices are done first."""
        most: dict[int, int] = {}
        for vertex in sorted(self.vertices, key=self._solution.rank.tolist().__getitem__):
            edges = self._edges(vertex)
            most[vertex] = max((int(self._game.moves[e]) + most[int(self._game.target[e])] for e in edges), default=0)
        return most[self._game.initial]

    def _edges(self, vertex: int) -> list[int]:
        """The tester's own choice, or all the system may choose from."""
        edge = self._solution.edge(vertex)
        return [] if vertex in self._goals else [edge] if edge is not None else list(self._game.edges_of(vertex))


def _plain(value: Fraction) -> str:
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({float(value):.4g})"
