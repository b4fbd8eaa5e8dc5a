"""`outplay run`: play against a live system and judge what it does."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from outplay.campaign.comparison import Comparison, compare
from outplay.campaign.run import Outcome
from outplay.campaign.run import run as run_plays
from outplay.campaign.suite import CaseResult, run_suite
from outplay.cli import options
from outplay.cli.colours import COLOURS, warn
from outplay.cli.models import Named
from outplay.cli.planning import Planned, planned
from outplay.cli.recording import FOLDER, header_of, keep_failure, recording
from outplay.cli.rules import rules
from outplay.cli.systems import Contact
from outplay.errors import UsageError
from outplay.game.unfold import Limits
from outplay.play.audit import Audit, audit
from outplay.play.tester import Follower
from outplay.strategy.forecast.forecast import forecast
from outplay.suite.testcase import Suite
from outplay.verdict.report import write_report
from outplay.verdict.show import headline
from outplay.verdict.show import steps as steps_of

NOTHING_TO_RUN = 5
FORECAST_UP_TO = 200_000  # edges; above that the comparison would take longer than many a run


@click.command(
    "run",
    epilog=(
        "\b\nExamples:\n"
        "  outplay run examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py --bug'\n"
        "  outplay run examples/chat/model.py:Chat --goal two_pending --sut model:examples/chat/model.py:Chat\n"
        "  outplay run --suite tests.json --sut tcp:localhost:7000"
    ),
)
@options.model_or_suite
@rules
@options.contact
@options.goals
@options.objective("auto", "auto")
@options.assumption
@options.limits
@click.option("--plays", default=100, show_default=True, type=click.IntRange(1), help="How many plays at most.")
@click.option(
    "--steps", default=100, show_default=True, type=click.IntRange(1), help="How many labels a play may have."
)
@click.option("--keep-going", is_flag=True, help="Do not stop at the first Fail.")
@click.option("--adverse", is_flag=True, help="A simulated system plays as badly for the tester as it may.")
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(path_type=Path),
    help="Write the trace here [default: .outplay/trace.jsonl].",
)
@options.json_output
def command(
    named: Named,
    suite: Suite | None,
    contact: Contact,
    goals: tuple[str, ...],
    objective: str,
    assumption: str,
    limits: Limits,
    plays: int,
    steps: int,
    keep_going: bool,
    adverse: bool,
    trace_path: Path | None,
    as_json: bool,
) -> int:
    """Play MODEL (file.py:Class, module:Class or a model file), or a suite, against a system under test.

    With --goal the tester plays the best strategy for the objective; `auto` forces the goal where it can, else
    plays for the least expected cost, else for the best chance. Without a goal it walks at random, preferring
    transitions not yet seen.
    """
    told = _Told(as_json)
    bounds: dict[str, Any] = {"plays": plays, "keep_going": keep_going}
    if suite is not None:
        if goals or adverse:
            raise UsageError("--suite plays its own test cases: leave --goal and --adverse out")
        if not suite.tests:
            warn("the suite has no tests: nothing to run")
            return NOTHING_TO_RUN
        return _play_suite(suite, named, contact, assumption, trace_path, told, bounds)
    aim: dict[str, Any] = {"objective": objective, "steps": steps, "seed": contact.seed, "adverse": adverse}
    chosen = planned(named, goals, assumption, limits, **aim)
    spec = chosen.plan.specification
    opponent = contact.system(named, assumption, spec, chosen.badness)
    used: dict[str, Any] = {"goal": chosen.plan.goals, "model_hash": spec.fingerprint}
    header = header_of(named, contact, opponent, **used, steps=steps, plays=plays, assumption=assumption)
    with recording(trace_path, header, plays) as record:
        outcome = run_plays(
            chosen.plan, opponent, header=header, timing=contact.timing, steps=steps, watch=record.watch, **bounds
        )
        record.verdict(outcome.verdict)
    sure = objective in ("auto", "win")
    told.outcome(outcome, record.path, *_afterwards(chosen, outcome, steps, sure))
    return outcome.verdict.exit_code


def _play_suite(
    suite: Suite,
    named: Named,
    contact: Contact,
    assumption: str,
    trace_path: Path | None,
    told: _Told,
    bounds: dict[str, Any],
) -> int:
    spec = named.specification(assumption)
    opponent = contact.system(named, assumption)
    used = {"plays": bounds["plays"], "assumption": assumption, "suite": f"{len(suite.tests)} tests of {suite.model}"}
    header = header_of(named, contact, opponent, goal=(), model_hash=spec.fingerprint, **used)
    with recording(trace_path, header, len(suite.tests)) as record:
        played = run_suite(suite, spec, opponent, header=header, timing=contact.timing, watch=record.watch, **bounds)
        record.verdict(played.outcome.verdict)
    told.outcome(played.outcome, record.path, results=played.results)
    return played.outcome.verdict.exit_code


def _afterwards(chosen: Planned, outcome: Outcome, steps: int, sure: bool) -> tuple[Comparison | None, Audit | None]:
    """Hold the forecast against what happened, and see whether the system kept to the assumption."""
    if not outcome.tally.steps:
        return None, None
    try:
        return _compared(chosen, outcome, steps, sure)
    except Exception as error:  # whatever goes wrong here must not cost the verdict
        warn(f"what happened could not be held against the forecast: {type(error).__name__}: {error}")
        return None, None


def _compared(chosen: Planned, outcome: Outcome, steps: int, sure: bool) -> tuple[Comparison | None, Audit | None]:
    tester = chosen.plan.tester if isinstance(chosen.plan.tester, Follower) else None
    seen = audit(chosen.plan.specification, outcome.trace, tester=tester)
    if chosen.game is None or chosen.game.edge_count > FORECAST_UP_TO:
        return None, seen
    before = forecast(chosen.game, chosen.names, steps=steps, together=True)
    return compare(before, outcome, seen, sure=sure), seen


class _Told:
    """Tells the outcome of a run to a program or to people."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def outcome(
        self,
        outcome: Outcome,
        path: Path,
        comparison: Comparison | None = None,
        seen: Audit | None = None,
        results: Sequence[CaseResult] = (),
    ) -> None:
        """Keep a failing play, and tell what happened."""
        failure = keep_failure(outcome)
        if self._as_json:
            more = {
                **({"forecast": comparison.json()} if comparison else {}),
                **({"audit": seen.json()} if seen else {}),
                **({"tests": [_result_json(result) for result in results]} if results else {}),
            }
            click.echo(json.dumps({**_json(outcome, failure or path), **more}, ensure_ascii=False))
        elif outcome.verdict.name == "error" and not outcome.tally.steps:
            click.secho(f"outplay: {outcome.verdict.why}", err=True, fg="red")  # nothing was played or can be reported
        else:
            # Without a goal nothing was promised, so only a broken assumption is worth a line.
            audited = seen.lines() if seen and (comparison or not seen.held) else ()
            findings = [*(comparison.lines() if comparison else ()), *audited]
            _show(outcome, failure, findings, results)


def _show(outcome: Outcome, failure: Path | None, findings: Sequence[str], results: Sequence[CaseResult]) -> None:
    """Print the verdict, the failing play as steps, and where to look and how to see it again."""
    header, shown = outcome.trace.header, outcome.failure() or outcome.trace
    line = headline(
        outcome.verdict, play=outcome.failing_play, plays=outcome.tally.plays, seed=header.seed, goal=header.goal
    )
    click.secho(line, fg=COLOURS[outcome.verdict.name], bold=True)
    for result in results:
        played = f"{result.plays} {'play' if result.plays == 1 else 'plays'}"
        click.echo(f"  {result.name}: {click.style(result.verdict.name, fg=COLOURS[result.verdict.name])} ({played})")
    if failure:
        for text in steps_of(shown, outcome.verdict):
            click.echo(text)
        click.echo(f"  replay: outplay replay {shlex.quote(str(failure))} --sut {shlex.quote(header.sut)}")
    tally = outcome.tally
    click.echo(
        f"  {tally.plays} {'play' if tally.plays == 1 else 'plays'}, {tally.steps:,} steps, "
        f"{len(tally.states):,} states and {len(tally.transitions):,} transitions seen"
    )
    for finding in findings:
        click.echo(f"  {finding}")
    page = write_report(FOLDER / "report.html", shown, outcome.verdict, failure=failure, findings=findings)
    click.echo(f"  report: {page}")


def _json(outcome: Outcome, path: Path) -> dict[str, Any]:
    tally = outcome.tally
    return {
        "verdict": outcome.verdict.name,
        "plays": tally.plays,
        "steps": tally.steps,
        "inputs": tally.inputs,
        "outputs": tally.outputs,
        "trace": str(path),
        "why": outcome.verdict.why,
        "coverage": {"states": len(tally.states), "transitions": len(tally.transitions)},
    }


def _result_json(result: CaseResult) -> dict[str, Any]:
    return {"name": result.name, "verdict": result.verdict.name, "plays": result.plays, "why": result.verdict.why}
