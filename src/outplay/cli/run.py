"""`outplay run`: play against a live system and judge what it does."""

from __future__ import annotations

import hashlib
import json
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from outplay.campaign.run import Outcome
from outplay.campaign.run import run as run_plays
from outplay.cli import options
from outplay.cli.colours import COLOURS
from outplay.cli.models import Named, target_of
from outplay.cli.progress import counting
from outplay.cli.systems import Contact
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import TraceWriter, event_json, write_trace
from outplay.game.graph import Game
from outplay.game.unfold import Limits
from outplay.play.event import Event
from outplay.play.plan import Plan, plan
from outplay.play.simulated import Badness
from outplay.play.system import System
from outplay.play.trace import Header
from outplay.strategy.hope import hope
from outplay.strategy.result import Solution, Strategy
from outplay.strategy.win import win_target
from outplay.verdict.report import write_report
from outplay.verdict.show import headline
from outplay.verdict.show import steps as steps_of

FOLDER = Path(".outplay")


@click.command(
    "run",
    epilog="\b\nExample:\n  outplay run examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py --bug'",
)
@options.model
@options.contact
@options.goals
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
    contact: Contact,
    goals: tuple[str, ...],
    assumption: str,
    limits: Limits,
    plays: int,
    steps: int,
    keep_going: bool,
    adverse: bool,
    trace_path: Path | None,
    as_json: bool,
) -> int:
    """Play MODEL (file.py:Class, module:Class or a model file) against a system under test.

    With --goal the tester plays the strategy that forces it, or the shortest way to be lucky where nothing can;
    without one it walks at random, preferring transitions not yet seen.
    """
    chosen, badness = _plan(named, goals, assumption, limits, contact.seed, adverse)
    opponent = contact.system(named, assumption, chosen.specification, badness)
    header = _header(named, contact, chosen, opponent, assumption=assumption, plays=plays, steps=steps)
    path = trace_path or FOLDER / "trace.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream, counting(plays, "playing") as show:
        writer = TraceWriter(stream, header)

        def watch(event: Event) -> None:
            writer.event(event)
            show(event.play - 1)

        bounds: dict[str, Any] = {"plays": plays, "steps": steps, "keep_going": keep_going}
        try:
            outcome = run_plays(chosen, opponent, header=header, timing=contact.timing, watch=watch, **bounds)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; the trace so far is in {path}") from None
        writer.verdict(outcome.verdict)
    _tell(outcome, path, as_json)
    return outcome.verdict.exit_code


def _header(
    named: Named, contact: Contact, chosen: Plan, opponent: System, *, assumption: str, plays: int, steps: int
) -> Header:
    """All that is needed to judge or play the run again."""
    timing = contact.timing.for_system(opponent)
    return Header(
        model=named.reference,
        model_hash=chosen.specification.fingerprint,
        sut=contact.sut,
        goal=chosen.goals,
        seed=contact.seed,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        options={
            "silence": timing.silence,
            "latency": timing.latency,
            "steps": steps,
            "plays": plays,
            "assumption": assumption,
            "ready": contact.ready,
            "reset": contact.reset_message,
            **named.reading,
        },
    )


def _tell(outcome: Outcome, path: Path, as_json: bool) -> None:
    """Keep a failing play, and tell the outcome to a program or to people."""
    failure = _keep_failure(outcome)
    if as_json:
        click.echo(json.dumps(_json(outcome, failure or path), ensure_ascii=False))
    elif outcome.verdict.name == "error" and not outcome.tally.steps:
        click.secho(f"outplay: {outcome.verdict.why}", err=True, fg="red")  # nothing was played: nothing to report
    else:
        _show(outcome, failure)


def _show(outcome: Outcome, failure: Path | None) -> None:
    """Print the verdict, the failing play as steps, and where to look and how to see it again."""
    header, shown = outcome.trace.header, outcome.failure() or outcome.trace
    line = headline(
        outcome.verdict, play=outcome.failing_play, plays=outcome.tally.plays, seed=header.seed, goal=header.goal
    )
    click.secho(line, fg=COLOURS[outcome.verdict.name], bold=True)
    if failure:
        for text in steps_of(shown, outcome.verdict):
            click.echo(text)
        click.echo(f"  replay: outplay replay {shlex.quote(str(failure))} --sut {shlex.quote(header.sut)}")
    tally = outcome.tally
    click.echo(
        f"  {tally.plays} {'play' if tally.plays == 1 else 'plays'}, {tally.steps:,} steps, "
        f"{len(tally.states):,} states and {len(tally.transitions):,} transitions seen"
    )
    click.echo(f"  report: {write_report(FOLDER / 'report.html', shown, outcome.verdict, failure=failure)}")


def _plan(
    named: Named, goals: tuple[str, ...], assumption: str, limits: Limits, seed: int, adverse: bool
) -> tuple[Plan, Badness | None]:
    """Who moves how: towards the goals, or at random; and how bad each state is, for a system that plays against us."""
    if not goals:
        if adverse:
            raise UsageError("--adverse needs a --goal to play against")
        return plan(named.specification(assumption), seed=seed), None
    game = named.game(assumption, limits)
    target = target_of(game, goals)
    if game.origin and game.origin.stopped:
        _warn(f"{game.origin.stopped}; playing on what is known")
    result = win_target(target)
    if not isinstance(result, Strategy):
        possible = hope(result).worth[game.initial] >= 0
        what = "playing the shortest way to be lucky" if possible else "and it is impossible in this model"
        _warn(f"{' or '.join(goals)} cannot be forced under {assumption}; {what}")
    return plan(result), _badness(result.game, result.solution) if adverse else None


def _warn(message: str) -> None:
    click.secho(f"outplay: {message}", err=True, fg="yellow")


def _badness(game: Game, solution: Solution) -> Badness:
    """How bad a state is for the tester: lost states worst, then the expensive ones."""

    def bad(state: Any) -> float:
        vertex = int(state) if game.origin is None else game.origin.vertex(state)
        worth = -1.0 if vertex is None else float(solution.worth[vertex])
        return float("inf") if worth < 0 else worth

    return bad


def _keep_failure(outcome: Outcome) -> Path | None:
    """Write the failing play alone, under a name made from what happened and not from when."""
    failure = outcome.failure()
    if failure is None:
        return None
    what = json.dumps([[event_json(event)["kind"], event_json(event)["label"]] for event in failure.events])
    path = FOLDER / "failures" / f"{hashlib.sha256(what.encode()).hexdigest()[:8]}.jsonl"
    write_trace(path, failure, outcome.verdict)
    return path


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
