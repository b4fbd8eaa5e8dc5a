"""CTRF, the Common Test Report Format (version 0.0.0 of its schema, https://ctrf.io): one JSON file for a run.

A test that was Inconclusive is `other`, which is neither passed nor failed; `rawStatus` has our own word.
"""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from outplay.formats.common.writing import write_whole
from outplay.runs.reporting.run_report import KNOWN, ReportedTest, RunReport

SPECIFICATION = "0.0.0"
_STATUSES = {"pass": "passed", "fail": "failed", "error": "failed", "inconclusive": "other", KNOWN: "skipped"}
_COUNTED = ("passed", "failed", "skipped", "pending", "other")


def write_ctrf(path: Path, report: RunReport) -> None:
    """Write the report of a run to a CTRF file, and make the folders it lies in."""
    text = json.dumps(ctrf_json(report), ensure_ascii=False, indent=1)
    write_whole(path, [text.encode("utf-8", "backslashreplace").decode(), "\n"], folders=True)


def ctrf_json(report: RunReport) -> dict[str, Any]:
    """Return the report of a run as a CTRF document."""
    tests = [_test(report, test) for test in report.tests]
    counts = {status: sum(test["status"] == status for test in tests) for status in _COUNTED}
    times = {"start": _milliseconds(report.started), "stop": _milliseconds(report.ended)}
    result = report.result
    return {
        "reportFormat": "CTRF",
        "specVersion": SPECIFICATION,
        "reportId": str(uuid5(NAMESPACE_URL, f"outplay:{report.suite}:{report.started}")),
        "timestamp": datetime.fromtimestamp(report.ended, UTC).isoformat(timespec="seconds"),
        "generatedBy": "outplay",
        "results": {
            "tool": {"name": "outplay", **({"version": report.version} if report.version else {})},
            "summary": {
                "tests": len(tests),
                **counts,
                **times,
                "duration": times["stop"] - times["start"],
                "extra": {"inconclusive": report.count("inconclusive"), "known": report.count(KNOWN)},
            },
            "tests": tests,
            "environment": {
                "reportName": report.suite,
                "osPlatform": platform.system().lower(),
                "osRelease": platform.release(),
                "extra": {"python": platform.python_version()},
            },
            "extra": {
                **report.properties,
                **({"baseline": result.baseline.json()} if result.baseline else {}),
                **({"failures": [group.json() for group in result.failures]} if result.failures else {}),
            },
        },
    }


def _test(report: RunReport, test: ReportedTest) -> dict[str, Any]:
    failed = test.status not in ("pass",)
    files = report.result.files
    attached = {"trace": (files.failure or files.trace, "application/jsonl"), "report": (files.report, "text/html")}
    return {
        "name": test.name,
        "status": _STATUSES[test.status],
        "rawStatus": test.status,
        "duration": _milliseconds(test.seconds),
        "start": _milliseconds(test.started),
        "stop": _milliseconds(test.ended),
        "suite": [report.suite],
        **({"message": test.why} if failed else {}),
        **({"trace": "\n".join(test.lines)} if test.lines else {}),
        **({"stderr": test.errors.splitlines()} if test.errors else {}),
        **({"filePath": report.model_file} if report.model_file else {}),
        "parameters": {"system": report.header.sut, "seed": report.header.seed},
        "attachments": [
            {"name": name, "contentType": kind, "path": str(path)} for name, (path, kind) in attached.items() if path
        ],
        "extra": {"plays": test.plays},
    }


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
