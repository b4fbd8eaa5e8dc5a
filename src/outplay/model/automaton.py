"""Labelled transition systems: states, and transitions that carry an input, an output, silence or an internal step.

What is read from files. An automaton may be nondeterministic and may have internal steps; to be played it is turned
into its suspension automaton (suspension.py), which makes silence visible and follows sets of states.

The directions of the labels of a file: inputs and outputs. Files say it in several ways: `?a` and `!x`, `a?` and `x!`,
or `a_i` and `x_o` where all labels of the file end so. Silence is `delta`, `δ` or `QUIESCENCE`, internal steps are
`tau`, `τ` or `i`. Labels that say nothing stay without direction until the user tells which are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import accumulate

from outplay.errors import FormatError, ModelError
from outplay.model.label import DELTA, INPUT, NEUTRAL, OUTPUT, SILENCE, TAU, Label
from outplay.plurals import counted
from outplay.renderable import Drawn

Transition = tuple[int, int, int]  # source, label, target


@dataclass(frozen=True, eq=False)
class Automaton(Drawn):
    """A labelled transition system. States and labels are numbered; transitions lie in rows of their source.

    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> lamp
    Automaton(2 states, 2 transitions, initial 'off')
    """

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    first: tuple[int, ...]
    """The start of the transitions of each state; one more at the end."""
    label: tuple[int, ...]
    target: tuple[int, ...]
    initial: int = 0
    name: str = "automaton"

    @property
    def automaton(self) -> Automaton:
        """Itself, so that an automaton can be asked of every model that has one."""
        return self

    @property
    def state_count(self) -> int:
        return len(self.names)

    @property
    def transition_count(self) -> int:
        return len(self.target)

    def moves(self, state: int) -> list[tuple[Label, int]]:
        """The transitions of a state, as (label, target)."""
        places = range(self.first[state], self.first[state + 1])
        return [(self.labels[self.label[place]], self.target[place]) for place in places]

    def transitions(self) -> Iterable[tuple[int, Label, int]]:
        """All transitions in order of their source."""
        for state in range(self.state_count):
            for label, target in self.moves(state):
                yield state, label, target

    @cached_property
    def numbers(self) -> dict[str, int]:
        """States by name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def used_labels(self) -> tuple[Label, ...]:
        """Labels that occur, in the order of their first use."""
        return tuple(self.labels[number] for number in dict.fromkeys(self.label))

    def directed(self) -> bool:
        """Say whether every label is an input, an output, silence or internal, so that the automaton can be played."""
        return all(label.is_input or label.is_output or label.kind in (DELTA, TAU) for label in self.used_labels)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Automaton)
            and (self.names, self.initial) == (other.names, other.initial)
            and list(self.transitions()) == list(other.transitions())
        )

    def __hash__(self) -> int:
        return hash((self.names, self.initial, self.target))

    def __repr__(self) -> str:
        return (
            f"Automaton({counted(self.state_count, 'state')}, {counted(self.transition_count, 'transition')}, "
            f"initial {self.names[self.initial]!r})"
        )


def automaton(
    transitions: Iterable[tuple[str, str | Label, str]],
    *,
    states: Sequence[str] = (),
    initial: str | None = None,
    name: str = "automaton",
) -> Automaton:
    """Make an automaton from named transitions; states are numbered as listed, then as met."""
    numbers: dict[str, int] = {state: number for number, state in enumerate(states)}
    labels: list[Label] = []
    written: dict[str, int] = {}  # by text, which is hashed once only
    edges: list[Transition] = []
    for source, label, target in transitions:
        one = Label.parse(label) if isinstance(label, str) else label
        place = written.setdefault(one.text, len(labels))
        if place == len(labels):
            labels.append(one)
        edges.append((numbers.setdefault(source, len(numbers)), place, numbers.setdefault(target, len(numbers))))
    if initial is not None:
        numbers.setdefault(initial, len(numbers))
    if not numbers:
        raise ModelError("an automaton needs at least one state")
    start = 0 if initial is None else numbers[initial]
    return automaton_from(tuple(numbers), labels, edges, start, name)


def automaton_from(
    names: Sequence[str], labels: Sequence[Label], edges: Iterable[Transition], initial: int, name: str
) -> Automaton:
    """Make an automaton from numbered transitions, kept in their order within each state; doubles are dropped."""
    rows: list[dict[tuple[int, int], None]] = [{} for _ in names]
    for source, label, target in edges:
        rows[source][label, target] = None
    return automaton_of_rows(names, labels, rows, initial, name)


def automaton_of_rows(
    names: Sequence[str], labels: Sequence[Label], rows: Sequence[Collection[tuple[int, int]]], initial: int, name: str
) -> Automaton:
    """Make an automaton from the labels and targets of each state, in which nothing stands twice."""
    first = tuple(accumulate(map(len, rows), initial=0))
    pairs = [pair for row in rows for pair in row]
    label_of, target_of = tuple([label for label, _ in pairs]), tuple([target for _, target in pairs])
    return Automaton(tuple(names), tuple(labels), first, label_of, target_of, initial, name)


_SILENCE = {"delta", "δ", "QUIESCENCE"}
_INTERNAL = {"tau", "τ", "i"}
_MARKS = (INPUT, OUTPUT)


def directed_labels(texts: Iterable[str]) -> Callable[[str], Label]:
    """Decide from all label texts of an automaton file how they say input or output, and return the reader of one.

    >>> read = directed_labels(["0_i", "1_o", "tau"])
    >>> read("0_i"), read("1_o"), read("tau")
    (?0, !1, tau)
    >>> directed_labels(["0_i", "b"])("0_i").kind
    ''
    >>> directed_labels(["?a_i"])("?a_i")
    ?a_i
    """
    plain = {text for text in texts if text.lstrip("!") not in _SILENCE and text not in _INTERNAL}
    marked = any(len(text) > 1 and (text[0] in _MARKS or text[-1] in _MARKS) for text in plain)
    by_ending = bool(plain) and all(text.endswith(("_i", "_o")) and len(text) > 2 for text in plain)
    return _by_ending if by_ending and not marked else _by_mark


def _special(text: str) -> Label | None:
    if text.lstrip("!") in _SILENCE:
        return SILENCE
    return Label(TAU) if text in _INTERNAL else None


def _by_ending(text: str) -> Label:
    return _special(text) or _label(INPUT if text.endswith("_i") else OUTPUT, text[:-2])


def _by_mark(text: str) -> Label:
    special = _special(text)
    if special:
        return special
    if text[:1] in _MARKS and len(text) > 1:
        return _label(text[0], text[1:])
    if text[-1:] in _MARKS and len(text) > 1:
        return _label(text[-1], text[:-1])
    return _label(NEUTRAL, text)


def _label(kind: str, text: str) -> Label:
    """A label in its normal form; text that is no proper message is kept whole as the gate."""
    try:
        return Label.from_message(kind, text)
    except FormatError:
        return Label(kind, text)


def with_inputs(automaton: Automaton, globs: Sequence[str]) -> Automaton:
    """Give directions to an automaton's labels that have none: inputs are those that match a pattern."""
    labels = tuple(
        label
        if label.kind != NEUTRAL
        else _label(INPUT if any(fnmatchcase(label.message, glob) for glob in globs) else OUTPUT, label.message)
        for label in automaton.labels
    )
    return replace(automaton, labels=labels)
