"""`outplay judge`: judge a recorded trace against a model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.colours import COLOURS
from outplay.cli.models import load_again, warn_of_other_model
from outplay.cli.output import check_picture, write_picture
from outplay.formats.trace_jsonl import read_trace, verdict_json
from outplay.game.unfold import Limits
from outplay.play.plan import game_specification
from outplay.verdict.judge import judge
from outplay.verdict.show import headline, steps
from outplay.verdict.verdicts import Fail


@click.command("judge", epilog="\b\nExample:\n  outplay judge examples/chat/model.py:Chat .outplay/trace.jsonl")
@click.argument("spec")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Draw the trace on the model: .svg or .html.")
@options.settings
@options.json_output
def command(spec: str, trace: Path, output: Path | None, settings: tuple[str, ...], as_json: bool) -> int:
    """Judge TRACE (a .jsonl of `outplay run`, or a log in that form) by the model SPEC."""
    check_picture(output)
    recorded = read_trace(trace)
    named = load_again(recorded, spec, settings)
    assumption = str(recorded.header.options.get("assumption", "nondeterministic"))
    meaning = named.specification(assumption)
    warn_of_other_model(recorded, meaning)
    if any(goal not in meaning.goals and goal[:1] not in "?!" for goal in recorded.header.goal):
        # A state by number, which is that of exploring, or a transition.
        meaning = game_specification(named.wanted(assumption, Limits(), recorded.header.goal)[0], spec)
    verdict = judge(meaning, recorded)
    if output:
        shown = recorded.play(verdict.event.play, until=verdict.event.n) if isinstance(verdict, Fail) else recorded
        labels = [event.label.text for event in shown.events if event.is_move and event.label]
        write_picture(output, named.game(assumption, Limits()), title=f"{spec}: {trace}", trace=labels)
    if as_json:
        click.echo(json.dumps(verdict_json(verdict), ensure_ascii=False))
    else:
        click.secho(headline(verdict, goal=recorded.header.goal), fg=COLOURS[verdict.name], bold=True)
        if isinstance(verdict, Fail):
            for line in steps(recorded.play(verdict.event.play, until=verdict.event.n), verdict):
                click.echo(line)
    return verdict.exit_code
