"""JUnit XML, as Jenkins, GitLab, Azure and most other CI servers read it.

A test that was Inconclusive is a failure of the type `inconclusive`, since nothing but failures and errors stops a
build; an Error is an error; failures that the baseline knows are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from outplay.formats.common.writing import write_whole
from outplay.pages.page_frame import safe
from outplay.runs.reporting.run_report import KNOWN, ReportedTest, RunReport

_ELEMENTS = {"fail": "failure", "inconclusive": "failure", "error": "error"}


def write_junit(path: Path, report: RunReport) -> None:
    """Write the report of a run to a JUnit XML file, and make the folders it lies in."""
    write_whole(path, [f"{line}\n" for line in _document(report)], folders=True)


def _document(report: RunReport) -> Iterator[str]:
    counts = {
        "tests": len(report.tests),
        "failures": report.count("fail", "inconclusive"),
        "errors": report.count("error"),
        "skipped": report.count(KNOWN),
        "time": f"{report.ended - report.started:.3f}",
    }
    stamp = datetime.fromtimestamp(report.started, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(name='outplay', **counts)}>"
    yield f"<testsuite{_attributes(name=report.suite, **counts, timestamp=stamp)}>"
    yield "<properties>"
    for name, value in report.properties.items():
        yield f"<property{_attributes(name=f'outplay.{name}', value=value)}/>"
    yield "</properties>"
    for test in report.tests:
        yield from _testcase(report, test)
    yield "</testsuite>"
    yield "</testsuites>"


def _testcase(report: RunReport, test: ReportedTest) -> Iterator[str]:
    yield f"<testcase{_attributes(name=test.name, classname=report.suite, time=f'{test.seconds:.3f}')}>"
    if test.status == KNOWN:
        yield f"<skipped{_attributes(message=f'known failure: {test.why}')}/>"
    elif element := _ELEMENTS.get(test.status):
        told = "\n".join(map(safe, test.lines)) or safe(test.why)
        yield f"<{element}{_attributes(message=test.why, type=test.status)}>{told}</{element}>"
    if test.errors:
        yield f"<system-err>{safe(test.errors)}</system-err>"
    yield "</testcase>"


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{safe(str(value))}"' for name, value in values.items())
