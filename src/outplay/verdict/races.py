"""Races: a Fail that several connections would explain, where the model names none.

A model without channels says that everything goes over one connection, which keeps the order of all labels. Where the
play is allowed as soon as an argument of the actions names the connection, what failed was the order on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from outplay.model.channels import Channel, Channels
from outplay.model.label import INPUT, OUTPUT
from outplay.model.programs.program import Program
from outplay.model.specification import Specification
from outplay.model.wrapping import DelegatingSpecification, Wrapped
from outplay.play.event import Event
from outplay.play.following import follow
from outplay.verdict.verdicts import SingleChange


def race(
    spec: Specification, events: Sequence[Event], *, latency: float = 0.0, silence: float = 0.0, one_wire: bool = False
) -> SingleChange | None:
    """Find the argument that would explain a play as a race if it named the connection; None where none does.

    Nothing crosses where there is no latency, and one wire keeps its order whatever the model says.
    """
    program = _program(spec)
    if program is None or one_wire or not latency or spec.channels.named or not events:
        return None
    for name in _parameters(program):
        around = Wrapped(spec)
        around.channels = _channels(program, name)
        steps = follow(around, events, latency=latency, silence=silence)
        if all(step.after.conforms and step.after.specified for step in steps):
            why = f'a race between connections would explain this; declare channels: channel = "{name}" in the model'
            label = events[-1].label
            return SingleChange("race", "" if label is None else label.text, sum(e.is_move for e in events), why)
    return None


def _program(spec: Any) -> Program | None:
    while isinstance(spec, DelegatingSpecification):
        spec = spec.spec
    found: Program | None = getattr(spec, "program", None)
    return found


def _parameters(program: Program) -> list[str]:
    """The parameters of actions, those first that most actions have."""
    counts = Counter(name for action in program.actions for name in action.domains)
    return [name for name, _ in counts.most_common()]


def _channels(program: Program, name: str) -> Channels:
    gates: dict[tuple[str, str], int | Channel] = {}
    for action in program.actions:
        if name in action.domains:
            kind = INPUT if action.mark.controllable else OUTPUT
            gates[kind, action.name] = tuple(action.domains).index(name)
    return Channels(gates)
