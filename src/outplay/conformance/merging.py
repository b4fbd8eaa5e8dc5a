"""The merge of two compatible states: the specification of all that conforms to both.

Definition (van den Bos 2020, 2.20 to 2.23): the demonic completions of both run in step, and of the pairs of states
only those are kept that some implementation can be in, the compatible ones. An implementation conforms to the merge
exactly when it conforms to both (Lemma 2.24).
"""

from __future__ import annotations

from typing import Any

from outplay.conformance.compatibility import compatible_states
from outplay.conformance.completion import completed
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.errors import UsageError
from outplay.model.automaton import Automaton, automaton_from


def merged(model: Any, one: str, other: str) -> Automaton:
    """The merge of two states of a model's behaviour, by their names, with the initial state `one ∧ other`.

    >>> from outplay.model.automaton import automaton
    >>> steps = [("2", "!x", "1"), ("2", "!y", "1"), ("3", "!y", "1"), ("3", "!z", "1")]
    >>> both = merged(automaton([("1", "?a", "2"), ("1", "?b", "3"), *steps]), "2", "3")
    >>> [label.text for label, _ in both.moves(0) if not label.is_input]
    ['!y']
    """
    full = completed(model if isinstance(model, TransitionTable) else table_of(model))
    known = {name: state for state, name in enumerate(full.names)}
    if missing := [name for name in (one, other) if name not in known]:
        raise UsageError(f"there is no state {missing[0]!r}; known: {', '.join(full.names[:8])}")
    found = compatible_states(full)
    start = (known[one], known[other])
    if not found.compatible(*start):
        raise UsageError(f"{one} and {other} are incompatible: nothing conforms to both")
    place, order, edges = {start: 0}, [start], list[tuple[int, int, int]]()
    for pair in order:  # grows on the way
        first, second = full.moves(pair[0]), full.moves(pair[1])
        for label in first.keys() & second.keys():  # of numbers, so their order is always the same
            reached = (first[label], second[label])
            if found.compatible(*reached):
                if reached not in place:
                    place[reached] = len(order)
                    order.append(reached)
                edges.append((place[pair], label, place[reached]))
    names = [f"{full.names[p]} ∧ {full.names[q]}" for p, q in order]
    return automaton_from(names, full.labels, edges, 0, f"{one} ∧ {other}")
