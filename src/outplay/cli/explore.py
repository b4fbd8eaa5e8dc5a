"""`outplay explore`: play a model out on paper and write the game graph."""

from __future__ import annotations

import time
from pathlib import Path

import click

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import load_model
from outplay.cli import options
from outplay.cli.colours import warn
from outplay.cli.output import check_output, write_explored
from outplay.cli.printing import say, say_json
from outplay.cli.progress import exploring
from outplay.formats.registry import ENDINGS
from outplay.pictures.gallery import PICTURES


@click.command("explore", epilog="\b\nExample:\n  outplay explore examples/chat/model.py:Chat -o chat.json")
@options.job(*options.READING, "assumption", *options.LIMITS)
@options.file(
    "-o",
    "--output",
    help="Write the game (.json .dot .drn .tra .mmd), draw it (.svg .html), or write the automaton (.aut .csv .fsm).",
)
@click.option(
    "--compress",
    metavar="GOAL",
    help="Merge parallel edges and pass over chains of answers (Blass et al. 2005): a smaller game, in which reaching "
    "GOAL has the same expected cost and probability. What lies behind GOAL is left out.",
)
@options.json_output
def command(job: Job, output: Path | None, compress: str | None, as_json: bool) -> None:
    """Explore MODEL (file.py:Class, module:Class or a model file) into a game between tester and system."""
    check_output(output, (*ENDINGS, *PICTURES))
    began = time.perf_counter()
    loaded = load_model(job)
    with exploring() as progress:
        game = loaded.game(progress)
    origin = game.origin
    if compress is not None:
        from outplay.strategy.chance.reduction.compression import compressed_for

        game = compressed_for(game, compress)
    if output:
        write_explored(output, game, loaded.model, title=job.model)
        if origin.assumption.waits_for_timeout and output.suffix in (".dot", ".drn", ".tra"):
            warn(f"{output} keeps the graph and not the rule of time-outs: to be played, write it as .json")
    goals = {name: len(members) for name, members in sorted(game.goals.items())}
    result = {
        "states": origin.states,
        "vertices": game.vertex_count,
        "edges": game.edge_count,
        "complete": origin.complete,
        "approximate": origin.approximate,
        "seconds": round(time.perf_counter() - began, 3),
        "goals": goals,
    }
    if origin.stopped:
        warn(origin.stopped)
        result["stopped"] = origin.stopped
    if as_json:
        say_json(result)
        return
    say(
        f"{result['states']:,} states, {game.vertex_count:,} vertices, {game.edge_count:,} edges"
        f"{'' if result['complete'] else ' (not complete)'} in {result['seconds']} s"
    )
    for name, count in goals.items():
        places = f"holds at {count:,} {'vertex' if count == 1 else 'vertices'}" if count else "never holds"
        say(f"  goal {name}: {places}")
    if output:
        say(f"written: {output}")
