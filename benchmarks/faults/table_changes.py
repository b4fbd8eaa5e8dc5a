"""Faults of automata and machines: a table with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from benchmarks.faults.mutants import Candidates, Mutant
from benchmarks.faults.rows import Given, Shown, lists_of, of_lists
from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE


class TableChanges:
    """A table's rows with one thing changed: the faults that automata and machines may have."""

    def __init__(self, table: TransitionTable, rng: Random) -> None:
        self._table, self._rng = table, rng
        self._given, self._shown = lists_of(table)
        self._delta = table.labels.index(SILENCE)
        self._outputs = [number for number in range(table.inputs, len(table.labels)) if number != self._delta]
        edges = [(q, label, t) for q in range(table.state_count) for label, t in table.moves(q).items()]
        self._edges = [edge for edge in edges if edge[1] != self._delta]

    def of_automaton(self, tries: int = 2_000) -> Candidates:
        """The faults of an automaton, each kind without end but for so many tries."""
        kinds: dict[str, Callable[[], Mutant | None]] = {
            "another output": self.another_output,
            "another target": self.another_target,
            "missing": self.missing,
            "one more output": self.one_more_output,
            "doubled output": self.doubled_output,
            "swapped outputs": self.swapped_outputs,
        }
        return {kind: self._drawn(draw, tries) for kind, draw in kinds.items()} if self._edges else {}

    def of_machine(self, tries: int = 2_000) -> Candidates:
        """The faults of a machine that answers each input with one output: of one input in one state."""
        kinds: dict[str, Callable[[], Mutant | None]] = {
            "another output": self.another_answer,
            "another target": self.another_state,
            "input ignored": self.ignored,
            "doubled output": self.doubled_answer,
        }
        return {kind: self._drawn(draw, tries) for kind, draw in kinds.items()}

    @staticmethod
    def _drawn(draw: Callable[[], Mutant | None], tries: int) -> Iterator[Mutant]:
        return (mutant for mutant in (draw() for _ in range(tries)) if mutant is not None)

    def another_output(self) -> Mutant | None:
        state, label, target = self._rng.choice(self._edges)
        others = self._unused(state)
        if label < self._table.inputs or not others:
            return None
        other = self._rng.choice(others)
        return self._speaks(state, {label: None, other: target}, f"{self._text(label)} becomes {self._text(other)}")

    def another_target(self) -> Mutant | None:
        state, label, target = self._rng.choice(self._edges)
        others = [one for one in range(self._table.state_count) if one != target]
        if not others:
            return None
        other = self._rng.choice(others)
        what = f"{self._text(label)} leads to {self._table.names[other]}"
        if label < self._table.inputs:
            return self._made(what, state, given={**self._given[state], label: other})
        return self._speaks(state, {label: other}, what)

    def missing(self) -> Mutant:
        state, label, _ = self._rng.choice(self._edges)
        what = f"no {self._text(label)}"
        if label < self._table.inputs:
            return self._made(what, state, given={a: t for a, t in self._given[state].items() if a != label})
        return self._speaks(state, {label: None}, what)

    def one_more_output(self) -> Mutant | None:
        state = self._rng.randrange(self._table.state_count)
        others = self._unused(state)
        if not others:
            return None
        other, target = (
            self._rng.choice(others),
            self._rng.choice([state, self._rng.randrange(self._table.state_count)]),
        )
        return self._speaks(state, {other: target}, f"also {self._text(other)} to {self._table.names[target]}")

    def doubled_output(self) -> Mutant | None:
        state, label, target = self._rng.choice(self._edges)
        if label < self._table.inputs:
            return None
        again = (self._given[target], ((label, target),))
        return self._speaks(state, {label: len(self._shown)}, f"{self._text(label)} twice", again)

    def swapped_outputs(self) -> Mutant | None:
        state, label, middle = self._rng.choice(self._edges)
        later = [(second, t) for second, t in self._shown[middle] if second in self._unused(state)]
        if label < self._table.inputs or not later:
            return None
        second, target = self._rng.choice(later)
        between = (self._given[middle], ((label, target),))
        what = f"{self._text(second)} before {self._text(label)}"
        return self._speaks(state, {label: None, second: len(self._shown)}, what, between)

    def _unused(self, state: int) -> list[int]:
        said = dict(self._shown[state])
        return [label for label in self._outputs if label not in said]

    def _speaks(self, state: int, changes: dict[int, int | None], what: str, *more: tuple[Given, Shown]) -> Mutant:
        """A state with other outputs; it is silent where none is left."""
        said = {label: target for label, target in self._shown[state] if label != self._delta} | changes
        kept = tuple((label, target) for label, target in said.items() if target is not None)
        return self._made(what, state, *more, shown=kept or ((self._delta, state),))

    def another_answer(self) -> Mutant:
        state, given, shown, target = self._answer()
        other = self._rng.choice([one for one in self._outputs if one != shown])
        return self._answers(state, given, f"{self._text(other)} for {self._text(shown)}", ({}, ((other, target),)))

    def another_state(self) -> Mutant:
        state, given, shown, target = self._answer()
        resting = [q for q, row in enumerate(self._given) if row and q != target]
        other = self._rng.choice(resting)
        return self._answers(state, given, f"leads to {self._table.names[other]}", ({}, ((shown, other),)))

    def ignored(self) -> Mutant:
        state, given, _, _ = self._answer()
        row = {label: target for label, target in self._given[state].items() if label != given}
        return self._made(f"{self._text(given)} ignored", state, given=row)

    def doubled_answer(self) -> Mutant:
        state, given, shown, target = self._answer()
        new = len(self._shown)
        first, second = ({}, ((shown, new + 1),)), (self._given[target], ((shown, target),))
        return self._answers(state, given, f"{self._text(shown)} twice", first, second)

    def _answer(self) -> tuple[int, int, int, int]:
        state, given, middle = self._rng.choice([edge for edge in self._edges if edge[1] < self._table.inputs])
        ((shown, target),) = self._shown[middle]
        return state, given, shown, target

    def _answers(self, state: int, given: int, what: str, *more: tuple[Given, Shown]) -> Mutant:
        """A state in which an input leads to a new state."""
        return self._made(
            f"{self._text(given)}: {what}", state, *more, given={**self._given[state], given: len(self._shown)}
        )

    def _made(
        self, what: str, state: int, *more: tuple[Given, Shown], given: Given | None = None, shown: Shown | None = None
    ) -> Mutant:
        """The rows with those of one state changed, and more states behind."""
        all_given, all_shown = list(self._given), list(self._shown)
        all_given[state] = all_given[state] if given is None else given
        all_shown[state] = all_shown[state] if shown is None else shown
        all_given += [one for one, _ in more]
        all_shown += [one for _, one in more]
        return Mutant(f"{self._table.names[state]}: {what}", of_lists(all_given, all_shown))

    def _text(self, label: int) -> str:
        return str(self._table.labels[label])
