"""Several states of a specification at once: what conforms to all of them.

Definition (van den Bos 2020, 2.20 to 2.24): the merge of states runs them in step. An input leads to all states that
specify it; an output needs to be allowed by all, and what it leads to must be *valid*: some implementation conforms to
it, so that the tester cannot force that no output is left which all allow. Merging merges again gives sets of states of
the specification, so a merge is a set, and there are finitely many.

Trap: an output may be allowed by all states and lead to an invalid set. Then an implementation that shows it does not
conform to all of them, but nothing forbidden has been seen yet. The thesis takes it as seen (proof of Theorem 2.40); to
see it, the experiment that refutes the set has to follow.
"""

from __future__ import annotations

from typing import TypeAlias

from outplay.conformance._kernels import WAIT
from outplay.conformance.compatibility import validity
from outplay.conformance.distinguishing.experiment import END, Experiment
from outplay.conformance.transition_table import table_from
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import TooLarge

AllOfPurpose: TypeAlias = tuple[int, ...]  # states of the specification in order
MOST_SETS = 100_000


class Conjunctions:
    """Sets of states of a specification, solved as they are asked for."""

    def __init__(self, form: NormalForm) -> None:
        self.form, self.inputs = form, form.table.inputs
        self._move: dict[AllOfPurpose, int | None] = {}  # what forces an invalid set on; None: valid
        self._rows: dict[AllOfPurpose, dict[int, AllOfPurpose]] = {}
        self._refuted: dict[AllOfPurpose, Experiment] = {}

    def row(self, states: AllOfPurpose) -> dict[int, AllOfPurpose]:
        """Return the targets of inputs that some, and outputs that all states of a set specify."""
        known = self._rows.get(states)
        if known is None:
            if len(self._rows) > MOST_SETS:
                raise TooLarge(f"more than {MOST_SETS:,} sets of compatible states; make the model smaller")
            known = self._rows[states] = self._row(states)
        return known

    def valid(self, states: AllOfPurpose) -> bool:
        """Say whether some implementation conforms to all states of a set."""
        return self._solved(states) is None

    def refutation(self, states: AllOfPurpose) -> Experiment:
        """An experiment each of whose traces one state of an invalid set forbids."""
        known = self._refuted.get(states)
        if known is None:
            move, row = self._solved(states), self.row(states)
            if move == WAIT:
                shown = {label for state in states for label in self.form.outputs(state)}
                known = Experiment(
                    {
                        self.form.table.labels[label]: self.refutation(row[label]) if label in row else END
                        for label in sorted(shown)
                    }
                )
            else:
                assert move is not None
                known = Experiment({self.form.table.labels[move]: self.refutation(row[move])})
            self._refuted[states] = known
        return known

    def _row(self, states: AllOfPurpose) -> dict[int, AllOfPurpose]:
        rows = [self.form.rows[state] for state in states]
        found: dict[int, AllOfPurpose] = {}
        for label in sorted({label for row in rows for label in row}):
            if label < self.inputs or all(label in row for row in rows):
                found[label] = tuple(sorted({row[label] for row in rows if label in row}))
        return found

    def _solved(self, states: AllOfPurpose) -> int | None:
        if states not in self._move:
            self._solve(states)
        return self._move[states]

    def _solve(self, states: AllOfPurpose) -> None:
        """Solve all sets that can be reached from this one; those that were solved before stand for their answer."""
        place, order, rows = {states: 0}, [states], list[dict[int, int]]()
        for one in order:  # grows on the way
            row = self.row(one) if one not in self._move else {}
            for reached in row.values():
                if reached not in place:
                    place[reached] = len(order)
                    order.append(reached)
            rows.append({label: place[reached] for label, reached in row.items()} or self._answer(one, place[one]))
        solved = validity(table_from(rows, self.form.table.labels, list(map(str, order))))
        for one, rank, move in zip(order, solved.rank.tolist(), solved.move.tolist(), strict=True):
            self._move.setdefault(one, None if rank < 0 else move)

    def _answer(self, states: AllOfPurpose, place: int) -> dict[int, int]:
        """A row by which a set that is solved is valid, or not."""
        return {self.inputs: place} if self._move.get(states, WAIT) is None else {}
