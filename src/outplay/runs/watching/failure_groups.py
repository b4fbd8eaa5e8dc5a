"""Failures grouped: those of the same kind, with the same gate, in the same state of the model are counted together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.plurals import counted
from outplay.redaction import Redact
from outplay.runs.events import FailureFound, Observer, PlayStarted, RunEvent
from outplay.runs.result import RunResult

MOST_SHOWN = 10


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
        gate = self.gate and str(redact.value(self.gate))
        return replace(self, gate=gate, states=tuple(map(redact, self.states)), why=redact(self.why))

    def line(self) -> str:
        """The group for people."""
        return f"{counted(self.count, 'play')}, first play {self.play:,}: {self.why}"


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


def group_lines(groups: tuple[FailureGroup, ...], played: int) -> list[str]:
    """The groups for people, where more than one of so many plays failed."""
    plays = sum(group.count for group in groups)
    if plays < 2:
        return []
    shown = sorted(groups, key=lambda group: (-group.count, group.play))
    more = [f"… and {len(shown) - MOST_SHOWN:,} more ways; --json lists them"] if len(shown) > MOST_SHOWN else []
    lines = [f"{plays} of {counted(played, 'play')} failed, in {counted(len(groups), 'way')}"]
    return [*lines, *(f"  {group.line()}" for group in shown[:MOST_SHOWN]), *more]
