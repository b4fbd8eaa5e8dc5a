"""Making a suite: the model that a job names, and a method by name; and again, by what a suite says of itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.suites.suite_json import read_suite_head
from outplay.game.exploring.breadth_first import Progress
from outplay.runs.job import FIELDS, Job, read_kept_job
from outplay.runs.preparing.configured_code import with_remembered_model
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.python_run import live_model, model_name
from outplay.suite.methods import method_named
from outplay.suite.suite import Suite, TestCase

_SHARED = frozenset(FIELDS) - {"until"}  # fields that methods take; `until` of a method is another than that of a run


def make_suite(model: Any, method: str, *, progress: Progress | None = None, **options: Any) -> Suite:
    """Make a suite for a model: one that is alive, or named by a path or by a job that says more.

    The suite keeps all that was asked.

    An option is one of the method (suite/methods.py), or a field of the job that the method takes.
    `progress` is told how exploring goes; the tests themselves are made as they are asked for.
    """
    chosen, asked = method_named(method), model if isinstance(model, Job) else Job(model_name(model))
    shared = {name: options.pop(name) for name in tuple(options) if name in _SHARED}
    asked = replace(asked, **shared)
    taken = {name: getattr(asked, name) for name in chosen.options if name in _SHARED}
    taken = {name: value for name, value in taken.items() if value is not None}
    loaded = load_model(asked) if isinstance(model, Job | str) else live_model(model, asked)
    made = chosen.make(loaded, progress=progress, **{**shared, **taken}, **options)
    kept = {**Job(goal=asked.goal, **taken).json(), **options}
    return replace(made, model=asked.model, method=method, options=kept, job=asked.reading().json())


def remake_suite(path: str | Path, *, trust: bool = False, progress: Progress | None = None) -> Suite:
    """Make the suite of a file again, by what the file says of how it was made.

    A model program that only the file names is run where the user ran it before with the same content, or with `trust`.
    """
    kept = read_suite_head(path)
    if not kept.method:
        raise FormatError(f'{path}: it does not say by which method it was made; write "method": "…"')
    shared = {name: value for name, value in kept.options.items() if name in _SHARED}
    own = {name: value for name, value in kept.options.items() if name not in _SHARED}
    job = replace(read_kept_job({**kept.job, **shared}, str(path)), model=kept.model)
    if not trust:
        job = with_remembered_model(job, path, "trust=True")
    return make_suite(job, kept.method, progress=progress, **own)


class Counted:
    """The tests of a suite as they pass by: how many there were, and how many labels they have at most in all."""

    def __init__(self, suite: Suite, progress: Progress | None = None) -> None:
        self._suite, self._progress = suite, progress
        self.tests = self.labels = 0

    def known(self) -> None:
        """Count, by what the suite knows of itself, else by going through it."""
        if self._suite.size is not None and self._suite.labels is not None:
            self.tests, self.labels = self._suite.size, self._suite.labels
        elif self._suite.measure is not None:
            self.tests, self.labels = self._suite.measure()
        else:
            deque(self, maxlen=0)

    def __iter__(self) -> Iterator[TestCase]:
        self.tests = self.labels = 0
        for test in self._suite.tests:
            self.tests += 1
            self.labels += test.depth
            if self._progress:
                self._progress(self.tests, self.labels)
            yield test
