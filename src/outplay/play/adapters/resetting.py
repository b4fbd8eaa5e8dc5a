"""Systems whose reset is an input: a strategy that resets in mid-play is played like any other."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from outplay.game.reset import RESET
from outplay.model.label import Label
from outplay.play.event import Event
from outplay.play.system import Called, Disturbed, Quieting, Racing, Renewed, Seeded, System, Wordy


class Resetting:
    """A system that is reset when it is given the label for it; all other inputs go to the system itself."""

    def __init__(self, system: System, label: str = RESET) -> None:
        self._system, self._reset = system, Label.parse(label)
        self.synchronous, self.clock = system.synchronous, system.clock
        self.one_wire = getattr(system, "one_wire", False)

    @property
    def inside(self) -> System:
        """The system itself."""
        return self._system

    def reset(self) -> None:
        self._system.reset()

    def give(self, label: Label) -> float | None:
        if label != self._reset:
            return self._system.give(label)
        self._system.reset()
        return None

    def forestalls(self, label: Label) -> bool:
        return label != self._reset and isinstance(self._system, Racing) and self._system.forestalls(label)

    @property
    def renewed(self) -> bool:
        return isinstance(self._system, Renewed) and self._system.renewed

    def faults(self) -> Mapping[str, int]:
        return self._system.faults() if isinstance(self._system, Disturbed) else {}

    def quiet(self) -> bool:
        return isinstance(self._system, Quieting) and self._system.quiet()

    def words(self) -> str:
        return self._system.words() if isinstance(self._system, Wordy) else ""

    def will_call(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.will_call(gates)

    def answer_null(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.answer_null(gates)

    def observe(self, timeout: float) -> Event:
        return self._system.observe(timeout)

    def seed(self, text: str) -> None:
        """Let the system draw from this seed, if it draws by chance."""
        if isinstance(self._system, Seeded):
            self._system.seed(text)

    def close(self) -> None:
        self._system.close()
