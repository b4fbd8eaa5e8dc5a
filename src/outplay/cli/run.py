"""`outplay run`: play against a live system and judge what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job, read_job, suite_job
from outplay.campaign.outcome import CaseResult, Outcome
from outplay.campaign.preparing.planning import prepare
from outplay.campaign.preparing.systems import against
from outplay.campaign.preparing.trust import refuse_unnamed_model, refuse_unnamed_system
from outplay.campaign.recorded_run import JobResult, run_prepared
from outplay.campaign.records import KEPT
from outplay.campaign.suite_runs.ledger import Ledger
from outplay.cli import job_options, options, registry_options
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.cli.progress import EXPLORING, SETTLING, counting, exploring, stages
from outplay.errors import FormatError
from outplay.escaping import escaped
from outplay.interrupting import hold
from outplay.plurals import counted
from outplay.verdict.verdicts import Fail

UNWRITTEN, INTERRUPTED = 4, 130
MOST_SHOWN = 50  # tests


@click.command(
    "run",
    cls=registry_options.OwnOptions,
    epilog=(
        "\b\nExamples:\n"
        "  outplay run examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py --bug'\n"
        "  outplay run examples/chat/model.py:Chat --goal two_pending --sut model:examples/chat/model.py:Chat\n"
        "  outplay run --suite tests.json --sut tcp:localhost:7000"
    ),
)
@options.asked(
    *options.READING,
    "suite",
    *options.RULES,
    *options.SYSTEM,
    *(
        "goal",
        "objective",
        *(name for name in registry_options.TOLD if name not in ("steps", "time_limit")),
        "tester",
        "strategy",
        "deterministic",
        "budget",
        "cover",
        "until_quiet",
        "until_cleared",
        "time_limit",
        "assumption",
    ),
    *options.LIMITS,
    *("plays", "steps", "settle", "then_walk", "keep_going", "join", "chance", "confidence"),
    *("adverse", "shrink", "redact"),
    MODEL={"required": False, "default": ""},
    objective={
        "type": job_options.objective_name("auto"),
        "help": "What the best strategy is the best at; `outplay solve --help` says what each one is.",
    },
    time_limit={
        "help": "cover-nodes, cover-edges, --tester cover, --tester tour, --cover: after so long, go by bounds, "
        "or by the best tour that was found."
    },
)
@click.option(
    "--job",
    "job_file",
    metavar="FILE",
    help="Take what is not given here from a job file (see the reference), as a program may write it.",
)
@options.file("--trace", "trace_path", help="Write the trace here [default: in the folder of the run, .outplay/last].")
@click.option(
    "--keep-runs",
    default=KEPT,
    show_default=True,
    type=click.IntRange(1),
    help="Keep so many runs in .outplay/runs; the oldest without failures go first.",
)
@options.trust
@options.json_output
def command(
    asked: dict[str, Any], job_file: str | None, trace_path: Path | None, keep_runs: int, trust: bool, as_json: bool
) -> int:
    """Play MODEL (file.py:Class, module:Class or a model file), or a suite, against a system under test.

    With --goal the tester plays the best strategy for the objective; `auto` forces the goal where it can, else
    plays for the least expected cost, else for the best chance. `cover-nodes` needs no goal: it visits as much as
    it can. Without a goal the tester plays against what may be wrong: answers that differ, and transitions that lead
    astray. A suite is played with its model read as it was when the suite was made.
    """
    stored = _stored(asked, job_file, trust)
    job = replace(stored, **asked | {"options": (*stored.options, *asked.get("options", ()))})
    if trace_path and trace_path.is_dir():
        raise FormatError(f"{trace_path}: a directory; check the path")
    if not job.sut:
        raise click.UsageError("Missing option '--sut'.")
    with stages(EXPLORING, SETTLING) as progress:
        prepared = prepare(job, *progress)
    warn(*prepared.warnings)
    hold()  # a signal ends the plays, and whatever takes long after them, but not the telling of what they came to
    if prepared.suite is None:
        with counting(job.plays, "playing") as show:
            result = run_prepared(prepared, trace=trace_path, keep=keep_runs, watch=lambda event: show(event.play - 1))
    else:
        count = "all" if prepared.suite.size is None else f"{prepared.suite.size:,}"
        with exploring(f"playing … {{:,}} of {count} tests done, {{:,}} branches open") as advance:
            seen = _progress(advance)
            result = run_prepared(prepared, trace=trace_path, keep=keep_runs, progress=seen)
    warn(*result.warnings, *result.unwritten)
    say_json(_json(result)) if as_json else _show(result)
    if result.interrupted:
        warn(f"interrupted after {counted(result.outcome.tally.plays, 'play')}; the trace so far is in {result.trace}")
        # A Fail stays one whatever would have come; anything else is no verdict on what was asked for.
        return Fail.exit_code if isinstance(result.outcome.verdict, Fail) else INTERRUPTED
    return result.outcome.verdict.exit_code or (UNWRITTEN if result.unwritten else 0)


def _progress(advance: Callable[[int, int], None] | None) -> Callable[[Ledger], None]:
    """Show how many tests are done, and what is open of them and of the one that is played."""
    if advance is None:
        return lambda ledger: None
    return lambda ledger: advance(ledger.tests, ledger.left_open + len(ledger.open()))


def _stored(asked: dict[str, Any], job_file: str | None, trust: bool) -> Job:
    """What was written down of the job beforehand: in a job file, or in a suite."""
    suite = asked.get("suite")
    if job_file is None and not suite:
        return Job()
    where = job_file or str(suite)
    stored = read_job(where) if job_file else suite_job(where, largest=asked.get("max_bytes"))
    if not trust and "model" not in asked:
        refuse_unnamed_model(stored, where, stored.model)
    if "sut" in asked:
        return against(stored, asked["sut"])
    if not trust:
        refuse_unnamed_system(stored, where)
    return stored


def _show(result: JobResult) -> None:
    """Print the verdict, the failing play as steps, and where to look and how to see it again."""
    outcome, kept = result.outcome, result.failure
    if outcome.verdict.name == "error" and not outcome.tally.steps:
        say(f"outplay: {outcome.verdict.why}", err=True, fg="red")  # nothing was played or can be reported
        return
    say(outcome.headline, fg=COLOURS[outcome.verdict.name], bold=True)
    _show_tests(outcome)
    for line in outcome.lines(kept):
        say(line)
    for finding in result.findings:
        say(f"  {finding}")
    if result.report:
        say(f"  report: {result.report}")


def _show_tests(outcome: Outcome) -> None:
    """Each test; of very many only those that did not pass."""
    many = outcome.ledger is not None and outcome.ledger.tests > MOST_SHOWN
    listed = [test for test in outcome.tests if not many or test.verdict.name != "pass"][:MOST_SHOWN]
    for test in listed:
        came_to = click.style(test.verdict.name, fg=COLOURS[test.verdict.name])
        click.echo(f"  {escaped(test.name)}: {came_to} ({counted(test.plays, 'play')})")
    if many and outcome.ledger:
        more = outcome.ledger.tests - len(listed)
        say(f"  {'… and ' if listed else ''}{counted(more, 'test')}{' more' if listed else ''}; --json lists them")


def _json(result: JobResult) -> dict[str, Any]:
    outcome, tally = result.outcome, result.outcome.tally
    return {
        "verdict": outcome.verdict.name,
        **({"interrupted": True} if result.interrupted else {}),
        "plays": tally.plays,
        "steps": tally.steps,
        "inputs": tally.inputs,
        "outputs": tally.outputs,
        "trace": _path(result.failure or result.trace),
        "report": _path(result.report),
        "why": outcome.shown.why,
        **({"shrunk": outcome.shrunk.json()} if outcome.shrunk else {}),
        "coverage": _coverage(result),
        **({"forecast": result.comparison.json()} if result.comparison else {}),
        **({"audit": result.audit.json()} if result.audit else {}),
        **({"tests": [_result_json(test) for test in outcome.tests]} if outcome.tests else {}),
        **({"ledger": outcome.ledger.json()} if outcome.ledger else {}),
    }


def _coverage(result: JobResult) -> dict[str, Any]:
    tally, found = result.outcome.tally, dict[str, Any]()
    if result.covered:
        found["aim"] = result.covered.json()
    if result.quiet:
        found["quiet"] = result.quiet.json()
    if result.outcome.suspected:
        found["suspected"] = result.outcome.suspected.json()
    return {"states": len(tally.states), "transitions": len(tally.transitions), **found}


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _result_json(test: CaseResult) -> dict[str, Any]:
    return {"name": test.name, "verdict": test.verdict.name, "plays": test.plays, "why": test.verdict.why}
