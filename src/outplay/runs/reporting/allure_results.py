"""Results for Allure: a folder with one file for each test, its attachments, the environment and categories.

The failing play is the steps of its test. Allure follows a test over runs by its `historyId`, which depends on the
model, the system and the name of the test alone.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from outplay.errors import FormatError
from outplay.formats.common.writing import unwritten_file, write_whole
from outplay.play.trace import Trace
from outplay.runs.reporting.run_report import KNOWN, ReportedTest, RunReport
from outplay.verdict.verdicts import Fail

_STATUSES = {"pass": "passed", "fail": "failed", "inconclusive": "broken", "error": "broken", KNOWN: "skipped"}
_CATEGORIES = (
    {"name": "The system does what the model forbids", "matchedStatuses": ["failed"]},
    {"name": "Inconclusive", "matchedStatuses": ["broken"], "messageRegex": "(?s)inconclusive: .*"},
    {"name": "Errors of the test itself", "matchedStatuses": ["broken"], "messageRegex": "(?s)error: .*"},
    {"name": "Known failures", "matchedStatuses": ["skipped"], "messageRegex": "(?s)known failure: .*"},
)


def write_allure(folder: Path, report: RunReport) -> None:
    """Write the Allure results of a run into a folder, beside those of other runs."""
    for test in report.tests:
        result = _result(report, test)
        for attachment in result["attachments"]:
            write_whole(folder / attachment["source"], [_content(Path(attachment.pop("from")))], folders=True)
        _write(folder / f"{result['uuid']}-result.json", result)
    _write(folder / "categories.json", _CATEGORIES)
    facts = {"model": report.suite, "system": report.header.sut, "outplay": report.version}
    facts |= {"python": platform.python_version(), "os": f"{platform.system()} {platform.release()}"}
    lines = [f"{name}={_one_line(value)}\n" for name, value in facts.items() if value]
    write_whole(folder / "environment.properties", lines, folders=True)


def _result(report: RunReport, test: ReportedTest) -> dict[str, Any]:
    identity = f"{report.suite}#{test.name}"
    known = hashlib.md5(f"{identity}#{report.header.sut}".encode(), usedforsecurity=False).hexdigest()
    uuid = str(uuid5(NAMESPACE_URL, f"outplay:{identity}:{report.started}"))
    words = {"pass": "", KNOWN: "known failure: "}.get(test.status, f"{test.status}: ")
    return {
        "uuid": uuid,
        "historyId": known,
        "testCaseId": hashlib.md5(identity.encode(), usedforsecurity=False).hexdigest(),
        "fullName": identity,
        "name": test.name,
        "status": _STATUSES[test.status],
        "statusDetails": {
            "known": test.status == KNOWN,
            "muted": False,
            "flaky": False,
            **({} if test.status == "pass" else {"message": f"{words}{test.why}"}),
            **({"trace": "\n".join(test.lines)} if test.lines else {}),
        },
        "stage": "finished",
        "start": round(test.started * 1000),
        "stop": round(test.ended * 1000),
        "labels": [
            {"name": "suite", "value": report.suite},
            {"name": "framework", "value": "outplay"},
            {"name": "language", "value": "python"},
        ],
        "parameters": [
            {"name": "system", "value": report.header.sut},
            {"name": "seed", "value": str(report.header.seed), "excluded": True},
        ],
        "links": [],
        "steps": list(_steps(report, test)),
        "attachments": list(_attachments(report, uuid)),
    }


def _steps(report: RunReport, test: ReportedTest) -> Iterator[dict[str, Any]]:
    """The failing play, step by step, where the run shows that of this test."""
    failure, verdict = report.result.failure(), report.result.verdict
    if failure is None or not isinstance(verdict, Fail) or test.why != verdict.why:
        return
    began = test.started - _first_time(failure)
    for place, event in enumerate(failure.events, 1):
        wrong = place == len(failure.events)
        moment = round((began + event.time) * 1000)
        details = {"statusDetails": {"message": report.result.shown.why}} if wrong else {}
        status = {"status": "failed" if wrong else "passed", "stage": "finished"}
        yield {"name": str(event), **status, **details, "start": moment, "stop": moment, "steps": []}


def _first_time(failure: Trace) -> float:
    return failure.events[0].time if failure.events else 0.0


def _attachments(report: RunReport, uuid: str) -> Iterator[dict[str, Any]]:
    files = report.result.files
    if files.failure:
        source = f"{uuid}-trace-attachment.jsonl"
        yield {"name": "failing play", "source": source, "type": "application/jsonl", "from": str(files.failure)}
    if files.report:
        yield {"name": "report", "source": f"{uuid}-attachment.html", "type": "text/html", "from": str(files.report)}


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(unwritten_file(path, error)) from None


def _write(path: Path, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace").decode()
    write_whole(path, [text, "\n"], folders=True)


def _one_line(text: str) -> str:
    r"""The value of a property: a backslash begins an escape there.

    >>> _one_line("exec:a\\b\nc")
    'exec:a\\\\b c'
    """
    return " ".join(text.replace("\\", "\\\\").split())
