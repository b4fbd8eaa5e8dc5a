"""Exploring: play the model out on paper, breadth first, into a game.

States are expanded in the order they are met and numbered so, which no hash seed changes. Bounds on states, edges,
depth, time and memory end it early with a partial game: states not expanded have no moves, so whatever the tester can
force in the partial game can be forced in the whole one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.assumption import Assumption, Origin, named_assumption
from outplay.game.builder import game_from_arrays
from outplay.game.exploring.breadth_first import Limits, Places, Progress, RegionPlaces, states_to_explore
from outplay.game.exploring.disk_game import DiskGame
from outplay.game.exploring.disk_walk import walk_on_disk
from outplay.game.exploring.edge_columns import FIRST_LABEL, edge_columns, game_labels
from outplay.game.exploring.exploration_workers import Crew
from outplay.game.exploring.state_index import keep_on_disk
from outplay.game.exploring.turn_based import Arena, turn_based_arena, vertex_names
from outplay.game.exploring.unfold import Unfolded, explain_stop, unfold, unfold_program
from outplay.game.graph import Game
from outplay.model.kinds import specification
from outplay.model.programs.guard import Guard
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.specification import Specification
from outplay.model.wrapping import timers_of


@dataclass(frozen=True)
class Explored:
    """The meaning of an explored game: its first vertices are the states of the specification, by number."""

    specification: Specification
    states: int
    active: NDArray[Any] | None = None
    """Under time-outs: the active copy of each state, or the state itself."""
    places: Places | RegionPlaces | None = None
    """The place of each state where states are grouped; else a state is its own place."""

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        if not isinstance(state, int):
            return None
        place = state if self.places is None else self.places.known(state)
        if place is None or place >= self.states:
            return None
        return int(self.active[place]) if self.active is not None and after_silence else place

    def describe(self, state: int) -> str:
        spec, own = self._own(state)
        return spec.describe(own)

    def quiet(self, state: int) -> bool:
        spec, own = self._own(state)
        return spec.quiet(own)

    def _own(self, place: int) -> tuple[Specification, Any]:
        """Return the state or region that stands for a place, and whose state that is."""
        if isinstance(self.places, RegionPlaces):
            return self.places.regions, place
        return self.specification, place if self.places is None else self.places.states[place]


def explore(
    model: Any,
    *,
    constants: Mapping[str, Any] | None = None,
    assumption: Assumption | str = Assumption.NONDETERMINISTIC,
    limits: Limits | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
    disk: Path | None = None,
) -> Game:
    """Explore a model of any kind into a game under a test assumption; a crew may help with a model program.

    With `disk`, an empty folder, states, transitions and the game are files there, and memory holds a part of them.

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
    rule, limits = named_assumption(assumption), limits or Limits()
    options = {"silence": rule.silence, "most": limits.states, "budget": limits.budget}
    with Guard(limits.budget):
        spec = specification(model, constants, **options)
        if disk:
            return _on_disk(spec, rule, limits, progress, disk, began)
        limits = replace(limits, states=states_to_explore(spec, limits.states))
        if crew and isinstance(spec, ProgramSpecification):
            found = unfold_program(spec, limits, progress, crew)
        else:
            found = unfold(spec, limits, progress)
    layout = turn_based_arena(found.unfolding, rule)
    count = found.unfolding.count
    origin = Origin(
        Explored(found.specification, count, layout.active, found.places),
        rule,
        count,
        found.stopped,
        seconds=time.perf_counter() - began,
        approximate=isinstance(found.places, Places),
        timeless=timers_of(found.specification) is not None,
        numbered=found.unfolding.names is None,
        helped=found.helped,
    )
    return _game(found, layout, origin)


def _game(found: Unfolded, layout: Arena, origin: Origin) -> Game:
    model = found.unfolding
    edges, labels = edge_columns(model, found.weights, layout), game_labels(model.labels)
    roles = layout.roles(model.label + FIRST_LABEL)
    return game_from_arrays(
        owner=layout.owner,
        source=edges.source,
        target=edges.target,
        cost=edges.cost,
        probability=edges.probability,
        moves=edges.moves,
        label=edges.label,
        labels=labels,
        initial=layout.initial,
        goals={name: _copies(layout, members) for name, members in found.goals.items()},
        names=vertex_names(roles, labels, model.names),
        roles=roles,
        origin=origin,
    )


def _on_disk(
    spec: Specification, rule: Assumption, limits: Limits, progress: Progress | None, disk: Path, began: float
) -> Game:
    if not isinstance(spec, ProgramSpecification) or spec.stepper.program.groups:
        raise UsageError("only model programs are explored on disk, without hidden steps, timers and groups")
    stepper = spec.stepper
    walk = walk_on_disk(stepper, disk, limits, progress)
    keep_on_disk(stepper, walk.index)
    for name, members in walk.goals.items():
        members.extend(number for number in range(walk.expanded, walk.known) if stepper.holds(name, number))

    def origin(active: NDArray[Any] | None) -> Origin:
        stopped, seconds = explain_stop(stepper, walk.stopped, walk.culprit), time.perf_counter() - began
        return Origin(Explored(spec, walk.known, active), rule, walk.known, stopped, seconds=seconds, numbered=True)

    return DiskGame(stepper, walk, rule).made(origin)


def _copies(layout: Arena, members: Sequence[int]) -> NDArray[Any]:
    """A goal holds at the state's own vertex and, under `timeout`, at its active copy."""
    states = np.array(members, dtype=np.int64)
    return states if layout.active is None else np.union1d(states, layout.active[states])
