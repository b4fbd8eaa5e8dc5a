"""Kernels of the suspicion game. See compiling.py for how they are run.

A row has the inputs of a state before its outputs, both in the order of their labels, so that two rows are compared by
running along both.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class AnsweringRows(NamedTuple):
    """A behaviour: the transitions of state q lie at first[q] to first[q + 1], its outputs from split[q] on.

    `chance` is how likely each output is, where the tester waits.
    """

    first: Any
    split: Any
    label: Any
    target: Any
    chance: Any


def pair_values(rows: AnsweringRows, value: Any, discount: float, sweeps: int, enough: float) -> int:
    """W(q, h) at value[q * n + h]: the best discounted chance to see what q forbids, of a system that is in h.

    Sweeps from 0 upwards until nothing changes by more than `enough`; returns how many it took.
    """
    states = len(rows.first) - 1
    for sweep in range(sweeps):
        most = 0.0
        for model in range(states):
            for system in range(states):
                if model != system:
                    place = model * states + system
                    better = discount * best_move(model, system, rows, value)
                    most = max(most, better - value[place])
                    value[place] = better
        if most <= enough:
            return sweep + 1
    return sweeps


def best_move(model: int, system: int, rows: AnsweringRows, value: Any) -> float:
    """max over waiting and the inputs that both states have, before the discount for the label."""
    first, split, label, target = rows.first, rows.split, rows.label, rows.target
    states = len(first) - 1
    best = waiting_value(model, system, rows, value)
    one, other = first[model], first[system]
    while one < split[model] and other < split[system]:
        if label[one] == label[other]:
            best = max(best, value[target[one] * states + target[other]])
            one += 1
            other += 1
        elif label[one] < label[other]:
            one += 1
        else:
            other += 1
    return best


def waiting_value(model: int, system: int, rows: AnsweringRows, value: Any) -> float:
    """Σ chance(answer of h) · (1 where q forbids it, else W of the states it leads to)."""
    first, split, label, target, chance = rows.first, rows.split, rows.label, rows.target, rows.chance
    states = len(first) - 1
    one, end, total = split[model], first[model + 1], 0.0
    for answer in range(split[system], first[system + 1]):
        while one < end and label[one] < label[answer]:
            one += 1
        if one < end and label[one] == label[answer]:
            total += chance[answer] * value[target[one] * states + target[answer]]
        else:
            total += chance[answer]
    return total


def pursuit(model: int, system: Any, weight: Any, rows: AnsweringRows, value: Any, score: Any) -> None:
    """Add to score what each move promises of the hypotheses: for each input of the row, then for waiting."""
    first, split, label, target = rows.first, rows.split, rows.label, rows.target
    states = len(first) - 1
    waiting = split[model] - first[model]
    for place in range(len(system)):
        suspect, share = system[place], weight[place]
        score[waiting] += share * waiting_value(model, suspect, rows, value)
        other = first[suspect]
        for one in range(first[model], split[model]):
            while other < split[suspect] and label[other] < label[one]:
                other += 1
            if other < split[suspect] and label[other] == label[one]:
                score[one - first[model]] += share * value[target[one] * states + target[other]]


class PlanValues(NamedTuple):
    """For each state what the best plan from there is worth, the suspicion that it meets, and its labels."""

    worth: Any
    met: Any
    labels: Any


class Terms(NamedTuple):
    """The terms of a plan: the price of a label, where a reset leads, how far it looks ahead, the label of silence."""

    price: float
    initial: int
    horizon: int
    silence: int


def best_plans(
    states: Any, rows: AnsweringRows, reward: Any, race: Any, terms: Terms, now: PlanValues, then: PlanValues
) -> None:
    """The best plans of up to `horizon` labels (an even number) from some states; they may end at any time.

    V(k + 1, q) = max(0, max over moves of E[reward - price + V(k, q')]): wait, give an input, which an output may
    forestall, or start again. Where an answer is owed it is waited for: what the question promised shows in it. Silence
    that lasts is waited for once, and then something else is done, as in play. States that are not listed count as
    ends.
    """
    first, split, target, chance = rows.first, rows.split, rows.target, rows.chance
    price, initial = terms.price, terms.initial
    for state in states:
        now.worth[state] = now.met[state] = now.labels[state] = 0.0
        then.worth[state] = then.met[state] = then.labels[state] = 0.0
    for step in range(terms.horizon):
        before, after = (now, then) if step % 2 == 0 else (then, now)
        worth, met, labels = before.worth, before.met, before.labels
        new_worth, new_met, new_labels = after.worth, after.met, after.labels
        again = worth[initial] - price
        for state in states:
            low, middle, high, lost = first[state], split[state], first[state + 1], race[state]
            owes = low == middle and middle < high
            lasts = middle + 1 == high and target[middle] == state and rows.label[middle] == terms.silence
            waiting, waiting_met, waiting_labels = -price, 0.0, 1.0
            for edge in range(middle, high):
                end = target[edge]
                waiting += chance[edge] * (reward[edge] + worth[end])
                waiting_met += chance[edge] * (reward[edge] + met[end])
                waiting_labels += chance[edge] * labels[end]
            best, best_met, best_labels = 0.0, 0.0, 0.0
            if not lasts and (owes or (waiting > best and middle < high)):
                best, best_met, best_labels = waiting, waiting_met, waiting_labels
            for edge in range(low, middle):
                end = target[edge]
                value = (1.0 - lost) * (reward[edge] + worth[end] - price) + lost * waiting
                if value > best:
                    best = value
                    best_met = (1.0 - lost) * (reward[edge] + met[end]) + lost * waiting_met
                    best_labels = (1.0 - lost) * (1.0 + labels[end]) + lost * waiting_labels
            if again > best and (lasts or not owes):
                best, best_met, best_labels = again, met[initial], 1.0 + labels[initial]
            if lasts and (owes or reward[middle] > price):
                best, best_met, best_labels = (
                    best + reward[middle] - price,
                    best_met + reward[middle],
                    best_labels + 1.0,
                )
            new_worth[state], new_met[state], new_labels[state] = best, best_met, best_labels


def nearest(start: int, rows: AnsweringRows, most: int, mark: Any, found: Any) -> int:
    """List up to `most` states in the order in which they are met from a state; `mark` is left as it was, all 0."""
    first, target = rows.first, rows.target
    found[0], count, place = start, 1, 0
    mark[start] = 1
    while place < count:
        for edge in range(first[found[place]], first[found[place] + 1]):
            if mark[target[edge]] == 0 and count < most:
                mark[target[edge]] = 1
                found[count] = target[edge]
                count += 1
        place += 1
    for place in range(count):
        mark[found[place]] = 0
    return count
