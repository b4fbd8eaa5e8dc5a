"""Grouping: explore one representative of each group of states (Grieskamp, Gurevich, Schulte and Veanes, 2002).

The user says by which values states are grouped. Places are numbers of groups in the order they are met; the first
state met of a group stands for all of it. The result is approximate, as the others of a group may behave differently.
Regions of data are groups too, whose members behave alike; a state met in play has the place of its region.
"""

from __future__ import annotations

from typing import Any

from outplay.model.programs.stepping import Stepper
from outplay.model.symbolic.regions.region_game import RegionPlay, RegionSpecification
from outplay.model.wrapping import NumberedSpecification


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
