"""Calling the commands: in this process, or in one of its own as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from outplay.cli.main import run_command

PROGRAM = [sys.executable, "-P", "-c", "from outplay.cli.main import main; main()"]


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


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Result:
    """Call a command in this process."""
    capsys.readouterr()
    code = run_command([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return Result(code, captured.out, captured.err)


def shell(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    """Call a command in a process of its own."""
    command = [*PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})})
    return Result(done.returncode, done.stdout, done.stderr)
