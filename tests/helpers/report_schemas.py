"""The public formats of test reports, as far as they can be checked: what must be there, what may, and of which type.

JUnit is the schema that Jenkins publishes (junit-10.xsd), with `testsuites` around it; CTRF is the schema of version
0.0.0; Allure is the page "Test result file" of its documentation.
"""

from __future__ import annotations

import re
import uuid
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_TEXT = {"name": str, "value": str}
_COUNTS = ("tests", "failures", "errors", "skipped")


def check_junit(text: str) -> ElementTree.Element:
    """Parse a JUnit document, and hold it against its schema; returns the root."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    _attributes(root, required=(), optional=("name", "time", *_COUNTS, "disabled"))
    for suite in root:
        assert suite.tag == "testsuite"
        _attributes(suite, required=("name",), optional=("time", "timestamp", *_COUNTS, "hostname", "id", "package"))
        datetime.strptime(suite.attrib["timestamp"], "%Y-%m-%dT%H:%M:%S")
        order = [child.tag for child in suite]
        assert order == sorted(order, key=["properties", "testcase", "system-out", "system-err"].index)
        for one in suite.findall("properties/property"):
            _attributes(one, required=("name", "value"), optional=())
        cases = suite.findall("testcase")
        for case in cases:
            _junit_case(case)
        wanted = {"tests": len(cases)} | {
            f"{kind}": sum(case.find(element) is not None for case in cases)
            for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        }
        assert {name: int(suite.attrib[name]) for name in wanted} == wanted
        assert all(int(root.attrib[name]) >= count for name, count in wanted.items())
    return root


def _junit_case(case: ElementTree.Element) -> None:
    _attributes(case, required=("name", "classname"), optional=("time", "status", "assertions"))
    assert _DECIMAL.fullmatch(case.attrib["time"])
    tags = [child.tag for child in case]
    assert {*tags} <= {"skipped", "error", "failure", "system-out", "system-err"}
    assert len([tag for tag in tags if tag in ("skipped", "error", "failure")]) <= 1
    for child in case:
        _attributes(
            child, required=(), optional=("message", "type") if child.tag in ("failure", "error") else ("message",)
        )


def _attributes(element: ElementTree.Element, *, required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    given = {*element.attrib}
    assert {*required} <= given <= {*required, *optional}, (element.tag, given)
    for name in given & {*_COUNTS}:
        assert element.attrib[name].isdigit()


_ATTACHMENT = ({"name": str, "contentType": str, "path": str}, {"extra": dict})
_STATUS = ("passed", "failed", "skipped", "pending", "other")
_CTRF = (
    {"reportFormat": str, "specVersion": str, "results": dict},
    {"reportId": str, "timestamp": str, "generatedBy": str, "extra": dict},
)
_RESULTS = ({"tool": dict, "summary": dict, "tests": list}, {"environment": dict, "extra": dict})
_SUMMARY = (
    {**dict.fromkeys(("tests", *_STATUS), int), "start": int, "stop": int},
    {"flaky": int, "suites": int, "duration": int, "extra": dict},
)
_CTRF_TEST = (
    {"name": str, "status": str, "duration": int},
    {
        **dict.fromkeys(("start", "stop", "line", "retries"), int),
        **dict.fromkeys(("message", "trace", "snippet", "rawStatus", "type", "filePath", "id"), str),
        **dict.fromkeys(("suite", "tags", "stdout", "stderr", "attachments", "steps"), list),
        "parameters": dict,
        "extra": dict,
        "flaky": bool,
    },
)
_ENVIRONMENT = {
    **dict.fromkeys(("reportName", "appName", "appVersion", "buildId", "buildName", "commit", "branchName"), str),
    **dict.fromkeys(("osPlatform", "osRelease", "osVersion", "testEnvironment"), str),
    "buildNumber": int,
    "healthy": bool,
    "extra": dict,
}


def check_ctrf(document: dict[str, Any]) -> dict[str, Any]:
    """Hold a document against the schema of CTRF; returns its results."""
    _fields(document, *_CTRF)
    assert document["reportFormat"] == "CTRF"
    assert re.fullmatch(r"\d+\.\d+\.\d+", document["specVersion"])
    uuid.UUID(document["reportId"])
    datetime.fromisoformat(document["timestamp"])
    results: dict[str, Any] = document["results"]
    _fields(results, *_RESULTS)
    _fields(results["tool"], {"name": str}, {"version": str, "extra": dict})
    _fields(results["summary"], *_SUMMARY)
    _fields(results["environment"], {}, _ENVIRONMENT)
    for test in results["tests"]:
        _fields(test, *_CTRF_TEST)
        assert test["name"]
        assert test["status"] in _STATUS
        assert test["duration"] >= 0
        assert test["start"] <= test["stop"]
        assert test["suite"]
        assert all(isinstance(line, str) for line in test.get("stderr", ()))
        for attachment in test.get("attachments", ()):
            _fields(attachment, *_ATTACHMENT)
    counts = {status: sum(test["status"] == status for test in results["tests"]) for status in _STATUS}
    assert {status: results["summary"][status] for status in _STATUS} == counts
    assert results["summary"]["tests"] == len(results["tests"])
    return results


_ALLURE_STATUS = ("failed", "broken", "passed", "skipped", "unknown")
_DETAILS = {"known": bool, "muted": bool, "flaky": bool, "message": str, "trace": str, "actual": str, "expected": str}
_EXECUTED = {"name": str, "status": str, "stage": str, "start": int, "stop": int, "steps": list}
_ALLURE = (
    {"uuid": str, **_EXECUTED},
    {
        "historyId": str,
        "testCaseId": str,
        "fullName": str,
        "description": str,
        "statusDetails": dict,
        **dict.fromkeys(("labels", "links", "parameters", "attachments", "titlePath"), list),
    },
)


def check_allure(name: str, result: dict[str, Any], files: set[str]) -> None:
    """Hold a test result against the documentation of Allure; `files` lie beside it."""
    _fields(result, *_ALLURE)
    assert name == f"{uuid.UUID(result['uuid'])}-result.json"
    for label in result["labels"]:
        _fields(label, _TEXT, {})
    for parameter in result["parameters"]:
        _fields(parameter, _TEXT, {"excluded": bool, "mode": str})
    for attachment in result["attachments"]:
        _fields(attachment, {"name": str, "source": str, "type": str}, {})
        assert attachment["source"] in files
    _allure_executed(result)
    for step in result["steps"]:
        _fields(step, _EXECUTED, {"statusDetails": dict, "parameters": list, "attachments": list})
        _allure_executed(step)


def _allure_executed(item: dict[str, Any]) -> None:
    assert item["status"] in _ALLURE_STATUS
    assert item["stage"] in ("scheduled", "running", "finished", "pending", "interrupted")
    assert item["start"] <= item["stop"]
    _fields(item.get("statusDetails", {}), {}, _DETAILS)


def _fields(entry: Any, required: dict[str, Any], optional: dict[str, Any]) -> None:
    assert isinstance(entry, dict)
    assert {*required} <= {*entry} <= {*required, *optional}, {*entry} ^ {*required}
    for name, value in entry.items():
        kind = {**required, **optional}[name]
        assert isinstance(value, kind), (name, value)
        assert not (kind is int and isinstance(value, bool)), name
