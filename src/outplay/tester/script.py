"""Giving the inputs of a recorded play again, at the recorded pace or at another one.

Many faults are races: they show only where an input comes a little while after what happened before it. So each input
keeps the pause before it, and a play may be given again at the recorded pace, fast or with pauses by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Stop, TraceBased, Wait

Pace: TypeAlias = Literal["recorded", "fast", "random"]
PACES: tuple[Pace, ...] = ("recorded", "fast", "random")
LONGEST = 0.05  # seconds of a pause by chance where the recorded ones are shorter


class Beat(NamedTuple):
    """A label of a recorded play, and how many seconds after the event before it."""

    label: Label
    pause: float = 0.0


Beats: TypeAlias = tuple[Beat, ...]


class Script(TraceBased):
    """Gives the inputs among the labels of a play again, at the places where they stood; its memory is what is left.

    With pauses each input waits as long after the event before it as it did. A `checked` script gives an input only
    where the model has it.
    """

    def __init__(self, labels: Iterable[Label | Beat], *, checked: bool = False) -> None:
        self._beats: Beats = tuple(one if isinstance(one, Beat) else Beat(one) for one in labels)
        self._checked = checked

    @property
    def start(self) -> Beats:
        return self._beats

    def choose(self, tracker: Tracker, memory: Beats) -> Decision:
        if not memory:
            return Stop(End.INCONCLUSIVE)
        label, pause = memory[0]
        if not label.is_input:
            return Wait()
        if self._checked and not tracker.enabled(label):
            return Stop(End.INCONCLUSIVE)
        return Give(label, pause)

    def remember(self, tracker: Tracker, memory: Beats, label: Label) -> Beats:
        if not memory:
            return memory
        if label.is_input or not memory[0].label.is_input:
            return memory[1:]
        # An output where the record has an input came early: skip it in the record where it stands later.
        later = next((place for place, one in enumerate(memory) if one.label == label), len(memory))
        return memory[:later] + memory[later + 1 :]


class PacedScript(Script):
    """A script that is played at one of several paces, by turns."""

    def __init__(
        self, labels: Sequence[Beat], paces: Sequence[Pace] = PACES, *, seed: object = 0, checked: bool = False
    ) -> None:
        super().__init__(labels, checked=checked)
        self._paces, self._rng, self._plays = tuple(paces), Random(f"pace {seed}"), 0

    def begin(self) -> None:
        self._plays += 1
        pace = self.pace_of(self._plays)
        self._memory = self.start if pace == "recorded" else tuple(self._paced(beat, pace) for beat in self.start)

    def _paced(self, beat: Beat, pace: Pace) -> Beat:
        return beat._replace(pause=0.0 if pace == "fast" else self._rng.uniform(0.0, max(2 * beat.pause, LONGEST)))

    def pace_of(self, number: int) -> Pace:
        """The pace of the play with this number, from 1."""
        return self._paces[(number - 1) % len(self._paces)]
