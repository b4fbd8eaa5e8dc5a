"""`outplay verify`: hold an adapter against a model, before anything is played."""

from __future__ import annotations

from typing import Any

import click

from outplay.cli import options, registry_options
from outplay.cli.printing import print_result
from outplay.runs.configuration import FILE, TABLE
from outplay.runs.job import Job
from outplay.runs.queries.verify import verify_job

DOES_NOT_FIT = 1
_ADAPTER: dict[str, Any] = {"metavar": "[ADAPTER]", "required": False, "default": ""}


@click.command(
    "verify",
    cls=registry_options.SystemOptions,
    epilog=(
        "\b\nExamples:\n"
        "  outplay verify shop.py:Shop python:adapter.py:Adapter\n"
        "  outplay verify shop.py:Shop http://127.0.0.1:8000 --table shop.toml\n"
        "  outplay verify            # in a project that names both"
    ),
)
@options.whole_job_options(*options.READING, "SUT", *options.LIMITS, *registry_options.SYSTEM_OPTIONS, SUT=_ADAPTER)
@options.json_output
def command(job: Job, as_json: bool) -> int | None:
    """Find what ADAPTER lacks to play MODEL: methods or rows, arguments, outputs that it can never produce.

    ADAPTER is named as with --sut; a project may name both in its configuration. Nothing is started or contacted; the
    code of a Python adapter is loaded. A number is not the text that looks like it: what is `1` in the model and always
    `"1"` in the adapter does not fit. The exit code is 1 where something does not fit.
    """
    if not job.sut:
        raise click.UsageError(f"Missing argument 'ADAPTER': name it, or write system = \"…\" under {TABLE} in {FILE}.")
    found = verify_job(job)
    print_result(found, as_json=as_json)
    return None if found.fits else DOES_NOT_FIT
