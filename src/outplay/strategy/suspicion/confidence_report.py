"""A report on what plays have cleared: how much, what is left, and what it would take to clear it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from outplay.strategy.suspicion.detection_chance import Clearing

MOST_NAMED = 5
LONGEST = 12  # moves of a test that is told
RULED_OUT = 0.05  # of which less is left
_CERTAIN = 1e-9
ENOUGH, CERTAIN = 0.9, 0.99  # chances that a single fault would have been noticed


@dataclass(frozen=True)
class OpenSuspicion:
    """A suspicion that is left: a step that may lead to another state, and how that would show."""

    state: str
    label: str
    target: str
    instead: str
    left: int
    """The number of other targets of the step that are not ruled out."""
    then: tuple[str, ...]
    """After the step: inputs to give and answers to wait for, the last of which the model forbids."""

    def __str__(self) -> str:
        shown = f"; to find out, go on with {' '.join(self.then)}" if self.then else ""
        more = f" or {self.left - 1:,} other states" if self.left > 2 else ""
        return f"{self.label} at {self.state} could lead to {self.instead}{more} instead of {self.target}{shown}"

    def json(self) -> dict[str, Any]:
        named = {"state": self.state, "label": self.label, "target": self.target, "instead": self.instead}
        return named | {"left": self.left, "then": list(self.then)}


class Cleared:
    """The share of the suspicions that is cleared."""

    def __init__(self, clearing: Clearing) -> None:
        self._clearing = clearing
        outstanding = self._outstanding = clearing.so_far()
        answers = outstanding.answers
        given = outstanding.given[answers]
        self.answers, self.given = int(answers.sum()), int((given > 1 - RULED_OUT).sum())
        """Answers that may be wrong, and those of them that were given."""
        left, possible = outstanding.left, outstanding.possible
        shares = left[possible > 0].sum(axis=1) / possible[possible > 0]
        self.targets, self.astray = int(possible.sum()), int((left > RULED_OUT).sum())
        """Other targets that steps may have, and those that are not ruled out."""
        parts = [float(given.mean())] if self.answers else []
        parts += [1.0 - float(shares.mean())] if len(shares) else []
        self.share: float | None = sum(parts) / len(parts) if parts else None
        """The share of single faults that would have been found, estimated; None where there is nothing to suspect."""

    def report(self) -> ClearedReport:
        """The same as plain data, without the game it was counted in."""
        counts = self.answers, self.given, self.targets, self.astray
        return ClearedReport(self.share, *counts, tuple(self.open_suspicions()))

    def open_suspicions(self, most: int = MOST_NAMED) -> list[OpenSuspicion]:
        """The steps of which the most is left, each with the suspect that would show soonest."""
        outstanding = self._outstanding
        shares = outstanding.left.sum(axis=1) / np.maximum(outstanding.possible, 1.0)
        units = [int(unit) for unit in np.argsort(-shares, kind="stable")[:most]]
        return [self._open_suspicion(unit) for unit in units if (outstanding.left[unit] > RULED_OUT).any()]

    def _open_suspicion(self, unit: int) -> OpenSuspicion:
        clearing, table = self._clearing, self._clearing.table
        outstanding = self._outstanding
        step, open_ = int(outstanding.step[unit]), np.flatnonzero(outstanding.left[unit] > RULED_OUT)
        suspects = outstanding.suspect[unit, open_]
        shows = clearing.pairs.shows(np.array([[clearing.steps.target[step]]]), suspects[None, :])[0]
        suspect = int(suspects[int(shows.argmax())])
        edges = dict.fromkeys((int(clearing.steps.credited[step]), int(clearing.steps.edge[step])))
        said = " ".join(str(table.labels[table.label[edge]]) for edge in edges)
        target = int(clearing.steps.target[step])
        names = table.names[table.source[next(iter(edges))]], said, table.names[target], table.names[suspect]
        return OpenSuspicion(*names, len(open_), self._test(target, suspect))

    def _test(self, model: int, system: int) -> tuple[str, ...]:
        """The moves that show that the system is in another state, where it answers as hoped; else nothing."""
        clearing, table = self._clearing, self._clearing.table
        moves: list[str] = []
        for _ in range(LONGEST):
            clearing.pairs.look_from(model)
            worth = clearing.pairs.promises(model, np.array([system]), np.ones(1))
            if worth.max() <= _CERTAIN:
                return ()
            move, allowed, there = int(worth.argmax()), table.moves(model), table.moves(system)
            if move < len(worth) - 1:
                label = int(table.label[table.first[model] + move])
            else:
                answers = {label: target for label, target in there.items() if label >= table.inputs}
                forbidden = [label for label in answers if label not in allowed]
                label = (forbidden or [*answers])[0]
            moves.append(str(table.labels[label]))
            if label not in allowed:
                return tuple(moves)
            model, system = allowed[label], there.get(label, system)
        return ()


@dataclass(frozen=True)
class ClearedReport:
    """The cleared share, as plain data."""

    share: float | None
    """The share of single faults that would have been found, estimated; None where there is nothing to suspect."""
    answers: int
    given: int
    targets: int
    astray: int
    open: tuple[OpenSuspicion, ...] = ()
    """The largest suspicions that are left."""

    def lines(self) -> list[str]:
        if self.share is None:
            return []
        few = {0: "there are no answers", 1: "the one answer was right"}
        answers = few.get(self.answers, f"all {self.answers:,} answers were right")
        if self.given < self.answers:  # where labels cross, many more were seen, each of which may be another
            answers = f"{self.given:,} of {self.answers:,} answers were certainly right"
        astray = f"{self.astray:,} of {self.targets:,} wrong targets of transitions are not ruled out yet"
        lines = [f"suspected: {answers}; {astray if self.astray else 'no transition leads to a wrong state'}"]
        share = math.floor(100 * self.share + _CERTAIN) / 100  # never said to be more than it is
        lines += [f"cleared: {share:.2f}, the estimated chance that such a single fault would have been noticed by now"]
        return lines + [f"left: {one}" for one in self.open]

    def json(self) -> dict[str, Any]:
        return {
            "cleared": None if self.share is None else round(self.share, 4),
            "answers": {"given": self.given, "total": self.answers},
            "targets": {"left": self.astray, "total": self.targets},
            "likely": [one.json() for one in self.open],
        }


def noticed_fault(share: float, least: str = "") -> str:
    """Say how likely a single fault would have been noticed."""
    percent = "over 99 %" if share > CERTAIN else f"about {int(100 * share)} %" if share >= 0.01 else "under 1 %"
    least = least if share <= CERTAIN and share >= 0.01 else ""
    return f"a single wrong answer or transition would have been noticed with {least}{percent} chance"


def plays_enough(share: float, plays: int, where: str = "", option: str = "--plays") -> str:
    """Say how many plays make a single fault likely to be noticed, where that is more than were played.

    >>> plays_enough(0.5, 20), plays_enough(0.95, 20)
    ('; about 67 plays give 90 % (--plays 67)', '')
    """
    more = _round_up(plays * math.log(1 - ENOUGH) / math.log(1 - share)) if 0 < share < ENOUGH else plays
    enough, told = f"{ENOUGH:.0%}".replace("%", " %"), f"{more:,} plays{where and f' {where}'}"
    return f"; about {told} give {enough} ({option} {more})" if more > plays else ""


def _round_up(number: float) -> int:
    """Round up to two digits: more would promise what an estimate cannot keep.

    >>> _round_up(1234.5), _round_up(57.1)
    (1300, 58)
    """
    scale = 10 ** max(len(str(int(number))) - 2, 0)
    return int(math.ceil(number / scale) * scale)
