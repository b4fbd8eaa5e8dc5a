"""Channels: over which connection a label goes. Order is kept within a channel, in each direction, and not across.

A model names the channel of an action by one of its parameters or by a fixed name; for files, patterns of labels do.
What names none is on the unnamed channel, so that a model without channels has one for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from outplay.errors import UsageError
from outplay.model.label import INPUT, OUTPUT, Label, write_value

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
        return channel_name(label.arguments[found])

    def argument(self, question: Label) -> tuple[Any, ...]:
        """The argument of a question that its answer repeats, as it is the channel; nothing where none is."""
        found = self.gates.get((INPUT, question.gate))
        answered = (OUTPUT, question.gate) in self.gates
        return (question.arguments[found],) if answered and isinstance(found, int) else ()

    def and_patterns(self, given: Sequence[str]) -> Channels:
        """The same, where patterns, each `GLOB=NAME`, go before what the model says."""
        return Channels(self.gates, Channels.of_patterns(given).patterns + self.patterns) if given else self


def channel_name(argument: object) -> str:
    """The name of the channel that an argument names."""
    return argument if isinstance(argument, str) else write_value(argument)


ONE_FOR_ALL = Channels()
