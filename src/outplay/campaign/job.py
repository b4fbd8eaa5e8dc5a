"""The job: all that is asked of outplay, as one plain value that can be written down and done in any process.

Each field is named like the option of the command line that sets it, and a field left out of the JSON form has the
default of that option. Traces and suites keep the job they came from, so a model is read again as it was read then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from outplay.campaign.suite_runs.fairness import Fairness
from outplay.errors import FormatError, UsageError
from outplay.formats.registry import ENDINGS
from outplay.formats.suites.suite_json import read_head
from outplay.formats.texts.json_document import KINDS, TEXTS, Wrong, load_document, mistyped, placed, refuse_unknown
from outplay.formats.texts.source import LARGEST, read_source
from outplay.game.exploring.breadth_first import Limits
from outplay.model.programs.load import is_program_reference
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader

FORMAT = "outplay-job/1"
_LIMITS, _TIMING, _FAIRNESS = Limits(), Timing(), Fairness()


@dataclass(frozen=True)
class Job:
    """What is asked. Plain texts, numbers and tuples of texts: it can be compared, hashed, copied and sent.

    >>> job = Job("chat.py:Chat", goal=("two_pending",), sut="tcp:localhost:7000", plays=5)
    >>> job.json()
    {'model': 'chat.py:Chat', 'goal': ['two_pending'], 'plays': 5, 'sut': 'tcp:localhost:7000'}
    >>> Job.from_json(job.json()) == job
    True
    """

    model: str = ""
    """`file.py:Class`, `module:Class` or a model file."""
    set: tuple[str, ...] = ()
    """Constants of a model program, each `NAME=VALUE`."""
    inputs: tuple[str, ...] = ()
    format: str | None = None
    max_bytes: int | None = None
    purpose: str | None = None
    """The file of a test purpose."""
    final: tuple[str, ...] = ()
    reset_cost: str | None = None
    assumption: str = "nondeterministic"
    max_states: int = _LIMITS.states
    max_edges: int = _LIMITS.edges
    max_depth: int | None = _LIMITS.depth
    max_seconds: float = _LIMITS.seconds
    max_memory: int = _LIMITS.memory
    model_code: str = ""
    """The hash of the model program, by which a file that keeps this job knows it again (preparing/trust.py)."""
    goal: tuple[str, ...] = ()
    objective: str = "auto"
    method: str = "auto"
    epsilon: float | None = None
    restart: bool = False
    """Whether the tester may reset the system in the middle of a play for more coverage."""
    time_limit: float | None = None
    """How many seconds a solver may take that can do with less, for bounds in place of an answer."""
    options: tuple[str, ...] = ()
    """What else an objective of one's own is told, each `NAME=VALUE`; each has an option of that name."""
    tester: str | None = None
    """Who plays where there is no goal (campaign/preparing/testers.py): `suspicion` unless another is named. For a
    suite, who puts its tests in order; else they are played as they come."""
    strategy: str = "transitions"
    """What a tour is for (predicates/strategies/ready_strategies.py), with the tester `tour`."""
    deterministic: bool = False
    """Whether the system is believed never to change its mind, with the tester `tour`."""
    budget: int | None = None
    """After what cost a tour is given up, with the tester `tour`."""
    cover: str | None = None
    """What coverage is counted of: states, transitions or labels."""
    until_quiet: int | None = None
    """After how many plays that show nothing new there is enough."""
    until_cleared: float | None = None
    """Which share of single faults that would have been found is enough."""
    suite: str | None = None
    """The file of a suite to play instead of a strategy."""
    plays: int = 100
    steps: int = 100
    then_walk: int = 0
    keep_going: bool = False
    join: bool = False
    """Whether tests of a suite are joined without a reset where one can begin where another has ended."""
    chance: float = _FAIRNESS.chance
    confidence: float = _FAIRNESS.confidence
    adverse: bool = False
    shrink: float = 5.0
    """How many seconds to spend on making a failing play short."""
    seed: int = 0
    redact: tuple[str, ...] = ()
    """Names of variables and options whose values are not written down, beside those that look like secrets."""
    sut: str = ""
    isolated: bool = False
    ready: str | None = None
    reset: str | None = None
    silence: float = _TIMING.silence
    latency: float = _TIMING.latency
    settle: float | None = _TIMING.settle

    def __post_init__(self) -> None:
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
        """Where exploring stops."""
        return Limits(self.max_states, self.max_edges, self.max_depth, self.max_seconds, self.max_memory)

    @property
    def timing(self) -> Timing:
        """The times to go by."""
        return Timing(self.silence, self.latency, self.settle)

    @property
    def fairness(self) -> Fairness:
        """When an output that never comes is taken for one that cannot come."""
        return Fairness(self.chance, self.confidence)

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
        refuse_unknown(entry, _KINDS)
        made = {name: _checked(name, _KINDS[name], value) for name, value in entry.items()}
        try:
            return Job(**made)
        except UsageError as error:
            raise Wrong(str(error)) from None


_KINDS = {field.name: str(field.type) for field in fields(Job)}
_DEFAULTS = {field.name: field.default for field in fields(Job)}
_LEAST = {
    **dict.fromkeys(
        ("max_bytes", "max_states", "max_edges", "max_depth", "max_memory", "plays", "until_quiet", "budget"), 1
    ),
    **dict.fromkeys(
        (
            "max_seconds",
            "steps",
            "then_walk",
            "shrink",
            "silence",
            "latency",
            "settle",
            "epsilon",
            "time_limit",
            "until_cleared",
        ),
        0,
    ),
}
FIELDS = tuple(_KINDS)
READING = FIELDS[: FIELDS.index("goal")]
_WORDS = {**{kind.__name__: words for kind, words in KINDS.items()}, "tuple[str, ...]": TEXTS}


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
    document = load_document(source, kind=FORMAT)
    try:
        refuse_unknown(document, ("format", "job"))
        if not isinstance(document.get("job"), dict):
            raise Wrong('the job is missing; write "job": {"model": "…"}', "job")
    except Wrong as error:
        raise placed(source, error) from None
    try:
        return Job.from_json(document["job"])
    except Wrong as error:
        raise placed(source, Wrong(str(error), "job", *error.path)) from None


def kept_job(entry: dict[str, Any], where: str) -> Job:
    """The job that a trace or a suite keeps; `where` names it in a complaint."""
    try:
        kept = Job.from_json(entry)
    except Wrong as error:
        raise FormatError(f"{where}: in its job, {error}") from None
    # Once programs took inputs that had no say; what was recorded then is played again as it was.
    return replace(kept, inputs=()) if kept.is_code else kept


def suite_job(path: str, *, largest: int | None = None) -> Job:
    """The job that plays a suite, with the model read as it was when the suite was made; a suite names no system."""
    suite = read_head(path, largest=largest or LARGEST)
    return replace(kept_job(suite.job, path).reading(), model=suite.model, suite=path)


def recorded_job(header: TraceHeader, where: str = "the trace") -> Job:
    """The job a trace was recorded by; an older trace, or a log from elsewhere, tells what it can by its options."""
    if header.job:
        return kept_job(header.job, where)
    recorded = {name: value for name, value in header.options.items() if name in _KINDS and value is not None}
    if not recorded.get("latency"):  # a synchronous system records 0; another one may need more
        recorded.pop("latency", None)
    recorded.pop("suite", None)  # how many tests there were, not where they are
    job = kept_job(recorded, where)
    return replace(job, model=header.model, goal=header.goal, seed=header.seed, sut=header.sut)
