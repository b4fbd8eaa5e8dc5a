"""What failed in earlier runs is played again before anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.commands import called

SPEC = """
from outplay import Model, controllable, given, observable

class Safe(Model):
    typed: tuple[int, ...] = ()
    tried: bool = False

    @controllable
    @given(digit=range(3))
    def type(self, digit):
        if self.tried or len(self.typed) == 3:
            return False
        self.typed += (digit,)
        self.tried = True

    @observable
    def click(self):
        if not self.tried:
            return False
        self.tried = False
"""
BUG = """
    @observable
    def open(self):
        if self.typed != (2, 0, 1):
            return False
"""


@pytest.fixture
def run(tmp_path: Path, modules_as_they_were: None, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "safe.py").write_text(SPEC)
    (tmp_path / "system.py").write_text(SPEC + BUG)

    def call(*arguments: str):
        told = "--tester", "walk", "--steps", "8", "--shrink", "0", "--json", *arguments
        return called(capsys, "run", "safe.py:Safe", "--sut", "model:system.py:Safe", *told)

    return call


def test_a_failure_of_an_earlier_run_is_the_first_that_is_played_again(run, tmp_path: Path):
    assert run("--plays", "3", "--seed", "7").json["verdict"] == "pass"
    first = run("--plays", "500")
    assert first.json["verdict"] == "fail"
    assert first.json["plays"] > 5
    again = run("--plays", "3", "--seed", "7", "--failed-first")
    assert again.code == 1
    assert again.json["plays"] <= 5
    assert "1 earlier failure played again first: 1 failed again" in again.err
    more = run("--plays", "3", "--seed", "7", "--failed-first", "--keep-going", "--jobs", "2")
    assert more.json["verdict"] == "fail"
    assert 3 < more.json["plays"] <= 8
    (tmp_path / "system.py").write_text(SPEC)
    mended = run("--plays", "3", "--seed", "7", "--failed-first")
    assert mended.json["verdict"] == "pass"
    assert mended.json["plays"] == 5 + 3
    assert "0 failed again, 1 did not in 5 tries" in mended.err


def test_without_the_option_or_a_store_a_run_is_as_always(run):
    first = run("--plays", "4", "--failed-first")
    assert first.json["plays"] == 4
    assert run("--plays", "4").json["steps"] == first.json["steps"]
