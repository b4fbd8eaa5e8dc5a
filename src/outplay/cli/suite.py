"""`outplay suite`: write test cases for what is to be reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from outplay.cli import job_options, options, registry_options
from outplay.cli.output_files import check_output_name
from outplay.cli.printing import rendered_result, say, say_json
from outplay.cli.progress import exploring_progress
from outplay.errors import UsageError
from outplay.formats.common.writing import write_whole
from outplay.formats.suites.suite_drawing import dot, mermaid
from outplay.formats.suites.suite_json import dump_suite
from outplay.formats.suites.suite_pytest import suite_pytest_file
from outplay.plurals import counted
from outplay.registries import flag
from outplay.renderable import Rendered
from outplay.runs.job import Job
from outplay.runs.suite_runs.suite_making import Counted, make_suite
from outplay.suite.methods import SECONDS, method_options, methods, refuse_goalless
from outplay.suite.suite import Suite

WRITERS = {".json": dump_suite, ".dot": dot, ".mmd": mermaid, ".py": suite_pytest_file}
NOTHING_TO_RUN = 5
MOST_WRITTEN = 10_000_000
OF_JOBS = ("strategy", "time_limit")  # fields of a job that methods take


class _Suite(click.Command):
    """Takes the options of all methods there are, and tells of them when it is asked for help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return registry_options.with_registry_options(super().get_params(ctx), _of_methods())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Methods"):
            formatter.write_dl([(method.name, method.summary) for method in methods().values()])
        super().format_epilog(ctx, formatter)


def _of_methods() -> Iterator[click.Option]:
    for name, option in method_options().items():
        if name in OF_JOBS:
            continue
        takers = [method.name for method in methods().values() if name in method.options]
        words = f"{', '.join(takers)}: {option.help}" if len(takers) < len(methods()) // 2 else option.help
        yield click.Option([flag(name), name], help=words, default=None, **registry_options.click_settings(option))


class _MethodName(job_options.Name):
    """The name of a method; who asks for an objective that is none is told what to use."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        refuse_goalless(value)
        return super().convert(value, param, ctx)


@click.command(
    "suite",
    cls=_Suite,
    epilog=(
        "\b\nExamples:\n"
        "  outplay suite examples/printer/printer.aut --method joker -o tests.json\n"
        "  outplay suite examples/mp3/mp3.aut --method distinguish -o tests.json\n"
        "  outplay suite examples/mp3/mp3.aut --method n-complete --states 5 --count"
    ),
)
@options.job_field_options(
    *options.READING,
    *options.RULES,
    *("goal", "assumption"),
    *options.LIMITS,
    *OF_JOBS,
    time_limit={
        "help": "walk, edges, tour: after this time, settle for the best found so far, with a bound "
        f"[default: {SECONDS:g}]."
    },
)
@click.option("--method", required=True, type=_MethodName(methods, "method"), help="The kind of tests; see below.")
@options.file(
    "-o",
    "--output",
    help=f"Write the suite here: {', '.join(WRITERS)}; a .json is played by `run --suite`, a .py by pytest.",
)
@click.option("--count", is_flag=True, help="Only count the tests and labels; write nothing.")
@options.json_output
def command(asked: dict[str, Any], method: str, output: Path | None, count: bool, as_json: bool, **given: Any) -> int:
    """Write a test suite for MODEL. An objective makes one test case for each goal, or for each state where no goal
    is named.
    """
    check_output_name(output, WRITERS)
    if output is None and not count:
        raise UsageError("where shall the tests go? give -o FILE.json, or --count them")
    taken = {name: asked.pop(name) for name in OF_JOBS if name in asked}
    taken |= {name: value for name, value in given.items() if value is not None}
    job = Job(**asked)
    with exploring_progress() as progress:
        suite = make_suite(job, method, progress=progress, **taken)
    with exploring_progress("writing … {:,} test cases, {:,} labels at most") as progress:
        passed = Counted(suite, progress)
        if output is None or count:
            passed.known()
        else:
            _refuse_huge(suite)
            write_whole(output, WRITERS[output.suffix](replace(suite, tests=passed)))
        remarks = rendered_result(suite.remarks, as_json=as_json) if suite.remarks else Rendered({}, ())
    if as_json:
        say_json({"method": method, "tests": passed.tests, "labels": passed.labels, **remarks.json()})
    else:
        _show(None if count else output, suite, passed, remarks.lines())
    return 0 if passed.tests else NOTHING_TO_RUN


def _refuse_huge(suite: Suite) -> None:
    if suite.size is not None and suite.size > MOST_WRITTEN:
        raise UsageError(
            f"the suite has {suite.size:,} tests, more than the {MOST_WRITTEN:,} that are written: "
            "ask for fewer --states, or --count them"
        )


def _show(output: Path | None, suite: Suite, passed: Counted, remarks: Iterable[str]) -> None:
    written = f": {output}" if output else ""
    say(f"{counted(passed.tests, 'test case')}, {counted(passed.labels, 'label')} at most{written}")
    for line in remarks:
        say(line)
    if suite.guarantee and passed.tests:
        say(f"who passes: {suite.guarantee}")
    if output and output.suffix == ".json" and passed.tests:
        say(f"play them: outplay run --suite {output} --sut …")
    if output and output.suffix == ".py" and passed.tests:
        say(f"play them: OUTPLAY_SUT=… pytest {output}")
