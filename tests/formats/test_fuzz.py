"""No bytes bring a reader down: mutated files either load or are refused in one line, soon and without much memory.

What loads must also be written again: equal when read, or refused in one line where the format cannot hold it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from helpers.mutated_files import SAMPLES, mutated
from outplay import Suite, Trace
from outplay.errors import FormatError
from outplay.formats.common.writing import write_whole
from outplay.formats.registry import read_model, write_model
from outplay.formats.suites.suite_json import dump_suite, read_suite
from outplay.formats.trace_jsonl import read_trace, write_trace
from outplay.runs.job import Job, read_job, recorded_job, suite_job

MANY = int(os.environ.get("OUTPLAY_FILES", 1_000_000))  # files read by `make test-long`
BLOCKS = 20
SOONEST = 20.0  # seconds for one file of a few hundred bytes: only a hang takes so long
MOST_MEMORY = 1 << 30  # bytes more than before; a million states, which a short header may ask for, take a third of it


def check(path, read):
    """Read one file as it lies there; return what became of it."""
    try:
        model = read(path, name="m")
    except FormatError as refused:
        # Line breaks inside a name would make two lines of one.
        assert "\n" not in str(refused)  # noqa: PT017
        assert str(refused).startswith(f"{path.parent / path.stem}.")  # noqa: PT017
        return "refused"
    again = path.with_name(f"again{path.suffix}")
    for old in path.parent.glob("again.*"):
        old.unlink()
    return "loaded" if len(getattr(model, "names", ())) > 10_000 else _written(again, model, read)


def _written(again, model, read):
    try:
        write(again, model)
    except FormatError as refused:
        assert "\n" not in str(refused)  # noqa: PT017
        return "loaded, not written"
    if isinstance(model, Trace):  # times are written in microseconds
        model = read(again, name="m")
        write(again, model)
    assert plain(read(again, name="m")) == plain(model)
    return "loaded and written"


def plain(model):
    """What was read as something that can be compared: a suite is read anew each time it is asked for its tests."""
    return replace(model, tests=tuple(model.tests)) if isinstance(model, Suite) else model


def write(path, model):
    """Write what was read; a job is written by whoever keeps it."""
    if isinstance(model, Trace):
        write_trace(path, model)
    elif isinstance(model, Suite):
        write_whole(path, dump_suite(model))
    elif isinstance(model, Job):
        write_whole(path, [json.dumps({"format": "outplay-job/1", "job": model.json()})])
    else:
        write_model(path, model)


def read_any(path, **options):
    """Read a file as the commands do."""
    if path.suffix == ".jsonl":
        trace = read_trace(path)
        recorded_job(trace.header, f"{path}")
        return trace
    if path.suffix == ".suite":
        suite = read_suite(path)
        suite_job(str(path))
        return suite
    return read_job(path) if path.suffix == ".job" else read_model(path, **options)


def fuzz(folder, first, count, read=read_any):
    """Try mutated files; return how many came to what."""
    rng = Random(first)
    others = [text.encode() for texts in SAMPLES.values() for text in texts]
    outcomes = Counter()
    before = memory()
    for number in range(first, first + count):
        ending = rng.choice(list(SAMPLES))
        data = mutated(rng, rng.choice(SAMPLES[ending]).encode(), others)
        path = folder / f"m.{ending}"
        path.write_bytes(data)
        if ending in ("tra", "lab", "sta"):
            path = folder / "m.tra"
            for other in {"tra", "lab", "sta"} - {ending}:
                (folder / f"m.{other}").write_text(SAMPLES[other][0])
        start = time.perf_counter()
        try:
            outcome = check(path, read)
        except Exception as error:
            raise AssertionError(f"case {number}, {path.suffix}: {type(error).__name__} for {data[:2000]!r}") from error
        assert time.perf_counter() - start < SOONEST, f"case {number}, {path.suffix}: hangs at {data[:2000]!r}"
        outcomes[ending, outcome] += 1
    assert memory() - before < MOST_MEMORY
    return outcomes


def memory():
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch):
    """Files that are looked at once and thrown away need not survive a power cut."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.mark.parametrize("ending", SAMPLES)
def test_the_samples_themselves_load(ending, tmp_path):
    if ending in ("lab", "sta"):
        pytest.skip("read with .tra")
    for text in SAMPLES[ending]:
        (tmp_path / f"m.{ending}").write_text(text)
        assert check(tmp_path / f"m.{ending}", read_any) in ("loaded and written", "loaded, not written")


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_mutated_files_load_or_are_refused(first, tmp_path):
    outcomes = fuzz(tmp_path, first, 500)
    for ending in SAMPLES:
        assert outcomes[ending, "refused"] > 5, "mutants that never break anything test nothing"
    assert sum(count for (_, what), count in outcomes.items() if what != "refused") > 20


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_million_mutated_files_load_or_are_refused(block, tmp_path, no_waiting_for_the_disk):
    size = MANY // BLOCKS
    assert sum(fuzz(tmp_path, 10_000 + block * size, size).values()) == size


def test_a_reader_that_stumbles_over_one_byte_is_found(tmp_path):
    def read(path, **options):
        if b"%" in Path(path).read_bytes():
            raise ValueError("a planted mistake")
        return read_any(path, **options)

    with pytest.raises(AssertionError, match="ValueError for"):
        fuzz(tmp_path, 0, 2_000, read)


def test_a_writer_that_forgets_something_is_found(tmp_path, monkeypatch):
    before = write

    def forgetful(path, model):
        before(path, model)
        path.write_text(path.read_text().replace("!x", "!y"))

    monkeypatch.setitem(check.__globals__, "write", forgetful)
    with pytest.raises(AssertionError, match="AssertionError for"):
        fuzz(tmp_path, 0, 2_000)
