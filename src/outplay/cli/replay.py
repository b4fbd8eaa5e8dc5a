"""`outplay replay`: play a recorded trace again against a system."""

from __future__ import annotations

import json
from pathlib import Path

import click

from outplay.campaign.replay import Replay, replay
from outplay.cli import options
from outplay.cli.colours import COLOURS
from outplay.cli.models import load, system
from outplay.formats.trace_jsonl import read_trace
from outplay.play.runner import Timing
from outplay.verdict.show import headline, steps

NOT_REPRODUCED = 6
DEFAULT = Timing()


@click.command(
    "replay", epilog="Example: outplay replay .outplay/failures/4f2a91c0.jsonl --sut 'exec:python3 server.py --bug'"
)
@click.argument("trace", type=click.Path(path_type=Path))
@options.sut
@click.option("--model", help="The model to judge by [default: the one named in the trace].")
@options.settings
@options.timing
@options.seed
@click.option("--tries", default=20, show_default=True, type=click.IntRange(1), help="Give up after so many plays.")
@options.json_output
def command(
    trace: Path,
    sut: str,
    model: str | None,
    settings: tuple[str, ...],
    silence: float | None,
    latency: float | None,
    ready: str | None,
    reset_message: str | None,
    seed: int,
    tries: int,
    as_json: bool,
) -> int:
    """Give the inputs of TRACE's failing play again, at the same places, until the system fails again."""
    recorded = read_trace(trace)
    used = recorded.header.options
    assumption = str(used.get("assumption", "nondeterministic"))
    named = load(model or recorded.header.model, settings or tuple(used.get("set", ())))
    spec = named.specification(assumption)
    if recorded.header.model_hash and recorded.header.model_hash != spec.fingerprint:
        click.secho("outplay: the model has changed since the trace was recorded", err=True, fg="yellow")
    opponent = system(sut, seed=seed, assumption=assumption, ready=ready, reset_message=reset_message)
    timing = Timing(
        float(used.get("silence", DEFAULT.silence)) if silence is None else silence,
        float(used.get("latency", DEFAULT.latency)) if latency is None else latency,
    )
    result = replay(spec, recorded, opponent, timing=timing, tries=tries)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "reproduced": result.reproduced,
                    "tries": result.tries,
                    "fails": result.fails,
                    "verdict": result.verdict.name,
                    "why": result.verdict.why,
                },
                ensure_ascii=False,
            )
        )
    else:
        _show(result)
    return 1 if result.reproduced else result.verdict.exit_code or NOT_REPRODUCED


def _show(result: Replay) -> None:
    if result.reproduced:
        click.secho(
            f"{headline(result.verdict)}, reproduced in try {result.tries}", fg=COLOURS[result.verdict.name], bold=True
        )
        for line in steps(result.trace, result.verdict):
            click.echo(line)
    elif result.verdict.name == "error":
        click.secho(headline(result.verdict), fg=COLOURS["error"], bold=True)
    else:
        click.secho(
            f"? Not reproduced in {result.tries} tries: raise --tries, the system may choose otherwise",
            fg="yellow",
            bold=True,
        )
