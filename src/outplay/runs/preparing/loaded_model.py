"""Load the model a job names, read as the job says, with the rules of the game it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outplay.errors import FormatError, GameError, UsageError
from outplay.formats.common.source import ReadLimits
from outplay.formats.common.writing import unwritten_file
from outplay.formats.registry import ENDINGS, read_model
from outplay.game.assumption import named_assumption
from outplay.game.exact_numbers import read_fraction
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.exploration_workers import Crew
from outplay.game.exploring.explore import explore
from outplay.game.goals.live_goal import followed_without_game
from outplay.game.goals.product import with_purpose
from outplay.game.goals.target import find_target
from outplay.game.graph import Game
from outplay.game.reset import ResettableSpecification, with_reset
from outplay.model.automaton import with_inputs
from outplay.model.kinds import aspect_of, specification
from outplay.model.programs.guard import Guard
from outplay.model.programs.load import load_program
from outplay.model.programs.program import Program
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification
from outplay.model.specification import Specification
from outplay.play.trace import TraceHeader
from outplay.runs.job import Job
from outplay.runs.preparing.remembered_code import Remembering, only_remembered_code
from outplay.runs.secrets import refuse_redacted

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
        """Return the goals that the job names, or else the purpose."""
        return self.job.goal or self.rules.goals

    @property
    def limits(self) -> Limits:
        """Return the limits of exploring."""
        return self.job.limits

    @property
    def reset_cost(self) -> Fraction | None:
        """Return the cost of starting afresh, where that is allowed in the middle of a test."""
        return self.rules.reset_cost

    def specification(self) -> Specification:
        """Return the specification of the model under the rules, stepped as it is needed."""
        return self.rules.specification(self.bare())

    def bare(self) -> Specification:
        """Return the specification of the model itself."""
        silence, budget = named_assumption(self.job.assumption).silence, self.job.limits.budget
        return self._channelled(specification(self.model, silence=silence, budget=budget, name=self.job.model))

    def _channelled(self, spec: Specification) -> Specification:
        """With the channels that the job names, which go before those of the model."""
        if self.job.channel:
            # Any kind of model may be given channels, and whatever is wrapped around it takes them over.
            spec.channels = spec.channels.and_patterns(self.job.channel)  # type: ignore[misc]  # read-only to askers
        return spec

    def judging(self, goals: Sequence[str]) -> Specification:
        """The specification to judge by, in which the goals of a recorded run can be found."""
        spec = self.specification()
        labels = aspect_of(self.model, "symbolic") is None  # else a goal may be a region of labels with data
        if all(followed_without_game(spec, goal, labels=labels) for goal in goals):
            return spec
        # A state by number, which is that of exploring, a transition, or such a region.
        return find_target(self.game(), goals).game.origin.specification

    def game(self, progress: Progress | None = None, limits: Limits | None = None, crew: Crew | None = None) -> Game:
        """The model as a game, explored if need be up to the limits of the job or others, with the rules applied."""
        disk = None if self.job.disk is None else _empty_folder(self.job)
        made = aspect_of(self.model, "game")
        if made is None:
            bounds = limits or self.job.limits
            how: dict[str, Any] = {"assumption": self.job.assumption, "limits": bounds, "progress": progress}
            try:
                made = explore(self.model, **how, crew=crew, disk=disk)
            except OSError as error:
                if disk is None:
                    raise
                raise FormatError(unwritten_file(disk, error)) from None
        self._channelled(made.origin.specification)
        return self.rules.game(made)

    @property
    def drawn(self) -> Any:
        """Return what a picture of the model shows: what its kind says, or else its game."""
        shown = aspect_of(self.model, "picture")
        return self.game() if shown is None else shown

    def wanted(self, progress: Progress | None = None) -> tuple[Game, tuple[str, ...]]:
        """The game and what is to be reached in it: goals, states, labels or transitions, or else the purpose."""
        return self.game(progress), self.goals


def _empty_folder(job: Job) -> Path:
    """The folder in which a job explores, made where it is missing."""
    if not job.is_code:
        raise UsageError("--disk is for model programs: a file is read into memory")
    if job.jobs is not None or job.scheduler is not None:
        raise UsageError("--disk explores in one process: leave out --jobs and --scheduler")
    folder = Path(job.disk or "")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"--disk {folder}: there is something in that folder; name an empty one")
    except OSError as error:
        raise FormatError(unwritten_file(folder, error)) from None
    return folder


def load_model(job: Job) -> LoadedModel:
    """Load the model that a job names: `file.py:Class`, `module:Class` or a model file."""
    refuse_redacted(job, "set")
    return LoadedModel(job, _model(job), rules_of_game(job))


def _model(job: Job) -> Program | Model:
    reference, path = job.model, Path(job.model)
    if job.format or path.suffix.lower() in ENDINGS:
        return _file(job, path)
    if job.is_code:
        if job.inputs:
            raise UsageError("--inputs is for automata whose labels have no direction; actions of a program have one")
        return _program(job)
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


def _program(job: Job) -> Program:
    """Load the code; what runs because the user named it is remembered."""
    remembering = Remembering()
    admit = only_remembered_code(job.model) if job.remembered_only else remembering.admit
    with Guard(job.limits.budget):
        found = load_program(job.model, job.set, admit)
    remembering.loaded()
    return found


def _file(job: Job, path: Path) -> Model:
    if job.set:
        raise UsageError("--set sets constants of model programs; a file has none")
    limits = ReadLimits(job.max_states, job.max_edges)  # a file is bounded like the exploring of a program
    found = read_model(path, format=job.format, limits=limits, largest=job.max_bytes)
    if not job.inputs:
        return found
    undirected = aspect_of(found, "undirected")
    if undirected is None:
        raise UsageError("--inputs is for automata whose labels have no direction; this model has no such labels")
    return with_inputs(undirected, job.inputs)


def other_model_warning(header: TraceHeader, spec: Specification) -> tuple[str, ...]:
    """Return the warning that a trace was recorded with another model than the loaded one, or that it has changed."""
    if not header.model_hash or header.model_hash == spec.fingerprint:
        return ()
    return (f"the trace was recorded with {header.model or 'another model'}, which is another model or has changed",)


@dataclass(frozen=True)
class Rules:
    """The rules added to the game of a model; nothing by default."""

    purpose: AutomatonPurpose | None = None
    reset_cost: Fraction | None = None

    @property
    def goals(self) -> tuple[str, ...]:
        """Return the goals where nothing else is named."""
        return () if self.purpose is None else (self.purpose.name,)

    def game(self, game: Game) -> Game:
        """Change a game."""
        if self.reset_cost is not None:
            game = with_reset(game, cost=self.reset_cost)
        return game if self.purpose is None else with_purpose(game, self.purpose)

    def specification(self, spec: Specification) -> Specification:
        """Change a specification in the same way."""
        if self.reset_cost is not None:
            spec = ResettableSpecification(spec)
        return spec if self.purpose is None else PurposeSpecification(spec, self.purpose)


def rules_of_game(job: Job) -> Rules:
    """Return the rules of the game that a job asks for its model."""
    if job.final and job.purpose is None:
        raise UsageError("--final names the final states of a test purpose; give its file with --purpose")
    purpose = None if job.purpose is None else _purpose(Path(job.purpose), job.final)
    return Rules(purpose, None if job.reset_cost is None else _cost(job.reset_cost))


def _purpose(path: Path, final: tuple[str, ...]) -> AutomatonPurpose:
    found = read_model(path)
    automaton = getattr(found, "automaton", None)
    if automaton is None:
        raise UsageError(f"{path}: a game is no test purpose; give an automaton with final states")
    return AutomatonPurpose(automaton, final, name=path.stem)


def _cost(text: str) -> Fraction:
    try:
        cost = read_fraction(text)
    except GameError as error:
        raise UsageError(f"--reset-cost {text}: {error}") from None
    if cost < 0:
        raise UsageError(f"--reset-cost {text}: a cost is at least 0")
    return cost
