"""Charts show what they are given, to scale."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from helpers.traces import trace_of
from outplay.verdict.charts import (
    CoverageRow,
    FailureRow,
    GrowthPoint,
    PlayRow,
    ReportDetails,
    growth_chart,
    times_chart,
)
from outplay.verdict.report import event_table, report
from outplay.verdict.verdicts import Pass


def test_a_curve_grows_with_what_was_seen():
    points = [GrowthPoint(play, play, 2 * play) for play in range(1, 11)]
    chart = growth_chart(points, (20, 40))
    states, transitions = re.findall(r"points='([^']*)'", chart)
    heights = [float(point.split(",")[1]) for point in states.split()]
    assert heights == sorted(heights, reverse=True)
    bottom = 180 - 26
    last = [bottom - float(line.split()[-1].split(",")[1]) for line in (states, transitions)]
    assert last[1] == pytest.approx(2 * last[0])
    assert growth_chart(points[:1]) == ""


def test_each_time_is_in_one_bar_and_marks_are_named():
    chart = times_chart([0.001, 0.001, 0.01, 0.1, 5.0], [("silence", 1.0), ("latency", 0.0)])
    assert sum(int(count) for count in re.findall(r"<title>(\d+):", chart)) == 5
    assert "silence 1 s" in chart
    assert "latency" not in chart
    assert "5 answers, half of them within 10 ms, the slowest after 5 s" in chart
    assert times_chart([], [("silence", 1.0)]) == ""


def test_what_others_wrote_is_text_in_every_part():
    nasty = "<script>alert(1)</script>"
    details = ReportDetails(
        plays=[PlayRow(1, "fail", 1, None, 0.0, nasty)],
        coverage=[CoverageRow("action", nasty, 1, 2)],
        failures=[FailureRow(2, 1, nasty)],
        settings={nasty: nasty},
        environment={nasty: nasty},
        errors=nasty,
    )
    page = report(trace_of("reset ?a !x"), Pass(), details=details)
    assert nasty not in page
    assert page.count("&lt;script&gt;") == 8


def test_channels_have_a_lane_each():
    played = trace_of("reset ?a !x ?b !y")
    events = [replace(event, channel={"a": "left", "x": "left"}.get(str(event.label)[1:])) for event in played.events]
    table = event_table(replace(played, events=tuple(events)), 10)
    assert "<th>event<th>left<th>" in table
    assert re.search(r"<td><td><code>\?a</code><td>", table)
    assert re.search(r"<td><code>\?b</code><td><td>", table)
