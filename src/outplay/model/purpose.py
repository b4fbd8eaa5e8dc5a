"""Test purposes: a scenario to be seen, as an automaton with final states beside the specification.

Definition (van den Bos 2020, 5.5.3): a purpose follows the labels of a play; the tester's goal is that it comes to a
final state. A label without a transition where the purpose stands leaves it there, so a purpose names only what matters
to it; to rule something out, let it lead to a state from which no final one is reached. A purpose with several ways for
one label follows all of them, and one way to a final state is enough. Its states are therefore sets, numbered as they
are met.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from outplay.errors import UsageError, did_you_mean
from outplay.model.automaton import Automaton
from outplay.model.label import DELTA, Label
from outplay.model.specification import Specification, State
from outplay.model.wrapping import WithObserver

FINAL_NAMES = ("accept", "final", "goal")

IsAt = Callable[[str], bool]  # says whether the specification is in the state, or at the goal, of a name


class Purpose(Protocol):
    """Follows a play and knows when it has seen what it wants."""

    @property
    def name(self) -> str: ...
    @property
    def names(self) -> Collection[str]:
        """The states and goals it asks about; nothing where labels alone decide."""

    def start(self, at: IsAt) -> int:
        """Return its beginning, in an initial state."""

    def after(self, place: int, label: Label, before: IsAt, behind: IsAt) -> int:
        """Return the targets of a label; `before` and `behind` are the specification's states around it."""

    def is_final(self, place: int) -> bool:
        """Say whether the purpose is fulfilled."""

    def describe(self, place: int) -> str:
        """Write a place for people, and apart from all others."""


class AutomatonPurpose:
    """A purpose given as an automaton.

    The final states are those named, else those called `accept`, `final` or `goal`, else those without transitions.

    >>> from outplay.model.automaton import automaton
    >>> twice = AutomatonPurpose(automaton([("0", "!song", "1"), ("1", "!song", "accept")]))
    >>> place = twice.initial
    >>> for text in ("!song", "?quit", "!song"):
    ...     place = twice.after(place, Label.parse(text), lambda name: False, lambda name: False)
    >>> twice.is_final(place), twice.describe(place)
    (True, 'accept')
    """

    names: Collection[str] = ()

    def __init__(self, automaton: Automaton, final: Sequence[str] = (), name: str = "purpose") -> None:
        _refuse_labels(automaton)
        self.automaton, self.name = automaton, name
        self._final = {automaton.numbers[state] for state in _final_states(automaton, final)}
        self._sets: list[frozenset[int]] = []
        self._numbers: dict[frozenset[int], int] = {}
        self._known: dict[tuple[int, Label], int] = {}
        self.initial = self._number(frozenset([automaton.initial]))

    def start(self, at: IsAt) -> int:
        return self.initial

    def after(self, place: int, label: Label, before: IsAt, behind: IsAt) -> int:
        known = self._known.get((place, label))
        if known is None:
            reached: set[int] = set()
            for state in self._sets[place]:
                reached.update([to for one, to in self.automaton.moves(state) if one == label] or [state])
            known = self._known[place, label] = self._number(frozenset(reached))
        return known

    def is_final(self, place: int) -> bool:
        return not self._final.isdisjoint(self._sets[place])

    def describe(self, place: int) -> str:
        return "+".join(self.automaton.names[state] for state in sorted(self._sets[place]))

    def _number(self, states: frozenset[int]) -> int:
        number = self._numbers.setdefault(states, len(self._sets))
        if number == len(self._sets):
            self._sets.append(states)
        return number


class PurposeSpecification(WithObserver):
    """A specification with a purpose beside it; states are pairs, and the purpose is one more goal."""

    def __init__(self, spec: Specification, purpose: Purpose) -> None:
        super().__init__(spec)
        self.purpose = purpose
        self.goals = tuple(dict.fromkeys([purpose.name, *spec.goals]))
        self.initial = tuple((state, purpose.start(self._is_at(state))) for state in spec.initial)

    def after(self, state: Any, label: Label) -> Collection[State]:
        source, place = state
        shown = self.spec.written(source, label)
        return tuple(
            (target, self.purpose.after(place, shown, self._is_at(source), self._is_at(target)))
            for target in self.spec.after(source, label)
        )

    def holds(self, goal: str, state: Any) -> bool:
        return self.purpose.is_final(state[1]) if goal == self.purpose.name else super().holds(goal, state)

    def describe(self, state: Any) -> str:
        return f"{super().describe(state)}, {self.purpose.name} at {self.purpose.describe(state[1])}"

    def place_key(self, place: int) -> str:
        return self.purpose.describe(place)

    def _is_at(self, state: State) -> IsAt:
        return lambda name: self.spec.holds(name, state)


def _final_states(automaton: Automaton, wanted: Sequence[str]) -> Iterable[str]:
    for name in wanted:
        if name not in automaton.numbers:
            raise UsageError(f"{automaton.name} has no state {name!r}; {did_you_mean(name, automaton.names)}")
    called = [name for name in automaton.names if name.lower() in FINAL_NAMES]
    ends = [name for state, name in enumerate(automaton.names) if not automaton.moves(state)]
    found = list(wanted) or called or ends
    if not found:
        raise UsageError(f"{automaton.name} has no final state; name one, or call it {FINAL_NAMES[0]!r}")
    return found


def _refuse_labels(automaton: Automaton) -> None:
    for label in automaton.used_labels:
        if not (label.is_input or label.is_output or label.kind == DELTA):
            raise UsageError(
                f"{automaton.name}: {label.text!r} is no label a play shows; write ?input, !output or delta"
            )
