"""The end of a run: the budget that is left, and the conditions to stop as users write them: `covered`, `quiet=50`.

A run may be given a number of plays, a number of labels, a time, or several of these, and ends where the first of them
is used up. A play is a play, however short: a tester that is given plays does not end them early. A start counts as a
label, so that a tester that starts again and again comes to an end. The time is that on the wall, from the first play
on; it decides no move, and only cuts the last play off.

A run that is given none has 10,000 labels, in as many plays as its tester likes, and ends before where the tester
says that nothing is left to test. There a play that ended by itself, as at a goal, counts as if it were as long as it
might have been, so that whoever reaches a goal in three labels does not do so thousands of times.

Fair execution: after how many tries an output that never came may be taken for one that cannot come.
Definition (van den Bos 2020, 2.7.4): a trace is executed label by label; where the system shows another output the
trace is begun again after a reset, and after enough tries the output is concluded not to be produced, which counts as
executed as well. How many are enough is left to the tester. Here it is assumed that whatever the system can show after
a trace comes with a chance of at least p each time. An output that can come then stays away for k tries with a chance
of at most (1 - p)^k.

So that the conclusions of a whole suite are right together with confidence c, however many there are, the i-th place
where something is concluded may be wrong with chance (1 - c) / (i (i + 1)); these add up to 1 - c. A place with m
outputs to wait for needs the least k with m (1 - p)^k at most that. A system that always does the same has p = 1, and
one try is enough.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic

from outplay.cancellation import NEVER, Deadline, deadline
from outplay.errors import UsageError

LABELS = 10_000  # of a run that is given no budget
PLAYS = 100  # of what has to be counted in plays: the tries of a test case, what is said of coverage beforehand
FORMS = "covered, confidence=SHARE (such as 0.9 or 90%) or quiet=N"
WRITTEN = {
    "until_covered": "--until covered",
    "until_cleared": "--until confidence=SHARE",
    "until_quiet": "--until quiet=N",
}
"""The fields of a job that say so, and how each is written."""
_FORM = re.compile(r"(covered)|confidence=([0-9.]+)(%?)|quiet=([0-9]+)")


@dataclass
class RunBudget:
    """The budget that is left of a run.

    >>> budget = RunBudget(labels=20, most_steps=9)
    >>> budget.played(4, early=True)
    >>> budget.left, budget.steps
    (True, 9)
    >>> budget.played(9), budget.left, budget.steps
    (None, True, 4)
    >>> budget.played(4), budget.left
    (None, False)
    >>> RunBudget(plays=3, most_steps=9).labels is None
    True
    """

    most_steps: int
    """The maximum number of labels of a play."""
    plays: int | None = None
    """The number of plays that are left, where they were given."""
    labels: int | None = None
    """The number of labels that are left, with one for each start, where they count."""
    time: float | None = None
    """The seconds that the run may take, from its first play on."""
    start: int = 1
    """The number of labels that a start counts for."""
    now: Callable[[], float] = monotonic
    given: bool = field(init=False)
    """Whether it was given, so that all of it is used."""
    until: Deadline = field(init=False, default=NEVER)
    """The end of the time, once the first play began."""
    _exact: bool = field(init=False)

    def __post_init__(self) -> None:
        self._exact = self.labels is not None
        self.given = self._exact or self.plays is not None or self.time is not None
        if not self.given:
            self.labels = LABELS + LABELS // max(self.most_steps, 1)

    def begin(self) -> Deadline:
        """Let the time run, if it does not yet; return when it is up."""
        if self.until is NEVER and self.time is not None:
            self.until = deadline(self.time, self.now)
        return self.until

    @property
    def left(self) -> bool:
        """Whether there is something left for another play."""
        return self.plays != 0 and (self.labels is None or self.labels > self.start) and not self.until.passed

    @property
    def steps(self) -> int:
        """Return the maximum number of labels of the next play."""
        return self.most_steps if self.labels is None else max(min(self.most_steps, self.labels - self.start), 0)

    def played(self, labels: int, *, early: bool = False) -> None:
        """A play had this many labels; its tester may have ended it early, to start again."""
        if self.plays is not None:
            self.plays -= 1
        if self.labels is not None:
            counted = labels if self._exact else min(labels, self.steps) if early else self.steps
            self.labels -= self.start + counted  # an answer that is owed at the end comes on top


_TIME = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def read_duration(text: str | float) -> float:
    """Read a time of a budget: seconds, or a text with a unit.

    >>> read_duration("90s"), read_duration("10m"), read_duration("1.5h"), read_duration(3)
    (90.0, 600.0, 5400.0, 3.0)
    >>> read_duration("soon")
    Traceback (most recent call last):
    outplay.errors.UsageError: 'soon' is not a time: write seconds, or a number with a unit, such as 90s, 10m or 8h
    """
    if isinstance(text, str):
        read = _TIME.fullmatch(text.strip())
        seconds = float(read[1]) * _SECONDS[read[2]] if read else math.nan
    else:
        seconds = float(text)
    if not 0 < seconds < math.inf:
        raise UsageError(f"{text!r} is not a time: write seconds, or a number with a unit, such as 90s, 10m or 8h")
    return seconds


def stop_conditions(texts: str | Iterable[str]) -> dict[str, object]:
    """Read the conditions to stop a run into the fields of a job; the run ends with the first that is met.

    >>> stop_conditions(["covered", "confidence=95%", "quiet=50"])
    {'until_covered': True, 'until_cleared': 0.95, 'until_quiet': 50}
    >>> stop_conditions(["quiet"])
    Traceback (most recent call last):
    outplay.errors.UsageError: --until quiet: write covered, confidence=SHARE (such as 0.9 or 90%) or quiet=N
    """
    found: dict[str, object] = {}
    for text in (texts,) if isinstance(texts, str) else texts:
        read = _FORM.fullmatch(text.strip())
        if read is None:
            raise UsageError(f"--until {text}: write {FORMS}")
        if read[1]:
            found["until_covered"] = True
        elif read[2]:
            found["until_cleared"] = _share(text, read[2], percent=bool(read[3]))
        else:
            found["until_quiet"] = int(read[4])
    return found


def _share(text: str, number: str, *, percent: bool) -> float:
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(f"--until {text}: a share is more than 0 and at most 1, or 100%")
    return share


@dataclass(frozen=True)
class Fairness:
    """The assumption about the system, and the confidence that conclusions need."""

    chance: float = 0.2
    """The least chance each time of whatever the system can show."""
    confidence: float = 0.95
    """The probability that all conclusions together are right."""

    def __post_init__(self) -> None:
        if not 0 < self.chance <= 1:
            raise UsageError(f"chance is {self.chance}; it is a number above 0, and 1 at most")
        if not 0 <= self.confidence < 1:
            raise UsageError(f"confidence is {self.confidence}; it is a number from 0, and below 1")

    def tries(self, place: int, outputs: int = 1) -> int:
        """Return the number of tries that are enough for a number, counted from 1, with this many outputs awaited.

        >>> [Fairness().tries(place) for place in (1, 10, 100, 1000)]
        [17, 35, 55, 76]
        >>> Fairness(chance=1).tries(5)
        1
        """
        if self.chance == 1:
            return 1
        allowed = (1 - self.confidence) / (place * (place + 1))
        return max(1, math.ceil(math.log(allowed / outputs) / math.log(1 - self.chance)))

    def doubt(self, tries: int) -> float:
        """The chance, at most, that an output which can come has stayed away for this many tries."""
        return float((1 - self.chance) ** tries)
