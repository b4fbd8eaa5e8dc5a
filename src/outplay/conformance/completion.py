"""Demonic completion, equivalent states and the smallest equivalent specification.

Definitions (van den Bos 2020, 2.10 and 2.13): what a specification leaves open is made explicit by a state of *chaos*,
to which every input leads that is not specified and in which everything is allowed for ever. Two states are equivalent
when they have the same conforming implementations: in the completion both show the same outputs, and each label leads
to equivalent states. A state equivalent to chaos need not be tested, since anything conforms there.

All of this depends on the alphabet: a state that allows all outputs there are is chaos, and is none if the system can
show one more. So the alphabet is given, or a fresh output stands for all that the model does not name: it is allowed in
chaos and nowhere else, and all of them are judged alike.

Classes are refined label by label until none is split: O(rounds · labels · n log n), at most n rounds.

The merge of two compatible states: the specification of all that conforms to both. Definition (van den Bos 2020, 2.20
to 2.23): the demonic completions of both run in step, and of the pairs of states only those are kept that some
implementation can be in, the compatible ones. An implementation conforms to the merge exactly when it conforms to both
(Lemma 2.24). An input that neither specifies stays unspecified, as chaos after it is the same: everything is allowed
there, also what the model does not name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.compatibility import compatible_states
from outplay.conformance.transition_table import TransitionTable, table_of, table_of_rows
from outplay.errors import UsageError
from outplay.grouping import grouped
from outplay.model.automaton import Automaton, automaton_from
from outplay.model.kinds import specification
from outplay.model.label import OUTPUT, SILENCE, TAU, Label

CHAOS, OTHER = "chaos", "other"


@dataclass(frozen=True)
class Minimised:
    """The smallest automaton that the same implementations conform to."""

    automaton: Automaton
    """States are named by the first state of their class; an input that leads to chaos is left unspecified."""
    classes: tuple[tuple[str, ...], ...]
    """Equivalent states of the model's behaviour together, each once."""
    chaos: tuple[str, ...]
    """The states in which anything is allowed for ever."""


def demonic(model: Any, labels: Iterable[Label] | None = None) -> Automaton:
    """Return the demonic completion of a model's behaviour: input-enabled, with the same conforming implementations.

    Where labels are given, these and those that the model names are all there are. Otherwise the output `!other` (with
    primes where the model has one of that name) stands for all that the model does not name.

    >>> from outplay.model.automaton import automaton
    >>> done = demonic(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> [label.text for label, target in done.moves(1) if done.names[target] == "chaos"]
    ['?press']
    """
    return automaton_of_table(demonic_table(_table(model, labels)))


def minimised(model: Any, labels: Iterable[Label] | None = None) -> Minimised:
    """Return the smallest specification with the same conforming implementations, and which states were equivalent.

    Where labels are given, these and those that the model names are all there are; otherwise implementations may show
    outputs that the model does not name.

    >>> from outplay.model.automaton import automaton
    >>> twins = [("a", "?go", "b"), ("a", "?run", "c"), ("b", "!x", "a"), ("c", "!x", "a"), ("b", "?go", "a")]
    >>> small = minimised(automaton([*twins, ("c", "?go", "a")]))
    >>> small.automaton.state_count, small.classes, small.chaos
    (2, (('a',), ('b', 'c')), ())
    """
    table = _table(model, labels)
    full = demonic_table(table)
    number = equivalence_classes(full)
    chaos = number[-1]
    members = grouped((int(number[state]), state) for state in range(table.state_count))
    classes = tuple(tuple(table.names[state] for state in group) for group in members.values())
    lost = tuple(table.names[state] for state in members.get(int(chaos), []))
    return Minimised(automaton_of_table(quotient_table(full, number.tolist(), chaos=int(chaos))), classes, lost)


def _table(model: Any, labels: Iterable[Label] | None) -> TransitionTable:
    spec = specification(model)
    table = table_of(spec, labels=[*(label for label in spec.alphabet if label.kind != TAU), *(labels or ())])
    return _with_any_other(table) if labels is None else table


def _with_any_other(table: TransitionTable) -> TransitionTable:
    """The table with one more output, which no state has: it stands for all outputs that the table does not name."""
    gate = OTHER
    while Label(OUTPUT, gate) in table.numbers:
        gate += "'"
    return table_of_rows(
        table.rows, (*table.labels, Label(OUTPUT, gate)), table.names, initial=table.initial, name=table.name
    )


def equivalence_classes(table: TransitionTable) -> NDArray[np.int64]:
    """Return the number of the equivalence class of each state of an input-enabled table."""
    targets = table.targets
    found = np.zeros(table.state_count, dtype=np.int64)
    for row in targets[table.inputs :]:
        found = _finer(found, (row >= 0).astype(np.int64))
    while True:
        before, reached = found.max(initial=0), found
        for row in targets:
            found = _finer(found, np.where(row < 0, 0, reached[row] + 1))
        if found.max(initial=0) == before:
            return found


def equivalent_states(table: TransitionTable) -> list[int]:
    """Return the number of the equivalence class of each state of a table."""
    classes: list[int] = equivalence_classes(demonic_table(_with_any_other(table))).tolist()
    return classes[:-1]


def _finer(classes: NDArray[np.int64], marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Classes split by marks, and numbered anew."""
    _, numbers = np.unique(classes * (marks.max(initial=0) + 1) + marks, return_inverse=True)
    return numbers.reshape(-1)


def demonic_table(table: TransitionTable) -> TransitionTable:
    """Return the demonic completion of a table; chaos is its last state."""
    labels = [*table.labels, *[SILENCE] * (SILENCE not in table.labels)]
    chaos = table.state_count
    rows = [{**dict.fromkeys(range(table.inputs), chaos), **table.moves(state)} for state in range(chaos)]
    rows.append(dict.fromkeys(range(len(labels)), chaos))
    name = CHAOS
    while name in table.names:
        name += "'"
    return table_of_rows(rows, labels, (*table.names, name), initial=table.initial, name=table.name)


def automaton_of_table(table: TransitionTable) -> Automaton:
    """Make an automaton of a table, to be read, written and drawn."""
    steps = zip(table.source.tolist(), table.label.tolist(), table.target.tolist(), strict=True)
    return automaton_from(table.names, table.labels, steps, table.initial, table.name)


def quotient_table(table: TransitionTable, number: Sequence[int], *, chaos: int | None = None) -> TransitionTable:
    """Return a table with one state for each equivalence class; inputs to the class of chaos are left out."""
    first_of = {number[state]: state for state in reversed(range(table.state_count))}
    start = number[table.initial]
    place, order, rows = {start: 0}, [start], list[dict[int, int]]()
    for group in order:  # grows on the way
        row = {label: number[target] for label, target in table.moves(first_of[group]).items()}
        row = {label: reached for label, reached in row.items() if label >= table.inputs or reached != chaos}
        for reached in row.values():
            if reached not in place:
                place[reached] = len(order)
                order.append(reached)
        rows.append(row)
    rows = [{label: place[reached] for label, reached in row.items()} for row in rows]
    return table_of_rows(rows, table.labels, [table.names[first_of[group]] for group in order], name=table.name)


def merged(model: Any, one: str, other: str) -> Automaton:
    """Return the merge of two states of a model's behaviour, by their names, with the initial state `one ∧ other`.

    >>> from outplay.model.automaton import automaton
    >>> steps = [("2", "!x", "1"), ("2", "!y", "1"), ("3", "!y", "1"), ("3", "!z", "1")]
    >>> both = merged(automaton([("1", "?a", "2"), ("1", "?b", "3"), *steps]), "2", "3")
    >>> [label.text for label, _ in both.moves(0) if not label.is_input]
    ['!y']
    """
    table = model if isinstance(model, TransitionTable) else table_of(model)
    full, chaos = demonic_table(table), table.state_count
    known = {name: state for state, name in enumerate(table.names)}
    if missing := [name for name in (one, other) if name not in known]:
        raise UsageError(f"there is no state {missing[0]!r}; known: {', '.join(table.names[:8])}")
    found = compatible_states(full)
    start = (known[one], known[other])
    if not found.compatible(*start):
        raise UsageError(f"{one} and {other} are incompatible: nothing conforms to both")
    place, order, edges = {start: 0}, [start], list[tuple[int, int, int]]()
    for pair in order:  # grows on the way
        first, second = full.moves(pair[0]), full.moves(pair[1])
        for label in first.keys() & second.keys():  # of numbers, so their order is always the same
            reached = (first[label], second[label])
            if reached != (chaos, chaos) and found.compatible(*reached):
                if reached not in place:
                    place[reached] = len(order)
                    order.append(reached)
                edges.append((place[pair], label, place[reached]))
    names = [f"{full.names[p]} ∧ {full.names[q]}" for p, q in order]
    return automaton_from(names, full.labels, edges, 0, f"{one} ∧ {other}")
