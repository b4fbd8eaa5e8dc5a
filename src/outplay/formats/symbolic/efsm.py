"""Extended finite state machines as text, one statement a line; indented lines go on with the statement above.

    machine "lift"                                   # comments start with #
    constant top = 3
    variable floor: 0..top = 0
    initial closed
    step up:   closed -> closed on up / moved when floor < top do floor := floor + 1
    step stop: closed -> closed on up / "at the top" when floor = top

Each input is answered by an output at once. Declarations and expressions are those of `.sts` files; inputs and outputs
are words, or text in quotes. Nothing in a file is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from outplay.errors import did_you_mean
from outplay.formats.common.source import LIMITS, ReadLimits, Source
from outplay.formats.symbolic.sts import take_statements
from outplay.formats.symbolic.sts_statements import Statements, take_location_name
from outplay.model.expressions.evaluation import read_assignments, write_assignment
from outplay.model.expressions.reading import ExpressionError, TermReader, Words
from outplay.model.expressions.sorts import Enumeration
from outplay.model.expressions.term import TRUE
from outplay.model.machine import ExtendedMachine, ExtendedStep


class MachineStatements(Statements):
    """The declarations of an extended machine so far."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.steps: list[ExtendedStep] = []
        for kind in ("system", "input", "output", "switch", "goal"):
            del self._kinds[kind]
        self._kinds |= {"machine": self._system, "step": self._step}

    @property
    def transitions(self) -> int:
        return len(self.steps)

    def machine(self) -> ExtendedMachine:
        """The machine that was declared."""
        if self.initial is None:
            raise ExpressionError("no initial location; write: initial NAME", 0)
        if not any(step.source == self.initial for step in self.steps):
            hint = did_you_mean(self.initial[:40], {step.source for step in self.steps})
            raise ExpressionError(
                f"no step leaves the initial location {self.initial[:40]}; {hint}", self.initial_offset
            )
        return ExtendedMachine(self.initial, tuple(self.steps), self.variables, self.start, self.name)

    def _step(self, words: Words) -> None:
        place = words.next
        name = take_location_name(words, "a step")
        if any(step.name == name for step in self.steps):
            raise ExpressionError(f"step {name} is declared twice; call one otherwise", place.offset)
        words.expect(":")
        source = take_location_name(words)
        words.expect("->")
        target = take_location_name(words)
        words.expect("on")
        given = _message(words)
        words.expect("/")
        shown = _message(words)
        guard = TermReader(words, self._scope).expression() if words.take_if("when") else TRUE
        done = read_assignments(words, self._scope, self.variables) if words.take_if("do") else {}
        self.steps.append(ExtendedStep(name, source, given, shown, target, guard, done))


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> ExtendedMachine:
    """Read an extended finite state machine, `.efsm`; `name` is what it is called unless the file says so."""
    statements = MachineStatements(name or source.name)
    return take_statements(source, statements, statements.machine, limits)


def write(machine: ExtendedMachine) -> Iterator[str]:
    """Write an extended finite state machine, `.efsm`, as it is read."""
    yield f"machine {json.dumps(machine.name)}\n"
    listed = {sort.name: sort for sort in machine.variables.values() if isinstance(sort, Enumeration)}
    for name, enumeration in sorted(listed.items()):
        yield f"enumeration {name} = {', '.join(enumeration.members)}\n"
    for name, sort in machine.variables.items():
        value = machine.start[name]
        yield f"variable {name}: {sort} = {value if isinstance(sort, Enumeration) else json.dumps(value)}\n"
    yield f"initial {machine.initial}\n"
    for step in machine.steps:
        yield "".join(_written(step)) + "\n"


def _written(step: ExtendedStep) -> Iterable[str]:
    yield f"step {step.name}: {step.source} -> {step.target} on {_quoted(step.given)} / {_quoted(step.shown)}"
    if step.guard is not TRUE:
        yield f" when {step.guard}"
    if step.assignment:
        yield f" do {write_assignment(step.assignment)}"


def _message(words: Words) -> str:
    if words.next.kind == "text":
        return str(TermReader(words, {}).expression().value)
    if words.next.kind not in ("name", "number"):
        raise words.error(f"{words.shown} is no input or output: write a word, or text in quotes")
    return words.take().text


def _quoted(message: str) -> str:
    try:
        bare = Words(message)
    except ExpressionError:
        return json.dumps(message)
    whole = bare.next.kind in ("name", "number") and bare.take().text == message and bare.is_done
    return message if whole else json.dumps(message)
