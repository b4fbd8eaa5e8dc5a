"""Exploring: play the model out on paper, breadth first, into a game.

States are expanded in the order they are met and numbered so, which no hash seed changes. Bounds on states, edges,
depth and time end it early with a partial game: states not expanded have no moves, so whatever the tester can force
in the partial game can be forced in the whole one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError, did_you_mean
from outplay.game.arena import CHOICE, TIME_OUT, WAIT, Arena, Assumption, Unfolding, VertexNames, arena, probabilities
from outplay.game.builder import game_from_arrays
from outplay.game.graph import Game
from outplay.game.tables import constant, exact, exact_from
from outplay.model.blame import blame
from outplay.model.program import Model, Program
from outplay.model.specification import ProgramSpecification, amount
from outplay.model.stepping import Stepper

Progress = Callable[[int, int], None]  # states expanded, states known
_LOOK_EVERY = 512  # states between two looks at the clock


@dataclass(frozen=True)
class Limits:
    """Where exploring stops."""

    states: int = 1_000_000
    edges: int = 10_000_000
    depth: int | None = None
    seconds: float = 300.0


@dataclass(frozen=True)
class Exploration:
    """How a game came about: what was explored, how far, and which vertex stands for which state."""

    specification: ProgramSpecification
    assumption: Assumption
    states: int
    stopped: str | None
    """None when everything was explored, else what stopped it and what to do."""
    seconds: float
    active: NDArray[Any] | None = None
    approximate: bool = False

    @property
    def complete(self) -> bool:
        return self.stopped is None

    def vertex(self, state: Any, after_silence: bool = False) -> int | None:
        """Return the vertex where the tester is when the model is in a state; None outside what was explored."""
        if not isinstance(state, int) or state >= self.states:
            return None
        return int(self.active[state]) if self.active is not None and after_silence else state


def explore(
    model: type[Model] | Program,
    *,
    constants: Mapping[str, Any] | None = None,
    assumption: Assumption | str = Assumption.NONDETERMINISTIC,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Game:
    """Explore a model program into a game under a test assumption.

    >>> from outplay import Model, observable
    >>> class Coin(Model):
    ...     up: bool = False
    ...     @observable
    ...     def flip(self):
    ...         self.up = not self.up
    >>> game = explore(Coin)
    >>> game, game.origin.states, game.origin.complete
    (Game(2 vertices, 2 edges, initial 's0'), 2, True)
    """
    began = time.perf_counter()
    program = model if isinstance(model, Program) else Program(model, constants)
    rule = named_assumption(assumption)
    stepper = Stepper(program)
    unfolding, goals, stopped = unfold(stepper, limits or Limits(), progress)
    layout = arena(unfolding, rule)
    spec = ProgramSpecification(program, patient=rule.waits_for_timeout, stepper=stepper)
    origin = Exploration(spec, rule, unfolding.count, stopped, time.perf_counter() - began, layout.active)
    return _game(unfolding, layout, goals, _weights(stepper, unfolding), origin)


def named_assumption(assumption: Assumption | str) -> Assumption:
    """Find an assumption by name."""
    if isinstance(assumption, Assumption):
        return assumption
    names = [known.value for known in Assumption]
    if assumption not in names:
        raise UsageError(f"no test assumption {assumption!r}; {did_you_mean(assumption, names)}")
    return Assumption(assumption)


def unfold(
    stepper: Stepper, limits: Limits, progress: Progress | None
) -> tuple[Unfolding, dict[str, list[int]], str | None]:
    """Expand states breadth first until there are no more or a limit is met."""
    targets: list[int] = []
    labels: list[int] = []
    degrees: list[int] = []
    goals: dict[str, list[int]] = {name: [] for name in stepper.program.goals}
    tests = [(name, stepper.program.goals[name], goals[name].append) for name in goals]
    states, expand, scratch = stepper.states, stepper.expand, stepper.scratch
    deadline = time.monotonic() + limits.seconds
    number, depth, layer_end, stopped = 0, 0, 1, None
    known, edges = len(states), 0
    while number < known:
        if number == layer_end:
            depth, layer_end = depth + 1, known
            if depth == limits.depth:
                stopped = f"stopped at depth {depth}: raise --max-depth to go on"
                break
        if number % _LOOK_EVERY == 0:
            if progress:
                progress(number, known)
            if time.monotonic() > deadline:
                stopped = f"stopped after {limits.seconds:g} s: raise --max-seconds to go on"
                break
        expand(number, labels, targets)
        if len(states) > limits.states:
            stopped = f"stopped at {known:,} states: raise --max-states to go on"
            break
        if len(targets) > limits.edges:
            stopped = f"stopped at {edges:,} edges: raise --max-edges to go on"
            break
        known = len(states)
        degrees.append(len(targets) - edges)
        edges = len(targets)
        for name, test, add in tests:
            try:
                if test(scratch) and not stepper.is_pending(number):
                    add(number)
            except Exception as error:
                raise blame(error, f"asking goal {name!r}") from error
        number += 1
    # A state whose expansion went over a limit counts as not expanded at all.
    del labels[edges:], targets[edges:]
    for name, members in goals.items():
        members.extend(frontier for frontier in range(number, known) if stepper.holds(name, frontier))
    return _flatten(stepper, known, targets, labels, degrees), goals, _with_culprit(stepper, stopped)


def _with_culprit(stepper: Stepper, stopped: str | None) -> str | None:
    """Name the variable that takes the most values when exploring had to stop: it is likely the one without bound."""
    if stopped is None or not stepper.program.variables:
        return stopped
    count, name = max(zip(stepper.value_counts(), stepper.program.variables, strict=True))
    return f"{stopped} ({name!r} took the most values, {count:,})"


def _flatten(stepper: Stepper, known: int, targets: list[int], labels: list[int], degrees: list[int]) -> Unfolding:
    label = np.array(labels, dtype=np.int64)
    source = np.repeat(np.arange(len(degrees)), np.array(degrees, dtype=np.int64))
    inputs = np.array([each.is_input for each in stepper.labels.all] or [False])[label]
    optional = np.array([action.mark.optional for action in stepper.labels.actions] or [False])[label]
    required = np.bincount(source[~inputs & ~optional], minlength=known)
    return Unfolding(
        count=known,
        source=source,
        target=np.array(targets, dtype=np.int64),
        label=label,
        labels=[each.text for each in stepper.labels.all],
        is_input=inputs,
        quiet=required == 0,
        cost=_costs(stepper, source, label),
        initial=stepper.initial,
    )


def _costs(stepper: Stepper, source: NDArray[Any], label: NDArray[Any]) -> Any:
    """The cost of each transition: its action's, and nothing for the answer to a call, which was paid for already."""
    answers = [
        each.is_output and action.mark.controllable
        for each, action in zip(stepper.labels.all, stepper.labels.actions, strict=True)
    ]
    given = [0 if answer else action.mark.cost for answer, action in zip(answers, stepper.labels.actions, strict=True)]
    if not any(_moves(each, stepper) for each in given):
        return exact(given, label) if given else constant(1, 0)
    return exact_from([amount(given[l], stepper, s) for l, s in zip(label.tolist(), source.tolist(), strict=True)])


def _weights(stepper: Stepper, model: Unfolding) -> list[Any] | None:
    """The weight of each transition, or None when the model says nothing about chance."""
    given = [action.mark.weight for action in stepper.labels.actions]
    if all(weight is None for weight in given):
        return None
    return [
        1 if given[l] is None else amount(given[l], stepper, s)
        for l, s in zip(model.label.tolist(), model.source.tolist(), strict=True)
    ]


def _moves(given: Any, stepper: Stepper) -> bool:
    return callable(given) or (isinstance(given, str) and hasattr(stepper.program.model, given))


def _game(
    model: Unfolding,
    layout: Arena,
    goals: Mapping[str, Sequence[int]],
    weights: list[Any] | None,
    origin: Exploration,
) -> Game:
    source = np.concatenate([part.source for part in layout.parts])
    transition = np.concatenate([part.transition for part in layout.parts])
    kind = np.repeat([part.kind for part in layout.parts], [len(part.source) for part in layout.parts])
    label = np.where(transition >= 0, model.label[transition] + 3 if len(model.label) else 0, kind)
    labels = ["", "wait", "delta", *model.labels]
    label = np.where(kind == WAIT, 1, np.where(kind == TIME_OUT, 2, label))
    free = (kind == CHOICE) | (kind == WAIT)
    zero, one = len(model.cost.table), len(model.cost.table) + 1
    paid = np.where(transition >= 0, model.cost.index[transition] if len(model.cost) else 0, one)
    chance = None
    if weights is not None:
        table, row = probabilities(weights, transition, source, layout.owner)
        chance = exact(table, row)
    return game_from_arrays(
        owner=layout.owner,
        source=source,
        target=np.concatenate([part.target for part in layout.parts]),
        cost=exact([*model.cost.table, 0, 1], np.where(free, zero, paid)),
        probability=chance,
        moves=np.where(free, 0, 1),
        label=label,
        labels=labels,
        initial=layout.initial,
        goals={name: _copies(layout, members) for name, members in goals.items()},
        names=VertexNames(layout, model),
        origin=origin,
    )


def _copies(layout: Arena, members: Sequence[int]) -> NDArray[Any]:
    """A goal holds at the state's own vertex and, under `timeout`, at its active copy."""
    states = np.array(members, dtype=np.int64)
    return states if layout.active is None else np.union1d(states, layout.active[states])
