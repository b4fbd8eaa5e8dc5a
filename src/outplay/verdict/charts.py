"""Small charts as SVG, in the colours of the page: how coverage grew, and how fast answers came.

The parts of the page about a run beside the failing play: its plays, coverage, times, settings and environment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from outplay.pages.page_frame import safe
from outplay.play.trace import Trace
from outplay.plurals import counted

_WIDE, _TALL, _LEFT, _BELOW, _ABOVE = 640.0, 180.0, 56.0, 26.0, 14.0
_BARS = 30


class GrowthPoint(NamedTuple):
    """The coverage after a play."""

    play: int
    states: int
    transitions: int


def growth_chart(points: Sequence[GrowthPoint], totals: tuple[int, int] = (0, 0)) -> str:
    """Draw a chart of the states and transitions seen, by plays; `totals` are those of the model, if known."""
    if len(points) < 2 or points[-1].play < 2:
        return ""
    last = points[-1]
    top = max(last.states, last.transitions, *totals, 1)
    kinds = (
        (0, "states", [point.states for point in points]),
        (1, "transitions", [point.transitions for point in points]),
    )
    parts = [*_axes(f"{last.play:,} plays", top)]
    for place, name, values in kinds:
        line = " ".join(
            f"{_across(point.play / last.play):.1f},{_up(value / top):.1f}"
            for point, value in zip(points, values, strict=True)
        )
        parts.append(f"<polyline class='curve c{place}' points='{line}'><title>{name}</title></polyline>")
        if totals[place]:
            y = _up(totals[place] / top)
            parts.append(f"<line class='mark c{place}' x1={_LEFT:.0f} x2={_WIDE:.0f} y1={y:.1f} y2={y:.1f} />")
    key = "".join(f"<span class='key c{place}'>{name}</span>" for place, name, _ in kinds)
    caption = f"{key}that may have been seen{', and all of the model (dashed)' if any(totals) else ''}"
    return f"<figure>{_svg(parts, 'states and transitions seen, by plays')}<figcaption>{caption}</figcaption></figure>"


def times_chart(seconds: Sequence[float], marks: Sequence[tuple[str, float]]) -> str:
    """Draw a histogram of times on a logarithmic scale, with named marks such as the silence."""
    if not seconds:
        return ""
    shown = [max(second, 1e-6) for second in (*seconds, *(mark for _, mark in marks if mark > 0))]
    low, high = math.log10(min(shown)), math.log10(max(shown))
    span = max(high - low, 0.1) * 1.05
    bars = [0] * _BARS
    for second in seconds:
        bars[min(int((math.log10(max(second, 1e-6)) - low) / span * _BARS), _BARS - 1)] += 1
    top, wide = max(bars), (_WIDE - _LEFT) / _BARS
    parts = [*_axes(f"{_short(10 ** (low + span))} (logarithmic)", top, first=_short(10**low))]
    for place, count in enumerate(bars):
        if count:
            begin, end = (10 ** (low + span * edge / _BARS) for edge in (place, place + 1))
            y = _up(count / top)
            parts.append(
                f"<rect class=column x={_LEFT + place * wide:.1f} y={y:.1f} width={wide - 1:.1f} "
                f"height={_up(0) - y:.1f}><title>{count:,}: {_short(begin)} to {_short(end)}</title></rect>"
            )
    for row, (name, mark) in enumerate(marks):
        if mark > 0:
            x = _across((math.log10(mark) - low) / span)
            parts.append(f"<line class='mark c1' x1={x:.1f} x2={x:.1f} y1={_ABOVE:.0f} y2={_up(0):.0f} />")
            parts.append(
                f"<text x={x - 4:.1f} y={_ABOVE + 8 + 14 * row:.0f} text-anchor=end>{safe(name)} {_short(mark)}</text>"
            )
    middle = sorted(seconds)[len(seconds) // 2]
    caption = (
        f"{len(seconds):,} answers, half of them within {_short(middle)}, the slowest after {_short(max(seconds))}"
    )
    return f"<figure>{_svg(parts, 'times of answers')}<figcaption>{caption}</figcaption></figure>"


def _axes(right: str, top: int, first: str = "0") -> Iterator[str]:
    yield f"<line class=axis x1={_LEFT:.0f} x2={_WIDE:.0f} y1={_up(0):.0f} y2={_up(0):.0f} />"
    yield f"<text x={_LEFT - 6:.0f} y={_up(1) + 4:.0f} text-anchor=end>{top:,}</text>"
    yield f"<text x={_LEFT - 6:.0f} y={_up(0) + 4:.0f} text-anchor=end>0</text>"
    yield f"<text x={_LEFT:.0f} y={_TALL - 6:.0f}>{first}</text>"
    yield f"<text x={_WIDE:.0f} y={_TALL - 6:.0f} text-anchor=end>{right}</text>"


def _svg(parts: Sequence[str], name: str) -> str:
    box = f"0 0 {_WIDE + 8:.0f} {_TALL:.0f}"
    return f"<svg class=chart viewBox='{box}' role=img aria-label='{name}'>{''.join(parts)}</svg>"


def _across(share: float) -> float:
    return _LEFT + share * (_WIDE - _LEFT)


def _up(share: float) -> float:
    return _TALL - _BELOW - share * (_TALL - _BELOW - _ABOVE)


def _short(seconds: float) -> str:
    """A time in the unit that people would choose.

    >>> _short(0.00031), _short(0.25), _short(3)
    ('0.31 ms', '250 ms', '3 s')
    """
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


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
    """Return the seconds from each input to the next output of its play on its channel, for a chart.

    >>> from outplay.play.trace import Event
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


def report_details_html(details: ReportDetails) -> str:
    """Write the detailed parts of a report's page, with their charts; empty ones are left out."""
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
