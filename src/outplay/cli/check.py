"""`outplay check`: hold one model against another, or tell what changed between two versions."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cancellation import raise_if_cancelled
from outplay.cli import options
from outplay.cli.output_files import check_output_name, write_picture
from outplay.cli.printing import print_result, warn
from outplay.cli.progress import exploring_progress, stage_progress
from outplay.conformance.refinement import Relation
from outplay.runs.job import Job
from outplay.runs.queries.check import changes_job, check_job
from outplay.signals import cancel_on_signals

NOT_CONFORMING = 1


@click.command(
    "check",
    epilog=(
        "\b\nExamples:\n"
        "  outplay check examples/mp3/mp3.aut examples/mp3/eager.aut\n"
        "  outplay check examples/mp3/mp3.aut examples/mp3/eager.aut --changes\n\n"
        "ioco: after every trace of SPEC, IMPL shows only what SPEC allows there. uioco: the same, after traces "
        "whose inputs every state specifies that SPEC may be in. alternating: as uioco, and IMPL takes every such "
        "input. The exit code is 1 where IMPL does not conform."
    ),
)
@options.whole_job_options(*options.READING, *options.LIMITS, MODEL={"metavar": "SPEC"})
@click.argument("implementation", metavar="IMPL")
@click.option(
    "--relation",
    type=click.Choice([relation.value for relation in Relation]),
    default=Relation.IOCO.value,
    show_default=True,
    help="The conformance relation; see below.",
)
@click.option("--changes", "as_versions", is_flag=True, help="List what IMPL, as a newer version, adds and drops.")
@options.file("-o", "--output", help="Draw the counterexample on SPEC: .svg or .html.")
@options.json_output
def command(
    job: Job, implementation: str, relation: str, as_versions: bool, output: Path | None, as_json: bool
) -> int | None:
    """Say whether the model IMPL does only what the model SPEC allows, or show a shortest way to where it does not."""
    check_output_name(output)
    token = cancel_on_signals()
    if as_versions:
        with token.stretch(), exploring_progress() as progress:
            changed = changes_job(job, implementation, progress)
            raise_if_cancelled()
        print_result(changed, as_json=as_json)
        return None
    with token.stretch(), stage_progress():
        checked = check_job(job, implementation, relation)
        if output:
            title, trace = f"{job.model}: {implementation}", checked.counterexample or ()
            write_picture(output, checked.specification.drawn, title=title, trace=trace)
        raise_if_cancelled()
    print_result(checked, as_json=as_json)
    warn(*checked.warnings)
    return None if checked.found.conforms else NOT_CONFORMING
