"""Suites: test cases of one model, kept or made anew each time they are gone through, and what passing them means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from typing import Any

from outplay.showing import Renderable
from outplay.suite.testcase import TestCase


class Stream:
    """Test cases that are made anew each time they are gone through, so that nobody keeps them.

    >>> from outplay.suite.testcase import case_of
    >>> ends = Stream(lambda: (case_of([], initial="pass", name=f"{number}") for number in range(2)))
    >>> [case.name for case in ends], [case.name for case in ends]
    (['0', '1'], ['0', '1'])
    """

    def __init__(self, make: Callable[[], Iterator[TestCase]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[TestCase]:
        return self._make()


@dataclass(frozen=True)
class Suite:
    """Test cases of one model, the method that made them, and what passing them means.

    >>> from outplay.suite.testcase import case_of
    >>> lamp = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    >>> Suite(tests=(lamp,)).size, Suite(tests=Stream(lambda: iter([lamp]))).size
    (1, None)
    """

    model: str = ""
    method: str = ""
    tests: Iterable[TestCase] = ()
    """One after the other, from the first each time they are gone through; a `Stream` where there may be many."""
    job: dict[str, Any] = field(default_factory=dict)
    """The way in which the model was read, as the JSON form of a job (runs/job.py)."""
    options: dict[str, Any] = field(default_factory=dict)
    """The options of the method, goals among them, as JSON; with the job they are enough to make the suite again."""
    guarantee: str = ""
    """The guarantee for a system that passes all tests, in words."""
    fair: bool = False
    """Whether the guarantee needs every branch of every test to be seen, or concluded not to come: fair execution
    (runs/suite_runs/ledger.py). Otherwise a test is done when it came to its Pass end once."""
    count: int | None = None
    """The number of tests of a stream, where that is known before it has been gone through."""
    labels: int | None = None
    """The number of their labels at most in all, where that is known before."""
    measure: Callable[[], tuple[int, int]] | None = None
    """Both, found out without making a test, where that takes a while."""
    remarks: Renderable | None = None
    """The remarks of the method on the suite it made; some is known only once the tests have been made."""

    @property
    def size(self) -> int | None:
        """Return the number of tests, where that is known."""
        return len(self.tests) if isinstance(self.tests, Sized) else self.count

    def test(self, name: str) -> TestCase | None:
        """The first test case of a name."""
        return next((test for test in self.tests if test.name == name), None)
