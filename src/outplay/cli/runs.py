"""`outplay runs`: the runs that are kept in the store: listed, shown, compared, carried elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import print_result, say, say_json
from outplay.formats.common.writing import write_whole
from outplay.plurals import counted
from outplay.store.kept_runs import RunList, kept_runs
from outplay.store.run_difference import run_difference
from outplay.store.stored_run import STORE
from outplay.store.transfer import exported_lines, import_runs

store_option = options.file("--store", default=STORE, show_default=True, help="The store to use.")


@click.group(
    "runs",
    epilog=(
        "\b\nExamples:\n"
        "  outplay runs list\n"
        "  outplay runs show\n"
        "  outplay runs diff 4f2a91 788f73\n"
        "  outplay runs export -o runs.jsonl"
    ),
)
def command() -> None:
    """List, show and compare the runs that were made in this folder.

    RUN is the id of a run, the beginning of one, or of its last part.
    """


@command.command("list")
@store_option
@options.json_output
def _list(store: Path, as_json: bool) -> None:
    """List all runs, with totals for each model and system."""
    if not store.exists():
        print_result(RunList(()), as_json=as_json)
        return
    with kept_runs(store) as runs:
        print_result(runs.list(), as_json=as_json)


@command.command("show")
@click.argument("run", default="")
@store_option
@options.json_output
def _show(run: str, store: Path, as_json: bool) -> None:
    """Show RUN, the last one by default, its failures, and what it was the first to see."""
    with kept_runs(store) as runs:
        print_result(runs.show(run), as_json=as_json)


@command.command("diff")
@click.argument("first")
@click.argument("second")
@store_option
@options.json_output
def _diff(first: str, second: str, store: Path, as_json: bool) -> None:
    """Compare the runs FIRST and SECOND: how they were made, their verdicts, failures and coverage."""
    with kept_runs(store) as runs:
        print_result(run_difference(runs, first, second), as_json=as_json)


@command.command("export")
@click.argument("run", nargs=-1)
@options.file("-o", "--output", required=True, help="Write the runs here, one JSON line each.")
@store_option
@options.json_output
def _export(run: tuple[str, ...], output: Path, store: Path, as_json: bool) -> None:
    """Write RUN, or all runs, to a file that `outplay runs import` reads."""
    with kept_runs(store) as runs:
        ids = [runs.find(name).id for name in run] or [one.id for one in runs.list().runs]
        write_whole(output, exported_lines(runs.database, ids))
    say_json({"runs": ids, "file": str(output)}) if as_json else say(f"{counted(len(ids), 'run')} written to {output}")


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@store_option
@options.json_output
def _import(file: Path, store: Path, as_json: bool) -> None:
    """Add the runs of FILE that the store does not have yet."""
    print_result(import_runs(file, store), as_json=as_json)
