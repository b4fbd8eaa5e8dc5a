"""The questions that every kind of model answers, for playing, judging and exploring.

Enabled inputs, possible outputs, whether silence is allowed, and where a label leads. States are opaque and hashable; a
label may lead to several states (the system's own choice that nobody saw), so whoever asks works on sets of states.

Channels: over which connection a label goes. Order is kept within a channel, in each direction, and not across. A model
names the channel of an action by one of its parameters or by a fixed name; for files, patterns of labels do. What names
none is on the unnamed channel, so that a model without channels has one for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

from outplay.errors import UsageError
from outplay.model.label import INPUT, OUTPUT, Label, write_argument
from outplay.model.offer import Offer
from outplay.model.values import portable_text

UNNAMED = ""


@dataclass(frozen=True)
class Channel:
    """A channel with a fixed name, in place of the parameter that names one."""

    name: str


@dataclass(frozen=True)
class Channels:
    """Finds the channel of each label.

    >>> channels = Channels.of_patterns(["?post*=in", "!*=out"])
    >>> [channels.of(Label.parse(text)) for text in ("?post ann", "!deliver bob", "?stop")]
    ['in', 'out', '']
    """

    gates: Mapping[tuple[str, str], int | Channel] = field(default_factory=dict)
    """By direction and gate: the place of the argument that names it, or the channel itself."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Patterns of labels with the names of their channels; the first that fits counts."""

    @staticmethod
    def of_patterns(given: Sequence[str]) -> Channels:
        """Read patterns, each `GLOB=NAME`."""
        pairs = [text.rpartition("=") for text in given]
        for text, (glob, _, name) in zip(given, pairs, strict=True):
            if not glob or not name:
                raise UsageError(f"--channel {text}: write GLOB=NAME, for instance --channel '?post ann*=ann'")
        return Channels(patterns=tuple((glob, name) for glob, _, name in pairs))

    @property
    def named(self) -> bool:
        """Say whether some label may be on a channel of its own."""
        return bool(self.gates or self.patterns)

    def of(self, label: Label) -> str:
        """The channel of a label."""
        if not (self.patterns or self.gates):
            return UNNAMED
        for glob, name in self.patterns:
            if fnmatchcase(label.text, glob):
                return name
        found = self.gates.get((label.kind, label.gate)) if self.gates else None
        if isinstance(found, Channel):
            return found.name
        if found is None or found >= len(label.arguments):
            return UNNAMED
        return _channel_name(label.arguments[found])

    def argument(self, question: Label) -> tuple[Any, ...]:
        """The argument of a question that its answer repeats, as it is the channel; nothing where none is."""
        found = self.gates.get((INPUT, question.gate))
        answered = (OUTPUT, question.gate) in self.gates
        return (question.arguments[found],) if answered and isinstance(found, int) else ()

    def and_patterns(self, given: Sequence[str]) -> Channels:
        """The same, where patterns, each `GLOB=NAME`, go before what the model says."""
        return Channels(self.gates, Channels.of_patterns(given).patterns + self.patterns) if given else self


def _channel_name(argument: object) -> str:
    """The name of the channel that an argument names."""
    return argument if isinstance(argument, str) else write_argument(argument)


ONE_FOR_ALL = Channels()


State = Hashable


class Specification(Protocol):
    """The behaviour that a system may have, state by state."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Tells models apart, and the same model after a change."""

    @property
    def initial(self) -> Collection[State]: ...
    @property
    def goals(self) -> Collection[str]:
        """The goals the model names."""

    @property
    def locations(self) -> Collection[str]:
        """Those of them that nobody wrote down as goals: where control is."""

    @property
    def alphabet(self) -> Collection[Label]:
        """All labels the model names, where it can list them; else none."""

    @property
    def output_gates(self) -> Collection[str]:
        """The gates of all outputs the model names anywhere, where it can list them; else none."""

    @property
    def input_gates(self) -> Collection[str]:
        """The same for inputs."""

    @property
    def null_gates(self) -> Collection[str]:
        """The gates with None for an answer, as in `!get null`, as far as that can be told beforehand."""

    @property
    def channels(self) -> Channels:
        """Over which connection each label goes."""

    def inputs(self, state: State) -> Collection[Offer]:
        """Return the inputs that the tester may give here."""

    def outputs(self, state: State) -> Collection[Offer]:
        """Return the outputs that the system may show here, silence apart."""

    def quiet(self, state: State) -> bool:
        """Say whether silence is allowed here."""

    def after(self, state: State, label: Label) -> Collection[State]:
        """Return the targets of a label; nothing where the label is not specified."""

    def offer(self, state: State, label: Label) -> Offer:
        """Return the offer that a label of the game stands for in a state: itself, or a region of labels with data."""

    def written(self, state: State, label: Label) -> Label:
        """Return a label, given or seen in a state, as the game writes it: by its region, where it has some."""

    def is_state(self, name: str) -> bool:
        """Say whether a name stands for a single state, which can then be a goal too."""

    def holds(self, goal: str, state: State) -> bool:
        """Say whether a state belongs to a named goal, or is the state named."""

    def weight(self, state: State, label: Label) -> float:
        """Return the weight of an output beside the others here."""

    def describe(self, state: State) -> str:
        """Write a state for people."""

    def key(self, state: State) -> str:
        """Write what a state is, and nothing else: the same text in every process, run and hash seed."""


class Span(NamedTuple):
    """The time of a step, in microseconds: at the earliest, at the latest, and by when what is overdue shows."""

    low: float
    high: float
    overdue: float


@runtime_checkable
class TimedSteps(Protocol):
    """A specification whose states know since when they are possible."""

    def started(self, now: float) -> Collection[State]:
        """Return the states where it was made ready."""

    def after_within(self, state: Any, label: Label, span: Span) -> Collection[State]:
        """Return the targets of a label within a span of time."""

    def is_overdue(self, state: Any, span: Span) -> bool:
        """Say whether something had to happen before the span, whatever hidden steps there were."""

    def delayed(self, state: Any, lag: float) -> State:
        """The same state where the tester was late by this much."""

    def deadline(self, state: Any) -> float | None:
        """Return when something has to have happened; None where nothing ever has to."""


class BaseSpecification:
    """The answers that most specifications share; those with more to say override them."""

    goals: Collection[str] = ()
    locations: Collection[str] = ()
    channels: Channels = ONE_FOR_ALL

    @property
    def alphabet(self) -> Collection[Label]:
        return ()

    @property
    def output_gates(self) -> Collection[str]:
        return {label.gate for label in self.alphabet if label.is_output}

    @property
    def input_gates(self) -> Collection[str]:
        return {label.gate for label in self.alphabet if label.is_input}

    @cached_property
    def null_gates(self) -> Collection[str]:
        return {label.gate for label in self.alphabet if label.is_output and label.arguments == (None,)}

    def offer(self, state: Any, label: Label) -> Offer:
        return label

    def written(self, state: Any, label: Label) -> Label:
        return label

    def is_state(self, name: str) -> bool:
        return False

    @property
    def enough_states(self) -> int | None:
        """The number of states to explore unless more are asked for, where data may have no end."""
        return None

    def holds(self, goal: str, state: Any) -> bool:
        return False

    def weight(self, state: Any, label: Label) -> float:
        return 1.0

    def describe(self, state: Any) -> str:
        return str(state)

    def key(self, state: Any) -> str:
        return portable_text(state)


class ListedSpecification(BaseSpecification, ABC):
    """A specification that lists the labels of each state, and where they lead."""

    @abstractmethod
    def moves(self, state: Any) -> Mapping[Label, Collection[State]]:
        """All labels possible in a state, with the states each leads to."""

    def inputs(self, state: Any) -> list[Label]:
        return [label for label in self.moves(state) if label.is_input]

    def outputs(self, state: Any) -> list[Label]:
        return [label for label in self.moves(state) if label.is_output]


class SilenceRule(Enum):
    """The rule for silence besides where the model itself allows it."""

    MODEL = "nowhere else"
    BEFORE_INPUTS = "where the tester can then act"  # Blass, Gurevich, Nachmanson and Veanes 2005
    ALWAYS = "everywhere"


def state_number(state: State) -> int:
    """Return a state of a specification whose states are numbers as that number."""
    if not isinstance(state, int):
        raise TypeError(f"{state!r} is no state of this model")
    return state
