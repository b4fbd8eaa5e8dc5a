"""A suite keeps all that was asked for it: from its file alone the same bytes are made again, in any process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import outplay
from helpers.places import EXAMPLES
from outplay import Simulated, automaton, run
from outplay.errors import FormatError, UsageError
from outplay.formats.common.writing import write_whole
from outplay.formats.suites.suite_json import dump_suite, read_suite
from outplay.runs.job import Job
from outplay.runs.suite_runs.suite_making import make_suite, remake_suite

WORDS = """
from outplay import Model, controllable, given, goal, observable

class Words(Model):
    words = ("a", "b")
    said: str | None = None

    @controllable
    @given(word="words")
    def say(self, word):
        self.said = word

    @observable
    def answer(self):
        if self.said is None:
            return False
        self.said = None

    @goal
    def asked(self):
        return self.said is not None
"""
MACHINE = """digraph machine {
  s0 [label="s0"]; s1 [label="s1"]; __start0 [label="" shape="none"]; __start0 -> s0;
  s0 -> s1 [label="a/x"]; s1 -> s0 [label="a/y"]; s0 -> s0 [label="b/x"]; s1 -> s1 [label="b/x"];
}
"""
AGAIN = """
import sys
from outplay.runs.suite_runs.suite_making import remake_suite
from outplay.formats.suites.suite_json import dump_suite
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.writelines(dump_suite(remake_suite(sys.argv[1])))
"""
ASKED = {
    "joker, with goals and a depth": ("mp3.aut", "joker", {"goal": ("!song", "?quit"), "depth": 4}),
    "distinguish": ("mp3.aut", "distinguish", {}),
    "n-complete, by counting": ("mp3.aut", "n-complete", {"states": 5, "construction": "counting"}),
    "n-complete, of a machine": ("machine.dot", "n-complete", {"machine": True, "adaptive_access": True}),
    "tour, of pairs": ("machine.dot", "tour", {"strategy": "pairs", "time_limit": 30.0}),
    "edges": ("machine.dot", "edges", {"time_limit": 20.0}),
    "win, of a program with constants": ("words.py:Words", "win", {"set": ("words=('c', 'd')",), "goal": ("asked",)}),
}


@pytest.fixture(autouse=True)
def _models(modules_as_they_were):
    Path("words.py").write_text(WORDS)
    Path("machine.dot").write_text(MACHINE)
    Path("mp3.aut").write_text((EXAMPLES / "mp3" / "mp3.aut").read_text())


def written(model: str, method: str, told: dict) -> str:
    asked = {name: told[name] for name in ("set", "goal") if name in told}
    options = {name: value for name, value in told.items() if name not in asked}
    suite = make_suite(Job(model, **asked), method, **options)
    write_whole("tests.json", dump_suite(suite))
    return Path("tests.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("what", ASKED)
def test_from_the_file_alone_the_same_bytes_are_made_in_another_process(what):
    text = written(*ASKED[what])
    assert json.loads(text)["tests"]
    command = [sys.executable, "-c", AGAIN, "tests.json"]
    again = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": "4242"})
    assert again.stdout.decode() == text


def test_only_what_was_asked_is_kept():
    assert "options" not in json.loads(written("mp3.aut", "joker", {}))
    assert json.loads(written("mp3.aut", "joker", {"goal": ("!song",), "depth": 4}))["options"] == {
        "goal": ["!song"],
        "depth": 4,
    }
    assert read_suite("tests.json").options == {"goal": ["!song"], "depth": 4}
    assert json.loads(written("machine.dot", "tour", {"strategy": "transitions"})).get("options") is None


def test_a_job_may_say_more_than_a_method_takes():
    job = Job("mp3.aut", strategy="pairs", time_limit=3.0)
    assert make_suite(job, "joker").options == {}
    with pytest.raises(UsageError, match="--method joker takes no --strategy: leave it out"):
        make_suite(Job("mp3.aut"), "joker", strategy="pairs")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"depth": "4"}, UsageError, "--depth '4': it should be a whole number from 1"),
        ({"depth": True}, UsageError, "--depth True: it should be a whole number from 1"),
        ({"depth": 0}, UsageError, "--depth 0: it should be a whole number from 1"),
        ({"states": 4}, UsageError, "--method joker takes no --states"),
        ({"goal": 3}, FormatError, "tests.json: in its job, goal is 3"),
    ],
)
def test_what_a_file_says_wrongly_is_refused(options, error, message):
    made = json.loads(written("mp3.aut", "joker", {}))
    Path("tests.json").write_text(json.dumps({**made, "options": options}))
    with pytest.raises(error, match=message):
        remake_suite("tests.json")


def test_a_suite_without_a_method_cannot_be_made_again():
    made = json.loads(written("mp3.aut", "joker", {}))
    Path("tests.json").write_text(json.dumps({**made, "method": ""}))
    with pytest.raises(FormatError, match="does not say by which method"):
        remake_suite("tests.json")


def test_a_program_that_has_changed_is_not_run_unless_it_is_trusted():
    written("words.py:Words", "win", {"goal": ("asked",)})
    Path("words.py").write_text(f"{WORDS}\n# changed\n")
    with pytest.raises(UsageError, match="which is code and has changed since"):
        remake_suite("tests.json")
    assert remake_suite("tests.json", trust=True).method == "win"


def test_a_suite_for_a_model_that_is_alive_is_played_against_a_system():
    lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    suite = outplay.make_suite(lamp, method="n-complete", states=2)
    assert run(suite, Simulated(lamp), model=lamp).passed
    broken = automaton([("off", "?press", "on"), ("on", "!smoke", "off")])
    assert run(suite, Simulated(broken), model=lamp).verdict.name == "fail"
    assert outplay.check(lamp, lamp).conforms
    assert not outplay.check(lamp, broken).conforms
