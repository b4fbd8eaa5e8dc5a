"""The wheel: what is in it, and that it works outside the repository, on its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import outplay
from helpers.places import ROOT

SOURCE = ROOT / "src" / "outplay"
EXTRAS = {
    "symbolic": ("z3",),
    "http": ("httpx2", "httpx"),
    "ws": ("websockets",),
    "mqtt": ("paho",),
    "studio": ("starlette", "uvicorn"),
    "dist": ("distributed", "cryptography"),
}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the files of the repository as they are now."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
    subprocess.run(build, cwd=source, check=True, capture_output=True, timeout=200)
    (found,) = made.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def outside(installed: Path, code: str, *, without: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run code with the installed package, in an empty folder, where some packages are not there."""
    head = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {without!r}: raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", head + code]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=200, check=False)


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.split("/")[0].endswith(".dist-info")}
    ours = {path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {path.relative_to(SOURCE.parent).as_posix() for path in ours}


def test_the_wheel_is_of_this_version_and_names_all_extras(wheel, installed):
    assert wheel.name == f"outplay-{outplay.__version__}-py3-none-any.whl"
    (metadata,) = installed.glob("*.dist-info/METADATA")
    lines = metadata.read_text(encoding="utf-8").splitlines()
    assert {line for line in lines if line.startswith("Provides-Extra")} >= {f"Provides-Extra: {e}" for e in EXTRAS}
    (entries,) = installed.glob("*.dist-info/entry_points.txt")
    assert "outplay = outplay.pytest_plugin" in entries.read_text(encoding="utf-8")


def test_the_changelog_begins_with_this_version():
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line[:3] == "## "]
    assert headings[0].split()[1] == outplay.__version__


MAIN = "from outplay.cli.main import run_command\n"


def test_the_installed_package_starts_a_project_and_plays_it_without_any_extra(installed):
    missing = tuple(package for packages in EXTRAS.values() for package in packages)
    code = MAIN + (
        "import outplay, os; print(outplay.__file__)\n"
        "assert run_command(['--version']) == 0\n"
        "assert run_command(['new', 'jobs']) == 0\n"
        "os.chdir('jobs')\n"
        "assert run_command(['run', '--plays', '1']) == 0\n"
        "assert run_command(['explore', '-o', 'game.html']) == 0\n"
        "assert run_command(['doctor']) == 0\n"
    )
    done = outside(installed, code, without=missing)
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stdout.splitlines()[0]
    assert "for systems behind HTTP: pip install 'outplay[http]'" in done.stdout or "extra http" in done.stdout


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_works_without_the_others(installed, extra):
    missing = tuple(package for other, packages in EXTRAS.items() if other != extra for package in packages)
    uses = {
        "symbolic": "import outplay.model.symbolic.z3_solver",
        "http": "import outplay.play.adapters.http_client",
        "ws": "import outplay.play.adapters.messages.websocket",
        "mqtt": "import outplay.play.adapters.messages.mqtt",
        "studio": MAIN + "assert run_command(['studio', '--help']) == 0",
        "dist": MAIN + "assert run_command(['run', '--help']) == 0",
    }
    done = outside(installed, uses[extra], without=missing)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("http", ["run", "m.aut", "--sut", "http://127.0.0.1:9", "--table", "t.toml"]),
        ("ws", ["run", "m.aut", "--sut", "ws://127.0.0.1:9", "--table", "w.toml"]),
        ("mqtt", ["run", "m.aut", "--sut", "mqtt://127.0.0.1:9", "--table", "q.toml"]),
        ("studio", ["studio", "m.aut", "--no-open"]),
    ],
)
def test_what_a_missing_extra_is_needed_for_says_how_to_install_it(installed, extra, arguments):
    Path("m.aut").write_text('des (0, 2, 2)\n(0, "?a", 1)\n(1, "!x", 0)\n')
    Path("t.toml").write_text("[inputs.a]\npath = '/'\noutputs = [{label = 'x'}]\n")
    Path("w.toml").write_text("")
    Path("q.toml").write_text("")
    done = outside(installed, MAIN + f"sys.exit(run_command({arguments!r}))", without=EXTRAS[extra])
    assert done.returncode in (2, 4), done
    assert f"pip install 'outplay[{extra}]'" in done.stderr + done.stdout


@pytest.mark.parametrize(("extra", "name"), [("http", "Http"), ("ws", "WebSocket"), ("mqtt", "Mqtt")])
def test_a_name_that_needs_a_missing_extra_says_how_to_install_it(installed, extra, name):
    done = outside(installed, f"from outplay import {name}", without=EXTRAS[extra])
    assert done.returncode == 1
    assert f"pip install 'outplay[{extra}]'" in done.stderr


PYTHONS = {
    version: next(iter(sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"))), None)
    or shutil.which(f"python{version}")
    for version in ("3.11", "3.12", "3.13")
}


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_installs_and_plays_on_every_python(wheel, version):
    python = PYTHONS[version]
    if python is None:
        pytest.skip(f"no Python {version} here")
    subprocess.run([python, "-m", "venv", "env"], check=True)
    install = ["env/bin/pip", "install", "-q", str(wheel), "pytest"]
    if subprocess.run(install, check=False, timeout=1000).returncode:
        pytest.skip("no package registry here")
    said = subprocess.run(["env/bin/outplay", "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"outplay, version {outplay.__version__}\n"
    subprocess.run(["env/bin/outplay", "new", "jobs"], check=True)
    for bug, code in (("0", 0), ("1", 1)):
        env = {**os.environ, "WITH_BUG": bug}
        for command in (["outplay", "run", "--plays", "2"], ["pytest", "-q", "--outplay-plays", "2"]):
            done = subprocess.run([f"../env/bin/{command[0]}", *command[1:]], cwd="jobs", env=env, check=False)
            assert done.returncode == code, (command, bug)
