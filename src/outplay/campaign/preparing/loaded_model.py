"""Load the model a job names, read as the job says and with the rules it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.rules import Rules, rules_of
from outplay.errors import FormatError, UsageError
from outplay.formats.registry import ENDINGS, read_model
from outplay.formats.texts.source import ReadLimits
from outplay.game.assumption import named_assumption
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.explore import explore
from outplay.game.goals.live_goal import known_unexplored
from outplay.game.goals.target import find_target
from outplay.game.graph import Game
from outplay.model.directions import with_inputs
from outplay.model.kinds import seen_as, specification
from outplay.model.programs.guard import Guard
from outplay.model.programs.load import load_program
from outplay.model.programs.program import Program
from outplay.model.specification import Specification
from outplay.play.trace import TraceHeader
from outplay.redaction import MARK

if TYPE_CHECKING:
    from outplay.formats.registry import Model


@dataclass(frozen=True)
class LoadedModel:
    """The model of a job: a program or what a file holds, and the rules it is played by."""

    job: Job
    model: Program | Model
    rules: Rules

    @property
    def goals(self) -> tuple[str, ...]:
        """What is to be reached: what the job names, or else the purpose."""
        return self.job.goal or self.rules.goals

    @property
    def limits(self) -> Limits:
        """How large it may become."""
        return self.job.limits

    @property
    def reset_cost(self) -> Fraction | None:
        """What it costs to start afresh, where that is allowed in the middle of a test."""
        return self.rules.reset_cost

    def specification(self) -> Specification:
        """What the model allows under the rules, stepped as it is needed."""
        return self.rules.specification(self.bare())

    def bare(self) -> Specification:
        """What the model itself allows."""
        silence, budget = named_assumption(self.job.assumption).silence, self.job.limits.budget
        return specification(self.model, silence=silence, budget=budget, name=self.job.model)

    def judging(self, goals: Sequence[str]) -> Specification:
        """The specification to judge by, in which the goals of a recorded run can be found."""
        spec = self.specification()
        labels = seen_as(self.model, "symbolic") is None  # else a goal may be a region of labels with data
        if all(known_unexplored(spec, goal, labels=labels) for goal in goals):
            return spec
        # A state by number, which is that of exploring, a transition, or such a region.
        return find_target(self.game(), goals).game.origin.specification

    def game(self, progress: Progress | None = None, limits: Limits | None = None) -> Game:
        """The model as a game, explored if need be up to the limits of the job or others, with the rules applied."""
        made = seen_as(self.model, "game")
        if made is None:
            bounds = limits or self.job.limits
            made = explore(self.model, assumption=self.job.assumption, limits=bounds, progress=progress)
        return self.rules.game(made)

    @property
    def drawn(self) -> Any:
        """What a picture of the model shows: what its kind says, or else its game."""
        shown = seen_as(self.model, "picture")
        return self.game() if shown is None else shown

    def wanted(self, progress: Progress | None = None) -> tuple[Game, tuple[str, ...]]:
        """The game and what is to be reached in it: goals, states, labels or transitions, or else the purpose."""
        return self.game(progress), self.goals


def refuse_redacted(job: Job, *names: str) -> None:
    """Ask for secrets again that were not written down."""
    for name in names:
        value = getattr(job, name) or ""
        for text in (value,) if isinstance(value, str) else value:
            if MARK in text:
                raise UsageError(f"--{name} {text}: the secret was not written down; give --{name} again, with it")


def load_model(job: Job) -> LoadedModel:
    """Load what a job names: `file.py:Class`, `module:Class` or a model file."""
    refuse_redacted(job, "set")
    return LoadedModel(job, _model(job), rules_of(job))


def _model(job: Job) -> Program | Model:
    reference, path = job.model, Path(job.model)
    if job.format or path.suffix.lower() in ENDINGS:
        return _file(job, path)
    if job.is_code:
        if job.inputs:
            raise UsageError("--inputs is for automata whose labels have no direction; actions of a program have one")
        with Guard(job.limits.budget):
            return load_program(reference, job.set)
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


def _file(job: Job, path: Path) -> Model:
    if job.set:
        raise UsageError("--set sets constants of model programs; a file has none")
    limits = ReadLimits(job.max_states, job.max_edges)  # a file is bounded like the exploring of a program
    found = read_model(path, format=job.format, limits=limits, largest=job.max_bytes)
    if not job.inputs:
        return found
    undirected = seen_as(found, "undirected")
    if undirected is None:
        raise UsageError("--inputs is for automata whose labels have no direction; this model has no such labels")
    return with_inputs(undirected, job.inputs)


def other_model(header: TraceHeader, spec: Specification) -> tuple[str, ...]:
    """The warning that a trace was recorded with another model than it is read with, or with one that has changed."""
    if not header.model_hash or header.model_hash == spec.fingerprint:
        return ()
    return (f"the trace was recorded with {header.model or 'another model'}, which is another model or has changed",)
