"""`outplay suite`: write test cases for what is to be reached."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.campaign.loaded_model import LoadedModel, load
from outplay.campaign.planning import COVER
from outplay.campaign.trust import code_of, is_code
from outplay.cli import options
from outplay.cli.output import check_output
from outplay.cli.printing import say, say_json
from outplay.cli.progress import exploring
from outplay.errors import UsageError
from outplay.formats.suite_drawing import dot, mermaid
from outplay.formats.suite_json import dump_suite
from outplay.formats.writing import write_whole
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import Objective, objective_named
from outplay.strategy.words import counted
from outplay.suite.from_answer import case_from_answer
from outplay.suite.identifying import identifying_cases, identifying_test
from outplay.suite.testcase import Suite, TestCase

DISTINGUISH = "distinguish"
WRITERS = {".json": dump_suite, ".dot": dot, ".mmd": mermaid}
NOTHING_TO_RUN = 5


@click.command(
    "suite",
    epilog=(
        "\b\nExamples:\n"
        "  outplay suite examples/printer/printer.aut --method joker -o tests.json\n"
        "  outplay suite examples/mp3/mp3.aut --method distinguish -o tests.json"
    ),
)
@options.job(*options.READING, *options.RULES, "goal", "assumption", *options.LIMITS)
@click.option(
    "--method",
    required=True,
    type=options.ObjectiveName(DISTINGUISH),
    help="The objective of each test case; joker: it needs the least help of the system. distinguish: whether the "
    "system is where it should be after each transition.",
)
@options.file(
    "-o",
    "--output",
    required=True,
    help=f"Write the suite here: {', '.join(WRITERS)}; a .json can be played by `run --suite`.",
)
@click.option("--depth", type=click.IntRange(1), help="Give a test up, inconclusive, after so many labels.")
@options.json_output
def command(job: Job, method: str, output: Path, depth: int | None, as_json: bool) -> int:
    """Write a test suite for MODEL: one test case for each goal, or for each state where no goal is named."""
    check_output(output, WRITERS)
    if method == COVER:
        raise UsageError(f"a test case has a goal, and {COVER} has none: play it with `run --objective {COVER}`")
    model = load(job)
    tests, more = _identifying(model) if method == DISTINGUISH else _reaching(model, method, depth)
    suite = Suite(job.model, method, tuple(tests), replace(job.reading(), model_code=code_of(job)).json())
    write_whole(output, WRITERS[output.suffix](suite))
    labels = sum(test.depth for test in tests)
    if as_json:
        say_json({"method": method, "tests": len(tests), "labels": labels, **more})
    else:
        named = f"{shlex.quote(job.model)} " if is_code(job) and not code_of(job) else ""
        _show(output, tests, more, labels, named)
    return 0 if tests else NOTHING_TO_RUN


def _reaching(model: LoadedModel, method: str, depth: int | None) -> tuple[list[TestCase], dict[str, Any]]:
    """Test cases that reach what is named, and what cannot be reached."""
    with exploring() as progress:
        game = model.game(progress)
    names = list(dict.fromkeys(model.goals)) or list(game.goals) or _states(game)
    tests, impossible = _tests(game, names, objective_named(method), depth)
    return tests, {"impossible": impossible}


def _identifying(model: LoadedModel) -> tuple[list[TestCase], dict[str, Any]]:
    """Test cases that find out where the system is, and the figures of the test they share."""
    spec = model.bare()
    test = identifying_test(spec, most=model.job.max_states)
    return list(identifying_cases(spec, test)), {
        "splitting_nodes": len(test.graph),
        "depth": test.depth,
        "undistinguished_pairs": 2 * len(test.undistinguished),
        "left_out_pairs": 2 * len(test.left_out),
        "average_leaf": test.average_leaf,
        "weighted_leaf": test.weighted_leaf,
    }


def _states(game: Game) -> list[str]:
    """The model's own states; vertices behind a choice are none."""
    return [game.names[vertex] for vertex in range(game.vertex_count) if game.roles.role[vertex] == Role.STATE]


def _tests(
    game: Game, names: Sequence[str], objective: Objective, depth: int | None
) -> tuple[list[TestCase], list[str]]:
    """A test case for each target that can be reached at all, and the others."""
    tests, impossible = list[TestCase](), list[str]()
    for name in names:
        answer = objective.solve(game, name)
        strategy = answer.strategy
        if strategy.hopeless(answer.game.initial, strategy.start):
            impossible.append(name)
        else:
            tests.append(_test(answer, name, depth))
    return tests, impossible


def _test(answer: Answer, name: str, depth: int | None) -> TestCase:
    try:
        return case_from_answer(answer, name=name, depth=depth)
    except UsageError as error:
        if depth is not None:
            raise
        raise UsageError(f"{name}: the way there may go round for ever ({error}); give --depth N") from None


def _show(output: Path, tests: list[TestCase], more: dict[str, Any], labels: int, named: str) -> None:
    say(f"{counted(len(tests), 'test case')}, {labels:,} labels at most: {output}")
    if more.get("impossible"):
        say(f"impossible, so without a test: {', '.join(more['impossible'])}")
    if "depth" in more:
        left = more["undistinguished_pairs"] + more["left_out_pairs"]
        further = f"; {counted(left, 'ordered pair')} that it leaves have further tests" if left else ""
        say(f"each ends with one test of at most {counted(more['depth'], 'label')} that tells states apart{further}")
    if output.suffix == ".json" and tests:
        say(f"play them: outplay run {named}--suite {output} --sut …")
