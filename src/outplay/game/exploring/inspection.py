"""Inspecting a model program: its sizes, the values its variables take, and what looks wrong in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.explore import explore
from outplay.game.graph import SYSTEM, Game
from outplay.model.label import INPUT, Label, write_argument
from outplay.model.programs.hidden_steps import InterleavedSpecification
from outplay.model.programs.program import Program
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.programs.stepping import Stepper
from outplay.plurals import counted

MOST_VALUES = 6
_OfProgram: TypeAlias = ProgramSpecification | InterleavedSpecification


@dataclass(frozen=True)
class ProgramReport:
    """The findings of exploring a model program."""

    states: int
    vertices: int
    edges: int
    complete: bool
    actions: dict[str, int]
    """The number of transitions of each action."""
    goals: dict[str, int]
    variables: dict[str, dict[str, Any]]
    dead_ends: int
    warnings: list[str]
    interleaving: dict[str, list[str]] = field(default_factory=dict)
    """The events that may come between the question and the answer of each call; only where something may."""

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
        lines += ["between question and answer"] * bool(self.interleaving)
        lines += [f"  {name}: {', '.join(others)}" for name, others in self.interleaving.items()]
        return lines + [f"! {warning}" for warning in self.warnings]


def inspect_program(program: Program, limits: Limits, progress: Progress | None = None) -> ProgramReport:
    """Inspect a model program by exploring it: actions, goals and variables that are idle, dead ends."""
    game = explore(program, limits=limits, progress=progress)
    spec = _of_program(game.origin.specification)
    actions = _transitions_by_action(program, game, spec)
    goals = {name: len(members) for name, members in game.goals.items()}
    variables = _variables(spec.stepper)
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
        len(dead), warnings, _interleaving(program),
    )  # fmt: skip


def _interleaving(program: Program) -> dict[str, list[str]]:
    """The outputs, hidden steps, and inputs of other channels that may come while a call is open."""
    if not program.interleaves:
        return {}
    gates = program.channels.gates
    found = {}
    for call in (action for action in program.actions if action.mark.returns is not None):
        own = gates.get((INPUT, call.name))
        others = [
            action.name
            for action in program.actions
            # A channel that is an argument may be another one, for the same action too.
            if not action.mark.controllable or isinstance(own, int) or gates.get((INPUT, action.name)) != own
        ]
        found[call.name] = others
    return {name: others for name, others in found.items() if others}


def _transitions_by_action(program: Program, game: Game, spec: _OfProgram) -> dict[str, int]:
    """Count the transitions of the game, and the hidden steps between its situations, which are none of its edges."""
    counts = {action.name: 0 for action in program.actions}
    if isinstance(spec, InterleavedSpecification):
        counts.update(spec.hidden_transitions())
    moved = game.label[game.moves > 0]
    for number, count in zip(*np.unique(moved, return_counts=True), strict=True):
        gate = Label.parse(game.labels[number]).gate
        if gate in counts:
            counts[gate] += int(count)
    return counts


def _of_program(spec: Any) -> _OfProgram:
    """Return the specification that has met the values of the variables, whatever is around it."""
    while not isinstance(spec, ProgramSpecification | InterleavedSpecification):
        spec = spec.spec
    return spec


def _variables(stepper: Stepper) -> dict[str, dict[str, Any]]:
    found = {}
    for name, table in zip(stepper.program.variables, stepper.tables, strict=True):
        shown = [write_argument(value) for value in table.values_of[:MOST_VALUES]]
        found[name] = {"count": len(table.values_of), "values": shown}
    return found


def _dead_ends(game: Game) -> list[int]:
    """States that were expanded and have no moves; those a limit left aside are not meant."""
    goal_members = {int(v) for members in game.goals.values() for v in members.tolist()}
    degrees = np.diff(game.first)[: game.origin.states]
    empty = np.flatnonzero((degrees == 0) & (game.owner[: game.origin.states] != SYSTEM)).tolist()
    return [] if not game.origin.complete else [state for state in empty if state not in goal_members]
