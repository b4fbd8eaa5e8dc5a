"""The job: all that is asked of outplay, as one plain value that can be written down and done in any process.

It has parts (job_parts.py), and its JSON form is flat. A field left out of that has the default of the option of its
name. Traces and suites keep the job they came from, so a model is read again as it was read then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.formats.common.json_document import (
    KINDS,
    TEXTS,
    InvalidDocument,
    load_json_document,
    mistyped,
    placed_error,
    refuse_unknown_fields,
)
from outplay.formats.common.source import LARGEST, read_source
from outplay.formats.registry import ENDINGS
from outplay.formats.suites.suite_json import read_suite_head
from outplay.game.exploring.breadth_first import Limits
from outplay.model.programs.load import is_program_reference
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.runs.job_parts import AimPart, BudgetPart, LimitPart, ModelPart, OutputPart, SystemPart
from outplay.runs.run_budget import PLAYS, Fairness, stop_conditions

FORMAT = "outplay-job/1"


@dataclass(frozen=True)
class Job(OutputPart, BudgetPart, SystemPart, AimPart, LimitPart, ModelPart):
    """A job: plain texts, numbers and tuples of texts, so that it can be compared, hashed, copied and sent.

    >>> job = Job("chat.py:Chat", goal=("two_pending",), sut="tcp:localhost:7000", plays=5)
    >>> job.json()
    {'model': 'chat.py:Chat', 'goal': ['two_pending'], 'sut': 'tcp:localhost:7000', 'plays': 5}
    >>> Job.from_json(job.json()) == job
    True
    """

    remembered_only: bool = False
    """Whether nobody but a file names the model program, so that nothing runs but what the user ran before
    (preparing/configured_code.py). It says who asks, and is never written down."""
    scheduler: str | None = None
    """The address of a Dask scheduler whose workers make the plays. Who answers there may run code, so only the user
    names it, and it is never written down."""
    disk: str | None = None
    """The empty folder in which a model is explored; it is a place on this machine, and never written down."""

    def __post_init__(self) -> None:
        for name, value in stop_conditions(self.until).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "until", ())
        Fairness(self.chance, self.confidence)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not least <= value < math.inf:
                raise UsageError(f"{name} is {value} and is {'at least' if value < least else 'a number from'} {least}")

    @property
    def is_code(self) -> bool:
        """Whether the model is a program, which runs when it is loaded, and no file of some format."""
        return not self.format and Path(self.model).suffix.lower() not in ENDINGS and is_program_reference(self.model)

    @property
    def limits(self) -> Limits:
        """The limits of exploring."""
        return Limits(self.max_states, self.max_edges, self.max_depth, self.max_seconds, self.max_memory)

    @property
    def most_plays(self) -> int:
        """The maximum number of plays, where they have to be counted."""
        return PLAYS if self.plays is None else self.plays

    @property
    def timing(self) -> Timing:
        """The times to go by."""
        return Timing(self.silence, self.latency, self.settle, self.confirm)

    @property
    def fairness(self) -> Fairness:
        """The rule by which an output that never comes is taken for one that cannot come."""
        return Fairness(self.chance, self.confidence)

    @property
    def own_options(self) -> tuple[tuple[str, str], ...]:
        """The options that the objective and the system declare, name by name."""
        return tuple((name, value) for name, _, value in (text.partition("=") for text in self.options))

    def reading(self) -> Job:
        """The part that says how the model is read, and by which rules it is played: what a suite keeps."""
        return Job(**{name: getattr(self, name) for name in READING})

    def json(self) -> dict[str, Any]:
        """The job for programs: what is not as it is by default."""
        given = {name: getattr(self, name) for name, default in _DEFAULTS.items() if getattr(self, name) != default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    @staticmethod
    def from_json(entry: dict[str, Any]) -> Job:
        """Read the JSON form; an unknown field, or one of another type, is refused."""
        told = {RENAMED.get(name, name): value for name, value in entry.items() if name not in _NO_LONGER}
        refuse_unknown_fields(told, _KINDS)
        made = {name: _checked(name, _KINDS[name], value) for name, value in told.items()}
        try:
            return Job(**made)
        except UsageError as error:
            raise InvalidDocument(str(error)) from None


UNWRITTEN = ("remembered_only", "scheduler", "disk")
"""The fields that say who asks, and by whom and where it is done, and are never written down."""
_KINDS = {field.name: str(field.type) for field in fields(Job) if field.name not in UNWRITTEN}
_DEFAULTS = {field.name: field.default for field in fields(Job) if field.name in _KINDS}
RENAMED = {"then_walk": "extra_steps", "adverse": "adversarial"}
"""The old names of fields, which are still read, and as options taken."""
_NO_LONGER = ("model_code",)  # a hash in the file that names the code, which proves nothing
_LEAST = {
    **dict.fromkeys(
        (
            "max_bytes",
            "max_states",
            "max_edges",
            "max_depth",
            "max_memory",
            "plays",
            "labels",
            "jobs",
            "until_quiet",
            "budget",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "max_seconds",
            "time",
            "steps",
            "extra_steps",
            "retries",
            "shrink",
            "silence",
            "latency",
            "settle",
            "confirm",
            "epsilon",
            "time_limit",
            "until_cleared",
        ),
        0,
    ),
}
FIELDS = tuple(_KINDS)
READING = tuple(field.name for part in (ModelPart, LimitPart) for field in fields(part))
_WORDS = {**{kind.__name__: words for kind, words in KINDS.items()}, "tuple[str, ...]": TEXTS}


def job_field_type(name: str) -> str:
    """Return the type of a job's field as it is written in the class, such as `int | None` or `tuple[str, ...]`."""
    return _KINDS[name]


def _checked(name: str, kind: str, value: Any) -> Any:
    """A value of the type a field has, or the complaint that it has another."""
    plain = kind.removesuffix(" | None")
    if value is None and plain != kind:
        return None
    if plain == "tuple[str, ...]" and isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    if plain == "float" and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if type(value).__name__ == plain != "float":  # not isinstance: True is no number of plays
        return value
    raise mistyped(name, value, _WORDS[plain])


def read_job(path: str | Path) -> Job:
    """Read a job from a file: `{"format": "outplay-job/1", "job": {"model": "chat.py:Chat", …}}`."""
    source = read_source(Path(path))
    document = load_json_document(source, kind=FORMAT)
    try:
        refuse_unknown_fields(document, ("format", "job"))
        if not isinstance(document.get("job"), dict):
            raise InvalidDocument('the job is missing; write "job": {"model": "…"}', "job")
    except InvalidDocument as error:
        raise placed_error(source, error) from None
    try:
        return Job.from_json(document["job"])
    except InvalidDocument as error:
        raise placed_error(source, InvalidDocument(str(error), "job", *error.path)) from None


def read_kept_job(entry: dict[str, Any], where: str) -> Job:
    """Read the job that a trace or a suite keeps; `where` names it in a complaint."""
    try:
        kept = Job.from_json(entry)
    except InvalidDocument as error:
        raise FormatError(f"{where}: in its job, {error}") from None
    # Once programs took inputs that had no say; what was recorded then is played again as it was.
    return replace(kept, inputs=()) if kept.is_code else kept


def suite_job(path: str, *, largest: int | None = None) -> Job:
    """Make the job that plays a suite, with the model read as when the suite was made; a suite names no system."""
    suite = read_suite_head(path, largest=largest or LARGEST)
    return replace(read_kept_job(suite.job, path).reading(), model=suite.model, suite=path)


def recorded_job(header: TraceHeader, where: str = "the trace") -> Job:
    """Return the job a trace was recorded by; of an older trace, or a log from elsewhere, as its options tell."""
    if header.job:
        return read_kept_job(header.job, where)
    recorded = {name: value for name, value in header.options.items() if name in _KINDS and value is not None}
    if not recorded.get("latency"):  # a synchronous system records 0; another one may need more
        recorded.pop("latency", None)
    recorded.pop("suite", None)  # how many tests there were, not where they are
    job = read_kept_job(recorded, where)
    return replace(job, model=header.model, goal=header.goal, seed=header.seed, sut=header.sut)
