"""Where a play with data is in a game of regions."""

from __future__ import annotations

from typing import Any

from outplay.model.symbolic.regions.region_game import RegionPlay, RegionSpecification
from outplay.model.symbolic.regions.region_tree import DataRegion
from outplay.model.wrapping import NumberedSpecification


class RegionPlaces:
    """Which place in the game a state met in play has: the number of its region."""

    def __init__(self, regions: NumberedSpecification, inside: RegionSpecification) -> None:
        self._regions, self._inside = regions, inside
        self.played = NumberedSpecification(RegionPlay(inside))

    def known(self, state: int) -> int | None:
        """The place of a state; None where its region was not reached."""
        members: Any = self.played.own(state)
        region = self._inside.graph.region(members)
        return None if region is None else self._regions.number_of(region)

    def describe(self, place: int) -> str:
        """Write a region for people."""
        return self._regions.describe(place)

    def quiet(self, place: int) -> bool:
        """Say whether silence is allowed in a region."""
        return self._regions.quiet(place)

    @property
    def regions(self) -> list[DataRegion]:
        """The regions by their places."""
        return [region for region in self._regions.states if isinstance(region, DataRegion)]
