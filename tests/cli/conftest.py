"""What the tests of the commands share: a way to call them, a model and systems to play it against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from outplay.cli.main import run_command

MODEL = '''
from outplay import Model, controllable, given, goal, observable


class Echo(Model):
    """Says back what it was told, and may cough before it does; knows when it has spoken."""

    words = ("a", "b")
    told: str = ""
    spoken: bool = False

    @controllable
    @given(word="words")
    def say(self, word):
        if self.told:
            return False
        self.told, self.spoken = word, False

    @observable
    @given(word="words")
    def echo(self, word):
        if word != self.told:
            return False
        self.told, self.spoken = "", True

    @observable(optional=True)
    def cough(self):
        return bool(self.told)

    @goal
    def answered(self):
        return self.spoken

    @goal
    def waiting(self):
        return bool(self.told)

    @goal
    def both(self):
        return bool(self.told) and self.spoken
'''

SYSTEM = """
import os
import sys

mode = sys.argv[1]
if mode == "family":
    import subprocess

    child = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open("pids", "a") as pids:
        print(os.getpid(), child.pid, file=pids, flush=True)
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()[1]
    if mode == "wrong":
        word = {"a": "b", "b": "a"}[word]
    if mode == "crash":
        sys.exit("out of ideas")
    if mode == "mute":
        continue
    print("echo", word, flush=True)
"""


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object that is all of standard output."""
        assert self.out.endswith("}\n")
        assert self.out.count("\n") == 1
        value = json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
        assert isinstance(value, dict)
        return value


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loading models adds folders to the path and modules to the list."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    for name in [each for each in sys.modules if each not in known and not each.startswith(("outplay.", "numpy"))]:
        del sys.modules[name]


@pytest.fixture
def outplay(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Call a command in this process."""

    def call(*arguments: str | Path) -> Result:
        capsys.readouterr()
        code = run_command([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


PROGRAM = [sys.executable, "-c", "from outplay.cli.main import main; main()"]


@pytest.fixture
def shell() -> Callable[..., Result]:
    """Call a command in a process of its own, as a user does."""

    def call(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **(env or {})}
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def model() -> str:
    """The name of the model, as a user would write it; the file stands in the current folder."""
    Path("echo.py").write_text(MODEL)
    return "echo.py:Echo"


@pytest.fixture
def system() -> Callable[[str], str]:
    """The name of a system under test that behaves in some way."""
    Path("system.py").write_text(SYSTEM)
    return lambda mode: f"exec:{sys.executable} system.py {mode}"
