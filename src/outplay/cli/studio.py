"""`outplay studio`: look at a model as a game, play it and follow runs, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import say
from outplay.errors import UsageError
from outplay.runs.job import Job

MISSING = "the studio needs Starlette and uvicorn: pip install 'outplay[studio]'"


@click.command(
    "studio",
    epilog=(
        "\b\nExamples:\n"
        "  outplay studio examples/chat/model.py:Chat\n"
        "  outplay studio .outplay/last/trace.jsonl\n"
        "  outplay studio --no-open --port 8123"
    ),
)
@options.whole_job_options(
    *options.READING,
    "assumption",
    *options.LIMITS,
    MODEL={"required": False, "default": ""},
)
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Listen at this port on 127.0.0.1  [default: a free one]."
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
def command(job: Job, port: int, no_open: bool) -> None:
    """Show MODEL (file.py:Class, module:Class or a model file) as a game on a local web page.

    In place of MODEL, a folder lists the models in it and the runs kept there, a store (.db) its runs, and a trace
    (.jsonl) its failing plays. Without any you choose among examples, files, and the past runs of this folder.

    The page shows the graph of the game, its forecast and strategies; you can play either side, follow live runs and
    see where past ones failed. It listens on 127.0.0.1 only. The address that is printed works once, in one browser.
    Ctrl-C ends it.
    """
    try:
        from outplay.studio.application import StudioServer, open_browser
        from outplay.studio.workspace import workspace_of
    except ModuleNotFoundError as error:
        if error.name in ("starlette", "uvicorn", "anyio"):
            raise UsageError(MISSING) from None
        raise
    server = StudioServer(workspace_of(job, Path.cwd()), port)
    try:
        server.start()
        say(f"studio at {server.address}")
        if not no_open and not open_browser(server.address):
            say("no browser could be opened; open the address by hand", err=True)
        server.wait()
    finally:
        server.close()
