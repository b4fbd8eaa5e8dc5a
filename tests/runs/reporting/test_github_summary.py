"""The summary for GitHub stays within its limits."""

from __future__ import annotations

from dataclasses import replace

from outplay import Simulated, automaton, run
from outplay.runs.monitors.failure_groups import FailureGroup
from outplay.runs.reporting.github_summary import MOST_ANNOTATIONS, MOST_BYTES, github_annotations, github_summary
from outplay.runs.reporting.run_report import ReportedTest, RunReport
from outplay.verdict.verdicts import Fail

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off")])
SMOKE = automaton([("off", "?press", "on"), ("on", "!smoke", "off")])


def failing(ways: int, tests: tuple[ReportedTest, ...] = ()) -> RunReport:
    result = run(LAMP, Simulated(SMOKE), plays=1, shrink=0)
    assert isinstance(result.verdict, Fail)
    groups = tuple(
        FailureGroup("output", f"g{number}", (), "not allowed here", number) for number in range(1, ways + 1)
    )
    return RunReport(result.trace.header, replace(result, failures=groups), tests, 0.0, 1.0)


def test_of_many_failures_ten_are_annotated_and_the_last_counts_the_others():
    assert len(github_annotations(failing(MOST_ANNOTATIONS))) == MOST_ANNOTATIONS
    told = github_annotations(failing(25))
    assert len(told) == MOST_ANNOTATIONS
    assert "16 more" in told[-1]


def test_a_long_summary_is_cut_between_its_parts():
    long = ReportedTest("t", "fail", "why", 0, 1, 1, ("x" * 2_000_000,))
    text = github_summary(failing(1, (long,)))
    assert len(text.encode()) < MOST_BYTES
    assert text.startswith("## ✗ Fail")
    assert "too long" in text
