"""The suspension automaton: silence made visible, internal steps and nondeterminism turned into sets of states.

Definition (Tretmans, *Model Based Testing with Labelled Transition Systems*, 2008; van den Bos 2020, section 2.2): a
state is quiescent when it enables no output and no internal step, or says `delta` itself. From the set of states the
system may be in, an observation leads to all states reachable by it, internal steps before and after included; silence
leads to the quiescent ones among them. Sets are numbered as they are met, so only what is asked for is built; in the
worst case there are 2^n of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from outplay.breadth_first_search import nearest_first
from outplay.errors import ModelError, UsageError
from outplay.model.automaton import Automaton
from outplay.model.label import DELTA, SILENCE, TAU, Label
from outplay.model.machine import Machine
from outplay.model.specification import BaseSpecification, SilenceRule, State, state_number
from outplay.model.values import portable_text
from outplay.plurals import counted

MOST_SETS = 1_000_000


class SuspensionAutomaton(BaseSpecification):
    """An automaton as a deterministic specification; its states are numbers of sets of the automaton's states."""

    def __init__(
        self, automaton: Automaton, *, most: int = MOST_SETS, silence: SilenceRule = SilenceRule.MODEL
    ) -> None:
        if not automaton.directed():
            odd = next(x for x in automaton.used_labels if not (x.is_input or x.is_output or x.kind in (DELTA, TAU)))
            raise UsageError(
                f"{automaton.name}: label {odd.text!r} is neither input nor output: "
                "say which labels are inputs with --inputs GLOB"
            )
        _refuse_internal_cycles(automaton)
        self.automaton, self.name, self._most, self._silence = automaton, automaton.name, most, silence
        self.sets: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._set_names: set[str] = set()
        self._named = 0  # how many sets have their name in there
        self._moves: dict[int, dict[Label, int]] = {}
        self._closures: dict[int, frozenset[int]] = {}
        self.initial = (self._number(self._closed([automaton.initial])),)

    @property
    def fingerprint(self) -> str:
        model = self.automaton
        texts, lines = [str(label) for label in model.labels], [*model.names, str(model.initial)]
        for source, (begin, end) in enumerate(pairwise(model.first)):
            steps = zip(model.label[begin:end], model.target[begin:end], strict=True)
            lines += [f"{source} {texts[label]} {target}" for label, target in steps]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    @property
    def alphabet(self) -> Collection[Label]:
        return self.automaton.used_labels

    def members(self, state: State) -> tuple[int, ...]:
        """The automaton's states in a set."""
        return self.sets[state_number(state)]

    def inputs(self, state: State) -> list[Label]:
        """Inputs enabled in all states of the set: only those may be given."""
        own = (self.automaton.moves(q) for q in self.members(state))
        first, *others = ({label: None for label, _ in moves if label.is_input} for moves in own)
        return [label for label in first if all(label in other for other in others)]

    def outputs(self, state: State) -> list[Label]:
        return [label for label in self.moves(state) if label.is_output]

    def quiet(self, state: State) -> bool:
        return SILENCE in self.moves(state)

    def after(self, state: State, label: Label) -> Collection[State]:
        target = self.moves(state).get(label)
        return () if target is None else (target,)

    def is_state(self, name: str) -> bool:
        """Say whether a name is that of a state of the automaton, or of a set met so far, such as `{b,c}`."""
        return name in self.automaton.numbers or name in self._names_met()

    def holds(self, goal: str, state: State) -> bool:
        """A goal is a state of the automaton, where the system must be for sure, or a set: exactly where it may be."""
        single = self.automaton.numbers.get(goal)
        return self.state_name(state) == goal if single is None else self.members(state) == (single,)

    def describe(self, state: State) -> str:
        return f"at {self.state_name(state)}"

    def key(self, state: State) -> str:
        return portable_text(frozenset(self.automaton.names[q] for q in self.members(state)))

    def state_name(self, state: State) -> str:
        """The name of the only state in the set, or all of them in braces."""
        names = [self.automaton.names[q] for q in self.members(state)]
        return names[0] if len(names) == 1 else "{" + ",".join(names) + "}"

    def moves(self, state: State) -> dict[Label, int]:
        """All labels possible in some state of the set, silence included, with the set each leads to."""
        number = state_number(state)
        known = self._moves.get(number)
        if known is None:
            targets: dict[Label, set[int]] = {}
            for q in self.sets[number]:
                for label, target in self.automaton.moves(q):
                    if label.kind != TAU:
                        targets.setdefault(label, set()).add(target)
                if self._is_quiescent(q):
                    targets.setdefault(SILENCE, set()).add(q)
            known = {label: self._number(self._closed(found)) for label, found in targets.items()}
            if self._times_out(number, known):
                known[SILENCE] = number
            self._moves[number] = known
        return known

    def _times_out(self, number: int, moves: Iterable[Label]) -> bool:
        """Say whether a rule beside the automaton allows silence, which shows nothing, though an output may come."""
        if self._silence is SilenceRule.MODEL or not any(label.is_output for label in moves):
            return False
        return self._silence is SilenceRule.ALWAYS or bool(self.inputs(number))

    def _names_met(self) -> set[str]:
        """The names of all sets met; only those met since the last time are still to be named."""
        self._set_names.update(map(self.state_name, range(self._named, len(self.sets))))
        self._named = len(self.sets)
        return self._set_names

    def _is_quiescent(self, q: int) -> bool:
        """No output, no internal step; where the automaton says `delta` itself, that transition stands for it."""
        return not any(label.is_output or label.kind in (TAU, DELTA) for label, _ in self.automaton.moves(q))

    def _closed(self, states: Iterable[int]) -> tuple[int, ...]:
        found: set[int] = set()
        for q in states:
            found |= self._closure(q)
        return tuple(sorted(found))

    def _closure(self, q: int) -> frozenset[int]:
        """Return the states that internal steps lead to, the state itself included."""
        known = self._closures.get(q)
        if known is None:
            known = self._closures[q] = frozenset(nearest_first([q], self._inside))
        return known

    def _inside(self, q: int) -> list[int]:
        return [target for label, target in self.automaton.moves(q) if label.kind == TAU]

    def _number(self, members: tuple[int, ...]) -> int:
        number = self._numbers.get(members)
        if number is None:
            if len(self.sets) >= self._most:
                largest = max(map(len, self.sets))
                raise ModelError(
                    f"{self.name}: more than {counted(self._most, 'set')} of states (the largest holds {largest} of "
                    f"{self.automaton.state_count}): the nondeterminism grows; raise --max-states or make it smaller"
                )
            number = self._numbers[members] = len(self.sets)
            self.sets.append(members)
        return number


def build_all_states(spec: SuspensionAutomaton, most: int = MOST_SETS) -> int:
    """Build a whole suspension automaton, as far as this many states, and return how many there are."""
    state = 0
    while state < len(spec.sets) and state < most:
        spec.moves(state)
        state += 1
    return len(spec.sets)


def _refuse_internal_cycles(automaton: Automaton) -> None:
    """A system that can go round for ever inside is neither silent nor speaking; name such a cycle."""
    if not any(label.kind == TAU for label in automaton.used_labels):
        return
    internal = {q: [t for label, t in automaton.moves(q) if label.kind == TAU] for q in range(automaton.state_count)}
    try:
        TopologicalSorter(internal).prepare()
    except CycleError as error:
        cycle = " → ".join(automaton.names[q] for q in reversed(error.args[1]))
        raise ModelError(
            f"{automaton.name}: a cycle of internal steps, {cycle}: such a system is never silent; remove one of them"
        ) from None


def of_automaton(
    model: Automaton | Machine, *, most: int = MOST_SETS, silence: SilenceRule = SilenceRule.MODEL, **_: Any
) -> SuspensionAutomaton:
    """Return the specification of an automaton or machine: its suspension automaton."""
    return SuspensionAutomaton(model.automaton, most=most, silence=silence)
