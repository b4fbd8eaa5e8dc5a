"""Turn what a user names into models, games and systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from outplay.cli.progress import exploring
from outplay.cli.rules import NO_RULES, Rules, recorded_rules
from outplay.errors import FormatError, UsageError
from outplay.formats.common import LIMITS, ReadLimits
from outplay.formats.registry import ENDINGS, read_model
from outplay.game.assumption import named_assumption
from outplay.game.explore import explore, program_specification
from outplay.game.game_specification import GameSpecification
from outplay.game.graph import Game
from outplay.game.targets import Target, find_target
from outplay.game.transitions import watch_transitions
from outplay.game.unfold import Limits
from outplay.model.automaton import Automaton
from outplay.model.directions import with_inputs
from outplay.model.load import is_program_reference, load_program
from outplay.model.machine import Machine
from outplay.model.program import Program
from outplay.model.specification import Specification
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.trace import Trace


@dataclass(frozen=True)
class Named:
    """A model as the user named it, with how it was read: a program, an automaton, a machine or a game."""

    reference: str
    model: Program | Automaton | Machine | Game
    settings: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    format_name: str | None = None
    rules: Rules = NO_RULES

    @property
    def reading(self) -> dict[str, Any]:
        """How the model was read, for a trace that is to be judged or played again."""
        read = {"set": list(self.settings), "inputs": list(self.inputs), "format": self.format_name}
        return {**read, **self.rules.record}

    def specification(self, assumption: str) -> Specification:
        """What the model allows under the rules, stepped as it is needed."""
        return self.rules.specification(self.bare(assumption))

    def bare(self, assumption: str) -> Specification:
        """What the model itself allows."""
        if isinstance(self.model, Game):
            return GameSpecification(self.model, self.reference)
        if isinstance(self.model, Program):
            return program_specification(self.model, named_assumption(assumption))
        return SuspensionAutomaton(self.model.automaton if isinstance(self.model, Machine) else self.model)

    def game(self, assumption: str, limits: Limits, goals: Sequence[str] = ()) -> Game:
        """The model as a game, explored if need be, with the rules applied; vertices named as goals stay such."""
        if isinstance(self.model, Game):
            return self.rules.game(self.model, tuple(goals))
        with exploring() as progress:
            made = explore(self.model, assumption=assumption, limits=limits, progress=progress)
        return self.rules.game(made, tuple(goals))

    def wanted(self, assumption: str, limits: Limits, goals: Sequence[str]) -> tuple[Game, tuple[str, ...]]:
        """The game and what is to be reached in it: goals, states, labels or transitions, or else the purpose."""
        names = tuple(goals) or self.rules.goals
        return watch_transitions(self.game(assumption, limits, names), names)


def load(
    reference: str,
    settings: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    format_name: str | None = None,
    limits: ReadLimits = LIMITS,
    largest: int | None = None,
    rules: Rules = NO_RULES,
) -> Named:
    """Load `file.py:Class`, `module:Class` or a model file."""
    path = Path(reference)
    if format_name or path.suffix.lower() in ENDINGS:
        if settings:
            raise UsageError("--set sets constants of model programs; a file has none")
        found = read_model(path, format=format_name, limits=limits, largest=largest)
        if inputs and not isinstance(found, Automaton):
            raise UsageError("--inputs is for automata whose labels have no direction; this model has no such labels")
        model = with_inputs(found, inputs) if isinstance(found, Automaton) and inputs else found
        return Named(reference, model, inputs=tuple(inputs), format_name=format_name, rules=rules)
    if is_program_reference(reference):
        return Named(reference, load_program(reference, settings), tuple(settings), rules=rules)
    if path.is_dir():
        raise FormatError(f"{reference}: a folder; name the model program in it, {path / 'file.py'}:Class")
    if path.exists():
        raise FormatError(
            f"{reference}: unknown kind of file; give {', '.join(ENDINGS)}, "
            "say which it is with --format, or name a model program file.py:Class"
        )
    stem, _, class_name = reference.rpartition(":")
    if stem and Path(f"{stem}.py").is_file():
        raise FormatError(f"{reference}: no such model; did you mean {stem}.py:{class_name}?")
    raise FormatError(f"{reference}: no such model; give file.py:Class, module:Class or a file such as model.dot")


def load_again(recorded: Trace, reference: str = "", settings: Sequence[str] = ()) -> Named:
    """Load the model a trace was recorded with, read as it was then; another one where it is named."""
    used = recorded.header.options
    return load(
        reference or recorded.header.model,
        settings or tuple(used.get("set", ())),
        inputs=tuple(used.get("inputs", ())),
        format_name=used.get("format"),
        rules=recorded_rules(used),
    )


def target_of(game: Game, goals: Sequence[str]) -> Target:
    """Find what is to be reached; a goal that holds nowhere is a mistake that is best told at once."""
    found = find_target(game, goals)
    if not len(found.vertices):
        stopped = game.origin.stopped
        cure = f"exploring {stopped}" if stopped else "no way leads there; mend the goal or the model"
        raise UsageError(f"goal {' or '.join(found.names)} holds at none of {game.vertex_count:,} vertices: {cure}")
    return found


def warn_of_other_model(recorded: Trace, spec: Specification) -> None:
    """Say so when a trace is judged by another model than it was recorded with, or by one that has changed."""
    header = recorded.header
    if header.model_hash and header.model_hash != spec.fingerprint:
        what = f"the trace was recorded with {header.model or 'another model'}, which is another model or has changed"
        click.secho(f"outplay: {what}", err=True, fg="yellow")
