"""Making a suite: the model that a job names, and a method by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import load_model
from outplay.campaign.preparing.trust import code_of
from outplay.game.exploring.breadth_first import Progress
from outplay.suite.methods import method_named
from outplay.suite.suite import Suite
from outplay.suite.testcase import TestCase


def make_suite(job: Job | str, method: str, *, progress: Progress | None = None, **options: Any) -> Suite:
    """Make a suite for a model, named by a path or by a job that says more, which the suite keeps.

    `progress` is told how exploring goes; the tests themselves are made as they are asked for.
    """
    asked = Job(job) if isinstance(job, str) else job
    made = method_named(method).make(load_model(asked), progress=progress, **options)
    reading = replace(asked.reading(), model_code=code_of(asked))
    return replace(made, model=asked.model, method=method, job=reading.json())


class Counted:
    """The tests of a suite as they pass by: how many there were, and how many labels they have at most in all."""

    def __init__(self, suite: Suite, progress: Progress | None = None) -> None:
        self._suite, self._progress = suite, progress
        self.tests = self.labels = 0

    def known(self) -> None:
        """Count, by what the suite knows of itself, else by going through it."""
        if self._suite.size is None or self._suite.labels is None:
            deque(self, maxlen=0)
        else:
            self.tests, self.labels = self._suite.size, self._suite.labels

    def __iter__(self) -> Iterator[TestCase]:
        self.tests = self.labels = 0
        for test in self._suite.tests:
            self.tests += 1
            self.labels += test.depth
            if self._progress:
                self._progress(self.tests, self.labels)
            yield test
