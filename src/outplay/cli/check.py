"""`outplay check`: hold one model against another, or tell what changed between two versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model
from outplay.cli import options
from outplay.cli.colours import warn
from outplay.cli.output import check_output, write_picture
from outplay.cli.printing import say, say_json
from outplay.cli.progress import exploring
from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.refinement import Conforms, Differs, Relation, check
from outplay.model.programs.load import is_program_reference
from outplay.strategy.words import counted

NOT_CONFORMING = 1
MOST_LISTED = 20


@click.command(
    "check",
    epilog=(
        "\b\nExamples:\n"
        "  outplay check examples/mp3/mp3.aut examples/mp3/eager.aut\n"
        "  outplay check examples/mp3/mp3.aut examples/mp3/eager.aut --changes\n\n"
        "ioco: after every trace of SPEC, IMPL shows only what SPEC allows there. uioco: after those traces whose "
        "inputs all states specify that SPEC may be in. alternating: as uioco, and IMPL takes every such input. "
        "The exit code is 1 where IMPL does not conform."
    ),
)
@options.job(*options.READING, *options.LIMITS, MODEL={"metavar": "SPEC"})
@click.argument("implementation", metavar="IMPL")
@click.option(
    "--relation",
    type=click.Choice([relation.value for relation in Relation]),
    default=Relation.IOCO.value,
    show_default=True,
    help="What it means to conform; see below.",
)
@click.option("--changes", "as_versions", is_flag=True, help="Tell what IMPL, as a newer version, does more and less.")
@options.file("-o", "--output", help="Draw the counterexample on SPEC: .svg or .html.")
@options.json_output
def command(
    job: Job, implementation: str, relation: str, as_versions: bool, output: Path | None, as_json: bool
) -> int | None:
    """Say whether the model IMPL does only what the model SPEC allows, or show a shortest way to where it does not."""
    check_output(output)
    spec, impl = load_model(job), load_model(_other(job, implementation))
    if as_versions:
        _tell_changes(_changes(spec, impl, job), as_json)
        return None
    found = check(spec.bare(), impl.bare(), relation, most=job.max_states)
    if output:
        trace = [label.text for label in found.counterexample or ()]
        write_picture(output, spec.drawn, title=f"{job.model}: {implementation}", trace=trace)
    if as_json:
        say_json(_json(found, relation))
    else:
        for line in _lines(found, relation, implementation, job.model):
            say(line)
    if found.refused:
        warn(f"{implementation} does not take {found.refused[-1]} after {_words(found.refused[:-1])}: nothing is said")
    return None if found.conforms else NOT_CONFORMING


def _other(job: Job, model: str) -> Job:
    """The job that reads the second model: constants are set where it has some."""
    return replace(job, model=model, set=job.set if is_program_reference(model) else ())


def _json(found: Conforms | Differs, relation: str) -> dict[str, Any]:
    trace = None if found.counterexample is None else [label.text for label in found.counterexample]
    return {
        "conforms": found.conforms,
        "relation": relation,
        "counterexample": trace,
        "allowed": None if isinstance(found, Conforms) else [label.text for label in found.allowed],
        "refused": None if found.refused is None else [label.text for label in found.refused],
    }


def _lines(found: Conforms | Differs, relation: str, impl: str, spec: str) -> Iterator[str]:
    if isinstance(found, Conforms):
        yield f"✓ {impl} conforms to {spec} ({relation}; {counted(len(found.related), 'pair')} of states)"
        return
    yield f"✗ {impl} does not conform to {spec} ({relation}):"
    for number, label in enumerate(found.trace, 1):
        yield f"  {number:>3}  {label}"
    wrong = "not taken here" if found.label.is_input else "not allowed here"
    yield f"  {len(found.trace) + 1:>3}  {found.label}   ← {wrong}"
    allowed = [f"{label} (silence)" if label.text == "delta" else str(label) for label in found.allowed]
    yield f"       {'taken' if found.label.is_input else 'allowed'}: {', '.join(allowed) or 'nothing'}"
    yield f"       state:   {found.where}"


def _changes(old: LoadedModel, new: LoadedModel, job: Job) -> list[ModelChange]:
    """States are named as exploring names them, so that they can be asked for as goals."""
    with exploring() as progress:
        sides = [one.game(progress).origin.specification for one in (old, new)]
    return changes(*sides, most=job.max_states)


def _tell_changes(found: list[ModelChange], as_json: bool) -> None:
    if as_json:
        say_json({"changes": [change.json() for change in found]})
        return
    if not found:
        say("nothing changed: both do the same")
    for change in found[:MOST_LISTED]:
        when = f"after {_words(change.trace)}" if change.trace else "at once"
        goal = f"   (--goal '{change.goal}')" if change.goal else ""
        say(f"{'new: ' if change.is_new else 'lost:'} {change.label} {when}{goal}")
    if len(found) > MOST_LISTED:
        say(f"… and {len(found) - MOST_LISTED:,} more; --json has them all")


def _words(trace: tuple[Any, ...]) -> str:
    return " ".join(map(str, trace)) or "nothing"
