"""`outplay run`: play against a live system and judge what it does."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from outplay import __version__
from outplay.cli import job_options, options, registry_options
from outplay.cli.printing import COLOURS, say, say_json, warn
from outplay.cli.progress import EXPLORING, SETTLING, playing_progress, stage_progress
from outplay.errors import FormatError, UsageError
from outplay.escaping import escaped
from outplay.plurals import counted
from outplay.runs.configuration import FILE, TABLE
from outplay.runs.job import Job, read_job, suite_job
from outplay.runs.monitors.answer_waits import AnswerWaits, timing_hint
from outplay.runs.monitors.failure_groups import failure_group_lines
from outplay.runs.preparing.configured_code import refuse_unnamed_server, refuse_unnamed_system, with_remembered_model
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.systems import with_other_system
from outplay.runs.recorded_run import EventLog
from outplay.runs.reporting.allure_results import write_allure
from outplay.runs.reporting.baseline import Baseline
from outplay.runs.reporting.ctrf_json import write_ctrf
from outplay.runs.reporting.github_summary import write_github
from outplay.runs.reporting.junit_xml import write_junit
from outplay.runs.reporting.run_report import RunReports, Writer
from outplay.runs.result import RunResult
from outplay.runs.run_folders import KEPT
from outplay.runs.secrets import redaction_of
from outplay.signals import cancel_on_signals
from outplay.store.cut_runs import run_to_resume
from outplay.store.stored_run import STORE, stored_failures_first, stored_run
from outplay.verdict.show import studio_line
from outplay.verdict.verdicts import Fail

UNWRITTEN, INTERRUPTED = 4, 130
MOST_SHOWN = 50  # tests


@click.command(
    "run",
    cls=registry_options.PlayOptions,
    epilog=(
        "\b\nExamples:\n"
        "  outplay run examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py --bug'\n"
        "  outplay run examples/chat/model.py:Chat --goal two_pending --sut model:examples/chat/model.py:Chat\n"
        "  outplay run --suite tests.json --sut tcp:localhost:7000"
    ),
)
@options.job_field_options(
    *options.READING,
    "channel",
    "suite",
    *options.RULES,
    *options.SYSTEM,
    *(
        "goal",
        "objective",
        *(name for name in registry_options.OBJECTIVE_OPTIONS if name not in ("steps", "time_limit")),
        "tester",
        "strategy",
        "deterministic",
        "budget",
        "gain",
        "cover",
        "until",
        "until_covered",
        "until_quiet",
        "until_cleared",
        "time_limit",
        "assumption",
    ),
    *options.LIMITS,
    *(
        "plays",
        "labels",
        "time",
        "jobs",
        "scheduler",
        "steps",
        "confirm",
        "settle",
        "extra_steps",
        "end_in",
        "retries",
        "keep_going",
        "join",
        "chance",
        "confidence",
    ),
    *("exhaustive", "adversarial", "shrink", "no_cache", "redact"),
    objective={
        "type": job_options.objective_name("auto"),
        "help": "What to optimize; `outplay solve --help` says what each one is.",
    },
    time_limit={
        "help": "cover-nodes, cover-edges, --tester cover, --tester tour, --cover: after this time, settle for "
        "bounds or the best tour found so far."
    },
)
@click.option(
    "--job",
    "job_file",
    metavar="FILE",
    help="Read the options you omit from a job file; see the reference.",
)
@click.option(
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Continue RUN of the store, or the last one that was cut short.",
)
@click.option(
    "--failed-first",
    is_flag=True,
    help="First replay what failed against this system in earlier runs of this folder, on top of the budget.",
)
@options.file("--trace", "trace_path", help="Write the trace here [default: in the folder of the run, .outplay/last].")
@options.file("--log", "log_path", help="Write the events of the run here as they happen, one JSON object a line.")
@click.option(
    "--keep-runs",
    default=KEPT,
    show_default=True,
    type=click.IntRange(1),
    help="Number of runs to keep in .outplay/runs; the oldest without failures go first.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Explain how the value of a Pass was estimated, or how to look at a Fail in the studio.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print one line, and the failing play if there is one.")
@options.file("--junit", help="Write the results as JUnit XML, for CI servers.")
@options.file("--ctrf", help="Write the results as CTRF, the Common Test Report Format, in JSON.")
@options.file("--allure", metavar="FOLDER", help="Write the results for Allure into this folder.")
@click.option(
    "--github",
    is_flag=True,
    help="Write a summary and up to 10 annotations for GitHub Actions.",
)
@options.file(
    "--baseline",
    help="Ignore the failures in this file, told apart by kind, gate and state; only new ones fail and end the run.",
)
@click.option("--update-baseline", is_flag=True, help="Add the failures of this run to the file of --baseline.")
@options.trust
@options.json_output
def command(
    asked: dict[str, Any],
    job_file: str | None,
    resume: str | None,
    failed_first: bool,
    trace_path: Path | None,
    log_path: Path | None,
    keep_runs: int,
    verbose: bool,
    quiet: bool,
    junit: Path | None,
    ctrf: Path | None,
    allure: Path | None,
    github: bool,
    baseline: Path | None,
    update_baseline: bool,
    trust: bool,
    as_json: bool,
) -> int:
    """Play MODEL (file.py:Class, module:Class or a model file), or a suite, against a system under test.

    With --goal the tester plays the best strategy for the objective: `auto` forces the goal where it can, else
    minimizes the expected cost, else maximizes the probability. `cover-nodes` needs no goal: it visits as much as
    it can. Without a goal the tester looks for wrong answers and for transitions that lead to a wrong state. A suite
    is played with the model options it was made with.
    """
    cut, stored = None, Job()
    if resume is None:
        stored = _stored(asked, job_file, trust)
    else:
        cut, found = run_to_resume(STORE, resume, trace=trace_path)
        stored = _named(asked, found, f"run {cut.name}", trust)
    job = options.with_options_added(stored, asked)
    if trace_path and trace_path.is_dir():
        raise FormatError(f"{trace_path}: a directory; check the path")
    if not job.sut:
        raise click.UsageError(
            "Missing option '--sut': name the system, such as --sut 'exec:./server', "
            f'or write system = "…" under {TABLE} in {FILE}.'
        )
    if update_baseline and not baseline:
        raise click.UsageError("--update-baseline writes the file of --baseline: name it too.")
    held = (
        Baseline(baseline, redaction_of(job), update=update_baseline, keep_going=job.keep_going) if baseline else None
    )
    job = replace(job, keep_going=job.keep_going or held is not None)
    with stage_progress(EXPLORING, SETTLING) as progress:
        prepared = prepare(cut.rest(job) if cut else job, *progress)
    if cut and cut.header.model_hash != prepared.specification.fingerprint:
        raise UsageError(f"run {cut.name} cannot be resumed: its model has changed since; start a new run")
    if failed_first:
        if cut or prepared.suite is not None:
            raise UsageError("--failed-first is for new runs without --suite: leave it out")
        prepared = stored_failures_first(prepared)
    warn(*prepared.warnings)
    token = cancel_on_signals()  # a signal ends the plays, and what takes long after them, but not what is said of them
    log = [EventLog(log_path, redaction_of(job))] if log_path else []
    waits = AnswerWaits(prepared.job.silence)
    writers = _writers(junit, ctrf, allure, github=github, as_json=as_json)
    reports = [RunReports(writers, version=__version__)] if writers else []
    with playing_progress(prepared, quiet=quiet) as observers:
        told: dict[str, Any] = {"observers": [*observers, waits, *log, *([held] if held else [])], "keepers": reports}
        result = stored_run(prepared, trace=trace_path, keep=keep_runs, token=token, cut=cut, **told).finish()
    trace = result.files.trace
    if result.interrupted and not result.played:
        raise KeyboardInterrupt(f"interrupted; the trace so far is in {trace}" if trace else "interrupted")
    warn(*result.warnings, *result.files.unwritten)
    say_json(result.json()) if as_json else _show(result, details=verbose, short=quiet)
    if result.passed and not (as_json or quiet) and (hint := timing_hint(waits, prepared.system, job.timing)):
        say(f"  {hint}", err=True)
    if result.interrupted:
        again = "`outplay run --resume` goes on with it"
        warn(f"interrupted after {counted(result.tally.plays, 'play')}; the trace so far is in {trace}; {again}")
        # A Fail stays one whatever would have come; anything else is no verdict on what was asked for.
        return (isinstance(result.verdict, Fail) and result.exit_code) or INTERRUPTED
    return result.exit_code or (UNWRITTEN if result.files.unwritten else 0)


def _writers(
    junit: Path | None, ctrf: Path | None, allure: Path | None, *, github: bool, as_json: bool
) -> dict[str, Writer]:
    """The formats that are asked for, by their options."""
    kinds = {"--junit": (write_junit, junit), "--ctrf": (write_ctrf, ctrf), "--allure": (write_allure, allure)}
    made: dict[str, Writer] = {option: partial(write, path) for option, (write, path) in kinds.items() if path}
    if github:  # GitHub reads both streams
        made["--github"] = partial(write_github, os.environ, partial(click.echo, err=as_json))
    return made


def _stored(asked: dict[str, Any], job_file: str | None, trust: bool) -> Job:
    """Read the stored part of the job: from a job file, or from a suite."""
    suite = asked.get("suite")
    if job_file is None and not suite:
        return Job()
    where = job_file or str(suite)
    stored = read_job(where) if job_file else suite_job(where, largest=asked.get("max_bytes"))
    return _named(asked, stored, where, trust)


def _named(asked: dict[str, Any], stored: Job, where: str, trust: bool) -> Job:
    """A job that was written down, with no code and no system but those that the user has named."""
    if not trust and "model" not in asked:
        stored = with_remembered_model(stored, where, stored.model)
    if "sut" in asked:
        told = with_other_system(stored, asked["sut"])
        return told if trust else refuse_unnamed_server(told, asked.get("options", ()), where)
    if not trust:
        refuse_unnamed_system(replace(stored, model=asked.get("model", stored.model)), where)
    return stored


def _show(result: RunResult, *, details: bool, short: bool) -> None:
    """Print the verdict, the failing play as steps, and where to look and how to see it again."""
    if result.verdict.name == "error" and not result.tally.steps:
        say(f"outplay: {result.verdict.why}", err=True, fg="red")  # nothing was played or can be reported
        return
    say(result.headline, fg=COLOURS[result.verdict.name], bold=True)
    if short and result.passed:
        return
    _show_tests(result)
    for line in result.lines(result.files.failure, details=details):
        say(line)
    for line in failure_group_lines(result.failures, result.tally.plays):
        say(f"  {line}")
    for line in result.baseline.lines() if result.baseline else ():
        say(f"  {line}")
    for finding in result.findings:
        say(f"  {finding}")
    if result.files.report:
        say(f"  report: {result.files.report}")
    if details and result.files.failure:
        say(f"  look: {studio_line(result.files.failure)}")


def _show_tests(result: RunResult) -> None:
    """Each test; of very many only those that did not pass."""
    many = result.ledger is not None and result.ledger.tests > MOST_SHOWN
    listed = [test for test in result.tests if not many or test.verdict.name != "pass"][:MOST_SHOWN]
    for test in listed:
        came_to = click.style(test.verdict.name, fg=COLOURS[test.verdict.name])
        click.echo(f"  {escaped(test.name)}: {came_to} ({counted(test.plays, 'play')})")
    if many and result.ledger:
        more = result.ledger.tests - len(listed)
        say(f"  {'… and ' if listed else ''}{counted(more, 'test')}{' more' if listed else ''}; --json lists them")
