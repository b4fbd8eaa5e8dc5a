"""Mutants: systems that are wrong in one place, drawn from a seed; those that conform all the same are left out.

Candidates come by kind of fault. Kinds take turns, and of each kind in turn one mutant goes to the set for development
and the next one to the set that is counted, so that the sets are disjoint and alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from benchmarks.faults.proof import is_wrong
from benchmarks.faults.rows import Rows
from outplay.conformance.completion import automaton_of_table
from outplay.conformance.transition_table import TransitionTable

SETS = ("development", "counted")
MOST_TRIES = 40  # for two mutants of a kind; a kind of which nearly all conform is left out
Candidates = dict[str, Iterator["Mutant"]]
"""For each kind of fault what may be drawn of it."""
Prove = Callable[[], bool | None]
Verdict = Callable[[str, Prove], bool | None]
"""Whether a mutant is wrong, by what is wrong with it and a proof; None: not decided."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """A wrong system, and what is wrong with it."""

    what: str
    rows: Rows


@dataclass(frozen=True)
class MutantSets:
    """Mutants that do not conform, by the name of their set."""

    by_set: dict[str, list[Mutant]]
    equivalent: int
    """How many were drawn that conform, and left out."""


def anew(what: str, prove: Prove) -> bool | None:
    """Prove a mutant to be wrong, whatever may have been written down of it."""
    return prove()


def mutant_sets(
    table: TransitionTable, candidates: Candidates, count: int, verdicts: Verdict = anew, tries: int = MOST_TRIES
) -> MutantSets:
    """Draw so many mutants for each set, as far as there are any."""
    drawing = _Drawing(table, candidates, verdicts, tries)
    drawn: list[Mutant] = []
    while drawing.kinds and len(drawn) < 2 * count:
        for kind in list(drawing.kinds):
            drawn += drawing.pair(kind)
    drawn = drawn[: 2 * count]
    return MutantSets({name: drawn[place::2] for place, name in enumerate(SETS)}, drawing.equivalent)


class _Drawing:
    def __init__(self, table: TransitionTable, candidates: Candidates, verdicts: Verdict, tries: int) -> None:
        self._verdicts, self._tries = verdicts, tries
        self._table, self._model = table, automaton_of_table(table)
        self._moves = [table.moves(state) for state in range(table.state_count)]
        self._seen: set[str] = set()
        self.kinds, self.equivalent = dict(candidates), 0

    def pair(self, kind: str) -> list[Mutant]:
        """Two more mutants of a kind, or none; then the kind is left out from now on."""
        pair: list[Mutant] = []
        for mutant in islice(self._fresh(kind), self._tries):
            wrong = self._verdicts(mutant.what, partial(is_wrong, self._model, self._table, self._moves, mutant.rows))
            self.equivalent += wrong is False
            pair += [mutant] if wrong else []
            if len(pair) == 2:
                return pair
        del self.kinds[kind]
        return []

    def _fresh(self, kind: str) -> Iterator[Mutant]:
        for mutant in self.kinds[kind]:
            if mutant.what not in self._seen:
                self._seen.add(mutant.what)
                yield mutant
