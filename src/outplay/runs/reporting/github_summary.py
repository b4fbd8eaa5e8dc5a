"""A summary for the page of a job of GitHub Actions, and annotations of its changes.

GitHub shows ten annotations of a step and drops the rest, and takes a summary of at most 1 MiB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from outplay.errors import FormatError
from outplay.escaping import escaped
from outplay.formats.common.writing import unwritten_file
from outplay.pages.page_frame import safe
from outplay.plurals import counted
from outplay.runs.reporting.run_report import KNOWN, RunReport, report_summary
from outplay.verdict.verdicts import Fail

MOST_ANNOTATIONS = 10
MOST_BYTES = 900_000
VARIABLE = "GITHUB_STEP_SUMMARY"
_MOST_TESTS = 200
_MOST_STATES = 3
_MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❓", "error": "⚠️", KNOWN: "☑️"}
_WORDS = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive", "error": "error", KNOWN: "known failure"}


def write_github(environment: Mapping[str, str], say: Callable[[str], None], report: RunReport) -> None:
    """Add the summary of a run to the file that GitHub Actions names, and print the annotations."""
    for annotation in github_annotations(report):
        say(annotation)
    place = environment.get(VARIABLE)
    if not place:
        raise FormatError(f"no summary was written: {VARIABLE} is not set, as it is in a job of GitHub Actions")
    try:
        with Path(place).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            stream.write(github_summary(report))
    except OSError as error:
        raise FormatError(unwritten_file(place, error)) from None


def github_annotations(report: RunReport) -> list[str]:
    """Return GitHub annotations: one for each new way to fail, and for what was not decided; at most ten."""
    found = list(_found(report))
    if len(found) > MOST_ANNOTATIONS:
        left = len(found) - MOST_ANNOTATIONS + 1
        more = _command("error", "outplay", f"{left} more; the summary of the job lists them", "")
        found = [*found[: MOST_ANNOTATIONS - 1], more]
    return found


def _found(report: RunReport) -> Iterator[str]:
    result, file = report.result, report.model_file
    for group in result.failures:
        if not (result.baseline and result.baseline.knows(group)):
            what = " ".join(filter(None, [group.kind, group.gate]))
            where = f", in {' or '.join(group.states[:_MOST_STATES])}" if group.states else ""
            told = f"{what}: {group.why}{where} ({counted(group.count, 'play')}, first play {group.play:,})"
            yield _command("error", f"outplay: {report.suite}", escaped(told), file)
    if isinstance(result.verdict, Fail):
        return
    for test in report.tests:
        if test.status in ("inconclusive", "error"):
            kind = "error" if test.status == "error" else "warning"
            yield _command(kind, f"outplay: {test.name}: {test.status}", escaped(test.why), file)


def _command(kind: str, title: str, text: str, file: str) -> str:
    r"""A command of a workflow, with what others said in it made harmless.

    >>> _command("error", "a: b, c", "100 %\n::stop", "")
    '::error title=a%3A b%2C c::100 %25%0A::stop'
    """
    named = f"file={_property(file)}," if file else ""
    return f"::{kind} {named}title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def github_summary(report: RunReport) -> str:
    """Write the GitHub summary of a run in Markdown: the verdict, the failing play, a table of tests, and the facts."""
    result = report.result
    parts = [f"## {_cell(result.headline)}\n\n{report_summary(report)}\n"]
    if result.baseline:
        parts.append("".join(f"\n{_cell(line)}\n" for line in result.baseline.lines()))
    if isinstance(result.verdict, Fail):
        told = "\n".join(escaped(line) for test in report.tests if test.lines for line in test.lines)
        parts.append(f"\n{_block(told)}\n")
    rows = [
        f"| {_MARKS[test.status]} {_WORDS[test.status]} | {_cell(test.name)} | {test.plays:,} | "
        f"{test.seconds:.1f} s | {_cell(test.why)} |\n"
        for test in report.tests[:_MOST_TESTS]
    ]
    parts.append("\n| | test | plays | time | why |\n|---|---|--:|--:|---|\n" + "".join(rows))
    if len(report.tests) > _MOST_TESTS:
        parts.append(f"\n… and {len(report.tests) - _MOST_TESTS:,} more tests.\n")
    facts = "".join(f"| {name} | {_cell(value)} |\n" for name, value in report.properties.items())
    parts.append(f"\n<details><summary>Facts</summary>\n\n| | |\n|---|---|\n{facts}\n</details>\n\n")
    return _shortened(parts)


def _shortened(parts: list[str]) -> str:
    """The parts that fit, in their order."""
    text, size = "", 0
    for part in parts:
        size += len(part.encode("utf-8", "backslashreplace"))
        if size > MOST_BYTES:
            return f"{text}\n… the rest is too long for GitHub; the report has it.\n"
        text += part
    return text


def _cell(text: str) -> str:
    r"""Text in a table or heading: no markup, one line.

    >>> _cell("a|b `c` *d* [e](f) @g <h>")
    'a&#124;b &#96;c&#96; &#42;d&#42; &#91;e&#93;(f) &#64;g &lt;h&gt;'
    """
    harmless = safe(" ".join(text.split())).replace("&#x27;", "'")
    return "".join(f"&#{ord(sign)};" if sign in "|`*_[]@~\\" else sign for sign in harmless)


def _block(text: str) -> str:
    """Text as it is, behind a fence that is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
