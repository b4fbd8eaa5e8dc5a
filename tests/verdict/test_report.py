from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from helpers.automata import specification_of
from helpers.traces import trace_of
from outplay.model.label import Label
from outplay.play.event import Event
from outplay.play.trace import Trace, TraceHeader
from outplay.verdict.judge import judge
from outplay.verdict.report import MOST_EVENTS, report
from outplay.verdict.verdicts import Fail, Pass


class Rows(HTMLParser):
    """Collects the classes of table rows and refuses scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "img", "b")
        if tag == "tr" and dict(attrs).get("class"):
            self.rows.append(dict(attrs)["class"])


def test_the_failing_step_is_marked_and_no_other():
    played = trace_of("reset ?a !x", "reset ?a !x")
    verdict = judge(specification_of("s ?a t", "t !y s"), played)
    cut = played.play(verdict.event.play, until=verdict.event.n)
    assert Rows(report(cut, verdict)).rows == ["reset", "input", "output bad"]


def test_a_crash_at_the_time_of_another_event_without_a_label_is_marked_alone():
    events = (Event("reset", seen=0.0, play=1, n=1), Event("crash", seen=0.0, play=1, n=2, detail="exit status 3"))
    verdict = Fail("the system crashed", events[1])
    assert Rows(report(Trace(TraceHeader(), events), verdict)).rows == ["reset", "crash bad"]


def test_whatever_the_system_says_is_shown_as_text():
    nasty = Label("!", "<script>alert(1)</script>", ("<img src=x>",))
    events = (Event("output", nasty, seen=0.5, play=1, n=1),)
    header = TraceHeader(model="<b>", sut="exec:<b>'\"&", goal=("<b>",), started="<b>")
    page = report(Trace(header, events), Fail("<b>", events[0], (nasty,), ("<b>",)), failure=None)
    assert Rows(page).rows == ["output bad"]


def test_the_page_says_how_to_see_it_again(tmp_path):
    played = trace_of("reset ?a !x")
    verdict = judge(specification_of("s ?a t", "t !y s"), played)
    assert "outplay.replay(model, &quot;" in report(played, verdict, failure=tmp_path / "it's.jsonl")
    by_job = replace(played, header=replace(played.header, sut="exec:./it", job={"model": "it.py:It"}))
    assert "outplay replay " in report(by_job, verdict, failure=Path("it.jsonl"))


def test_a_run_of_many_events_is_cut_with_a_word_about_it():
    events = tuple(Event("silence", seen=0.0, play=1, n=n) for n in range(MOST_EVENTS + 7))
    page = report(Trace(TraceHeader(), events), Pass())
    assert len(Rows(page).rows) == MOST_EVENTS
    assert "7 more events are in the trace file" in page


def test_the_forecast_and_the_audit_are_shown_where_there_are_any():
    findings = ["forecast: g <forced> in 3 moves", "happened: reached in 2 of 9 plays"]
    page = report(Trace(), Pass(), findings=findings)
    assert "<dt>forecast<dd>g &lt;forced&gt; in 3 moves<dt>happened<dd>reached in 2 of 9 plays" in page
    assert "Forecast and actual" not in report(Trace(), Pass())
