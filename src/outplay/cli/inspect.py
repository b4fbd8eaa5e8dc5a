"""`outplay inspect`: sizes and properties of a model, and what looks wrong in it."""

from __future__ import annotations

from dataclasses import asdict
from functools import singledispatch
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import load_model
from outplay.cli import options
from outplay.cli.output import check_output, write_picture
from outplay.cli.printing import say, say_json
from outplay.cli.progress import exploring
from outplay.conformance.automaton_report import AutomatonReport, inspect_automaton
from outplay.game.exploring.inspection import ProgramReport, inspect_program
from outplay.game.graph import SYSTEM, Game
from outplay.model.automaton import Automaton
from outplay.model.extended_machine import ExtendedMachine
from outplay.model.label import INPUT, OUTPUT
from outplay.model.machine import Machine
from outplay.model.programs.program import Program
from outplay.model.specification_report import model_report
from outplay.model.symbolic.execution.execution_graph import SymbolicLimits
from outplay.model.symbolic.execution.quiescence import silence_in
from outplay.model.symbolic.execution.switch_coverage import covering_paths
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.walks.walk_models import WalkModels
from outplay.strategy.words import counted

SHOWN = 20
MOST_SECONDS = 30.0  # of looking for switches that cannot be taken


@click.command("inspect", epilog="\b\nExample:\n  outplay inspect examples/chat/model.py:Chat")
@options.job(*options.READING, *options.LIMITS)
@click.option("--pairs", is_flag=True, help="List the compatible pairs of states (automata).")
@options.file("-o", "--output", help="Draw the model here: .svg or .html.")
@options.json_output
def command(job: Job, pairs: bool, output: Path | None, as_json: bool) -> None:
    """Tell the sizes and properties of MODEL, and what looks wrong in it."""
    check_output(output)
    loaded = load_model(job)
    found = loaded.model
    if output:
        write_picture(output, loaded.drawn, title=job.model)
    shown, text = _report(found, job, pairs)
    if as_json:
        say_json(shown)
        return
    for line in text:
        say(line)


@singledispatch
def _report(model: Any, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    """What is told of a model, for programs and for people, by its kind; here by what that says itself."""
    report = model_report(model)
    return report.json(), list(report.lines())


@_report.register(Automaton)
@_report.register(Machine)
def _(model: Automaton | Machine, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    report = inspect_automaton(model, with_pairs=pairs)
    return report.json(pairs), _automaton(report, pairs)


@_report.register
def _(model: Program, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    with exploring() as progress:
        program = inspect_program(model, job.limits, progress)
    return asdict(program), _program(program)


@_report.register
def _(model: ExtendedMachine, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    shown, text = _report(model.machine, job, pairs)
    variables = ", ".join(f"{name}: {sort}" for name, sort in model.variables.items())
    line = (
        f"{len(model.locations):,} locations, {len(model.steps):,} steps, variables {variables or 'none'}; played out:"
    )
    return {"locations": len(model.locations), "steps": len(model.steps), **shown}, [line, *text]


@_report.register
def _(model: Game, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    shown = _game_facts(model)
    return shown, [f"{name}: {value}" for name, value in shown.items()]


@_report.register
def _(model: SymbolicSystem, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    with exploring() as progress:
        found = covering_paths(
            model, limits=SymbolicLimits(seconds=min(job.limits.seconds, MOST_SECONDS)), progress=progress
        )
    silence = silence_in(found.graph)
    shown: dict[str, Any] = {
        "locations": len(model.locations),
        "variables": {name: str(sort) for name, sort in model.variables.items()},
        "inputs": sum(gate.kind == INPUT for gate in model.gates),
        "outputs": sum(gate.kind == OUTPUT for gate in model.gates),
        "switches": len(model.switches),
        "unreachable": found.missing,
        "silent_locations": silence.possible,
        "warnings": [f"whether silence is possible at {place} was not decided" for place in silence.undecided],
    }
    variables = ", ".join(f"{name}: {sort}" for name, sort in model.variables.items())
    return shown, [
        f"{shown['locations']:,} locations, {shown['switches']:,} switches, "
        f"{shown['inputs']} inputs, {shown['outputs']} outputs",
        f"variables: {variables or 'none'}",
        f"silence is possible at {', '.join(silence.possible[:SHOWN]) or 'no location'}",
        f"{counted(len(found.purposes), 'path')} of {found.labels:,} switches in all take "
        f"{'every switch' if not found.missing else 'all that can be taken'}",
        *(f"! switch {name} cannot be taken: {why}" for name, why in list(found.missing.items())[:SHOWN]),
        *(f"! {warning}" for warning in shown["warnings"]),
    ]


@_report.register
def _(model: WalkModels, job: Job, pairs: bool) -> tuple[dict[str, Any], list[str]]:
    shown = {
        "models": len(model.names),
        "vertices": len(model.vertices),
        "edges": len(model.edges),
        "shared_states": len({vertex.shared for vertex in model.vertices} - {None}),
        "guards": sum(edge.guard is not None for edge in model.edges),
        "variables": [name for _, name in model.slots],
        "requirements": len(model.requirements),
        "generators": list(dict.fromkeys(filter(None, model.generators))),
    }
    return shown, [f"{name}: {value}" for name, value in shown.items()]


def _game_facts(game: Game) -> dict[str, Any]:
    return {
        "vertices": game.vertex_count,
        "edges": game.edge_count,
        "system_vertices": int((game.owner == SYSTEM).sum()),
        "goals": {name: len(members) for name, members in sorted(game.goals.items())},
        "labels": len(set(game.labels) - {""}),
    }


def _automaton(report: AutomatonReport, pairs: bool) -> list[str]:
    kind = "deterministic" if report.deterministic else "nondeterministic"
    lines = [
        f"{report.states:,} states, {report.transitions:,} transitions, "
        f"{report.inputs} inputs, {report.outputs} outputs",
        f"{kind}, {'' if report.input_enabled else 'not '}input-enabled, {report.mixed_states} mixed states",
    ]
    if report.machine_states is not None:
        lines.append(f"made from a machine of {report.machine_states:,} states")
    if report.compatible_pairs is not None:
        lines.append(f"{report.compatible_pairs:,} ordered pairs of different states are compatible")
    if report.minimal_states is not None:
        lines.append(f"{report.minimal_states:,} states would do for the same conforming systems")
    if report.chaos_states:
        lines.append(f"anything is allowed for ever at {', '.join(report.chaos_states[:SHOWN])}")
    if pairs:
        lines += [f"  {one} ~ {other}" for one, other in report.pairs]
    return lines + [f"! {warning}" for warning in report.warnings]


def _program(report: ProgramReport) -> list[str]:
    complete = "" if report.complete else " (not complete)"
    lines = [f"{report.states:,} states, {report.vertices:,} vertices, {report.edges:,} edges{complete}", "actions"]
    lines += [f"  {name}: {count:,} transitions" for name, count in report.actions.items()]
    lines += ["goals"] * bool(report.goals)
    lines += [f"  {name}: holds at {count:,} vertices" for name, count in report.goals.items()]
    lines += ["variables"] * bool(report.variables)
    for name, seen in report.variables.items():
        more = ", …" if seen["count"] > len(seen["values"]) else ""
        lines.append(f"  {name}: {seen['count']:,} values: {', '.join(seen['values'])}{more}")
    return lines + [f"! {warning}" for warning in report.warnings]
