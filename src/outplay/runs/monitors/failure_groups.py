"""Failures grouped: those of the same kind, with the same gate, in the same state of the model are counted together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.plurals import counted
from outplay.redaction import Redact
from outplay.runs.events import FailureFound, Observer, PlayStarted, RunEvent
from outplay.runs.result import RunResult

MOST_SHOWN = 10
MOST_STATES = 3


@dataclass(frozen=True)
class FailureGroup:
    """Failures that are likely to have one cause."""

    kind: str
    """The kind of the event that was wrong: `output`, `silence`, `crash` …"""
    gate: str | None
    """Of its label, if it has one."""
    states: tuple[str, ...]
    """The keys of the states in which the system may have been."""
    why: str
    """Of the first."""
    play: int
    """The number of the first play that failed so."""
    count: int = 1

    def json(self) -> dict[str, Any]:
        where = {"kind": self.kind, "gate": self.gate, "states": list(self.states)}
        return {**where, "why": self.why, "play": self.play, "count": self.count}

    def without_secrets(self, redact: Redact) -> FailureGroup:
        """The group without the secrets in what the system said and in the states that hold it."""
        gate = self.gate and str(redact.words((self.gate,))[0])
        return replace(self, gate=gate, states=tuple(map(redact, self.states)), why=redact(self.why))


class FailureGroups(Observer):
    """Counts the failures of a run by what they have in common."""

    remembers = True

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], FailureGroup] = {}
        self._wrong: Step | None = None

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayStarted):
            self._wrong = None
        elif isinstance(event, Step):
            if self._wrong is None or self._wrong.after.conforms:
                self._wrong = event  # the last one, or the first that is not allowed
        elif isinstance(event, FailureFound):
            self._add(event)

    def _add(self, found: FailureFound) -> FailureGroup:
        """Count a failure; returns the group it belongs to."""
        event, step = found.verdict.event, self._wrong
        states = () if step is None else tuple(sorted({_key(step.before.spec, one) for one in step.before.states}))
        gate = None if event.label is None else event.label.gate
        group = FailureGroup(event.kind, gate, states, found.verdict.why, found.play)
        known = self._found.get((group.kind, gate, states))
        self._found[group.kind, gate, states] = replace(known, count=known.count + 1) if known else group
        return group

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, failures=tuple(self._found.values()))


def _key(spec: Any, state: Any) -> str:
    own, inside = own_state(spec, state)
    return own.key(inside)


def failure_group_lines(groups: Iterable[FailureGroup], played: int) -> list[str]:
    """Write groups of failures for people, where more than one play failed; those alike in many states are one line.

    >>> groups = [FailureGroup("output", "now", (f"n={n}",), "not allowed here", play=n) for n in (2, 3)]
    >>> groups.append(FailureGroup("crash", None, ("n=4",), "it crashed", 7, count=5))
    >>> print(*failure_group_lines(groups, 20), sep="\\n")
    7 of 20 plays failed, in 2 ways
      5 plays, first play 7: crash: it crashed, in n=4
      2 plays, first play 2: output now: not allowed here, in 2 states, such as n=2
    """
    shown = failure_ways(groups)
    plays = sum(way.plays for way in shown)
    if plays < 2:
        return []
    more = [f"… and {len(shown) - MOST_SHOWN:,} more ways; --json lists them"] if len(shown) > MOST_SHOWN else []
    lines = [f"{plays} of {counted(played, 'play')} failed, in {counted(len(shown), 'way')}"]
    told = (f"  {counted(way.plays, 'play')}, first play {way.first:,}: {way.text}" for way in shown[:MOST_SHOWN])
    return [*lines, *told, *more]


class FailureWay(NamedTuple):
    """Groups with the same event, each in other states."""

    groups: tuple[FailureGroup, ...]

    @property
    def plays(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    def first(self) -> int:
        return min(group.play for group in self.groups)

    @property
    def text(self) -> str:
        """The fault, with the states where it was met most often."""
        often = max(self.groups, key=lambda group: group.count)
        states = " or ".join(often.states[:MOST_STATES])
        many = len(self.groups) > 1
        where = [f"in {len(self.groups):,} states, such as {states}" if many else f"in {states}"] if states else []
        what = " ".join(filter(None, [often.kind, often.gate]))
        return ", ".join([f"{what}: {often.why}", *where])


def failure_ways(groups: Iterable[FailureGroup]) -> list[FailureWay]:
    """Return the ways to fail: groups of failures that are alike, whatever the states; the most frequent first."""
    ways = dict[tuple[object, ...], list[FailureGroup]]()
    for group in groups:
        ways.setdefault((group.kind, group.gate, group.why), []).append(group)
    return sorted((FailureWay(tuple(way)) for way in ways.values()), key=lambda way: (-way.plays, way.first))
