"""Finite state machines: Mealy, Moore, and nondeterministic ones, in which an input is answered by an output at once.

As an automaton each transition a/x becomes an input followed by an output. Between them lies one intermediate state for
each distinct set of (output, target), so that machines with many transitions stay small.

Extended finite state machines: locations and variables, and steps with a guard, an output and an assignment. An input
is answered at once, as in a finite state machine; a step may be taken where its guard holds and what it assigns keeps
to the sorts of the variables. Played out, locations with values are the states of a `Machine`, and the states of one
location belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from outplay.errors import ModelError
from outplay.garbage_collection import uncollected
from outplay.model.automaton import Automaton, automaton_of_rows
from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import TRUE, Term
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.plurals import counted
from outplay.renderable import Drawn

Step = tuple[int, str, str, int]  # source, input, output, target


@dataclass(frozen=True)
class Machine(Drawn):
    """A finite state machine; `moore` when each state shows one output, whatever led to it.

    >>> coffee = Machine(("s0", "s1"), ((0, "coin", "beep", 1), (1, "button", "coffee", 0)))
    >>> coffee.automaton
    Automaton(4 states, 4 transitions, initial 's0')
    """

    names: tuple[str, ...]
    steps: tuple[Step, ...]
    initial: int = 0
    name: str = "machine"
    moore: bool = False

    @property
    def deterministic(self) -> bool:
        """Say whether each input has one answer and one target."""
        return len({(source, given) for source, given, _, _ in self.steps}) == len(set(self.steps))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(given for _, given, _, _ in self.steps))

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(shown for _, _, shown, _ in self.steps))

    @cached_property
    @uncollected()
    def automaton(self) -> Automaton:
        """The machine as an automaton: states first, then the intermediate ones in the order they are met."""
        labels = [*(Label(INPUT, text) for text in self.inputs), *(Label(OUTPUT, text) for text in self.outputs)]
        asked = {text: number for number, text in enumerate(self.inputs)}
        said = {text: number for number, text in enumerate(self.outputs, len(asked))}
        # Large machines: questions and answers are single numbers, and only what is not determined has a set.
        wide, count = max(len(asked), 1), len(self.names)
        answer: dict[int, int] = {}
        several: dict[int, dict[int, None]] = {}
        for source, given, shown, target in self.steps:
            question, reply = source * wide + asked[given], said[shown] * count + target
            if (known := answer.setdefault(question, reply)) != reply:
                several.setdefault(question, {known: None})[reply] = None
        middle: dict[int | frozenset[int], int] = {}
        names, rows = list(self.names), [list[tuple[int, int]]() for _ in self.names]
        for question, reply in answer.items():
            outcome = several.get(question, (reply,)) if several else (reply,)
            between = middle.setdefault(reply if len(outcome) == 1 else frozenset(outcome), len(names))
            source, number = divmod(question, wide)
            rows[source].append((number, between))
            if between == len(names):
                rows.append([divmod(one, count) for one in outcome])
                told = (f"{self.outputs[at - len(asked)]} → {self.names[target]}" for at, target in rows[between])
                names.append(f"({' | '.join(told)})")
        return automaton_of_rows(names, labels, rows, self.initial, self.name)


MOST_STATES = 100_000

_Place: TypeAlias = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class ExtendedStep:
    """A step of an extended machine."""

    name: str
    source: str
    given: str
    shown: str
    target: str
    guard: Term = TRUE
    assignment: Mapping[str, Term] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, repr=False)
class ExtendedMachine(Drawn):
    """An extended finite state machine; variables begin with the values of `start`."""

    initial: str
    steps: tuple[ExtendedStep, ...]
    variables: Mapping[str, Sort] = field(default_factory=dict)
    start: Mapping[str, Value] = field(default_factory=dict)
    name: str = "machine"

    def __hash__(self) -> int:
        return hash((self.name, self.initial, len(self.steps)))

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """All locations, the initial one first, the others as they are met."""
        ends = (end for step in self.steps for end in (step.source, step.target))
        return tuple(dict.fromkeys([self.initial, *ends]))

    @cached_property
    def _played_out(self) -> tuple[list[_Place], list[tuple[int, str, str, int]]]:
        places: list[_Place] = [(self.initial, tuple(self.start[name] for name in self.variables))]
        numbers = {places[0]: 0}
        edges = []
        for place in places:  # grows on the way
            for step, target in self._next(place):
                if target not in numbers:
                    numbers[target] = len(places)
                    places.append(target)
                edges.append((numbers[place], step.given, step.shown, numbers[target]))
            if len(places) > MOST_STATES:
                raise ModelError(f"{self.name} has more than {MOST_STATES:,} states: give its variables smaller sorts")
        return places, list(dict.fromkeys(edges))

    def _next(self, place: _Place) -> Iterable[tuple[ExtendedStep, _Place]]:
        location, values = place
        known = dict(zip(self.variables, values, strict=True))
        for step in self.steps:
            if step.source == location and evaluate(step.guard, known):
                after = known | {name: evaluate(term, known) for name, term in step.assignment.items()}
                if all(self.variables[name].contains(after[name]) for name in step.assignment):
                    yield step, (step.target, tuple(after.values()))

    @cached_property
    def machine(self) -> Machine:
        """The machine that it stands for: a state for each location with values that can be reached."""
        places, edges = self._played_out
        names = tuple(self._name(place) for place in places)
        return Machine(names, tuple(edges), 0, self.name)

    def _name(self, place: _Place) -> str:
        location, values = place
        return " ".join([location, *(f"{name}={value}" for name, value in zip(self.variables, values, strict=True))])

    @cached_property
    def home(self) -> tuple[int, ...]:
        """For each state of the machine the first state of its location; the initial state stands for itself alone.

        Tests begin and end at that one, so that it must not be taken for another state of its location.
        """
        first: dict[str, int] = {}
        others = list(enumerate(self._played_out[0]))[1:]
        return (0, *(first.setdefault(location, number) for number, (location, _) in others))

    @property
    def automaton(self) -> Automaton:
        """Return it as an automaton."""
        return self.machine.automaton

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.locations), 'location')}, {counted(len(self.steps), 'step')}"
        return f"ExtendedMachine({self.name!r}, {sizes})"
