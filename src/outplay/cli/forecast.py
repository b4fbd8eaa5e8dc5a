"""`outplay forecast`: before anything is played, what can be forced, what needs help or luck, what cannot be."""

from __future__ import annotations

import shutil
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import load_model
from outplay.cli import options
from outplay.cli.colours import warn
from outplay.cli.output import check_output
from outplay.cli.printing import say_json
from outplay.cli.progress import exploring
from outplay.errors import UsageError
from outplay.escaping import escaped
from outplay.formats.texts.writing import write_whole
from outplay.strategy.coverage.items import COVERABLE, items_of
from outplay.strategy.coverage.outlook import Outlook, outlook
from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.forecast import STEPS, forecast
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.forecast.sentences import sentence
from outplay.verdict.forecast_page import forecast_page

COVERAGE = "coverage"
SHOWN = 12
WIDEST_NAME = 40
WIDTH = 100


@click.command(
    "forecast",
    epilog=(
        "\b\nExamples:\n"
        "  outplay forecast examples/chat/model.py:Chat\n"
        "  outplay forecast examples/tcp/model.py:Tcp --goal established --assumption input-eager\n"
        "  outplay forecast examples/vending/vending.aut --of states --all -o forecast.html"
    ),
)
@options.job(
    *options.READING,
    *options.RULES,
    *("goal", "steps", "cover", "plays", "time_limit", "assumption"),
    *options.LIMITS,
    steps={
        "default": STEPS,
        "type": click.IntRange(0),
        "help": "Moves within which the probability counts; of coverage, the labels of a play.",
    },
    cover={"help": "coverage: only of states, transitions or labels."},
    plays={"help": "coverage: how many plays to rehearse."},
    time_limit={"help": "coverage: how long to look for what is sure."},
)
@click.option(
    "--of",
    "kinds",
    multiple=True,
    type=click.Choice([*(f"{kind}s" for kind in KINDS), COVERAGE]),
    help="Forecast all targets of a kind. May be repeated  [default: all kinds]. coverage: how much a run will see.",
)
@click.option("--all", "all_lines", is_flag=True, help=f"Print every target, not {SHOWN} of each kind.")
@options.file("-o", "--output", help="Write the forecast as a page: .html.")
@options.json_output
def command(job: Job, kinds: tuple[str, ...], all_lines: bool, output: Path | None, as_json: bool) -> None:
    """Say what to expect of each goal, label, state and transition of MODEL (file.py:Class, module:Class or a file).

    Forced: it is reached whatever the system does. Needs help: the system, free to do otherwise, has to do what you
    wish, so many times. Impossible: no way leads there. Probabilities that the model does not give are taken as equal.
    """
    check_output(output, (".html",))
    if job.goal and kinds:
        raise UsageError("--goal names targets and --of lists all of a kind: give one or the other")
    if COVERAGE in kinds:
        _coverage(job, alone=kinds == (COVERAGE,) and output is None, as_json=as_json)
        return
    if job.cover:
        raise UsageError("--cover says what coverage to forecast: add --of coverage")
    model = load_model(job)
    with exploring() as progress:
        game, goals = model.wanted(progress)
    began = time.perf_counter()
    wanted = () if kinds else dict.fromkeys(goals)
    seen = forecast(game, wanted, steps=job.steps, kinds=[kind[:-1] for kind in kinds] or None)
    seconds = round(time.perf_counter() - began, 6)
    for warning in seen.warnings:
        warn(warning)
    if output:
        write_whole(output, [forecast_page(seen, title=job.model, assumption=job.assumption)])
    if as_json:
        say_json({**seen.json(), "seconds": seconds})
    else:
        for line in _flat(seen, seen.entries) if goals else lines(seen, None if all_lines else SHOWN):
            click.echo(line)


def _coverage(job: Job, *, alone: bool, as_json: bool) -> None:
    """Forecast how much of the model a run will see."""
    if not alone:
        raise UsageError("--of coverage is about no single target: ask for it by itself, without a page")
    model = load_model(job)
    with exploring() as progress:
        game = model.game(progress)
    if game.origin.stopped:
        warn(f"{game.origin.stopped}; coverage of what is known")
    how: dict[str, Any] = {"plays": job.plays, "steps": job.steps, "seconds": job.time_limit}
    found = [outlook(items_of(game, kind), **how) for kind in ([job.cover] if job.cover else COVERABLE)]
    if as_json:
        say_json({"coverage": {seen.items.kind: _outlook_json(seen) for seen in found}})
        return
    for seen in found:
        for line in seen.lines():
            click.echo(escaped(line))


def _outlook_json(seen: Outlook) -> dict[str, Any]:
    after = [{"plays": plays, "expected": seen.expected(plays)} for plays in seen.milestones]
    return {"total": seen.items.count, **seen.json(), "after": after if seen.rehearsals else None}


def lines(seen: Forecast, most: int | None) -> Iterator[str]:
    """The forecast for a terminal: kind by kind, the easiest first, at most so many of each."""
    groups = {kind: [p for p in seen.entries if p.kind == kind] for kind in KINDS}
    filled = {kind: entries for kind, entries in groups.items() if entries}
    if not filled:
        yield "nothing to forecast: the model has no goals; name targets with --goal, or ask for kinds with --of"
    for kind, entries in filled.items():
        yield f"{kind}s: {_summary(entries)}"
        if most is None or len(entries) <= most or kind == "goal":
            yield from _flat(seen, entries)
        else:
            easy, hard = entries[: most // 2], entries[len(entries) - (most - most // 2) :]
            yield from _flat(seen, [*easy, *hard], gap=len(easy), left=len(entries) - most)


def _flat(seen: Forecast, entries: Sequence[Entry], *, gap: int = -1, left: int = 0) -> Iterator[str]:
    """One target after the other; after `gap` of them a word about those that are left out."""
    width = min(max(len(entry.name) for entry in entries), WIDEST_NAME)
    for place, entry in enumerate(entries):
        if place == gap:
            yield f"  … {left:,} more between these; --all lists them"
        first, *rest = _wrapped(entry.name, [sentence(entry, seen), *filter(None, [entry.about])], width)
        yield _coloured(first, entry)
        yield from rest


def _wrapped(name: str, texts: Sequence[str], width: int) -> Iterator[str]:
    """A name in its column and texts beside it, folded to the terminal."""
    name = escaped(name)
    room = max(shutil.get_terminal_size((WIDTH, 24)).columns, 60) - width - 4
    fold = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False)
    first, *rest = [line for text in texts for line in fold.wrap(escaped(text))]
    if len(name) > width:
        yield f"  {name}"
        yield f"  {'':{width}}  {first}"
    else:
        yield f"  {name:{width}}  {first}"
    for line in rest:
        yield f"  {'':{width}}  {line}"


def _coloured(line: str, entry: Entry) -> str:
    """Let the first word stand out: green, yellow or red on a terminal that has colours."""
    word = "forced" if entry.forced else "impossible" if entry.impossible else "not forced"
    colour = {"forced": "green", "impossible": "red"}.get(word, "yellow")
    start, found, end = line.rpartition(f"  {word}")
    return f"{start}  {click.style(word, fg=colour)}{end}" if found else line


def _summary(entries: Sequence[Entry]) -> str:
    forced = sum(entry.forced is not None for entry in entries)
    never = sum(entry.impossible for entry in entries)
    parts = {"forced": forced, "not forced": len(entries) - forced - never, "impossible": never}
    return ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
