"""The one tester that follows a strategy on a game, in live play and when it is written out as a test case.

At each vertex where the tester may be, the strategy names an edge: an input, or waiting. What the game does not foresee
in answer to it (under `input-eager` an output that comes before the input) shows that the test assumption did not hold.
A test case ends inconclusively there; the thesis would fail the system, against its own demand that test cases are
sound (van den Bos 2020, 5.9 and rule 3 in the proof of 5.20). Under `input-fair`, and in live play, the tester goes on
from wherever the system is instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from outplay.game.algebra import exact_chances
from outplay.game.assumption import Assumption
from outplay.game.graph import SYSTEM, Game
from outplay.game.reset import RESET
from outplay.model.label import SILENCE, Label
from outplay.model.specification import State
from outplay.model.tracking import Tracker
from outplay.strategy.strategy import Listening, Strategy
from outplay.tester.tester import Decision, End, Give, Stop, TraceBased, Wait

_UNLIKELY = 1e-6  # a row of silences that happens less often than that was no bad luck


@dataclass(frozen=True)
class Memory:
    """The memory of the strategy, and of what was seen all that it does not remember."""

    strategy: Hashable
    silent: bool = True
    """Whether silence was seen last, which `timeout` asks for; play starts active (Blass et al. 2005), as after it."""
    foreseen: bool = True
    silences: int = 0
    """The number of silences in a row; kept only where patience is bounded."""
    luck: float = 1.0
    """The probability of that many by the chances of the game."""


class Follower(TraceBased):
    """Follows a strategy through a game: the first possible vertex whose choice is enabled decides.

    With `persists` it goes on after what the game does not foresee; with `patience` it stops after this many silences
    in a row, unless the game says that so many come by chance now and then: else it would keep no promise of the game.
    """

    def __init__(self, game: Game, strategy: Strategy, *, persists: bool = False, patience: int | None = None) -> None:
        self._game, self._strategy, self._patience = game, strategy, patience
        self._timed = game.origin.assumption.waits_for_timeout
        self._persists = persists or game.origin.assumption is Assumption.INPUT_FAIR

    @property
    def follower(self) -> Follower:
        return self

    @property
    def start(self) -> Memory:
        """The memory at the beginning of a play; a strategy may have learned from those before."""
        return Memory(self._strategy.start)

    def choose(self, tracker: Tracker, memory: Memory) -> Decision:
        return Stop(End.PASS) if tracker.reached else self._moved(tracker, memory)

    def _moved(self, tracker: Tracker, memory: Memory) -> Decision:
        tired = self._patience is not None and memory.silences >= self._patience and memory.luck < _UNLIKELY
        hopeless = (self._strategy.hopeless(vertex, memory.strategy) for _, vertex in self._places(tracker, memory))
        if tired or not memory.foreseen or all(hopeless):
            return Stop(End.INCONCLUSIVE)
        _, label = self._chosen(tracker, memory)
        return Wait() if label is None else Give(label)

    def remember(self, tracker: Tracker, memory: Memory, label: Label) -> Memory:
        chosen, _ = self._chosen(tracker, memory)
        places = self._places(tracker, memory)
        asked = places[0][1] if places else None
        foreseen = True
        if chosen is not None and asked is not None:
            behind = not self._game.moves[chosen]
            asked = int(self._game.target[chosen] if behind else self._game.source[chosen])
            shown = {tracker.spec.written(state, label) for state, _ in places}
            foreseen = self._persists or not shown.isdisjoint(self._answers(chosen))
        after = memory.strategy if asked is None else self._strategy.after(asked, memory.strategy)
        if isinstance(self._strategy, Listening):
            after = self._strategy.heard(after, str(label))
        silent = label == SILENCE
        # After a reset in the middle of a play it starts active again.
        active = not self._timed or silent or label.text == RESET
        if not silent or self._patience is None:
            return Memory(after, active, foreseen)
        luck = memory.luck * self._chance_of_silence(asked)
        return Memory(after, active, foreseen, memory.silences + 1, luck)

    def _chance_of_silence(self, vertex: int | None) -> float:
        """Return the probability of silence where the tester waits; 0 where the game has none."""
        game = self._game
        if vertex is None or game.owner[vertex] != SYSTEM:
            return 0.0
        chances = zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True)
        return float(sum(chance for edge, chance in chances if game.label_of(edge) == SILENCE.text))

    def _answers(self, edge: int) -> set[Label]:
        """Return the possible events when an edge is chosen."""
        game = self._game
        shown = [edge] if game.moves[edge] else game.edges_of(int(game.target[edge]))
        return {_label(game.label_of(one)) for one in shown}

    def _places(self, tracker: Tracker, memory: Memory) -> list[tuple[State, int]]:
        """The states the system may be in, with their vertices."""
        found = [(state, self._game.origin.vertex(state, memory.silent)) for state in tracker.states]
        return [(state, vertex) for state, vertex in found if vertex is not None]

    def _chosen(self, tracker: Tracker, memory: Memory) -> tuple[int | None, Label | None]:
        """The edge the tester takes, and its input: the first that is enabled for sure; none where it just waits."""
        waits: int | None = None
        for state, vertex in self._places(tracker, memory):
            own = self._game.owner[vertex] != SYSTEM
            edge = self._strategy.edge(vertex, memory.strategy) if own else None
            wanted = None if edge is None else input_of_edge(self._game, edge)
            label = None if wanted is None else self._member(tracker, state, wanted)
            if label is not None and tracker.enabled(label):
                return edge, label
            waits = edge if waits is None and wanted is None else waits
        return waits, None

    @staticmethod
    def _member(tracker: Tracker, state: State, label: Label) -> Label | None:
        """A label as it is given: one of its region, the same whenever it is asked for in a state."""
        offer = tracker.spec.offer(state, label)
        return offer.only or offer.sample(Random(f"{label.text} {tracker.spec.key(state)}"))


class Homing(Follower):
    """Follows a strategy from wherever a play has come to, until the system is for sure in one of some states."""

    def __init__(self, game: Game, strategy: Strategy, goal: Iterable[int], *, patience: int) -> None:
        super().__init__(game, strategy, persists=True, patience=patience)
        self._ends = {int(game.roles.state[vertex]) for vertex in goal}

    @property
    def start(self) -> Memory:
        """In the middle of a play nobody says that silence was seen last."""
        return Memory(self._strategy.start, silent=not self._timed)

    def choose(self, tracker: Tracker, memory: Memory) -> Decision:
        return Stop(End.PASS) if self.arrived(tracker) else self._moved(tracker, memory)

    def arrived(self, tracker: Tracker) -> bool:
        """Say whether the system is in one of the states, wherever it may be."""
        origin, state = self._game.origin, self._game.roles.state
        found = [
            {int(state[at]) for after in (True, False) if (at := origin.vertex(place, after)) is not None}
            for place in tracker.states
        ]
        return bool(found) and all(places and places <= self._ends for places in found)


_label = lru_cache(maxsize=10_000)(Label.parse)


def input_of_edge(game: Game, edge: int) -> Label | None:
    """Return the input of a strategy's edge: its own, or that of the decision behind it; None for waiting."""
    text = game.input_of(edge)
    return None if text is None else _label(text)
