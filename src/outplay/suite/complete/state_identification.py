"""The experiments that are made in a state: any two states of a block share one that tells them apart.

Definition (van den Bos 2020, 2.31): such identifiers are harmonized. There are three ways to find them, and none is
always best: the shortest experiment for each pair; few experiments, each used for as many pairs as it tells apart; and
one for all states together, with few further ones for the pairs it leaves (further_tests.py).

Experiments as obligations of a suite: those that go on alike are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import TypeAlias

from outplay.conformance.compatibility import Compatibility
from outplay.conformance.distinguishing.adaptive_graph import distinguishing
from outplay.conformance.distinguishing.experiment import Experiment, Identification
from outplay.conformance.distinguishing.further_tests import further_tests
from outplay.errors import ModelError
from outplay.grouping import grouped
from outplay.model.label import SILENCE, Label
from outplay.suite.complete.counting import Identify
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import Obligation


@dataclass(frozen=True, eq=False)
class Probe:
    """An experiment, or a part of it, that is to be made; labels are numbers."""

    watches: bool
    after: Mapping[int, tuple[Probe, ...]] = field(default_factory=dict)

    def moves(self) -> Mapping[int, tuple[Probe, ...]]:
        """Return the rest of the experiment after each label that does not end it."""
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


Blocks: TypeAlias = Sequence[Sequence[int]]
Pair: TypeAlias = tuple[int, int]
MOST_PAIRS = 50_000  # of states whose experiments are made one by one


def harmonized_identifiers(
    form: NormalForm, found: Compatibility, blocks: Blocks, *, resting: bool
) -> Iterator[Identify]:
    """Find harmonized identifiers of the states of each block in several ways; `resting`: in silent states."""
    probes = Probes(form.table.labels)
    few = sum(len(block) * (len(block) - 1) // 2 for block in blocks) <= MOST_PAIRS
    if few:
        pairs = dict(_pairs(found, blocks, probes))
        yield _known(_shared(pairs))
        yield _known(_shared(_few(form, pairs)))
    with suppress(ModelError) if few else nullcontext():  # there may be too many sets of states to split
        yield _known(_one(form, probes, resting=resting))


def _known(of: dict[int, list[Probe]]) -> Identify:
    made = {state: tuple(dict.fromkeys(several)) for state, several in of.items()}
    return lambda state: made.get(state, ())


def _pairs(found: Compatibility, blocks: Blocks, probes: Probes) -> Iterator[tuple[Pair, Probe]]:
    graphs = Identification(found)
    for block in blocks:
        for one, other in combinations(block, 2):
            yield (one, other), probes.of(graphs.pair(one, other))[0]


def _shared(pairs: dict[Pair, Probe]) -> dict[int, list[Probe]]:
    return grouped((state, probe) for pair, probe in pairs.items() for state in pair)


def _few(form: NormalForm, pairs: dict[Pair, Probe]) -> dict[Pair, Probe]:
    """Always that experiment next which tells the most pairs apart that are left, for its length."""
    tells_apart = _telling(form)
    distinguished = {one: {pair for pair in pairs if tells_apart(one, *pair)} for one in dict.fromkeys(pairs.values())}
    uses: dict[Pair, Probe] = {}
    while len(uses) < len(pairs):
        best = max(distinguished, key=lambda one: len(distinguished[one]) / (one.depth + 1))
        uses |= dict.fromkeys(distinguished[best], best)
        distinguished = {one: left for one, several in distinguished.items() if (left := several - uses.keys())}
    return {pair: uses[pair] for pair in pairs}


def _telling(form: NormalForm) -> Callable[[Probe, int, int], bool]:
    """Says whether each trace of an experiment leaves at most one of two states, and both take its inputs."""
    rows, inputs = form.rows, form.table.inputs

    @cache
    def apart(probe: Probe, one: int, other: int) -> bool:
        if one == other:
            return False
        row, beside = rows[one], rows[other]
        shown = [label for label in row if label >= inputs and label in beside]
        return all(
            label in row
            and label in beside
            and label in probe.after
            and apart(probe.after[label][0], row[label], beside[label])
            for label in (shown if probe.watches else probe.after)
        )

    return apart


def _one(form: NormalForm, probes: Probes, *, resting: bool) -> dict[int, list[Probe]]:
    test = distinguishing(form.table)
    more = further_tests(test)
    found: dict[int, list[Probe]] = {}
    for state in range(len(form.rows)):
        experiments = (test.experiment, *(one.experiment for one in more if state in one.states))
        begun = (_past_silence(one) if resting else one for one in experiments)
        found[state] = [probe for one in begun for probe in probes.of(one)]
    return found


def _past_silence(experiment: Experiment) -> Experiment:
    """An experiment from where silence is certain."""
    while SILENCE in experiment.moves:
        experiment = experiment.moves[SILENCE]
    return experiment
