"""`outplay doctor`: what is installed, what works here, and what to install for the rest."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from outplay import __version__
from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.errors import OutplayError
from outplay.escaping import escaped
from outplay.play.adapters.adapters import ADAPTERS
from outplay.play.adapters.tcp import host_and_port
from outplay.play.system import least_silence, sleep_lateness
from outplay.runs.configuration import FILE, TABLE, Configuration, find_configuration
from outplay.runs.job import Job
from outplay.runs.preparing.configured_code import admitted_settings

NEEDED = ("numpy", "scipy", "numba", "click", "rich")
EXTRAS = {
    "symbolic": "conditions on data that are not simple",
    "http": "systems behind HTTP",
    "ws": "systems behind WebSockets",
    "mqtt": "systems behind MQTT",
    "studio": "outplay studio",
    "dist": "runs on several machines",
}
SERVERS = ("redis-server", "mosquitto", "postgres", "etcd", "nginx", "memcached", "beanstalkd", "chromium", "docker")
_EXTRA = re.compile(r"""([A-Za-z0-9._-]+).*;.*\bextra\s*==\s*['"]([\w-]+)['"]""")
_PATIENCE = 2.0  # seconds for a server to answer


@click.command("doctor", epilog="\b\nExample:\n  outplay doctor --json")
@options.json_output
def command(as_json: bool) -> int:
    """Check the installation, what else could be installed, the clock, and the project in this folder."""
    checks = [_python(), *map(_package, NEEDED), _kernels(), _subprocess(), _folder(), *_clock()]
    checks += [*_extras(), _pytest(), _servers(), *_project()]
    bad = [check for check in checks if check["ok"] is False]
    if as_json:
        say_json({"version": __version__, "ok": not bad, "checks": checks})
    else:
        say(f"outplay {__version__}")
        for check in checks:
            mark = {True: click.style("✓", fg="green"), False: click.style("✗", fg="red"), None: "–"}[check["ok"]]
            click.echo(f"  {mark} {check['name']}: {escaped(str(check['what']))}")
    return 4 if bad else 0


def _check(name: str, ok: bool | None, what: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "what": what}


def _python() -> dict[str, Any]:
    fine = sys.version_info >= (3, 11)
    return _check("Python", fine, platform.python_version() + ("" if fine else ": outplay needs 3.11 or newer"))


def _package(name: str) -> dict[str, Any]:
    try:
        return _check(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return _check(name, False, f"missing: pip install {name}")


def _extras() -> Iterator[dict[str, Any]]:
    """Look for the extras; those for which nothing is declared need nothing."""
    needed: dict[str, list[str]] = {name: [] for name in EXTRAS}
    for line in importlib.metadata.requires("outplay") or ():
        found = _EXTRA.match(line)
        if found and found[2] in needed:
            needed[found[2]].append(found[1])
    for name, packages in needed.items():
        versions = [f"{package} {version}" for package in packages if (version := _version(package))]
        whole = len(versions) == len(packages)
        what = ", ".join(versions) if whole else f"for {EXTRAS[name]}: pip install 'outplay[{name}]'"
        yield _check(f"extra {name}", True if whole else None, what)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _pytest() -> dict[str, Any]:
    version = _version("pytest")
    what = f"{version}, with the plugin of outplay" if version else "for tests of each goal: pip install pytest"
    return _check("pytest", True if version else None, what)


def _servers() -> dict[str, Any]:
    """Look for the programs that the examples play against."""
    there = [name for name in SERVERS if shutil.which(name)]
    return _check(
        "servers", True if there else None, ", ".join(there) or "none of those that the examples play against"
    )


def _project() -> Iterator[dict[str, Any]]:
    """The configuration of this folder: whether it can be read, is trusted, and its system answers."""
    try:
        found = find_configuration(Path.cwd())
    except OutplayError as error:
        yield _check("this project", False, str(error))
        return
    if found.path is None:
        yield _check("this project", None, f"no {FILE} with {TABLE}: type outplay new, or name model and system")
        return
    profile = f", profile {found.profile}" if found.profile else ""
    yield _check("this project", True, f"{found.path}{profile}")
    yield _trusted(found)
    yield from _system(found)


def _trusted(found: Configuration) -> dict[str, Any]:
    try:
        admitted_settings(found, found.settings, found.environment)
    except OutplayError as error:
        return _check("its code", None, str(error))
    return _check("its code", True, "may run")


def _system(found: Configuration) -> Iterator[dict[str, Any]]:
    """Say whether a server that is somewhere already listens; one that is started with the run is not asked."""
    job = Job(**found.settings)
    kind, _, rest = job.sut.partition(":")
    if kind not in ADAPTERS or not ADAPTERS[kind].contacted or "{" in rest:
        return
    address = re.match(r"(?://)?(?:[^@/]*@)?([^/?#]+)", rest)
    place = address[1] if address else rest
    default = {"http": 80, "ws": 80, "mqtt": 1883}.get(kind, 443)
    try:
        host, port = host_and_port(place if re.search(r":\d+$", place) else f"{place}:{default}")
        socket.create_connection((host, port), _PATIENCE).close()
        yield _check("its system", True, f"{host}:{port} listens")
    except (OutplayError, OSError) as error:
        yield _check("its system", False, f"{place}: {error}; start it, or mend system in {found.path}")


def _kernels() -> dict[str, Any]:
    """Compile a kernel and compare it with the plain run."""
    from outplay.compiling import compiled
    from outplay.conformance._kernels import PairRanks, blocked

    try:
        import numpy as np

        ranks = PairRanks(*(np.zeros(1, dtype=kind) for kind in (np.int32, np.int16, np.int16)))
        began = time.perf_counter()
        left = compiled(blocked)(np.array([1, 3]), 1, 2, ranks)
        return _check(
            "compiled kernels",
            (left, int(ranks.rank[0])) == (1, -1),
            f"work ({time.perf_counter() - began:.1f} s to compile or load)",
        )
    except Exception as error:
        return _check("compiled kernels", False, f"{type(error).__name__}: {error}; reinstall numba")


def _subprocess() -> dict[str, Any]:
    from outplay.model.label import Label
    from outplay.play.adapters.process import Process

    system = Process([sys.executable, "-c", "print(input(), flush=True); input()"])
    try:
        system.reset()
        began = time.perf_counter()
        system.give(Label("?", "ping"))
        answer = system.observe(10.0)
        fine = answer.kind == "output"
        return _check(
            "a subprocess", fine, f"answers after {time.perf_counter() - began:.3f} s" if fine else str(answer)
        )
    finally:
        system.close()


def _folder() -> dict[str, Any]:
    try:
        with tempfile.TemporaryFile(dir="."):
            free = shutil.disk_usage(".").free >> 20
            return _check("this folder", True, f"{Path.cwd()} can be written, {free:,} MB free")
    except OSError as error:
        return _check(
            "this folder", False, f"cannot be written ({os.strerror(error.errno or 0)}): traces go to .outplay here"
        )


def _clock() -> Iterator[dict[str, Any]]:
    """Measure how finely time is told, and how late a short sleep ends: on a busy machine silence needs a longer
    time.
    """
    steps = sorted({time.monotonic_ns() for _ in range(10_000)})
    finest = min((later - earlier for earlier, later in pairwise(steps)), default=0) / 1e3
    fine = 0 < finest <= 1000
    what = f"time is measured in steps of {finest:.2f} µs" + ("" if fine else ": too coarse for who came first")
    yield _check("resolution of time", fine, what)
    worst = sleep_lateness()
    least = least_silence(worst)
    what = f"a sleep ends up to {worst * 1000:.1f} ms late: give --silence {least:.1f} or more"
    yield _check("the clock", True, what)
