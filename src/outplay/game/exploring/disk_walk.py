"""Exploring a model program with its states and transitions on disk, batch by batch of a layer.

Numbers of states, transitions and limits are those of exploring in memory (breadth_first.py); only what is remembered
of the model's values and methods stays in memory.
"""

from __future__ import annotations

import time
from array import array
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.state_index import Numbers, StateIndex
from outplay.model.programs.batches import Batch, BatchStepper, pack_states
from outplay.model.programs.budget import OverBudget
from outplay.model.programs.guard import Guard
from outplay.model.programs.stepping import Stepper
from outplay.plurals import counted

BATCH = 1 << 13  # states


@dataclass
class DiskWalk:
    """A breadth-first search: transitions on disk in the order of their source."""

    folder: Path
    index: StateIndex
    known: int = 1
    expanded: int = 0
    edges: int = 0
    stopped: str | None = None
    culprit: str = ""
    goals: dict[str, Any] = field(default_factory=dict)
    """The states where each goal holds, of those that were expanded."""

    def column(self, name: str) -> Numbers:
        """The degrees of expanded states, or the labels or targets of transitions."""
        count = self.expanded if name == "degrees" else self.edges
        if not count:
            return np.zeros(0, dtype=np.uint32)
        return np.asarray(np.memmap(self.folder / f"{name}.u32", dtype="<u4", mode="r", shape=(count,)))


def walk_on_disk(stepper: Stepper, folder: Path, limits: Limits, progress: Progress | None) -> DiskWalk:
    """Explore a model program on disk until there are no more states or a limit is met."""
    index = StateIndex(folder, len(stepper.tables) + 1)
    index.numbers(pack_states(stepper, stepper.states[:1]))
    walk = DiskWalk(folder, index, goals={name: array("I") for name in stepper.program.goals})
    search = _Search(stepper, walk, limits)
    try:
        with Guard(limits.budget) as guard:
            guard.begin(limits.budget)
            search.run(guard, progress)
            guard.finish()
    finally:
        search.close()
    return walk


class _Search:
    def __init__(self, stepper: Stepper, walk: DiskWalk, limits: Limits) -> None:
        self._batches, self._walk, self._limits = BatchStepper(stepper), walk, limits
        self._columns = {name: (walk.folder / f"{name}.u32").open("wb") for name in ("degrees", "labels", "targets")}
        self._names = list(stepper.program.goals)

    def run(self, guard: Guard, progress: Progress | None) -> None:
        walk, limits = self._walk, self._limits
        deadline, depth, layer_end = time.monotonic() + limits.seconds, 0, 1
        while walk.expanded < walk.known and walk.stopped is None:
            if walk.expanded == layer_end:
                depth, layer_end = depth + 1, walk.known
                if depth == limits.depth:
                    walk.stopped = f"stopped at depth {depth}: raise --max-depth to go on"
                    return
            guard.measure()
            if progress:
                progress(walk.expanded, walk.known)
            if time.monotonic() > deadline:
                walk.stopped = f"stopped after {limits.seconds:g} s: raise --max-seconds to go on"
            elif guard.full:
                walk.stopped = f"stopped at {limits.memory:,} MB of memory: raise --max-memory to go on"
            else:
                self._expand(min(walk.expanded + BATCH, layer_end))

    def _expand(self, end: int) -> None:
        walk = self._walk
        try:
            batch = self._batches.expand(walk.index.rows(walk.expanded, end).tolist())
            if not len(batch.degrees):
                self._batches.raise_first()
        except OverBudget as stop:
            walk.stopped, walk.culprit = f"stopped at {stop.bound}: raise {stop.option} to go on", stop.doing
            return
        own = np.arange(walk.expanded, end, dtype=np.uint32)
        targets = np.concatenate([own, walk.index.numbers(batch.rows)])[batch.targets]
        self._take(batch, self._within(batch, targets), targets)

    def _within(self, batch: Batch, targets: Numbers) -> int:
        """The number of states of a batch that are expanded before a limit on states or edges is met."""
        walk, limits = self._walk, self._limits
        ends = np.cumsum(batch.degrees, dtype=np.int64)
        most = np.maximum.accumulate(np.append(np.int64(walk.known - 1), targets.astype(np.int64)))
        known = most[ends] + 1
        over = np.flatnonzero((known > limits.states) | (walk.edges + ends > limits.edges))
        if not len(over):
            return len(ends)
        first = int(over[0])
        before = int(known[first - 1]) if first else walk.known
        edges = walk.edges + (int(ends[first - 1]) if first else 0)
        if known[first] > limits.states:
            walk.stopped = f"stopped at {counted(before, 'state')}: raise --max-states to go on"
        else:
            walk.stopped = f"stopped at {counted(edges, 'edge')}: raise --max-edges to go on"
        return first

    def _take(self, batch: Batch, states: int, targets: Numbers) -> None:
        walk = self._walk
        edges = int(batch.degrees[:states].sum())
        for name, part in (("degrees", batch.degrees[:states]), ("labels", batch.labels[:edges])):
            self._columns[name].write(part.astype("<u4").tobytes())
        self._columns["targets"].write(targets[:edges].astype("<u4").tobytes())
        for place, goal in batch.goals.tolist():
            if place < states:
                walk.goals[self._names[goal]].append(walk.expanded + place)
        walk.known = max(walk.known, int(targets[:edges].max(initial=0)) + 1)
        walk.expanded, walk.edges = walk.expanded + states, walk.edges + edges

    def close(self) -> None:
        with ExitStack() as closing:  # all of them, whatever one raises on a full disk
            for file in self._columns.values():
                closing.callback(file.close)
            for table in self._walk.index.tables():
                closing.callback(table.close)
