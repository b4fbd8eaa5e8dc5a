"""Inspecting a model: its sizes and properties, and what looks wrong in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np

from outplay.game.explore import explore
from outplay.game.graph import SYSTEM, Game
from outplay.game.unfold import Limits, Progress
from outplay.model.automaton import Automaton
from outplay.model.compatibility import all_states, compatible
from outplay.model.label import TAU, Label, write_value
from outplay.model.machine import Machine
from outplay.model.program import Program
from outplay.model.program_specification import ProgramSpecification
from outplay.model.suspension import SuspensionAutomaton

MOST_COMPARED = 6_000  # states up to which all pairs are compared
MOST_VALUES = 6


@dataclass(frozen=True)
class AutomatonReport:
    """Sizes and properties of an automaton; the number of pairs is None where it was not computed."""

    states: int
    inputs: int
    outputs: int
    transitions: int
    deterministic: bool
    input_enabled: bool
    mixed_states: int
    machine_states: int | None
    compatible_pairs: int | None
    pairs: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def json(self, with_pairs: bool) -> dict[str, Any]:
        """As the command prints it."""
        shown = asdict(self)
        if not with_pairs:
            del shown["pairs"]
        return shown


def inspect_automaton(model: Automaton | Machine) -> AutomatonReport:
    """Inspect an automaton or machine; pairs are ordered and of distinct compatible states (van den Bos 2020, 3.8)."""
    automaton = model.automaton
    labels = automaton.used_labels
    inputs = {label for label in labels if label.is_input}
    rows = [automaton.moves(state) for state in range(automaton.state_count)]
    enabled = [{label for label, _ in row if label.is_input} for row in rows]
    speaking = [any(label.is_output for label, _ in row) for row in rows]
    pairs = _pairs(automaton)
    return AutomatonReport(
        states=automaton.state_count,
        inputs=len(inputs),
        outputs=sum(label.is_output for label in labels),
        transitions=automaton.transition_count,
        deterministic=all(len({label for label, _ in row}) == len(row) for row in rows)
        and not any(label.kind == TAU for label in labels),
        input_enabled=all(each == inputs for each in enabled),
        mixed_states=sum(bool(given) and speaks for given, speaks in zip(enabled, speaking, strict=True)),
        machine_states=None if model is automaton else len(model.names),
        compatible_pairs=None if pairs is None else len(pairs),
        pairs=pairs or [],
        warnings=_automaton_warnings(automaton),
    )


def _pairs(automaton: Automaton) -> list[tuple[str, str]] | None:
    if not automaton.directed() or automaton.state_count > MOST_COMPARED:
        return None
    spec = SuspensionAutomaton(automaton)
    if all_states(spec, MOST_COMPARED) > MOST_COMPARED:
        return None
    related = compatible(spec)
    np.fill_diagonal(related, 0)
    return [(spec.state_name(int(p)), spec.state_name(int(q))) for p, q in np.argwhere(related)]


def _automaton_warnings(automaton: Automaton) -> list[str]:
    found, stack = {automaton.initial}, [automaton.initial]
    while stack:
        for _, target in automaton.moves(stack.pop()):
            if target not in found:
                found.add(target)
                stack.append(target)
    warnings = []
    lost = [automaton.names[state] for state in range(automaton.state_count) if state not in found]
    if lost:
        warnings.append(f"{len(lost)} states cannot be reached: {', '.join(lost[:5])}{', …' if len(lost) > 5 else ''}")
    if not automaton.directed():
        odd = next(label.text for label in automaton.used_labels if label.kind == "")
        warnings.append(f"labels without a direction, such as {odd!r}: to play it say which are inputs, --inputs GLOB")
    return warnings


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
        warnings.append(f"{len(dead)} states have no moves at all, such as {example}")
    if game.origin.stopped:
        warnings.append(game.origin.stopped)
    return ProgramReport(
        game.origin.states, game.vertex_count, game.edge_count, game.origin.complete, actions, goals, variables,
        len(dead), warnings,
    )  # fmt: skip


def _transitions_by_action(program: Program, game: Game) -> dict[str, int]:
    counts = {action.name: 0 for action in program.actions}
    moved = game.label[(game.moves > 0) & (game.source >= 0)]
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
