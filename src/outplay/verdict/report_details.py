"""The parts of the page about a run beside the failing play: its plays, coverage, times, settings and environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from outplay.look.page_frame import safe
from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.verdict.charts import GrowthPoint, growth_chart, times_chart

_FOLD = 500  # plays under one heading


class PlayRow(NamedTuple):
    """One play in the list of all plays."""

    play: int
    verdict: str
    steps: int
    moves: int | None
    """After how many moves the goal was reached."""
    seconds: float
    """The time when it ended, in seconds since the run began."""
    why: str = ""


class CoverageRow(NamedTuple):
    """The coverage of something; of a total of 0 nobody knows how much there is."""

    kind: str
    name: str
    seen: int
    total: int


class FailureRow(NamedTuple):
    """A way to fail: how many plays did, which first, and how."""

    plays: int
    play: int
    text: str
    shown: str = ""
    """The place of its step on this page, where that is shown."""


@dataclass(frozen=True)
class ReportDetails:
    """All of that, as plain data."""

    plays: Sequence[PlayRow] = ()
    left_out: int = 0
    """The number of plays that are not listed."""
    growth: Sequence[GrowthPoint] = ()
    totals: tuple[int, int] = (0, 0)
    """The number of states and transitions of the model, where they are known."""
    coverage: Sequence[CoverageRow] = ()
    failures: Sequence[FailureRow] = ()
    answer_times: Sequence[float] = ()
    marks: Sequence[tuple[str, float]] = ()
    """Times to hold them against, such as the silence."""
    settings: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    errors: str = ""
    """The end of what the system wrote to standard error."""
    picture: str = ""
    """The failing play drawn, as SVG."""


def answer_times(trace: Trace) -> list[float]:
    """Seconds from an input to the next output of its play on its channel.

    >>> from outplay.play.event import Event
    >>> moves = Event("input", given=1.0, play=1), Event("output", seen=1.5, play=1), Event("output", seen=9.0, play=1)
    >>> answer_times(Trace(events=moves))
    [0.5]
    """
    found, given = list[float](), dict[tuple[int, str | None], float]()
    for event in trace.events:
        if event.kind == "input" and event.given is not None:
            given[event.play, event.channel] = event.given
        elif event.kind in ("output", "late") and event.seen is not None:
            asked = given.pop((event.play, event.channel), None)
            if asked is not None:
                found.append(round(max(0.0, event.seen - asked), 6))
    return found


def details_html(details: ReportDetails) -> str:
    """The parts of the page, those with something in them."""
    parts = {
        "Ways to fail": _failures(details.failures),
        "Standard error of the system": f"<pre>{safe(details.errors)}</pre>" if details.errors.strip() else "",
        "Coverage": _coverage(details.coverage) + growth_chart(details.growth, details.totals),
        "How fast answers came": times_chart(details.answer_times, details.marks),
        "All plays": _plays(details),
        "Settings": _facts(details.settings),
        "Environment": _facts(details.environment),
    }
    folded = ("Settings", "Environment")
    return "".join(
        f"<details><summary><h2>{title}</h2></summary>{body}</details>"
        if title in folded
        else f"<h2>{title}</h2>{body}"
        for title, body in parts.items()
        if body
    )


def _failures(rows: Sequence[FailureRow]) -> str:
    if sum(row.plays for row in rows) < 2:
        return ""
    written = "".join(
        f"<tr><td class=n>{row.plays:,}<td class=n>{_link(row)}<td>{safe(row.text)}</tr>"
        for row in sorted(rows, key=lambda row: (-row.plays, row.play))
    )
    return f"<table class=narrow><tr><th class=n>plays<th class=n>first<th>what was wrong</tr>{written}</table>"


def _link(row: FailureRow) -> str:
    return f"<a href='#{row.shown}'>{row.play:,}</a>" if row.shown else f"<a href='#play{row.play}'>{row.play:,}</a>"


def _coverage(rows: Sequence[CoverageRow]) -> str:
    written = ""
    for row in rows:
        share = row.seen / row.total if row.total else 0.0
        of = f" of {row.total:,}" if row.total else ""
        bar = (
            f"<span class=bar><i style='width:{100 * min(share, 1):.1f}%'></i></span>{100 * share:.0f} %"
            if row.total
            else ""
        )
        name = f"<code>{safe(row.name)}</code>" if row.name else ""
        written += f"<tr><td>{row.kind}<td>{name}<td class=n>{row.seen:,}{of}<td class=n>{bar}</tr>"
    head = "<tr><th>what<th><th class=n>seen<th class=n>share</tr>"
    return f"<table class=narrow>{head}{written}</table>" if written else ""


def _plays(details: ReportDetails) -> str:
    folds = ""
    for begin in range(0, len(details.plays), _FOLD):
        rows = details.plays[begin : begin + _FOLD]
        wrong = sum(row.verdict in ("fail", "error") for row in rows)
        told = f", {wrong:,} of them failed" if wrong else ""
        body = "".join(map(_play, rows))
        head = "<tr><th class=n>play<th>verdict<th class=n>steps<th class=n>goal after<th class=n>ended at<th>why</tr>"
        what = f"{counted(len(rows), 'play')} from {rows[0].play:,}{told}"
        folds += f"<details class=plays><summary>{what}</summary><table>{head}{body}</table></details>"
    if folds and details.left_out:
        folds += f"<p>{counted(details.left_out, 'more play')}; the trace file has all."
    return folds


def _play(row: PlayRow) -> str:
    moves = "" if row.moves is None else counted(row.moves, "move")
    return (
        f"<tr id=play{row.play}><td class=n>{row.play:,}<td class={row.verdict}>{row.verdict}<td class=n>{row.steps:,}"
        f"<td class=n>{moves}<td class=n>{row.seconds:.2f} s<td>{safe(row.why)}</tr>"
    )


def _facts(facts: Mapping[str, str]) -> str:
    listed = "".join(f"<dt>{safe(name)}<dd><code>{safe(value)}</code>" for name, value in facts.items())
    return f"<dl>{listed}</dl>" if listed else ""
