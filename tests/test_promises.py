"""Every promise is tried by a test, and the page about them is what a run of the tests writes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.places import ROOT
from helpers.promises import NOT_YET, PROMISES

TESTS = """
import pytest

@pytest.mark.promise("A1", trials=3)
@pytest.mark.parametrize("number", range(4))
def test_kept(number):
    pass

@pytest.mark.promise("A1", trials=10)
def test_broken():
    assert False

@pytest.mark.promise("B7")
def test_counted(tried):
    tried(60, broken=2)

@pytest.mark.promise("B1")
def test_left_out():
    pytest.skip("not here")
"""


def test_every_promise_is_tried_by_a_test():
    texts = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))
    tried = set(re.findall(r"promise\(\"([A-C]\d+)\"", texts)) | set(re.findall(r"\"([A-C]\d+)\": \(", texts))
    assert set(PROMISES) - tried == set(NOT_YET)


@pytest.mark.parametrize("processes", [[], ["-n", "2"]])
def test_the_page_adds_up_what_tests_report(tmp_path, processes):
    Path("test_some.py").write_text(TESTS)
    Path("conftest.py").write_text('pytest_plugins = ["helpers.promises"]\n')
    Path("pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT / 'tests'}\n")
    options = ["-q", "-p", "no:cacheprovider", "--promises", "page.md", *processes]
    subprocess.run([sys.executable, "-m", "pytest", *options], capture_output=True)
    rows = dict(re.findall(r"^\| (\w\d+) \|.*?\| ([-\w, |]+) \|$", Path("page.md").read_text(), re.MULTILINE))
    assert rows["A1"] == "5 | 22 | 1"
    assert rows["B7"] == "1 | 60 | 2"
    assert rows["B1"] == "0 | 0 | not tried in this run"
    assert set(rows) == set(PROMISES)


def test_the_page_in_the_documentation_tells_of_every_promise_and_of_none_that_was_broken():
    """Of short traces 5 of 100 may be long."""
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    for name, sentence in PROMISES.items():
        tests, trials, broken = re.search(rf"^\| {name} \| {re.escape(sentence)} \| (.*) \|$", page, re.M)[1].split(
            " | "
        )
        if name in NOT_YET:
            assert (trials, broken) == ("0", NOT_YET[name])
        else:
            number, slips = (int(text.replace(",", "")) for text in (trials, broken))
            assert int(tests.replace(",", "")) > 0
            assert slips <= (number * 0.05 if name == "A7" else 0)
