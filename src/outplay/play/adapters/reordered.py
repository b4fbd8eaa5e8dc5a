"""A simulated system behind several connections, on which labels take their time and may overtake each other.

Each input and each output is on its way for a while that is drawn from a seed: order is kept within a channel, in each
direction, and not across channels. The way there and back together takes less than the time given, on the clock of the
simulation, so that a latency of that much explains all of it. Forecasts know nothing of the delays.
"""

from __future__ import annotations

from collections import deque
from random import Random

from outplay.errors import UsageError
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Channels, Specification
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.adapters.simulated import Simulated
from outplay.play.trace import Event

_SHARE = 0.49  # of the time, for one way
_MOST = 16  # outputs on their way, where a simulation speaks on and on and no time passes


class Reordered:
    """Delays what goes to a simulation and what comes from it by up to `seconds`, both ways together.

    >>> from outplay import automaton
    >>> echo = automaton([("idle", "?ask", "asked"), ("asked", "!answer", "idle")])
    >>> system = Reordered(Simulated(echo, Random(1)), Random(1), seconds=1.0)
    >>> system.give(Label.parse("?ask"))
    >>> system.observe(0.01).kind, system.observe(1.0).label
    ('silence', !answer)
    """

    synchronous = False

    def __init__(self, inside: Simulated, rng: Random, *, seconds: float) -> None:
        self._inside, self._rng, self._most = inside, rng, seconds * _SHARE
        self.clock = inside.clock
        self._channels: Channels = inside.channels
        self._there: dict[str, deque[tuple[float, Label]]] = {}
        self._back: dict[str, deque[tuple[float, Label]]] = {}

    def reset(self) -> None:
        self._there, self._back = {}, {}
        self._inside.reset()

    def give(self, label: Label) -> None:
        self._send(self._there, label)

    def observe(self, timeout: float) -> Event:
        deadline = self.clock.now() + timeout
        while True:
            now = self.clock.now()
            arrival, seen = _first(self._there), _first(self._back)
            if seen is not None and seen[0] <= now and not (arrival is not None and arrival[0] < seen[0]):
                return Event("output", _taken(self._back, seen[1]), seen=now)
            if arrival is not None and arrival[0] <= now:
                self._inside.give(_taken(self._there, arrival[1]))
                self._listen(0.0)
                continue
            until = min([deadline, *(way[0] for way in (arrival, seen) if way is not None)])
            if sum(map(len, self._back.values())) < _MOST and self._listen(max(until - now, 0.0)):
                continue
            if self.clock.now() < until:
                self.clock.sleep(until - self.clock.now())
            if until >= deadline and not any(way is not None and way[0] <= deadline for way in (arrival, seen)):
                return Event("silence", seen=self.clock.now())

    def close(self) -> None:
        self._inside.close()

    def _listen(self, timeout: float) -> bool:
        """Let the simulation speak; say whether it did."""
        event = self._inside.observe(timeout)
        if event.label is None or event.kind != "output":
            return False
        self._send(self._back, event.label)
        return True

    def _send(self, ways: dict[str, deque[tuple[float, Label]]], label: Label) -> None:
        lane = ways.setdefault(self._channels.of(label), deque())
        comes = self.clock.now() + self._rng.random() * self._most
        lane.append((max(comes, lane[-1][0]) if lane else comes, label))


def _first(ways: dict[str, deque[tuple[float, Label]]]) -> tuple[float, str] | None:
    """Return when the next label arrives, and on which channel."""
    return min(((lane[0][0], channel) for channel, lane in ways.items() if lane), default=None)


def _taken(ways: dict[str, deque[tuple[float, Label]]], channel: str) -> Label:
    return ways[channel].popleft()[1]


def _moved_by_silence(model: SuspensionAutomaton) -> str | None:
    """Return a state where silence changes the state: the simulation cannot know when the tester has seen silence."""
    automaton = model.automaton
    moves = ((q, label, target) for q in range(len(automaton.names)) for label, target in automaton.moves(q))
    return next((automaton.names[q] for q, label, target in moves if label == SILENCE and target != q), None)


def delayed(simulated: Simulated, model: Specification, rng: Random, *, seconds: float, text: str) -> Reordered:
    """Put delays before the simulation of a model, so that labels may be reordered, where that can be followed."""
    if isinstance(model, SuspensionAutomaton) and (place := _moved_by_silence(model)) is not None:
        raise UsageError(f"--reorder: in {text} silence leads from {place} to another state; behind delays it cannot")
    return Reordered(simulated, rng, seconds=seconds)
