"""The behaviour of a model of any kind: its suspension automaton, deterministic and numbered, built as it is asked.

Definition (van den Bos 2020, 2.1): a deterministic automaton in which every state shows an output or silence. States
are numbers of sets of the model's states: all that fit what was seen. Outputs and silence are possible where some state
of the set has them. Inputs are, for ioco, those that some state specifies (Tretmans 2008: traces of the specification)
and, for uioco, those that all of them specify (van der Bijl, Rensink and Tretmans 2003: nothing is asked of the system
where one of them says nothing), which are the ones a run gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from time import monotonic
from typing import Any

from outplay.errors import ModelError
from outplay.model.automaton import Automaton, Transition, automaton_from
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.offer import offered_labels
from outplay.model.specification import Specification, State
from outplay.model.suspension import SuspensionAutomaton
from outplay.plurals import counted

MOST_STATES = 1_000_000


class Inputs(Enum):
    """The inputs of a set of states that count."""

    SOME = "those that some state specifies"
    ALL = "those that all states specify"


class Alphabet:
    """Labels as numbers, shared by all that is compared: comparing numbers takes a tenth of the time."""

    def __init__(self, labels: Iterable[Label] = ()) -> None:
        self.labels: list[Label] = []
        self._numbers: dict[Label, int] = {}
        for label in labels:
            self.number(label)

    def number(self, label: Label) -> int:
        """The number of a label, a new one where it was never met."""
        found = self._numbers.get(label)
        if found is None:
            found = self._numbers[label] = len(self.labels)
            self.labels.append(label)
        return found


class Behaviour:
    """The behaviour of a model, state by state; `inputs` and `outputs` map numbers of labels to states, silence among
    outputs.

    >>> from outplay.model.automaton import automaton
    >>> lamp = Behaviour(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> lamp.moves(0), lamp.state_name(1)
    ({?press: 1, delta: 0}, 'on')
    """

    initial = 0

    def __init__(
        self, model: Any, *, inputs: Inputs = Inputs.SOME, alphabet: Alphabet | None = None, most: int = MOST_STATES
    ) -> None:
        self.spec: Specification = specification(model)
        self.alphabet = Alphabet() if alphabet is None else alphabet
        self.name, self._which, self._most = self.spec.name, inputs, most
        self._sets: list[tuple[State, ...]] = []
        self._numbers: dict[tuple[State, ...], int] = {}
        self._rows: list[tuple[dict[int, int], dict[int, int]] | None] = []
        self._number(self.spec.initial)

    def __len__(self) -> int:
        """The number of states met so far."""
        return len(self._sets)

    def inputs(self, state: int) -> dict[int, int]:
        """Return the targets of the inputs that may be given in a state."""
        return self._row(state)[0]

    def outputs(self, state: int) -> dict[int, int]:
        """Return the targets of the outputs that a state may show, silence included."""
        return self._row(state)[1]

    def moves(self, state: int) -> dict[Label, int]:
        """Return the targets of the labels of a state, inputs first."""
        labels, (given, shown) = self.alphabet.labels, self._row(state)
        return {labels[number]: target for number, target in (*given.items(), *shown.items())}

    def whole(self) -> Behaviour:
        """Build all states, and return itself."""
        self.explored(math.inf)
        return self

    def explored(self, most: float, seconds: float = math.inf, transitions: float = math.inf) -> int:
        """Build states in the order in which they are met, up to this many or for this long; return how many are built.

        It stops with the state by which there are this many transitions.
        """
        until, built, found = monotonic() + seconds, 0, 0
        while built < min(len(self._sets), most) and found < transitions and monotonic() < until:
            found += sum(map(len, self._row(built)))
            built += 1
        return built

    def state_of(self, members: Iterable[State]) -> int | None:
        """The state that stands for some states of the model's specification; None where they were never met."""
        return self._numbers.get(self._key(members))

    def meet(self, members: Iterable[State]) -> int:
        """The state that stands for some states of the model's specification, with where it leads built."""
        state = self._number(members)
        self._row(state)
        return state

    def members(self, state: int) -> tuple[State, ...]:
        """The states of the model's specification that a state stands for."""
        return self._sets[state]

    def state_name(self, state: int) -> str:
        """Return the name of a state in its model; several of them stand in braces."""
        names = [_name_of(self.spec, member) for member in self._sets[state]]
        return names[0] if len(names) == 1 else "{" + ",".join(names) + "}"

    def describe(self, state: int) -> str:
        """Write a state for people."""
        return " or ".join(self.spec.describe(member) for member in self._sets[state])

    @property
    def automaton(self) -> Automaton:
        """The whole behaviour as an automaton, with silence as a label."""
        self.whole()
        rows = [(*self.inputs(state).items(), *self.outputs(state).items()) for state in range(len(self))]
        edges: list[Transition] = [(q, label, target) for q, row in enumerate(rows) for label, target in row]
        names = unambiguous_state_names([self.state_name(state) for state in range(len(self))])
        return automaton_from(names, self.alphabet.labels, edges, self.initial, self.name)

    def _row(self, state: int) -> tuple[dict[int, int], dict[int, int]]:
        row = self._rows[state]
        if row is None:
            given, shown = _steps(self.spec, self._sets[state], self._which)
            row = self._rows[state] = (self._numbered(given), self._numbered(shown))
        return row

    def _numbered(self, steps: dict[Label, list[State]]) -> dict[int, int]:
        return {self.alphabet.number(label): self._number(targets) for label, targets in steps.items()}

    def _number(self, members: Iterable[State]) -> int:
        key = self._key(members)
        number = self._numbers.get(key)
        if number is None:
            if len(self._sets) >= self._most:
                raise ModelError(
                    f"{self.name}: more than {counted(self._most, 'state')}; raise --max-states or make it smaller"
                )
            number = self._numbers[key] = len(self._sets)
            self._sets.append(key)
            self._rows.append(None)
        return number

    def _key(self, members: Iterable[State]) -> tuple[State, ...]:
        found = tuple(dict.fromkeys(members))
        return found if len(found) == 1 else tuple(sorted(found, key=self.spec.key))


def _steps(
    spec: Specification, members: Sequence[Any], which: Inputs
) -> tuple[dict[Label, list[State]], dict[Label, list[State]]]:
    """Return the targets of inputs and of outputs from a set of states."""
    given: dict[Label, list[State]] = {}
    shown: dict[Label, list[State]] = {}
    enabled: list[set[Label]] = []
    for member in members:
        inputs, outputs = _offered(spec, member, which)
        enabled.append(set(inputs))
        for label in inputs:
            given.setdefault(label, []).extend(spec.after(member, label))
        for label in outputs:
            shown.setdefault(label, []).extend(spec.after(member, label))
    if which is Inputs.ALL:
        given = {label: targets for label, targets in given.items() if all(label in one for one in enabled)}
    return given, shown


def _offered(spec: Specification, state: Any, which: Inputs) -> tuple[list[Label], list[Label]]:
    """Inputs, and outputs with silence, of one state; a set of an automaton's states is one state here."""
    if isinstance(spec, SuspensionAutomaton):
        moves = spec.moves(state)
        inputs = spec.inputs(state) if which is Inputs.ALL else [label for label in moves if label.is_input]
        return inputs, [label for label in moves if not label.is_input]
    outputs = offered_labels(spec.outputs(state), "comparing models")
    return offered_labels(spec.inputs(state), "comparing models"), [*outputs, *[SILENCE] * spec.quiet(state)]


def _name_of(spec: Specification, state: Any) -> str:
    """Return the name of a state in goals: an automaton's or game's own name, a program's number."""
    if isinstance(spec, SuspensionAutomaton):
        return spec.state_name(state)
    return spec.key(state) if spec.is_state(spec.key(state)) else f"s{state}"


def unambiguous_state_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of states, with a number behind those that stand there more than once."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    if len(seen) == len(names):
        return tuple(names)
    return tuple(f"{name} #{number}" if seen[name] > 1 else name for number, name in enumerate(names))
