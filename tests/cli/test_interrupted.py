"""Ctrl-C in a run: what had been found by then is told, a Fail stays a Fail, and the trace says that it was cut."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from helpers.commands import shell
from helpers.systems import program
from outplay.formats.trace_jsonl import read_trace

LAMP = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n'
SOURCE = """
import os, signal, sys
starts = os.path.getsize("starts") if os.path.exists("starts") else 0
open("starts", "a").write("x")
for line in sys.stdin:
    if starts == 2:
        os.kill(os.getppid(), signal.SIGINT)
        signal.pause()
    print("smoke" if starts == 0 and "--broken" in sys.argv else "light", flush=True)
"""


@pytest.fixture
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("lamp.aut").write_text(LAMP)
    return [
        "run",
        "lamp.aut",
        "--tester",
        "walk",
        "--keep-going",
        "--plays",
        "50",
        "--steps",
        "2",
        "--latency",
        "0.01",
        "--trace",
        "t.jsonl",
    ]


def sut(*options: str) -> list[str]:
    return ["--sut", f"exec:{shlex.join(program(SOURCE, *options))}"]


def test_a_fail_found_before_the_interruption_is_told_and_is_the_exit_code(lamp):
    done = shell(*lamp, *sut("--broken"))
    assert done.code == 1, done
    assert "✗ Fail in play 1" in done.out
    assert "2 plays, " in done.out
    assert "interrupted after 2 plays; the trace so far is in t.jsonl" in done.err


def test_without_a_fail_the_exit_code_says_interrupted_and_the_summary_what_was_played(lamp):
    done = shell(*lamp, *sut())
    assert done.code == 130, done
    assert "2 plays conformed" in done.out
    assert "interrupted after 2 plays" in done.err


def test_the_json_says_interrupted(lamp):
    done = shell(*lamp, *sut("--broken"), "--json")
    assert (done.code, done.json["verdict"], done.json["interrupted"], done.json["plays"]) == (1, "fail", True, 2)


def test_a_trace_that_was_cut_says_so_when_it_is_judged(lamp):
    shell(*lamp, *sut())
    assert read_trace(Path("t.jsonl")).cut
    judged = shell("judge", "lamp.aut", "t.jsonl")
    assert judged.code == 0
    assert "t.jsonl has no verdict at its end: the run was cut short" in judged.err


def test_a_trace_that_ended_says_nothing_of_the_kind(lamp):
    shell("run", "lamp.aut", "--sut", "model:lamp.aut", "--plays", "2", "--trace", "t.jsonl")
    assert not read_trace(Path("t.jsonl")).cut
    assert shell("judge", "lamp.aut", "t.jsonl").err == ""


def test_a_signal_that_meets_a_destructor_is_not_lost():
    """Python drops what is raised in a destructor, and would print a traceback."""
    Path("odd.py").write_text(
        "import os\n"
        "import signal\n"
        "from outplay import Model, controllable\n"
        "sent = []\n"
        "class Rude:\n"
        "    def __del__(self):\n"
        "        if not sent:\n"
        "            sent.append(os.kill(os.getpid(), signal.SIGINT))\n"
        "            sum(range(1_000))\n"
        "class Odd(Model):\n"
        "    n: int = 0\n"
        "    @controllable\n"
        "    def up(self):\n"
        "        Rude()\n"
        "        self.n = (self.n + 1) % 3\n"
    )
    done = shell("run", "odd.py", "--sut", "model:odd.py", "--plays", "100000")
    assert done.code == 130
    assert "Traceback" not in done.err
