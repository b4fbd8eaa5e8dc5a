"""The memory of a run stays flat however long it and its plays are, and a play that fails late is kept whole."""

from __future__ import annotations

import errno
import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from outplay import Simulated, automaton, judge, run
from outplay.model.label import Label
from outplay.play.following import Step
from outplay.play.trace import Event
from outplay.runs import kept_plays
from outplay.runs.events import Observer, RunEvent
from outplay.runs.kept_plays import KeptEvents

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!dim", "off")], name="lamp")
FLAT = 20  # bytes a label: what is kept is a number here and there


class Failing(Simulated):
    """Says something wrong after so many outputs."""

    left = 10**9

    def observe(self, timeout: float) -> Event:
        event = super().observe(timeout)
        self.left -= event.kind == "output"
        return event if self.left else Event("output", Label.parse("!smoke"), seen=event.seen)


def events(count: int) -> Iterator[Event]:
    for n in range(1, count + 1):
        yield Event("input", Label.parse(f'?say "\u00e9 {n}"'), given=n / 8, taken=n / 4, play=1, n=n)


@pytest.mark.parametrize("count", [1, 9, 10, 11, 14, 15, 16, 40, 43])
def test_a_long_play_that_failed_is_kept_whole_and_of_others_the_beginning(monkeypatch, count):
    monkeypatch.setattr(kept_plays, "LONG", 10)
    monkeypatch.setattr(kept_plays, "_PIECE", 5)
    for failing in (False, True):
        kept = KeptEvents()
        kept.begin()
        for event in events(count):
            kept.append(event)
        if failing:
            kept.failed(counts=True)
        assert kept.all == tuple(events(count))[: None if failing else 10]
        kept.close()


def test_where_the_file_is_full_the_play_stays_in_memory(monkeypatch):
    class Full:
        """Takes half a piece, and then no more."""

        def __init__(self, **how: Any) -> None:
            self.text = b""

        def tell(self) -> int:
            return len(self.text)

        def write(self, text: bytes) -> int:
            if len(self.text) > 1000:
                raise OSError(errno.ENOSPC, "full")
            self.text += bytes(text[:700])
            return len(text[:700])

        def truncate(self, end: int) -> int:
            self.text = self.text[:end]
            return end

        def seek(self, end: int) -> None:
            assert end in (0, len(self.text))

        def read(self) -> bytes:
            return self.text

        def close(self) -> None:
            pass

    monkeypatch.setattr(kept_plays, "LONG", 10)
    monkeypatch.setattr(kept_plays, "_PIECE", 5)
    monkeypatch.setattr(kept_plays, "TemporaryFile", Full)
    kept = KeptEvents()
    for event in events(43):
        kept.append(event)
    kept.failed(counts=True)
    assert kept.all == tuple(events(43))


def test_a_play_that_fails_after_very_many_labels_is_told_whole(monkeypatch):
    monkeypatch.setattr(kept_plays, "LONG", 100)
    monkeypatch.setattr(kept_plays, "_PIECE", 10)
    system = Failing(LAMP, Random(3))
    system.left = 400
    outcome = run(LAMP, system, plays=3, steps=2_000, seed=1, tester="walk", shrink=0)
    failure = outcome.failure()
    assert (outcome.verdict.name, str(failure.events[-1])) == ("fail", "!smoke")
    assert [event.n for event in failure.events] == [*range(1, len(failure.events) + 1)]
    assert sum(event.kind == "output" for event in failure.events) == 400
    assert judge(LAMP, failure) == outcome.verdict


class Weighed(Observer):
    """Weighs what is in memory after so many labels, and after so many more."""

    def __init__(self, few: int, many: int) -> None:
        self.labels, self.at, self.sizes = 0, (few, many), list[int]()

    def observe(self, event: RunEvent) -> None:
        self.labels += isinstance(event, Step) and event.label is not None
        if isinstance(event, Step) and self.labels in self.at:
            gc.collect()
            self.sizes.append(tracemalloc.get_traced_memory()[0])

    @property
    def slope(self) -> float:
        """How many bytes more there are for each label."""
        assert len(self.sizes) == 2
        return (self.sizes[1] - self.sizes[0]) / (self.at[1] - self.at[0])


@pytest.mark.promise("B11")
@pytest.mark.parametrize("steps", [50, 1_000_000])
def test_memory_does_not_grow_with_labels(monkeypatch, steps):
    monkeypatch.setattr(kept_plays, "LONG", 1_000)
    monkeypatch.setattr(kept_plays, "MOST_EVENTS", 500)
    monkeypatch.setattr("outplay.verdict.judge.MOST_DESCRIBED", 100)
    monkeypatch.setattr("outplay.runs.failing.stray_outputs.MOST_STEPS", 100)
    weighed = Weighed(2_000, 5_000)
    tracemalloc.start()
    try:
        run(LAMP, Simulated(LAMP, Random(1)), labels=5_100, steps=steps, tester="walk", observers=[weighed])
    finally:
        tracemalloc.stop()
    assert weighed.slope < FLAT


MEASURED = """
import resource, sys
from random import Random
from outplay import Simulated, automaton
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run
open("lamp.aut", "w").write('des (0, 3, 2)\\n(0, "?press", 1)\\n(1, "!light", 0)\\n(1, "!dim", 0)\\n')
labels, steps, tester = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
run = stored_run(prepare(Job("lamp.aut", sut="model:lamp.aut", labels=labels, steps=steps, tester=tester)))
steps = 0
for event in run:
    if type(event).__name__ == "Step":
        steps += 1
        if steps in (labels // 5, labels):
            print(int([line for line in open("/proc/self/status") if line.startswith("VmRSS")][0].split()[1]) * 1024)
assert run.result.passed
"""


@pytest.mark.promise("B11")
@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc here")
@pytest.mark.parametrize(("tester", "labels"), [("walk", 1_000_000), ("", 200_000)])
@pytest.mark.parametrize("steps", [50, 1_000_000])
def test_a_run_of_very_many_labels_is_flat(tmp_path, tester, labels, steps):
    """With its trace, its store and all that it watches, as a process of its own; a minute or two of a processor."""
    command = [sys.executable, "-c", MEASURED, f"{labels}", f"{steps}", tester]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    assert (many - few) / (labels * 4 / 5) < FLAT
