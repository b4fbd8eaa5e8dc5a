"""Whatever happens to the printing: no traceback, no forged line, and the exit code says the verdict."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from helpers.commands import PROGRAM, shell
from outplay.escaping import escaped

CODES = {"right": 0, "wrong": 1}
REDIRECTIONS = [
    ">/dev/full",
    ">&-",
    "2>&-",
    ">&- 2>&-",
    "<&- >&- 2>&-",
    ">/dev/full 2>/dev/full",
]
AS_TEXT = [(redirection, False) for redirection in REDIRECTIONS[2:]]
WRITTEN = [*product(REDIRECTIONS[:2], (False, True)), *AS_TEXT]
SIMPLE = ("--tester", "walk", "--shrink", "0")  # who plays, and for how long, is all the same to the printing


def in_shell(redirection: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Call a command with its streams redirected by a shell."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *PROGRAM, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize(
    ("mode", "redirection", "as_json"),
    [
        *(("wrong", *one) for one in WRITTEN),
        *(
            pytest.param("right", *one, marks=[pytest.mark.long] * (number % 3 > 0))
            for number, one in enumerate(WRITTEN)
        ),
    ],
)
def test_the_exit_code_of_a_run_is_the_verdict_whatever_happens_to_the_printing(
    model, system, mode, as_json, redirection
):
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("there is no full device here")
    command = ["run", model, "--sut", system(mode), "--ready", "ready", "--plays", "2", "--steps", "4"]
    as_usual = (mode, redirection) == ("wrong", REDIRECTIONS[0])
    done = in_shell(redirection, *command, *(["--json"] if as_json else []), *(() if as_usual else SIMPLE))
    assert done.returncode == CODES[mode], done
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    warnings = [line for line in done.stderr.splitlines() if "could not be written" in line]
    assert len(warnings) == (redirection in (">/dev/full", ">&-"))


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_a_result_that_nobody_got_is_no_success(model, redirection):
    done = in_shell(redirection, "solve", model, "--goal", "waiting")
    assert done.returncode == 4
    assert done.stderr.startswith("outplay: the output could not be written: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-16"])
def test_what_an_encoding_lacks_is_written_by_its_number(model, encoding):
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [*PROGRAM, "run", model, "--sut", f"model:{model}", "--plays", "1", *SIMPLE]
    done = subprocess.run(command, capture_output=True, env=env)
    assert done.returncode == 0
    assert done.stderr == b""
    said = done.stdout.decode(encoding)
    assert "✓ Pass" in said or "\\u2713 Pass" in said


def test_json_stays_json_in_an_encoding_that_lacks_its_letters(model):
    done = shell("solve", "jörg-🙂.py:X", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert "jörg-🙂" in json.loads(done.out)["error"]
    assert done.out.isascii()


@pytest.mark.parametrize("ending", ["GeneratorExit", "SystemExit(0)", "asyncio.CancelledError", "BaseException"])
@pytest.mark.parametrize("where", ["loading", "stepping"])
def test_a_model_that_wants_to_end_outplay_is_an_error_in_one_line(outplay, ending, where):
    call = shell if ending == "SystemExit(0)" else outplay
    Path("odd.py").write_text(
        "import asyncio\n"
        "from outplay import Model, controllable\n"
        + (f"raise {ending}\n" if where == "loading" else "")
        + "class Odd(Model):\n"
        "    n: int = 0\n"
        "    @controllable\n"
        "    def up(self):\n"
        f"        raise {ending}\n"
    )
    played = ["run", "odd.py", "--sut", "model:odd.py", "--plays", "1"]
    done = call(*(["explore", "odd.py"] if where == "loading" else played))
    assert done.code == 4, done
    assert "Traceback" not in done.err
    assert done.out == ""
    assert ending.partition("(")[0].rpartition(".")[2] in done.err or "sys.exit" in done.err


HOSTILE = "\x1b[2J\x1b[32m✓ Pass\x1b[0m\x07\x9b1A\u202egnorw\u2066\x7f\r"


def test_control_and_bidirectional_characters_of_others_are_escaped():
    shown = escaped(HOSTILE + "\n\t")
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == HOSTILE + "\n\t"


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("colour", [{}, {"FORCE_COLOR": "1"}])
def test_nothing_of_a_name_reaches_the_terminal_but_its_letters(outplay, monkeypatch, as_json, colour):
    for name, value in colour.items():
        monkeypatch.setenv(name, value)
    done = outplay("explore", f"{HOSTILE}.py:X", *(["--json"] if as_json else []))
    for stream in (done.out, done.err):
        ours = stream.replace("\x1b[31m", "").replace("\x1b[0m", "").replace("\n", "")
        assert ours.isprintable(), stream
    assert done.code == 4


def test_what_a_system_says_reaches_the_terminal_without_its_control_characters(model):
    Path("system.py").write_text(f"import sys\nfor line in sys.stdin: print({HOSTILE!r}.strip(), flush=True)")
    done = shell("run", model, "--sut", f"exec:{sys.executable} system.py", *SIMPLE)
    assert done.code == 1
    assert done.out.replace("\n", "").isprintable()
    assert done.err.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("command", "as_json"),
    [*product(["explore", "solve", "forecast", "inspect", "run", "suite"], [False]), ("explore", True), ("run", True)],
)
def test_names_in_a_file_cannot_forge_a_line(outplay, monkeypatch, as_json, command):
    evil = "s\n✓ Pass: 100 plays conformed\x1b[2K\u202e"
    game = {
        "format": "outplay-game/1",
        "initial": evil,
        "goals": {evil: ["t"], "easy": ["t"]},
        "vertices": [{"id": evil, "owner": "tester"}, {"id": "t", "owner": "tester"}],
        "edges": [{"source": evil, "target": "t", "label": "?a"}, {"source": "t", "target": evil, "label": "?b"}],
    }
    Path("game.json").write_text(json.dumps(game))
    more = {
        "solve": ["--goal", evil],
        "run": ["--goal", evil, "--sut", "model:game.json", "--plays", "1", "--steps", "3"],
        "suite": ["--method", "joker", "-o", "suite.json"],
    }.get(command, [])
    for colours in (False, True):
        if colours:
            monkeypatch.setenv("FORCE_COLOR", "1")
        done = outplay(command, "game.json", *more, *(["--json"] if as_json else []))
        assert "Traceback" not in done.err
        said = re.sub("\x1b\\[[0-9;]*m", "", done.out + done.err)
        assert "\n✓ Pass: 100" not in said
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_colours_are_as_the_user_wants_them(outplay, monkeypatch, model):
    command = ["run", model, "--sut", f"model:{model}", "--plays", "1"]
    assert "\x1b[" not in outplay(*command).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m" in outplay(*command).out
    assert "\x1b[31m" in outplay("explore", "nothing.py").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in outplay(*command).out


def test_on_a_terminal_there_are_colours_and_progress_and_nothing_of_it_is_escaped(model):
    ours, theirs = pty.openpty()
    command = [*PROGRAM, "run", model, "--sut", f"model:{model}", "--plays", "3", "--steps", "20", *SIMPLE]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as running:
        os.close(theirs)
        said = b""
        while True:
            try:
                said += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    assert running.returncode == 0
    assert b"\\u001b" not in said
    assert "✓ Pass".encode() in said


def test_a_thread_that_an_object_leaves_does_not_keep_outplay_from_ending(model):
    Path("subject.py").write_text(
        "import threading, time\n"
        "class Subject:\n"
        "    def __init__(self, emit):\n"
        "        self.emit = emit\n"
        "        threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "    def say(self, word):\n"
        "        self.emit('echo', word)\n"
    )
    command = [*PROGRAM, "run", model, "--sut", "python:subject.py:Subject", "--plays", "1", "--steps", "4", *SIMPLE]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 0


LEAVING = {
    "call": ("os._exit(0)", 1, "the system crashed: SystemExit: os._exit(0)"),
    "swallowed": ("exec('try:\\n os._exit(0)\\nexcept BaseException:\\n os._exit(1)')", 1, "SystemExit: os._exit(1)"),
    "another program": ("os.execl('/bin/true', 'true')", 1, "SystemExit: os.execv('/bin/true'"),
    "thread": (
        "threading.Thread(target=os._exit, args=(0,)).start() or time.sleep(9)", 4,
        "a thread of the object under test called os._exit(0), which ends outplay; add --isolated",
    ),
    "child": ("os.fork() or os._exit(7); os.wait(); self.emit('echo', word)", 0, ""),
}  # fmt: skip


@pytest.mark.parametrize("how", LEAVING)
def test_an_object_that_ends_the_process_never_makes_outplay_exit_with_0(model, how):
    does, code, told = LEAVING[how]
    Path("subject.py").write_text(
        "import os, threading, time\n"
        "class Subject:\n"
        "    def __init__(self, emit):\n"
        "        self.emit = emit\n"
        "    def say(self, word):\n"
        f"        {does}\n"
    )
    # Silence comes long after whatever the object does.
    done = shell(
        *("run", model, "--sut", "python:subject.py:Subject", "--goal", "answered", "--plays", "1", "--json"),
        *("--silence", "60", "--settle", "0", "--latency", "0.1", "--shrink", "0"),
    )
    assert done.code == code, done
    assert told in done.json.get("why", "") or told in done.json["error"]
    assert "Traceback" not in done.err


def test_a_model_that_ends_the_process_never_makes_outplay_exit_with_0():
    Path("odd.py").write_text(
        "import os\n"
        "from outplay import Model, controllable\n"
        "class Odd(Model):\n"
        "    @controllable\n"
        "    def go(self):\n"
        "        os._exit(0)\n"
    )
    for command in (["explore", "odd.py"], ["run", "odd.py", "--sut", "model:odd.py", "--plays", "1"]):
        done = shell(*command)
        assert (done.code, done.out) == (4, "")
        assert done.err == "outplay: the model called os._exit(0): a model must not end outplay\n"
