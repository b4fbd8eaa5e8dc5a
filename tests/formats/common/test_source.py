"""Files that are none: what could hang or never end is refused in one line, wherever a file is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers.commands import called
from outplay.errors import FormatError
from outplay.formats.common.source import LARGEST, read_source_bytes
from outplay.formats.registry import read_model
from outplay.formats.suites.suite_json import read_suite
from outplay.formats.trace_jsonl import read_trace

READERS = {".aut": read_model, ".dot": read_model, ".json": read_model, ".jsonl": read_trace, "suite": read_suite}


def made(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "endless link":
        path.symlink_to(path.name)
    elif kind == "2 GB":
        with path.open("wb") as stream:
            stream.truncate(2 << 30)
    else:
        path.symlink_to(f"/dev/{kind}")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("pipe", ": a pipe; give a plain file"),
        ("folder", ": a folder; give a plain file"),
        ("endless link", "symbolic links; give a readable file"),
        ("zero", ": a device; give a plain file"),
        ("null", ": a device; give a plain file"),
        ("2 GB", "larger than "),
    ],
)
@pytest.mark.parametrize("ending", READERS)
def test_what_is_no_plain_file_is_refused(tmp_path, ending, kind, told):
    path = tmp_path / f"file{ending}"
    made(kind, path)
    with pytest.raises(FormatError) as refused:
        READERS[ending](path)
    at_once = ending == "suite" and kind == "2 GB"  # read bit by bit, so what it begins with is wrong already
    assert ("1:1: Expecting value" if at_once else told) in str(refused.value)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "command",
    [
        ["explore", "PIPE.aut"],
        ["explore", "PIPE.py"],
        ["explore", "PIPE.py:Model"],
        ["judge", "model.aut", "PIPE.jsonl"],
        ["replay", "PIPE.jsonl", "--sut", "model:model.aut"],
        ["run", "--suite", "PIPE.json", "--sut", "model:model.aut"],
        ["run", "model.aut", "--sut", "python:PIPE.py:Class"],
        ["solve", "model.aut", "--purpose", "PIPE.aut"],
        ["run", "model.aut", "--sut", "model:PIPE.aut"],
    ],
    ids=" ".join,
)
@pytest.mark.timeout(60)
def test_a_command_that_is_given_a_pipe_says_so_and_does_not_wait_for_it(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    Path("model.aut").write_text('des (0, 2, 2)\n(0, "?a", 1)\n(1, "!x", 0)\n')
    for word in command:
        if "PIPE" in word:
            name = word.partition(":")[2] if word.startswith(("python:", "model:")) else word
            os.mkfifo(name.removesuffix(":Model").removesuffix(":Class"))
    done = called(capsys, *command)
    assert done.code == 4, done
    assert done.err.count("\n") == 1
    assert "no such file" not in done.err
    assert "pipe" in done.err.lower() or "plain file" in done.err


def test_a_file_that_grows_while_it_is_read_is_bounded(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert read_source_bytes(path, largest=11) == b"x" * 11
    with pytest.raises(FormatError, match="larger than 10 bytes; raise --max-bytes"):
        read_source_bytes(path, largest=10)
    assert LARGEST == 64 << 20


def test_a_name_that_no_file_can_have_is_told():
    with pytest.raises(FormatError, match="no name of a file"):
        read_source_bytes(Path("a\0b"))
