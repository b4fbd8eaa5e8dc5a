"""Experiments as obligations of a suite: those that go on alike are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from outplay.conformance.telling_apart.experiment import Experiment
from outplay.model.label import Label
from outplay.suite.complete.suite_tree import Obligation


@dataclass(frozen=True, eq=False)
class Probe:
    """An experiment, or a part of it, that is to be made; labels are numbers."""

    watches: bool
    after: Mapping[int, tuple[Probe, ...]] = field(default_factory=dict)

    def moves(self) -> Mapping[int, tuple[Probe, ...]]:
        """What is left of the experiment after each label that does not end it."""
        return self.after

    @cached_property
    def depth(self) -> int:
        """The most labels it takes."""
        return 1 + max((probe.depth for several in self.after.values() for probe in several), default=0)

    def within(self, other: Obligation) -> bool:
        """Waiting once is part of whatever waits."""
        also_once = isinstance(other, Probe) and not other.after
        return self.watches and not self.after and other.watches and not also_once


class Probes:
    """The probes of experiments, each made once."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._of: dict[
            int, tuple[Experiment, Probe | None]
        ] = {}  # the experiment is kept, so that its id stays its own
        self._known: dict[tuple[bool, frozenset[tuple[int, int]]], Probe] = {}

    def of(self, experiment: Experiment) -> tuple[Probe, ...]:
        """The probe of an experiment; none where it is over."""
        if id(experiment) not in self._of:
            for part in reversed(list(experiment.parts())):
                if id(part) not in self._of:
                    self._of[id(part)] = (part, self._make(part))
        probe = self._of[id(experiment)][1]
        return () if probe is None else (probe,)

    def _make(self, part: Experiment) -> Probe | None:
        following = {self._numbers[label]: self._of[id(after)][1] for label, after in part.moves.items()}
        after = {label: (probe,) for label, probe in following.items() if probe is not None}
        watches = bool(part.moves) and part.given is None
        if not watches and not after:
            return None
        key = (watches, frozenset((label, id(one)) for label, (one,) in after.items()))
        return self._known.setdefault(key, Probe(watches, after))
