"""Finite state machines: Mealy, Moore, and nondeterministic ones, in which an input is answered by an output at once.

As an automaton each transition a/x becomes an input followed by an output. Between them lies one intermediate state for
each distinct set of (output, target), so that machines with many transitions stay small.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from outplay.model.automaton import Automaton, Transition, automaton_from
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.showing import Drawn

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
    def automaton(self) -> Automaton:
        """The machine as an automaton: states first, then the intermediate ones in the order they are met."""
        answers: dict[tuple[int, str], dict[tuple[str, int], None]] = {}
        for source, given, shown, target in self.steps:
            answers.setdefault((source, given), {})[shown, target] = None
        labels = {Label(INPUT, text): number for number, text in enumerate(self.inputs)}
        labels |= {Label(OUTPUT, text): len(labels) + number for number, text in enumerate(self.outputs)}
        middle: dict[frozenset[tuple[str, int]], int] = {}
        names, edges = list(self.names), list[Transition]()
        for (source, given), outcome in answers.items():
            key = frozenset(outcome)
            if key not in middle:
                middle[key] = len(names)
                names.append(f"({' | '.join(f'{shown} → {self.names[t]}' for shown, t in outcome)})")
                edges += [(middle[key], labels[Label(OUTPUT, shown)], target) for shown, target in outcome]
            edges.append((source, labels[Label(INPUT, given)], middle[key]))
        return automaton_from(names, tuple(labels), edges, self.initial, self.name)
