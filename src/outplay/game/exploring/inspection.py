"""Inspecting a model program: its sizes, the values its variables take, and what looks wrong in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.explore import explore
from outplay.game.graph import SYSTEM, Game
from outplay.model.label import Label, write_value
from outplay.model.programs.program import Program
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.plurals import counted

MOST_VALUES = 6


@dataclass(frozen=True)
class ProgramReport:
    """What exploring a model program shows of it."""

    states: int
    vertices: int
    edges: int
    complete: bool
    actions: dict[str, int]
    """How many transitions each action has."""
    goals: dict[str, int]
    variables: dict[str, dict[str, Any]]
    dead_ends: int
    warnings: list[str]

    def json(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> list[str]:
        complete = "" if self.complete else " (not complete)"
        sizes = f"{counted(self.states, 'state')}, {counted(self.vertices, 'vertex')}, {counted(self.edges, 'edge')}"
        lines = [f"{sizes}{complete}", "actions"]
        lines += [f"  {name}: {counted(count, 'transition')}" for name, count in self.actions.items()]
        lines += ["goals"] * bool(self.goals)
        lines += [f"  {name}: holds at {counted(count, 'vertex')}" for name, count in self.goals.items()]
        lines += ["variables"] * bool(self.variables)
        for name, seen in self.variables.items():
            more = ", …" if seen["count"] > len(seen["values"]) else ""
            lines.append(f"  {name}: {counted(seen['count'], 'value')}: {', '.join(seen['values'])}{more}")
        return lines + [f"! {warning}" for warning in self.warnings]


def inspect_program(program: Program, limits: Limits, progress: Progress | None = None) -> ProgramReport:
    """Explore a model program and tell what looks wrong: actions, goals and variables that are idle, dead ends."""
    game = explore(program, limits=limits, progress=progress)
    actions = _transitions_by_action(program, game)
    goals = {name: len(members) for name, members in game.goals.items()}
    variables = _variables(cast(ProgramSpecification, game.origin.specification))
    dead = _dead_ends(game)
    warnings = [f"action {name!r} is never enabled" for name, count in actions.items() if not count]
    warnings += [f"goal {name!r} never holds" for name, count in goals.items() if not count]
    warnings += [f"variable {name!r} never changes" for name, seen in variables.items() if seen["count"] == 1]
    if dead:
        example = game.origin.describe(dead[0])
        warnings.append(f"{counted(len(dead), 'state')} without any move, such as {example}")
    if game.origin.stopped:
        warnings.append(game.origin.stopped)
    return ProgramReport(
        game.origin.states, game.vertex_count, game.edge_count, game.origin.complete, actions, goals, variables,
        len(dead), warnings,
    )  # fmt: skip


def _transitions_by_action(program: Program, game: Game) -> dict[str, int]:
    counts = {action.name: 0 for action in program.actions}
    moved = game.label[game.moves > 0]
    for number, count in zip(*np.unique(moved, return_counts=True), strict=True):
        gate = Label.parse(game.labels[number]).gate
        if gate in counts:
            counts[gate] += int(count)
    return counts


def _variables(spec: ProgramSpecification) -> dict[str, dict[str, Any]]:
    stepper = spec.stepper
    found = {}
    for name, table in zip(stepper.program.variables, stepper.tables, strict=True):
        shown = [write_value(value) for value in table.values_of[:MOST_VALUES]]
        found[name] = {"count": len(table.values_of), "values": shown}
    return found


def _dead_ends(game: Game) -> list[int]:
    """States that were expanded and have no moves; those a limit left aside are not meant."""
    goal_members = {int(v) for members in game.goals.values() for v in members.tolist()}
    degrees = np.diff(game.first)[: game.origin.states]
    empty = np.flatnonzero((degrees == 0) & (game.owner[: game.origin.states] != SYSTEM)).tolist()
    return [] if not game.origin.complete else [state for state in empty if state not in goal_members]
