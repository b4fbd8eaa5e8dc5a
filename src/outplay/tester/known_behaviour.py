"""As much of a model's behaviour as was explored, and where a play is in it.

The table is the suspension automaton of the specification that the play is followed by, so that the states a tracker
holds possible are found in it. Where an input and an output may have crossed, no single state of it is sure.

A large behaviour is known bit by bit, so that play begins at once: first what is nearest to the start, and twice as
much whenever so many labels were played that building it takes little time beside them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from time import monotonic

from outplay.caching import Cache
from outplay.conformance.behaviour import Behaviour, Inputs
from outplay.conformance.transition_table import known_table
from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.pair_game import PairGame, Pairs, pair_game

MOST_STATES = 20_000
WORTH = 0.1  # this many more states, in proportion, are worth a new table
AT_FIRST = 10_000  # transitions that are known before the first play
PAYS = 0.1  # labels played, for each transition known, that make it worth to know twice as many


class KnownBehaviour:
    """A specification as a table, explored up to this many states or seconds, and at first a part of that.

    >>> from outplay import automaton, specification
    >>> lamp = specification(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> known = KnownBehaviour(lamp)
    >>> known.complete, known.state(Tracker(lamp).gave(Label.parse("?press")))
    (True, 1)
    """

    def __init__(
        self,
        spec: Specification,
        *,
        most: int = MOST_STATES,
        seconds: float = math.inf,
        at_first: float = AT_FIRST,
        whole: bool = True,
        cache: Cache | None = None,
    ) -> None:
        self.whole = whole
        """Whether it is all of the specification that plays are followed by, and not that with fewer data."""
        self._spec, self.behaviour = spec, Behaviour(spec, inputs=Inputs.ALL)
        self._most, self._seconds, self._transitions = most, seconds, at_first
        self.labels = 0
        """That were played by now."""
        self._cache = cache
        self._built = set[int]()
        self._met, self.grown = dict[int, None](), 0
        self._explore()
        self._room = len(self._built)
        self._make_table()

    def _make_table(self) -> None:
        self.table = known_table(self.behaviour, self._built)
        self._pairs: Pairs | None = None

    def pair_game(self, rows: AnsweringRows) -> PairGame:
        """The game on pairs of the table's states, of which all who play it share what was solved once."""
        if self._pairs is not None:
            return replace(self._pairs, rows=rows)
        game = pair_game(rows, self._cache)
        self._pairs = game if isinstance(game, Pairs) else None
        return game

    def _explore(self) -> None:
        """Build what is nearest to the start, as far as is worth it by now."""
        began = monotonic()
        built = self.behaviour.explored(self._most, self._seconds, self._transitions)
        self._seconds -= monotonic() - began
        self._built.update(range(built))
        self._more = built < min(len(self.behaviour), self._most) and self._seconds > 0

    @property
    def complete(self) -> bool:
        """Whether all of the behaviour is known."""
        return self.whole and len(self._built) == len(self.behaviour)

    def own(self, tracker: Tracker) -> Tracker:
        """A tracker of what is known, where a play is followed with a test case or a purpose beside it."""
        return tracker.inside(self._spec)

    def visit(self, tracker: Tracker) -> None:
        """Keep in mind a state that was met in play and is not known; at most as many as were explored."""
        if (
            self.complete
            or not self.whole
            or tracker.in_flight
            or tracker.maybe_left
            or len(tracker.states) != 1
            or not self._room
        ):
            return
        if self._known(tracker.states) is None and self.behaviour.state_of(tracker.states) not in self._met:
            self._met[self.behaviour.meet(tracker.states)] = None
            self._room -= 1

    def grow(self) -> None:
        """Between plays: let more be known, when it is enough to be worth a new table; `grown` counts these."""
        more = self._more and self.whole and self.labels > PAYS * self._transitions
        if more:
            self._transitions *= 2
            self._explore()
        if more or len(self._met) > WORTH * len(self._built):
            self._built.update(self._met)
            self._met.clear()
            self._make_table()
            self.grown += 1

    def number(self, label: Label) -> int | None:
        """The number of a label; None where it is nowhere in what is known."""
        return self.table.numbers.get(label)

    def state(self, tracker: Tracker) -> int | None:
        """The state of the table in which a play surely is; None where that, or what may come there, is unknown."""
        return None if tracker.maybe_left or not tracker.states else self._known(tracker.states)

    def states(self, tracker: Tracker) -> list[int]:
        """The states of the table in which a play may be: one where it surely is there, though that may be a set."""
        surely = self.state(tracker)
        if surely is not None:
            return [surely]
        found = [] if tracker.maybe_left else [self._known((state,)) for state in tracker.states]
        return [state for state in found if state is not None]

    def covers(self, tracker: Tracker, places: Collection[tuple[int, int]]) -> bool:
        """Say whether all that a tracker holds possible is in these places: states, with inputs on their way."""
        members = {behind: set[object]() for _, behind in places}
        for state, behind in places:
            members[behind].update(self.behaviour.members(state))
        found = (state in members.get(len(unarrived), ()) for state, unarrived in tracker.places)
        return not tracker.maybe_left and all(found)

    def may_be(self, tracker: Tracker, state: int, behind: int) -> bool:
        """Say whether a tracker holds a state possible, with this many inputs still on their way."""
        held = self.behaviour.members(state)
        return any(len(unarrived) == behind and place in held for place, unarrived in tracker.places)

    def _known(self, members: tuple[object, ...]) -> int | None:
        found = self.behaviour.state_of(members)
        return found if found is not None and found in self._built else None
