"""Breadth first: states expanded in the order they are met, until there are no more or a limit is met.

Limits are on states, edges, depth, time and memory. A state is expanded whole or not at all, and one that was not has
no moves.

Grouping: explore one representative of each group of states (Grieskamp, Gurevich, Schulte and Veanes, 2002). The user
says by which values states are grouped. Places are numbers of groups in the order they are met; the first state met of
a group stands for all of it. The result is approximate, as the others of a group may behave differently. Regions of
data are groups too, whose members behave alike; a state met in play has the place of its region.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.model.programs.budget import Budget, OverBudget
from outplay.model.programs.guard import Guard
from outplay.model.programs.stepping import Stepper
from outplay.model.symbolic.region_game import RegionPlay, RegionSpecification
from outplay.model.wrapping import NumberedSpecification
from outplay.plurals import counted

Progress = Callable[[int, int], None]  # states expanded, states known
_TELL_EVERY = 512  # states between two calls of progress


@dataclass(frozen=True)
class Limits:
    """The limits of exploring."""

    states: int = 1_000_000
    edges: int = 10_000_000
    depth: int | None = None
    seconds: float = Budget.seconds
    memory: int = Budget.memory
    """In MB, beyond what was in use before."""

    @property
    def budget(self) -> Budget:
        """The budget within a state."""
        return Budget(self.seconds, self.memory)


def states_to_explore(spec: Any, most: int) -> int:
    """Return the limit of states for exploring: fewer than by default where a specification says what is enough."""
    enough: int | None = getattr(spec, "enough_states", None) if most == Limits.states else None
    return most if enough is None else min(most, enough)


@dataclass
class Walk:
    """A breadth-first search: transitions in the order of their source."""

    labels: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    degrees: list[int] = field(default_factory=list)
    known: int = 0
    stopped: str | None = None
    culprit: str = ""
    """The action under way when a bound was passed inside a state."""

    @property
    def source(self) -> NDArray[Any]:
        return np.repeat(np.arange(len(self.degrees)), np.array(self.degrees, dtype=np.int64))


def breadth_first(
    expand: Callable[[int, list[int], list[int]], None],
    count: Callable[[], int],
    limits: Limits,
    progress: Progress | None,
    visit: Callable[[int], None] = lambda number: None,
) -> Walk:
    """Expand states breadth first until there are no more or a limit is met; `visit` is called after each expansion."""
    walk = Walk()
    labels, targets, add_degree, now = walk.labels, walk.targets, walk.degrees.append, time.monotonic
    most_states, most_edges, deadline = limits.states, limits.edges, now() + limits.seconds
    number, depth, layer_end, edges, known = 0, 0, 1, 0, count()
    with Guard(limits.budget) as guard:
        guard.begin(limits.budget)
        while number < known:
            if number == layer_end:
                depth, layer_end = depth + 1, known
                if depth == limits.depth:
                    walk.stopped = f"stopped at depth {depth}: raise --max-depth to go on"
                    break
            if number % _TELL_EVERY == 0:
                guard.measure()
                if progress:
                    progress(number, known)
            if now() > deadline:
                walk.stopped = f"stopped after {limits.seconds:g} s: raise --max-seconds to go on"
                break
            if guard.full:
                walk.stopped = f"stopped at {limits.memory:,} MB of memory: raise --max-memory to go on"
                break
            try:
                expand(number, labels, targets)
                met, reached = count(), len(targets)
                if met > most_states:
                    walk.stopped = f"stopped at {counted(known, 'state')}: raise --max-states to go on"
                    break
                if reached > most_edges:
                    walk.stopped = f"stopped at {counted(edges, 'edge')}: raise --max-edges to go on"
                    break
                visit(number)
            except OverBudget as stop:
                walk.stopped, walk.culprit = f"stopped at {stop.bound}: raise {stop.option} to go on", stop.doing
                break
            add_degree(reached - edges)
            known, edges = met, reached
            number += 1
        guard.finish()
    # A state whose expansion went over a limit counts as not expanded at all.
    del labels[edges:], targets[edges:]
    walk.known = known
    return walk


class Places:
    """The place in the game of each state of the model, and the state that stands for each place."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self.states: list[int] = []
        """The state that stands for each place."""
        self._by_group: dict[Any, int] = {}
        self._by_state: dict[int, int] = {}
        self.of(stepper.initial)

    def __len__(self) -> int:
        return len(self.states)

    def of(self, state: int) -> int:
        """The place of a state, a new one where its group has not been met."""
        place = self._by_state.get(state)
        if place is None:
            place = self._by_state[state] = self._by_group.setdefault(self._stepper.group(state), len(self.states))
            if place == len(self.states):
                self.states.append(state)
        return place

    def known(self, state: int) -> int | None:
        """The place of a state, or None where its group was never met."""
        return self._by_group.get(self._stepper.group(state))

    def expand(self, place: int, labels: list[int], targets: list[int]) -> None:
        """Expand the state that stands for a place; afterwards it is loaded."""
        reached: list[int] = []
        self._stepper.expand(self.states[place], labels, reached)
        targets.extend(map(self.of, reached))
        self._stepper.load(self.states[place])


class RegionPlaces:
    """The place in a game of regions of a state met in play: the number of its region."""

    def __init__(self, regions: NumberedSpecification, inside: RegionSpecification) -> None:
        self.regions, self._inside = regions, inside
        self.played = NumberedSpecification(RegionPlay(inside))

    def known(self, state: int) -> int | None:
        """The place of a state; None where its region was not reached."""
        members: Any = self.played.own(state)
        region = self._inside.graph.region(members)
        return None if region is None else self.regions.number_of(region)
