"""Where a verdict is asked for, the exit code is one that outplay has said itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.commands import PROGRAM, shell
from outplay.cli import guardian

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is a guardian on Linux only")

PLAY = ["run", "echo.py:Echo", "--sut", "python:subject.py:Subject", "--goal", "answered", "--plays", "1"]
PLAY += ["--silence", "60", "--settle", "0", "--latency", "0.1", "--shrink", "0"]
ENDINGS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]
WAYS = {
    "at once": ("ctypes.CDLL(None)._exit(0)", 4, "compiled code ended outplay with status 0"),
    "as if it had failed": ("ctypes.CDLL(None)._exit(1)", 4, "compiled code ended outplay with status 1"),
    "in a thread": (
        "threading.Thread(target=ctypes.CDLL(None)._exit, args=(0,)).start() or time.sleep(9)", 4, "with status 0"),
    "with a child that stays": ("os.fork() or time.sleep(1); ctypes.CDLL(None)._exit(0)", 4, "with status 0"),
    "by a fault": ("ctypes.string_at(0)", -signal.SIGSEGV, ""),
    "after the verdict": ("atexit.register(ctypes.CDLL(None)._exit, 0); self.emit('echo', '?')", 1, "not allowed here"),
    "not at all": ("self.emit('echo', word)", 0, "Pass"),
}  # fmt: skip


def subject(does: str) -> None:
    Path("subject.py").write_text(
        "import atexit, ctypes, os, threading, time\n"
        "class Subject:\n"
        "    def __init__(self, emit):\n"
        "        self.emit = emit\n"
        "    def say(self, word):\n"
        f"        {does}\n"
    )


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.mark.parametrize("how", [pytest.param(how, marks=[] if how == "at once" else pytest.mark.long) for how in WAYS])
def test_the_exit_code_is_the_one_that_was_said(model, how):
    does, code, told = WAYS[how]
    subject(does)
    done = shell(*PLAY)
    assert done.code == code, done
    assert told in done.out + done.err
    assert "Traceback" not in done.err


ENDS_IT = """
import ctypes
from outplay import Model, controllable

class Ends(Model):
    @controllable
    def say(self):
        ctypes.CDLL(None)._exit(0)
"""


@pytest.mark.parametrize(
    "command",
    ["run ends.py:Ends --sut exec:cat", "run ends.py:Ends --sut model:ends.py:Ends", "check ends.py:Ends ends.py:Ends"],
)
def test_a_model_that_ends_outplay_is_no_pass(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ends.py").write_text(ENDS_IT)
    done = shell(*command.split())
    assert done.code == 4, done
    assert "compiled code ended outplay with status 0" in done.err


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("number", "to_all"),
    [
        *(
            pytest.param(number, False, marks=[] if number == signal.SIGKILL else pytest.mark.long)
            for number in ENDINGS
        ),
        pytest.param(signal.SIGINT, True, marks=pytest.mark.long),
    ],
)
def test_a_signal_ends_both(model, number, to_all):
    subject("open('pid', 'w').write(f'{os.getpid()}\\n'); time.sleep(600)")
    with subprocess.Popen([*PROGRAM, *PLAY], stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        wait_for(lambda: Path("pid").exists() and Path("pid").read_text().endswith("\n"))
        inside = int(Path("pid").read_text())
        assert inside != running.pid
        (os.killpg if to_all else os.kill)(running.pid, number)
        _, err = running.communicate(timeout=60)
    assert running.returncode == (-number if number == signal.SIGKILL else 130)
    assert "Traceback" not in err
    wait_for(lambda: not lives(inside))


def test_it_is_there_where_a_verdict_is_asked_for(monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    here = [
        "run m.py --sut python:a.py:A",
        "run m.py --sut exec:./a",
        "replay t.jsonl",
        "judge m.py t.jsonl",
        "check m.py n.py",
    ]
    apart = ["explore m.py", "forecast m.py", "", "--version"]
    found = [guardian._called_for(words.split()) for words in [*here, *apart]]
    assert found == [True] * len(here) + [False] * len(apart)
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert not guardian._called_for(here[0].split())
