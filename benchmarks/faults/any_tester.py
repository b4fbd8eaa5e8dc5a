"""What no tester can beat: labels needed by whoever knows the list of all mutants, but not which of them it is.

Each mutant is as likely as another, and play goes on until the one at hand is found. A tester that knows the mutant
needs less (`possible.py`), but nobody does. The least mean over the list is bounded from below: all plays of up to
some labels are searched, and what is left then is taken to be as little as if the mutant were known from there on. Each
label more that is searched makes the bound better, until there are too many places.

The search is on tuples of pairs, one for each mutant that could have answered as was seen, with how likely that is. A
move costs 1 for each of them. It is a search by depth with bounds: moves whose bound is no less than the best known are
not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System
from outplay.model.label import SILENCE

MOST_PAIRS = 20_000  # of a mutant; those beyond count as found
MOST_PLACES = 1_200_000_000  # pairs looked at in all: two minutes, on the chat with races
LONGEST = 16
NOWHERE = -1
_PRECISE = 1e-7


class Products(NamedTuple):
    """The pairs of model and system, of all mutants one after the other."""

    start: Any
    """The first pair of each mutant, and at the end how many there are."""
    model: Any
    """The state of the model in each pair."""
    after: Any
    """For each pair and label the pair after it."""
    waiting: Any
    """For each pair and label how likely it is shown to whoever waits; what the model forbids is left out."""
    hasty: Any
    """The same for whoever gives an input."""
    taken: Any
    """For each pair how likely an input is taken."""
    least: Any
    """For each pair the least expected number of labels where the mutant is known, from below."""
    enabled: Any
    """For each state of the model and each input whether it may be given."""


def least_mean(system: System, mutants: Sequence[Rows], *, places: int = MOST_PLACES, longest: int = LONGEST) -> float:
    """A number of labels that no tester needs less than, on average over the mutants and all that is by chance."""
    products = _products(system, mutants)
    count, searched = len(mutants), np.zeros(1, dtype=np.int64)
    best = 0.0
    for depth in range(longest + 1):
        searched[0] = 0
        first = products.start[:-1].copy()
        found = _least_sum(depth, first, np.ones(count), products, np.inf, searched) / count
        best = max(best, found)
        if searched[0] > places / 8:  # the next one takes several times as long
            break
    return best


def _products(system: System, mutants: Sequence[Rows]) -> Products:
    made = [pairs_of(system, rows) for rows in mutants]
    start = np.cumsum([0, *(len(one[0]) for one in made)])
    model, after, waiting, hasty = (np.concatenate([one[part] for one in made]) for part in range(4))
    owner = np.repeat(start[:-1], np.diff(start))
    after = np.where(after == NOWHERE, NOWHERE, after + owner[:, None])
    taken = np.concatenate([one[4] for one in made])
    enabled = np.zeros((len(system.moves), system.table.inputs), dtype=bool)
    for state, row in enumerate(system.moves):
        enabled[state, [label for label in row if label < system.table.inputs]] = True
    found = Products(start, model, after, waiting, hasty, taken, np.zeros(len(model)), enabled)
    return found._replace(least=_known(found, owner))


def pairs_of(system: System, rows: Rows) -> tuple[Any, ...]:
    """The pairs of one mutant: the model's states, where labels lead, how likely they are, and the system's states."""
    labels, inputs, delta = len(system.table.labels), system.table.inputs, system.table.labels.index(SILENCE)
    numbers, pairs = {(0, 0): 0}, [(0, 0)]
    after, waiting, hasty, taken = [], [], [], []

    def number(pair: tuple[int, int]) -> int:
        if pair not in numbers and len(pairs) < MOST_PAIRS:
            numbers[pair] = len(pairs)
            pairs.append(pair)
        return numbers.get(pair, NOWHERE)

    for at, there in pairs:  # grows on the way
        row, shown, given = system.moves[at], rows.shown(there), rows.given(there)
        loud = [label for label, _ in shown if label != delta] if system.races else []
        leads, slow, fast = np.full(labels, NOWHERE), np.zeros(labels), np.zeros(labels)
        for label, target in shown:
            if label in row:
                leads[label] = number((row[label], target))
                slow[label] = 1 / len(shown)
                fast[label] = 0.5 / len(loud) if label in loud else 0.0
        for label, target in row.items():
            if label < inputs:
                leads[label] = number((target, given.get(label, there)))
        for rows_, one in ((after, leads), (waiting, slow), (hasty, fast)):
            rows_.append(one)
        taken.append(0.5 if loud else 1.0)
    model, there = np.array(pairs).T
    return model, np.array(after), np.array(waiting), np.array(hasty), np.array(taken), there


def _known(products: Products, owner: Any) -> Any:
    """The least expected number of labels of each pair, by iterating from 0: never more than it is."""
    after = np.where(products.after == NOWHERE, len(owner), products.after)
    value, change = np.zeros(len(owner) + 1), np.inf
    while change > _PRECISE:
        best = 1 + np.minimum((products.waiting * value[after]).sum(axis=1), value[owner])
        forestalled = (products.hasty * value[after]).sum(axis=1)
        for given in range(products.enabled.shape[1]):
            cost = 1 + forestalled + products.taken * value[after[:, given]]
            best = np.where(products.enabled[products.model, given], np.minimum(best, cost), best)
        change = float(np.max(best - value[:-1]))
        value[:-1] = best
    return value[:-1]


@numba.njit
def _bound(move: int, pairs: Any, weight: Any, products: Products) -> float:
    """What a move costs at least, if the mutant is known after it; the last moves are to wait and to start again."""
    inputs, least, total = products.enabled.shape[1], products.least, 0.0
    chances = products.waiting if move == inputs else products.hasty
    for place in range(len(pairs)):
        pair, cost = pairs[place], 1.0
        if move == inputs + 1:
            cost += least[_first_of(pair, products)]
        else:
            for label in range(inputs, products.after.shape[1]):
                if chances[pair, label] > 0 and products.after[pair, label] != NOWHERE:
                    cost += chances[pair, label] * least[products.after[pair, label]]
            if move < inputs and products.after[pair, move] != NOWHERE:
                cost += products.taken[pair] * least[products.after[pair, move]]
        total += weight[place] * cost
    return total


@numba.njit
def _first_of(pair: int, products: Products) -> int:
    return products.start[np.searchsorted(products.start, pair, side="right") - 1]


@numba.njit
def _least_sum(depth: int, pairs: Any, weight: Any, products: Products, most: float, searched: Any) -> float:
    """At least so many labels are needed, summed over the mutants; exact only below `most`."""
    searched[0] += 1 + len(pairs)
    known = 0.0
    for place in range(len(pairs)):
        known += weight[place] * products.least[pairs[place]]
    if depth == 0 or len(pairs) == 0 or known >= most:
        return known
    inputs, state = products.enabled.shape[1], products.model[pairs[0]]
    bounds = np.full(inputs + 2, np.inf)
    for move in range(inputs + 2):
        if move == inputs or (move < inputs and products.enabled[state, move]) or (move > inputs and state != 0):
            bounds[move] = _bound(move, pairs, weight, products)
    best = np.inf
    for move in np.argsort(bounds):
        limit = min(best, most)
        if bounds[move] >= limit:
            return min(best, bounds[move])
        best = min(best, _after_move(depth, move, bounds[move], pairs, weight, products, limit, searched))
    return best


@numba.njit
def _after_move(
    depth: int, move: int, bound: float, pairs: Any, weight: Any, products: Products, most: float, searched: Any
) -> float:
    """What a move costs at least with all after it: what each label shows is searched in place of its bound."""
    inputs, after = products.enabled.shape[1], products.after
    if move == inputs + 1:
        again = np.array([_first_of(pair, products) for pair in pairs])
        return weight.sum() + _least_sum(depth - 1, again, weight, products, most - weight.sum(), searched)
    chances = products.waiting if move == inputs else products.hasty
    for label in range(after.shape[1]):
        if label < inputs and label != move:
            continue
        chance = products.taken[pairs] if label < inputs else _column(chances, pairs, label)
        here = np.flatnonzero((chance > 0) & (_column(after, pairs, label) != NOWHERE))
        if len(here) == 0:
            continue
        then, likely = _column(after, pairs[here], label), weight[here] * chance[here]
        known = (likely * products.least[then]).sum()
        bound += _least_sum(depth - 1, then, likely, products, most - bound + known, searched) - known
        if bound >= most:
            break
    return bound


@numba.njit
def _column(table: Any, pairs: Any, label: int) -> Any:
    """What a table has for some pairs and a label."""
    found = np.empty(len(pairs), dtype=table.dtype)
    for place in range(len(pairs)):
        found[place] = table[pairs[place], label]
    return found
