"""`outplay doctor`: what is installed, what works here, and what to install for the rest."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from outplay import __version__
from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.escaping import escaped

NEEDED = ("numpy", "scipy", "numba", "click", "rich")
OPTIONAL = {"stormpy": "benchmarks beside Storm"}


@click.command("doctor", epilog="\b\nExample:\n  outplay doctor --json")
@options.json_output
def command(as_json: bool) -> int:
    """Check the installation: versions, compiled kernels, a subprocess, a writable folder, the clock."""
    checks = [_python(), *map(_package, NEEDED), _kernels(), _subprocess(), _folder(), _clock()]
    checks += [_extra(name, use) for name, use in OPTIONAL.items()]
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


def _extra(name: str, use: str) -> dict[str, Any]:
    there = importlib.util.find_spec(name) is not None
    return _check(name, True if there else None, f"for {use}" + ("" if there else f": pip install {name}"))


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
    from outplay.play.process import Process

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


def _clock() -> dict[str, Any]:
    """How late a short sleep ends: on a busy machine silence needs a longer time-out."""
    worst = 0.0
    for _ in range(20):
        began = time.monotonic()
        time.sleep(0.005)
        worst = max(worst, time.monotonic() - began - 0.005)
    return _check("the clock", True, f"a sleep ends up to {worst * 1000:.1f} ms late: keep --silence well above that")
