"""The estimated chance that a single fault would have been found by what was played so far.

Definition: a fault is drawn, an answer or a target with equal chance, then a step (a transition, or a question with its
answer), then what is wrong with it: the answer is another one or does not come, or the step leads to another state h
than the model's q, of those that can be told from q. States that owe an answer are no suspects
where q owes none, for they give themselves away at once. The number told is how likely the plays so far had shown it.

- An answer is cleared when it was given: had it been another, that would have been seen.
- Of a target, what if the step had led to h? The plays are followed with the system there in place of where it was.
  Wherever the tester waited, h would have shown something that the model forbids with a chance that is known from the
  answers so far; else it showed what was seen. If it cannot have, the play would have gone another way from there,
  and shown it as likely as the game on pairs says. An input that it does not specify it ignores. It is lost from sight
  where it meets the true state and where the play ends. What is left
  of the suspicion is the product of the chances, over all times that the step was taken, that nothing was shown.

Where answers of the system are a matter of chance, so is this, for one that was not cleared once may be another time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.transition_table import TransitionTable
from outplay.game.algebra import concatenated_spans
from outplay.model.label import SILENCE
from outplay.strategy.suspicion.behaviour_table import NOWHERE, Floats, Learnt, Lookup, States, Steps, answering_rows
from outplay.strategy.suspicion.confidence_report import Cleared
from outplay.strategy.suspicion.pair_game import PairGame
from outplay.strategy.suspicion.remaining_suspicion import (
    GONE,
    Outstanding,
    PossibleOrder,
    TransferFaults,
    concatenate_followed,
    follow_new,
    merge_equal_orders,
    merge_followed,
    merge_orders,
)

OUTSIDE = -1
CELLS = 1_000_000  # suspects of all steps together, kept at most; of more a sample is drawn
MOST_ALIVE = 20_000  # that are followed at a time; older ones are lost from sight
MOST_ORDERS = 12


class Clearing:
    """Watches plays, on the table of a model, for the faults that they would have shown.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.label import Label
    >>> from outplay.strategy.suspicion.pair_game import solved_pairs
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> clearing = Clearing(lamp, solved_pairs(answering_rows(lamp)))
    >>> for label in map(lamp.labels.index, map(Label.parse, ("?press", "!light"))):
    ...     clearing.saw(label)
    >>> clearing.cleared.share
    1.0
    """

    def __init__(self, table: TransitionTable, pairs: PairGame, *, cells: int = CELLS) -> None:
        rows = answering_rows(table)
        self.table, self.pairs, self._rows = table, pairs, rows
        self._silence = table.labels.index(SILENCE) if SILENCE in table.labels else -1
        self.learnt = Learnt(rows)
        self._lookup, self.steps = Lookup(rows, len(table.labels)), Steps(rows, self._silence)
        self.outstanding = Outstanding(table, self.steps, pairs, cells)
        """The rest of each suspicion."""
        self.orders = [PossibleOrder(table.initial)]
        """The orders in which all may have happened; none: the play is outside of what is known."""
        self._given: list[int] = []
        self.waited = True
        """Whether the next answer is waited for; else it came while something else was meant."""

    @property
    def state(self) -> int:
        """Return the state of the play, if that is certain."""
        return self.orders[0].state if len(self.orders) == 1 and not self.orders[0].behind else OUTSIDE

    def begin(self) -> None:
        """A play begins in the initial state."""
        self.place(self.table.initial)

    def place(self, state: int) -> None:
        """The play is in another state than was followed, or outside of what is known."""
        self._settle_all(self.outstanding)
        self.orders, self._given = [] if state == OUTSIDE else [PossibleOrder(state)], []

    def _settle_all(self, outstanding: Outstanding) -> None:
        """It will not be known which order it was: count what all of them would have shown, and of the rest a part."""
        if self.orders:
            outstanding.settle(merge_orders([replace(order, state=OUTSIDE, behind=0) for order in self.orders]))

    def so_far(self) -> Outstanding:
        """Return the rest of each suspicion, with what was seen since the order became uncertain."""
        if len(self.orders) < 2:
            return self.outstanding
        found = self.outstanding.copied()
        self._settle_all(found)
        return found

    def saw(self, label: int) -> None:
        """A label happened, and nothing is on its way."""
        self.follow(label, lambda order: order.behind == 0)

    def follow(
        self, label: int, may_be: Callable[[PossibleOrder], bool], are_all: Callable[[list[PossibleOrder]], bool] = bool
    ) -> None:
        """A label was given or seen: go on with each order that may be, with all that may have arrived by then.

        Where these are not all that may be, or too many, what was seen before counts, and nothing from now on.
        """
        if label < self.table.inputs:
            self._given.append(label)
            moved = [replace(order, behind=order.behind + 1) for order in self.orders]
        else:
            spoke = [order for order in self.orders if label != self._silence or not order.behind]
            allowed = self._allowed()
            moved = [after for order in spoke if (after := self._answered(order, label, allowed)) is not None]
        found = [order for one in moved for order in self._arrivals(one) if may_be(order)]
        if not are_all(found) or len(orders := merge_equal_orders(found)) > MOST_ORDERS:
            self.place(OUTSIDE)
            return
        self.orders = orders
        if len(self.orders) == 1:
            self.orders = [self.outstanding.settle(self.orders[0])]

    def prune(self, may_be: Callable[[PossibleOrder], bool]) -> None:
        """Time has passed: some orders may be no longer."""
        kept = [order for order in self.orders if may_be(order)]
        if 0 < len(kept) < len(self.orders):
            self.orders = merge_equal_orders(kept)

    def _arrivals(self, order: PossibleOrder) -> list[PossibleOrder]:
        """An order and those in which inputs on their way have arrived, one after the other."""
        found: list[PossibleOrder] = []
        while order.behind:
            found.append(order)
            label = self._given[-order.behind]
            edge = self._lookup.edge(order.state, label)
            if edge is None:  # here it is not specified, and anything may happen
                break
            after = int(self._rows.target[edge])
            astray = order.astray
            there = self._lookup.following(label, astray.at)
            there = np.where(there == NOWHERE, astray.at, there)
            gone = there == after
            kept = replace(astray, at=there).where(~gone)
            order = replace(order, astray=kept, done=self._done(order, astray.where(gone)), behind=order.behind - 1)
            order = self._taken(order, edge, after)
        else:
            found.append(order)
        share = order.weight / len(found)
        return [replace(one, weight=share) for one in found]

    def _answered(self, order: PossibleOrder, label: int, allowed: NDArray[np.bool_]) -> PossibleOrder | None:
        """Let all that is suspected show what it would have shown; None where the model has no such answer."""
        edge = self._lookup.edge(order.state, label)
        if edge is None:
            return None
        after, astray = int(self._rows.target[edge]), order.astray
        if len(astray):
            places, which = np.unique(astray.at, return_inverse=True)
            there = self._lookup.following(label, places)
            waited = (
                self.waited or label == self._silence or self._rows.first[order.state] == self._rows.split[order.state]
            )
            chance = self._shown(order.state, places, there == NOWHERE, bool(waited), allowed)[which]
            there = there[which]
            shown = replace(
                astray, at=there, mass=astray.mass * (1.0 - chance), shown=astray.shown + astray.mass * chance
            )
            kept = (there != NOWHERE) & (there != after) & (shown.mass > GONE)
            order = replace(order, astray=shown.where(kept), done=self._done(order, shown.where(~kept)))
        if len(self.orders) == 1:
            self.learnt.saw(order.state, edge)
        weight = order.weight * float(self._rows.chance[edge])
        return self._taken(replace(order, weight=weight), edge, after, self._telling(order.state, allowed))

    def _telling(self, state: int, allowed: NDArray[np.bool_]) -> float:
        """Of all answers that are wrong in a state, the share that no order allows."""
        own = int(self._rows.first[state + 1] - self._rows.split[state])
        answers = len(allowed) - self.table.inputs
        return (answers - int(allowed.sum())) / (answers - own) if answers > own else 1.0

    @staticmethod
    def _done(order: PossibleOrder, ended: TransferFaults) -> TransferFaults:
        ended = ended.where(ended.shown > 0)
        return (
            merge_followed(concatenate_followed(order.done, replace(ended, at=np.full(len(ended), NOWHERE))))
            if len(ended)
            else order.done
        )

    def _allowed(self) -> NDArray[np.bool_]:
        """The answers that some order allows: what none of them does would be a Fail."""
        allowed = np.zeros(len(self.table.labels), dtype=bool)
        for order in self.orders:
            answers = self._rows.label[self._rows.split[order.state] : self._rows.first[order.state + 1]]
            allowed[answers if not order.behind else answers[answers != self._silence]] = True
        return allowed

    def _shown(
        self, state: int, suspected: States, parted: NDArray[np.bool_], waited: bool, allowed: NDArray[np.bool_]
    ) -> Floats:
        """Return how likely each of some states shows what the model forbids in a state: now or, where it parted, later
        on.

        Its silence is seen only by those who wait.
        """
        rows = self._rows
        here = slice(rows.split[state], rows.first[state + 1])
        leads = np.full(len(self.table.labels), NOWHERE)
        leads[rows.label[here]] = rows.target[here]
        edges, owner = concatenated_spans(rows.split[suspected], rows.first[suspected + 1])
        after, forbidden = leads[rows.label[edges]], ~allowed[rows.label[edges]]
        later = self.pairs.shows(after, rows.target[edges])
        if len(self.orders) > 1:
            later = np.zeros(len(edges))  # where it would have led is as unsure as where it is
        if not waited:
            hushed = rows.label[edges] == self._silence
            now = self.pairs.shows(state, suspected[owner]) if len(self.orders) == 1 else later
            later, forbidden = np.where(hushed, now, later), forbidden & ~hushed
        wrong = rows.chance[edges] * np.where(forbidden, 1.0, np.where(parted[owner], later, 0.0))
        found = np.bincount(owner, wrong, minlength=len(suspected)).astype(np.float64)
        return np.minimum(found, 1.0)

    def _taken(self, order: PossibleOrder, edge: int, after: int, shown: float = 1.0) -> PossibleOrder:
        """A transition was taken: it may have led astray; had its answer been wrong, that had shown so likely."""
        step = self.steps.number(order.before, edge, order.state)
        astray = follow_new(order.astray, self.outstanding.led_astray(step, after), MOST_ALIVE)
        return replace(
            order,
            state=after,
            before=edge,
            astray=astray,
            said={**order.said, step: max(shown, order.said.get(step, 0.0))},
        )

    @property
    def cleared(self) -> Cleared:
        """Report what the plays so far have cleared."""
        return Cleared(self)
