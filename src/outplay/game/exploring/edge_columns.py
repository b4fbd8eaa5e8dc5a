"""The columns of a game's edges, from a model's transitions and the layout of the game.

Costs and weights of a model program's transitions: numbers, names on the model, or functions of the model.
A function that takes more than the model gets the arguments of the action too: `weight=lambda deck, card: …`.
Whatever is wrong with one is told with the action and the place of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import GameError, ModelError
from outplay.game.exact_numbers import Exact, Ints, constant_column, exact_column, exact_column_of, read_fraction
from outplay.game.exploring.turn_based import CHOICE, TIME_OUT, WAIT, Arena, Unfolding
from outplay.game.graph import SYSTEM
from outplay.model.programs.actions import Action
from outplay.model.programs.budget import blaming_user_code
from outplay.model.programs.program_specification import evaluate_amount
from outplay.model.programs.stepping import Stepper

_OWN_LABELS = ("", "wait", "delta")
FIRST_LABEL = len(_OWN_LABELS)
"""The number of the model's first label in the game."""


@dataclass(frozen=True)
class Columns:
    """The edges of a game, those of each kind together."""

    source: NDArray[Any]
    target: NDArray[Any]
    label: NDArray[Any]
    moves: NDArray[Any]
    cost: Exact
    probability: Exact | None


def game_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels of a game's edges: its own, then those of the model."""
    return [*_OWN_LABELS, *labels]


def edge_columns(model: Unfolding, weights: Sequence[Fraction] | None, layout: Arena) -> Columns:
    """Return the columns of the edges of a game's layout; where the model has weights, with probabilities."""
    source = np.concatenate([part.source for part in layout.parts])
    transition = np.concatenate([part.transition for part in layout.parts])
    kind = np.repeat([part.kind for part in layout.parts], [len(part.source) for part in layout.parts])
    label = np.where(transition >= 0, model.label[transition] + FIRST_LABEL if len(model.label) else 0, kind)
    label = np.where(kind == WAIT, 1, np.where(kind == TIME_OUT, 2, label))
    free = (kind == CHOICE) | (kind == WAIT)
    zero, one = len(model.cost.table), len(model.cost.table) + 1
    paid = np.where(transition >= 0, model.cost.index[transition] if len(model.cost) else 0, one)
    return Columns(
        source=source,
        target=np.concatenate([part.target for part in layout.parts]),
        label=label,
        moves=np.where(free, 0, 1),
        cost=exact_column([*model.cost.table, 0, 1], np.where(free, zero, paid)),
        probability=None
        if weights is None
        else exact_column(*weight_probabilities(weights, transition, source, layout.owner)),
    )


def transition_costs(stepper: Stepper, source: NDArray[Any], label: NDArray[Any]) -> Exact:
    """Return the cost of each explored transition: its action's, and 0 for the answer to a call, already paid for."""
    actions = stepper.labels.actions
    given = [
        0 if label.is_output and action.mark.controllable else action.mark.cost
        for label, action in zip(stepper.labels.all, actions, strict=True)
    ]
    if not given:
        return constant_column(1, 0)
    if not any(_moves(each, stepper) for each in given):
        return exact_column([_cost(stepper, action, each) for action, each in zip(actions, given, strict=True)], label)
    return exact_column_of(_evaluated(stepper, source, label, given, "cost"))


def transition_weights(stepper: Stepper, source: NDArray[Any], label: NDArray[Any]) -> list[Fraction] | None:
    """Return the weight of each explored transition, 1 by default; None when the model says nothing about chance."""
    given = [action.mark.weight for action in stepper.labels.actions]
    if all(weight is None for weight in given):
        return None
    return _evaluated(stepper, source, label, [1 if weight is None else weight for weight in given], "weight")


def _evaluated(
    stepper: Stepper, source: NDArray[Any], label: NDArray[Any], given: Sequence[Any], what: str
) -> list[Fraction]:
    """Ask the model for each transition; what does not hang on the state is asked once."""
    actions = stepper.labels.actions
    check = _cost if what == "cost" else _weight
    fixed = {
        number: check(stepper, actions[number], given[number])
        for number in np.unique(label).tolist()
        if not _moves(given[number], stepper)
    }
    found = []
    for number, state in zip(label.tolist(), source.tolist(), strict=True):
        if number in fixed:
            found.append(fixed[number])
            continue
        with blaming_user_code(f"asking the {what} of {actions[number].name}"):
            value = evaluate_amount(given[number], stepper, state, stepper.labels.all[number].arguments)
        found.append(check(stepper, actions[number], value))
    return found


def _cost(stepper: Stepper, action: Action, value: Any) -> Fraction:
    number = _number(stepper, action, value, "cost")
    if number < 0:
        raise _wrong(stepper, action, f"cost {number} is below 0; costs are 0 or more")
    return number


def _weight(stepper: Stepper, action: Action, value: Any) -> Fraction:
    number = _number(stepper, action, value, "weight")
    if number <= 0:
        raise _wrong(stepper, action, f"weight {number} is not above 0; leave out what cannot happen")
    return number


def _number(stepper: Stepper, action: Action, value: Any, what: str) -> Fraction:
    try:
        return read_fraction(value)
    except GameError as error:
        raise _wrong(stepper, action, f"{what} {error}") from None


def _wrong(stepper: Stepper, action: Action, what: str) -> ModelError:
    return ModelError(f"{stepper.program.where}: action {action.name!r}: {what}")


def _moves(given: Any, stepper: Stepper) -> bool:
    return callable(given) or (isinstance(given, str) and hasattr(stepper.program.model, given))


def weight_probabilities(
    weight: Sequence[Fraction], transition: Ints, source: Ints, owner: NDArray[np.uint8]
) -> tuple[list[Fraction | None], Ints]:
    """Turn the weights of edges into exact probabilities: a table, and the row of each edge; None at tester vertices.

    Edges that stand for no transition, such as silence, weigh 1.
    """
    total: dict[int, Fraction] = {}
    own = [weight[t] if t >= 0 else Fraction(1) for t in transition.tolist()]
    for vertex, one in zip(source.tolist(), own, strict=True):
        total[vertex] = total.get(vertex, Fraction(0)) + one
    rows: dict[Fraction | None, int] = {None: 0}
    by_chance = (owner[source] == SYSTEM).tolist()
    row = [
        rows.setdefault(one / total[vertex], len(rows)) if chance else 0
        for vertex, one, chance in zip(source.tolist(), own, by_chance, strict=True)
    ]
    return list(rows), np.array(row, dtype=np.int64)
