"""`outplay run` alone, by the settings of a project, and what of them runs only once the folder is trusted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import PROGRAM
from outplay.cli.main import main

EVIL = "from pathlib import Path\nPath('pwned').write_text('')\n"


@pytest.fixture
def project(model, system):
    """A configuration that names the echo model and a system, as some text."""

    def write(mode: str = "right", more: str = "") -> None:
        said = f'model = "{model}"\nsystem = "{system(mode)}"\nready = "ready"\nsilence = 0.3\nplays = 2\nsteps = 4\n'
        Path("pyproject.toml").write_text(f"[tool.outplay]\n{said}{more}")

    return write


def test_run_alone_plays_what_the_folder_names_once_it_is_trusted(outplay, project):
    project()
    refused = outplay("run")
    assert (refused.code, "type `outplay trust`" in refused.err) == (2, True)
    trusted = outplay("trust", "--json").json["trusted"]
    assert [each["kind"] for each in trusted] == ["model", "system"]
    assert [each["files"] for each in trusted] == [["echo.py"], ["system.py"]]
    done = outplay("run", "--json")
    assert (done.code, done.json["plays"]) == (0, 2)


def test_the_command_line_is_above_the_configuration(outplay, project, model):
    project(more='goal = "answered"\n')
    outplay("trust")
    assert outplay("run", "--plays", "1", "--json").json["plays"] == 1
    simulated = outplay("run", "--sut", f"model:{model}", "--json")  # takes no --ready
    assert (simulated.code, simulated.json["plays"]) == (0, 2)
    assert outplay("run", "--sut", f"model:{model}", "--tester", "walk", "-q").code == 0  # plays for no goal


@pytest.mark.parametrize("changed", ["echo.py", "system.py"])
def test_changed_code_is_trusted_anew(outplay, project, changed):
    project()
    outplay("trust")
    assert outplay("run", "-q").code == 0
    with Path(changed).open("a") as stream:
        stream.write("\n# harmless\n")
    refused = outplay("run")
    assert (refused.code, "has changed since you trusted it; look at it" in refused.err) == (2, True)
    assert outplay("run", "--trust", "-q").code == 0
    outplay("trust")
    assert outplay("run", "-q").code == 0


def test_an_import_of_the_model_that_changed_does_not_run(outplay, project):
    Path("neighbour.py").write_text("")
    project()
    Path("echo.py").write_text("import neighbour\n" + Path("echo.py").read_text())
    outplay("trust")
    sys.modules.pop("neighbour", None)
    Path("neighbour.py").write_text(EVIL)
    refused = outplay("run")
    assert (refused.code, "neighbour.py, which has changed since you last ran it" in refused.err) == (2, True)
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    "written",
    [
        'model = "evil.py:Evil"\nsystem = "model:evil.py:Evil"',
        'model = "evil:Evil"\nsystem = "model:evil:Evil"',
        'model = "echo.py:Echo"\nsystem = "exec:touch pwned"',
        'model = "echo.py:Echo"\nsystem = "python:evil:Evil"',
        'model = "echo.py:Echo"\nsystem = "model:evil.py:Evil"',
        'model = "echo.py:Echo"\nsystem = "tcp:localhost:{port}"\nserver = "touch pwned"',
        'profile = "p"\n[tool.outplay.profiles.p]\nmodel = "echo.py:Echo"\nsystem = "exec:touch pwned"',
    ],
)
@pytest.mark.parametrize("command", [["run"], ["run", "--silence", "0.1"], ["run", "--json"]])
def test_code_that_only_the_file_names_does_not_run(outplay, model, written, command):
    assert outplay("inspect", model).code == 0  # this model was named by the user
    Path("evil.py").write_text(EVIL)
    Path("pyproject.toml").write_text(f"[tool.outplay]\n{written}\n")
    refused = outplay(*command)
    assert (refused.code, "`outplay trust`" in refused.err) == (2, True)
    assert not Path("pwned").exists()


@pytest.mark.parametrize("command", ["inspect", "explore", "forecast", "try", "serve", "solve"])
def test_no_command_runs_a_model_that_only_the_file_names(outplay, command):
    Path("evil.py").write_text(EVIL)
    Path("pyproject.toml").write_text('[tool.outplay]\nmodel = "evil.py:Evil"\n')
    more = {"serve": ["--tcp", "127.0.0.1:0"], "solve": ["--objective", "win"]}.get(command, [])
    refused = outplay(command, *more)
    assert (refused.code, "`outplay trust`" in refused.err) == (2, True), refused
    assert not Path("pwned").exists()


def test_what_the_user_names_needs_no_trust(outplay, project, model, system, monkeypatch):
    project()
    assert outplay("run", model, "--sut", system("right"), "-q").code == 0
    project("wrong")
    monkeypatch.setenv("OUTPLAY_SYSTEM", system("right"))
    assert outplay("run", "-q").code == 0  # and the model ran before


def test_trust_in_a_folder_without_settings_says_what_to_do(outplay):
    refused = outplay("trust")
    assert (refused.code, "[tool.outplay]" in refused.err) == (4, True)


def test_a_system_is_started_in_the_folder_of_the_file_only(outplay, project, monkeypatch):
    project()
    outplay("trust")
    Path("low").mkdir()
    where = Path.cwd()
    monkeypatch.chdir("low")
    refused = outplay("run")
    assert (refused.code, f"type cd {where}" in refused.err) == (2, True)
    assert outplay("forecast").code == 0


def test_without_a_model_or_system_it_is_said_how_to_name_one(outplay, model):
    for command in ("run", "inspect", "forecast"):
        assert 'write model = "…" under [tool.outplay] in pyproject.toml' in outplay(command).err
    assert "no such file" in outplay("run", "--job", "none.json").err.lower()  # which names both
    assert 'write system = "…" under [tool.outplay]' in outplay("run", model).err


def test_a_run_that_is_resumed_needs_no_model_and_takes_no_settings(outplay, project, model):
    project()
    refused = outplay("run", "--resume")
    assert (refused.code != 0, "Missing argument" in refused.err, "trust" in refused.err) == (True, False, False)


def asked(*words: str) -> dict[str, str]:
    """How bash asks what could be offered for the last of these words."""
    return {"_OUTPLAY_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}


def offered(lines: str) -> list[str]:
    return [line.partition(",")[2] for line in lines.splitlines()]


@pytest.fixture
def completed(capsys, monkeypatch):
    """What bash would offer for the last of some words."""

    def complete(*words: str) -> list[str]:
        with monkeypatch.context() as shell:
            for name, value in asked(*words).items():
                shell.setenv(name, value)
            with pytest.raises(SystemExit):
                main()
        return offered(capsys.readouterr().out)

    return complete


def test_a_shell_is_told_what_could_be_typed(model):
    env = os.environ | asked("outplay", "inspect", "e")
    done = subprocess.run(PROGRAM, capture_output=True, text=True, env=env, check=False)
    assert offered(done.stdout) == ["echo.py:Echo"]


def test_models_goals_systems_profiles_and_names_are_completed_without_running_code(model, completed):
    Path("evil.py").write_text(f"{EVIL}class Evil(Model):\n    @goal\n    def bad(self): ...\n")
    Path("pyproject.toml").write_text('[tool.outplay]\nmodel = "evil.py:Evil"\n[tool.outplay.profiles.night]\n')
    assert completed("outplay", "inspect", "e") == ["echo.py:Echo", "evil.py:Evil"]
    assert completed("outplay", "inspect", "evil.py", ":", "E") == ["Evil"]  # as bash takes it apart
    assert completed("outplay", "run", "--goal", "") == ["bad"]
    assert completed("outplay", "run", "--goal", "b") == ["bad"]
    assert completed("outplay", "run", "echo.py", ":", "Echo", "--goal", "a") == ["answered"]
    assert completed("outplay", "run", "--sut", "mo") == ["model:"]
    assert completed("outplay", "run", "--sut", "model", ":", "ec") == ["echo.py:Echo"]
    assert completed("outplay", "run", "--profile", "n") == ["night"]
    assert completed("outplay", "solve", "--objective", "wi") == ["win"]
    assert completed("outplay", "tr") == ["try", "trust"]
    assert not Path("pwned").exists()
