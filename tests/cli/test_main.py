"""The command line as a whole: help, what is loaded when, and how every kind of end looks."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import outplay as package
from helpers.commands import PROGRAM
from outplay.cli import main
from outplay.errors import (
    CertificateError,
    FormatError,
    GameError,
    ModelError,
    OutplayError,
    SystemUnready,
    UsageError,
    did_you_mean,
)

HEAVY = ("numpy", "scipy", "numba", "z3", "rich")


def test_help_lists_every_command_and_shows_examples_that_can_be_copied(outplay):
    result = outplay("--help")
    assert (result.code, result.err) == (0, "")
    for command, what in main.COMMANDS.items():
        assert f"  {command}" in result.out
        assert what in result.out
    examples = [line.strip() for line in result.out.splitlines() if line.strip().startswith("outplay ")]
    assert len(examples) >= 3
    assert "outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager" in examples


@pytest.mark.parametrize("command", main.COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_has_help_with_an_example_on_one_line(outplay, command, option):
    result = outplay(command, option)
    assert (result.code, result.err) == (0, "")
    assert f"Usage: outplay {command}" in result.out
    assert "Example" in result.out
    examples = [line.strip() for line in result.out.splitlines() if line.strip().startswith(f"outplay {command} ")]
    assert examples


@pytest.mark.parametrize("command", main.COMMANDS)
def test_every_option_says_what_it_is_for(command):
    group = main.outplay
    made = group.get_command(click.Context(group), command)
    assert made is not None
    for parameter in made.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_outplay_alone_shows_the_help_on_stderr(outplay):
    result = outplay()
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("Usage: outplay")
    assert "\nCommands:\n" in result.err


def test_the_version_is_that_of_the_package(outplay):
    assert outplay("--version").out == f"outplay, version {package.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["explroe"], ["--nothing"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from outplay.cli.main import run_command\n"
        f"run_command({arguments!r})\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_importing_outplay_loads_nothing_heavy_and_knows_all_its_names():
    code = (
        "import sys, outplay\n"
        f"assert not [name for name in {HEAVY!r} if name in sys.modules]\n"
        "for name in outplay.__all__: getattr(outplay, name)\n"
        "assert set(outplay.__all__) <= set(dir(outplay))\n"
        "from outplay import *\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'outplay' has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_small_commands_do_not_load_numba_nor_rich(model):
    code = (
        "import sys\n"
        "from outplay.cli.main import run_command\n"
        f"assert run_command(['solve', {model!r}, '--goal', 'waiting']) == 0\n"
        "print([name for name in ('scipy', 'numba', 'z3', 'rich') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (click.UsageError("x"), 2),
        (CertificateError("x"), 3),
        (RuntimeError("x"), 3),
        (AssertionError("x"), 3),
        (ModelError("x"), 4),
        (FormatError("x"), 4),
        (GameError("x"), 4),
        (SystemUnready("x"), 4),
        (OutplayError("x"), 4),
        (OSError(errno.ENOSPC, "No space left on device"), 4),
        (PermissionError(errno.EACCES, "Permission denied", "a file"), 4),
        (SystemExit(0), 4),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, BaseException) else str(part),
)
@pytest.mark.parametrize("as_json", [False, True])
def test_every_kind_of_error_ends_in_one_line_and_its_exit_code(outplay, monkeypatch, error, code, as_json):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("outplay.cli.explore.explore_job", fail)
    result = outplay("explore", "x.json", *(["--json"] if as_json else []))
    assert result.code == code
    assert result.err.startswith("outplay: ")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    if as_json:
        assert f"outplay: {result.json['error']}\n" == result.err
    else:
        assert result.out == ""


def test_an_internal_error_asks_to_be_reported_and_shows_where_on_request(outplay, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("something\nodd")

    monkeypatch.setattr("outplay.cli.explore.explore_job", fail)
    result = outplay("explore", "x.json")
    assert result.err == (
        "outplay: internal error: RuntimeError: something odd; set OUTPLAY_DEBUG=1 to see where, and please report it\n"
    )
    monkeypatch.setenv("OUTPLAY_DEBUG", "1")
    assert "Traceback (most recent call last)" in outplay("explore", "x.json").err


def test_a_reader_that_goes_away_ends_the_command_without_a_word_and_without_a_verdict(model):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        done = subprocess.run([*PROGRAM, "solve", model, "--goal", "waiting"], stdout=gone, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["exploer"], "No such command 'exploer'; did you mean 'explore'? (see `outplay --help`)"),
        (["teach"], "No such command 'teach'; known: "),
        (["--versoin"], "No such option '--versoin'."),
        (["solve", "x", "--gaol", "y"], "'--goal'?) (see `outplay solve --help`)"),
        (["solve"], "in pyproject.toml. (see `outplay solve --help`)"),
        (["solve", "x", "y"], "unexpected extra argument"),
        (["run", "x"], "in pyproject.toml. (see `outplay run --help`)"),
        (["runs", "diff", "a"], "(write `outplay runs diff FIRST SECOND`; see `outplay runs diff --help`)"),
        (["run", "x", "--silence", "abc"], "'abc' is not a number; write one such as 0.5. (see `outplay run --help`)"),
        (["solve", "x", "--goal"], "Option '--goal' requires an argument. (see `outplay solve --help`)"),
        (["solve", "x", "--assumption", "eager"], "'eager' is not one of 'input-eager', 'output-eager'"),
        (["explore", "x", "--max-states", "0"], "'--max-states': 0 is not in the range x>=1"),
        (["explore", "x", "--max-states", "many"], "'many' is not a valid integer"),
        (["run", "x", "--sut", "y", "--silence", "0"], "'--silence': 0.0 is not in the range x>0"),
        (["run", "x", "--sut", "y", "--plays", "0"], "'--plays': 0 is not in the range x>=1"),
    ],
)
def test_a_wrong_call_is_answered_in_one_line_that_points_to_the_help(outplay, arguments, told):
    result = outplay(*arguments)
    assert (result.code, result.out) == (2, "")
    assert told in result.err
    assert result.err.count("\n") == 1


def test_the_nearest_word_is_named_or_the_first_known_ones():
    assert did_you_mean("gaol", ["goal", "other"]) == "did you mean 'goal'?"
    assert did_you_mean("zzz", ["b", "a"]) == "known: a, b"
    assert did_you_mean("zzz", ["b", "a"], listed=["b"]) == "known: b"
    assert did_you_mean("zzz", []) == "there are none"
    assert did_you_mean("zzz", [str(n) for n in range(20)]).endswith(", …")


def test_the_installed_program_is_this_command():
    program = Path(sys.executable).with_name("outplay")
    if not program.exists():
        pytest.skip("outplay is not installed beside this Python")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"outplay, version {package.__version__}\n"


def test_an_error_in_json_is_one_object_also_for_wrong_calls(outplay):
    result = outplay("solve", "--json")
    said = json.loads(result.out)
    assert said.keys() == {"error"}
    assert said["error"].endswith("in pyproject.toml. (see `outplay solve --help`)")
    assert result.code == 2
