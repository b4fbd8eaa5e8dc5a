"""The user's memory of code that ran: private, whole, safe with many processes at once, and nobody else's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.echo import MODEL
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.preparing import remembered_code
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.remembered_code import data_folder, is_remembered_code, remember_code

pytestmark = pytest.mark.usefixtures("modules_as_they_were")
PROGRAM = Path("echo.py")


def memory() -> Path:
    folder = data_folder()
    assert folder
    return folder / "code.json"


@pytest.fixture(autouse=True)
def _programs() -> None:
    PROGRAM.write_text("import words, sys\n" + MODEL + "\n    def later(self):\n        import more\n")
    Path("words.py").write_text("")
    Path("more.py").write_text("")


def known() -> set[str]:
    return {Path(path).name for path in json.loads(memory().read_text())["files"]}


def test_a_program_is_remembered_with_what_it_imports_from_its_folder():
    assert is_remembered_code(PROGRAM) is None
    program = load_model(Job("echo.py:Echo")).model
    assert is_remembered_code(PROGRAM)
    assert known() == {"echo.py", "words.py"}
    program.model.later(None)  # imports when it is called
    assert known() == {"echo.py", "words.py", "more.py"}
    PROGRAM.write_text(PROGRAM.read_text() + "\n")
    assert is_remembered_code(PROGRAM) is False


def test_what_is_imported_later_is_admitted_too():
    load_model(Job("echo.py:Echo"))
    del sys.modules["words"]
    program = load_model(Job("echo.py:Echo", remembered_only=True)).model
    with pytest.raises(UsageError, match=r"more\.py, which you have never run; if you trust it name the model"):
        program.model.later(None)
    Path("words.py").write_text("changed = True")
    del sys.modules["words"]
    with pytest.raises(UsageError, match=r"words\.py, which has changed since you last ran it"):
        load_model(Job("echo.py:Echo", remembered_only=True))


def test_it_is_private_to_the_user():
    remember_code({"/a.py": "1"})
    assert (memory().stat().st_mode & 0o777, memory().parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_one_that_others_may_write_is_not_believed(mode):
    load_model(Job("echo.py:Echo"))
    memory().chmod(mode)
    assert is_remembered_code(PROGRAM) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"files": {}}', '{"format": "outplay-code/1", "files": {"a": 1}}', "[" * 9999]
)
def test_a_damaged_one_knows_nothing_and_is_written_anew(text):
    remember_code({"/a.py": "1"})
    memory().write_text(text)
    load_model(Job("echo.py:Echo"))
    assert known() == {"echo.py", "words.py"}


def test_a_place_that_cannot_be_written_costs_nothing_but_the_memory(monkeypatch):
    Path("file").write_text("")
    for place in (Path("file").absolute(), "/proc/nowhere"):
        monkeypatch.setenv("XDG_DATA_HOME", str(place))
        load_model(Job("echo.py:Echo"))
        assert is_remembered_code(PROGRAM) is None


def test_a_place_that_hangs_on_the_current_folder_is_not_taken(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    assert str(data_folder()).endswith(".local/share/outplay")
    monkeypatch.setenv("HOME", "here")
    assert data_folder() is None


def test_the_oldest_are_forgotten_first(monkeypatch):
    monkeypatch.setattr(remembered_code, "MOST", 3)
    for name, code in ("a1", "b1", "c1", "a2", "d1"):
        remember_code({f"/{name}.py": code})
    assert known() == {"c.py", "a.py", "d.py"}


def test_processes_that_remember_at_once_lose_nothing():
    code = (
        "import sys; from outplay.runs.preparing.remembered_code import remember_code\n"
        "for number in range(20): remember_code({f'/{sys.argv[1]}-{number}.py': '1'})"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(number)]) for number in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(known()) == 60
