"""What outplay promises, and a page that says how often each promise was tried and how often it was broken.

A test of a promise is marked `@pytest.mark.promise("B1", trials=4)`; one that counts its trials itself calls the
fixture `tried(60, broken=0)`. With `--promises PAGE` the run writes the page. Records travel with the reports of tests,
so those of several processes add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PROMISES = {
    "A1": "Every strategy has a certificate; a checker that shares no code with the solvers confirms it in fractions.",
    "A2": "Independent methods agree: the definition, linear programs, policy iteration and value iteration.",
    "A3": "Numbers come as intervals that hold the true value, as narrow as was asked for, or else they say so.",
    "A4": "A suite called n-complete is: of all implementations up to n states exactly those fail that do not conform.",
    "A5": "A failure of outplay's own is never a Pass, whichever hook of model, tester or system it comes from.",
    "A6": "Every Fail can be replayed; one that does not repeat is told with how often it does.",
    "A7": "The failing play shown is short: at most one and a half times the shortest, in 95 of 100 planted faults.",
    "A8": "A trace has one verdict: in every notation of a model, and by a judge written from the contract alone.",
    "B1": "A crash is told with its code or signal and is never silence; what was said before it is read first.",
    "B2": "A system that hangs, or is slow or late, gets silence where the model allows it and Fail where not.",
    "B3": "Where the tester itself stalls, a verdict that hangs on timing is Inconclusive.",
    "B4": "Garbage, half lines, floods and lines without an end are a Fail with their first bytes, in bounded memory.",
    "B5": "outplay killed at any point leaves whole files and no verdict lost, and, where it can, no process behind.",
    "B6": "A full disk, a place without rights and two runs at once are told, and nothing is lost silently.",
    "B7": "Setting the computer's time touches no deadline.",
    "B11": "A run takes no more memory the longer it lasts and the longer its plays are.",
    "C1": "Nothing runs and nobody is contacted that only a file names; code the user ran before may run again.",
    "C2": "No file of a run holds a secret that was given to the system, in whatever form the system says it.",
}
NOT_YET: dict[str, str] = {}
KEY = "promise"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--promises", metavar="PAGE", help="Write how often each promise was tried to this page.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "promise(name, trials=1): tries a promise of outplay so many times")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Page(config.getoption("--promises"), config.getoption("-m")), "promises page")


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Say how many trials of its promise a test has made, and in how many it was broken."""
    return lambda trials, broken=0: request.node.user_properties.append((KEY, (trials, broken)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Note in the report of a test what it is a trial of."""
    report = yield
    if report.when == "call" and not report.skipped:
        counted = [value for name, value in item.user_properties if name == KEY]
        for mark in item.iter_markers(KEY):
            trials, broken = counted[-1] if counted else (mark.kwargs.get("trials", 1) * _drawn(item), 0)
            found = (mark.args[0], trials, max(broken, int(report.failed)))
            report.user_properties = [*report.user_properties, ("tried", found)]
    return report


def _drawn(item: pytest.Item) -> int:
    """How many seeds a test tries (helpers/seeds.py)."""
    return (
        len(item.callspec.params.get("seeds", (0,)))
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else 1
    )


class Page:
    """Adds up what tests report, and writes it down at the end."""

    def __init__(self, path: str | None, chosen: str) -> None:
        self._path, self._chosen = Path(path).resolve() if path else None, chosen or "promise"
        self.tests: Counter[str] = Counter()
        self.trials: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for kind, value in report.user_properties if report.when == "call" else ():
            if kind == "tried":
                name, trials, broken = value
                self.tests[name] += 1
                self.trials[name] += trials
                self.broken[name] += broken

    def pytest_sessionfinish(self) -> None:
        if self._path:
            self._path.write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The page."""
        rows = [f"| {name} | {sentence} | {self._figures(name)} |" for name, sentence in PROMISES.items()]
        return HEAD.format(chosen=self._chosen) + "\n".join(rows) + "\n"

    def _figures(self, name: str) -> str:
        if not self.trials[name]:
            return f"0 | 0 | {NOT_YET.get(name, 'not tried in this run')}"
        return f"{self.tests[name]:,} | {self.trials[name]:,} | {self.broken[name]:,}"


HEAD = """# Promises

What you may rely on, and how often a run of the tests tried to break it. That run has written this page; it was one of
the tests that are `{chosen}`. `make promises` writes it anew, the batteries that take long included. Each promise has
its own sort of trial: a random game, a wrong system, a crash, a point at which outplay is killed.

| | promise | tests | trials | broken |
|---|---|---:|---:|---:|
"""
