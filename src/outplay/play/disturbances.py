"""The faults of a network, and how often it has them: `drop`, `delay=50ms`, `cut=2%`."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from outplay.errors import UsageError, did_you_mean

FAULTS = {
    "drop": "loses a message",
    "duplicate": "sends a message twice",
    "delay": "holds a message, and what follows it, for a time",
    "reorder": "lets the next message pass before one",
    "cut": "breaks the connection off in place of a message",
    "restart": "kills the server in place of a message, and starts it again",
}
RESTART = "restart"
BY_MODEL = "model"
"""Written where only the faults are wanted that the model gives as inputs."""
USUAL = 0.1  # of the messages
_DELAY = 0.05  # seconds
_VALUE = re.compile(r"(\d+(?:\.\d+)?)(ms|s|%)?")


@dataclass(frozen=True)
class Disturbances:
    """The probability of each fault for a message, and the delay of one, in seconds."""

    chances: Mapping[str, float]
    delay: float = _DELAY

    @staticmethod
    def read(text: str) -> Disturbances:
        """Read them as they are written.

        >>> Disturbances.read("drop, delay=20ms, cut=2%")
        Disturbances(chances={'drop': 0.1, 'delay': 0.1, 'cut': 0.02}, delay=0.02)
        >>> Disturbances.read("dorp")
        Traceback (most recent call last):
        outplay.errors.UsageError: --faults dorp: there is no fault 'dorp'; did you mean 'drop'?
        """
        chances, delay = dict[str, float](), _DELAY
        if text.strip() == BY_MODEL:
            return Disturbances(chances)
        for part in text.split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            if name not in FAULTS:
                raise UsageError(f"--faults {text}: there is no fault {name!r}; {did_you_mean(name, FAULTS)}")
            chances[name] = USUAL
            if not equals:
                continue
            found = _VALUE.fullmatch(value)
            unit = found[2] if found else ""
            if not found or (unit in ("ms", "s")) != (name == "delay" and unit != "%"):
                what = "a time, such as delay=50ms" if name == "delay" else f"how often, such as {name}=5%"
                raise UsageError(f"--faults {text}: {part.strip()!r} should be {what}")
            if unit in ("ms", "s"):
                delay = float(found[1]) / (1000 if unit == "ms" else 1)
            else:
                chances[name] = float(found[1]) / (100 if unit == "%" else 1)
            if not 0 < chances[name] <= 1:
                raise UsageError(f"--faults {text}: {part.strip()!r} should be above 0 and at most 100%")
        return Disturbances(chances, delay)


@dataclass
class FaultChooser:
    """Chooses faults by chance from a seed, and one at a time when told to; counts what it chose."""

    disturbances: Disturbances
    rng: Random = field(default_factory=lambda: Random(0))
    calm: bool = True
    happened: Counter[str] = field(default_factory=Counter)
    armed: deque[str] = field(default_factory=deque)
    """Faults that were asked for, of the next messages of the server."""

    def begin(self, seed: str) -> None:
        """Begin a play, from a seed."""
        self.rng, self.calm, self.happened = Random(seed), False, Counter()
        self.armed.clear()

    def fault(self, *, to_client: bool) -> str:
        """The fault for the next message, or none."""
        if self.calm:
            return ""
        name = self.armed.popleft() if to_client and self.armed else self._drawn()
        self.happened.update([name] if name else [])
        return name

    def _drawn(self) -> str:
        """A fault by chance; one draw for each kind, so that one kind more changes nothing about the others."""
        draws = {name: self.rng.random() < self.disturbances.chances.get(name, 0.0) for name in FAULTS}
        return next((name for name, drawn in draws.items() if drawn), "")
