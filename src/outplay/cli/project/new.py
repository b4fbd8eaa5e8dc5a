"""`outplay new`: start a project, with a model, an adapter, tests and CI."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.errors import UsageError
from outplay.escaping import for_shell
from outplay.runs.configuration import find_configuration
from outplay.runs.preparing.configured_code import trust_configured_code
from outplay.scaffolding.adapter_stub import ADDRESSES, KINDS, names_a_model, write_stub
from outplay.scaffolding.openapi.openapi_stub import write_from_openapi
from outplay.scaffolding.starter_project import write_starter


@click.command(
    "new",
    epilog=(
        "\b\nExamples:\n  outplay new jobs\n  outplay new --json\n  outplay new shop.py:Shop\n"
        "  outplay new shop.py:Shop --as http -o tests\n  outplay new --openapi petstore.json"
    ),
)
@click.argument("what", metavar="[FOLDER|MODEL]", required=False, default=".")
@click.option("--as", "kind", type=click.Choice(list(KINDS)), help="MODEL: which adapter to write  [default: python].")
@options.file("--openapi", help="Write a table, a first model and a test from this OpenAPI 3 document, which is JSON.")
@options.file("-o", "--output", help="MODEL, --openapi: write into this folder.")
@options.json_output
def command(what: str, kind: str | None, openapi: Path | None, output: Path | None, as_json: bool) -> None:
    """Start a project in FOLDER [default: this one]: a model, a service, an adapter, tests for pytest, and CI.

    It passes as it is, and fails with WITH_BUG=1. Then put your own service in the place of service.py.

    For a MODEL that you have, file.py:Class or a model file, write an adapter with a method or row for each action,
    and a test for pytest. A table (--as http, ws, mqtt, json) speaks as `outplay serve MODEL` does, but over HTTP calls
    (`returns=`) are answered at once; change it to what your system speaks, and check it with `outplay verify`.

    From an OpenAPI document of a service, --openapi writes a table for HTTP with a call for each operation, a model
    with an action for each, whose answers are told apart by their status, and a test. Fill in when each is right.
    """
    if openapi:
        if kind or names_a_model(what) or (output and what != "."):
            raise UsageError("--openapi goes with a FOLDER alone: outplay new --openapi petstore.json -o tests")
        _start_from_openapi(openapi, output or Path(what), as_json=as_json)
        return
    if names_a_model(what):
        _start_from_model(what, kind or "python", output or Path(), as_json=as_json)
        return
    if kind or output:
        raise UsageError("--as needs a MODEL, and -o too: outplay new file.py:Class --as http")
    _start_project(Path(what), as_json=as_json)


def _start_from_model(model: str, kind: str, folder: Path, *, as_json: bool) -> None:
    written = write_stub(model, kind, folder)
    if as_json:
        say_json({"folder": str(folder), "files": [str(path) for path in written]})
        return
    adapter, tests = map(for_shell, map(str, written))
    system = ADDRESSES.get(kind, "tcp:127.0.0.1:7000") + f" --table {adapter}"
    system = f"python:{adapter}:Adapter" if kind == "python" else system
    say(f"made {', '.join(map(str, written))}")
    reset = "; write under [[reset]] the call that clears the server before each play" if kind == "http" else ""
    say(f"next: change {adapter} to what your system speaks{reset}, then")
    say(f"  outplay verify {for_shell(model)} {system}")
    say(f"  outplay run {for_shell(model)} --sut {system}")
    say(f"  pytest {tests}")


def _start_from_openapi(document: Path, folder: Path, *, as_json: bool) -> None:
    written, left = write_from_openapi(document, folder)
    if as_json:
        say_json({"folder": str(folder), "files": [str(path) for path in written], "left": list(left)})
        return
    say(f"made {', '.join(map(str, written))}")
    for each in left:
        say(f"left to you: {each}")
    say(f"next: say in {written[0]} when each answer is right, and play it with pytest")


def _start_project(folder: Path, *, as_json: bool) -> None:
    written = write_starter(folder)
    with contextlib.chdir(folder):
        trust_configured_code(find_configuration(Path()))  # nobody else has written it
    if as_json:
        say_json({"folder": str(folder), "files": [str(path.relative_to(folder)) for path in written]})
        return
    say(f"made {', '.join(str(path.relative_to(folder)) for path in written)}")
    say("next:")
    if not os.path.samefile(folder, "."):
        say(f"  cd {folder}")
    say("  outplay run                  # passes")
    say("  WITH_BUG=1 outplay run       # finds the bug")
    say("  pytest                       # one test of each goal (pip install pytest)")
    say("  outplay forecast             # what can be reached, and how surely")
