from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

from helpers.automata import specification_of
from helpers.traces import trace_of
from outplay import Simulated, automaton, run
from outplay.model.label import Label
from outplay.pictures.play_picture import play_svg
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.runs.reporting.run_page import run_page
from outplay.verdict.judge import judge
from outplay.verdict.report import MOST_EVENTS, AnswerFrequency, Part, report
from outplay.verdict.show import failing_steps
from outplay.verdict.verdicts import Fail, Pass


class Rows(HTMLParser):
    """Collects the classes of table rows and refuses scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        assert tag not in ("img", "b")
        self.scripts += tag == "script"
        assert self.scripts <= 1, "the page has one script, which is ours"
        if tag == "tr" and dict(attrs).get("class"):
            self.rows.append(dict(attrs)["class"])


def test_the_failing_step_is_marked_and_no_other():
    played = trace_of("reset ?a !x", "reset ?a !x")
    verdict = judge(specification_of("s ?a t", "t !y s"), played)
    cut = played.play(verdict.event.play, until=verdict.event.n)
    assert Rows(report(cut, verdict)).rows == ["reset", "input", "output bad"]


def test_a_step_has_the_number_on_the_page_that_it_has_on_the_terminal():
    played = trace_of("reset ?a !y ?a !x", "reset ?a !x")
    verdict = judge(specification_of("s ?a t", "t !y s"), played)
    assert isinstance(verdict, Fail)
    cut = played.play(verdict.event.play, until=verdict.event.n)
    told = [line.split()[:2] for line in failing_steps(cut, verdict)][:4]
    assert told == [["1", "?a"], ["2", "!y"], ["3", "?a"], ["4", "!x"]]
    assert numbered(report(cut, verdict)) == [["", "reset"], *told]
    assert numbered(report(played, Pass()))[5:] == [["", "reset"], ["1", "?a"], ["2", "!x"]], "each play from 1 on"


def numbered(page: str) -> list[list[str]]:
    return [list(row) for row in re.findall(r"<td class=t>(\d*)<td class=t>[\d.]+<td><code>([^<]*)</code>", page)]


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
    assert "The trace file has 7 more events." in page
    assert "The trace file has 1 more event." in report(Trace(TraceHeader(), events[:-6]), Pass())


def test_each_part_has_its_heading_and_one_that_says_nothing_has_none():
    lines = ["forecast: g <forced> in 3 moves", "happened: reached in 2 of 9 plays"]
    page = report(Trace(), Pass(), parts=[Part("What may still be wrong"), Part("Forecast and actual", lines)])
    told = "<dt>forecast<dd>g &lt;forced&gt; in 3 moves<dt>happened<dd>reached in 2 of 9 plays</dl>"
    assert f"<h2>Forecast and actual</h2><dl>{told}" in page
    assert "What may still be wrong" not in page


def test_answers_are_a_table_in_which_a_state_is_named_once():
    answers = [AnswerFrequency("s0", "!a", 3, 0.8), AnswerFrequency("s0", "!b", 0, 0.2)]
    page = report(Trace(), Pass(), parts=[Part("How likely answers are", answers=answers)])
    assert page.count("<td>s0<td>") == 1
    assert "<td><td><code>!b</code><td class=n>0<td class=n>" in page
    assert "width:20.0%" in page


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (TraceHeader(), "a random walk"),
        (TraceHeader(job={"model": "m.aut"}), "against what may be wrong"),
        (TraceHeader(job={"model": "m.aut"}, options={"tester": "walk"}), "a random walk"),
        (TraceHeader(job={"model": "m.aut", "tester": "tour"}), "a tour of least cost"),
        (TraceHeader(options={"tester": "suspicion"}), "against what may be wrong"),
        (TraceHeader(options={"tester": "MyTester"}), "by MyTester"),
    ],
)
def test_it_is_told_who_played_where_there_was_no_goal(header, told):
    assert f"<code>none: {told}</code>" in report(Trace(header), Pass())


def test_a_way_to_fail_stands_on_the_page_once_whatever_the_states():
    asked = [("s0", "?go", "s1"), ("s1", "?go", "s0"), ("s0", "?ask", "a0"), ("s1", "?ask", "a1")]
    right = automaton([*asked, ("a0", "!yes", "s0"), ("a1", "!yes", "s1")])
    wrong = automaton([*asked, ("a0", "!no", "s0"), ("a1", "!no", "s1")])
    result = run(right, Simulated(wrong, Random(1)), plays=12, steps=9, keep_going=True, shrink=0, tester="walk")
    assert len({group.states for group in result.failures}) == 2
    page = run_page(result)
    assert page.count("Ways to fail") == 1
    assert page.count("in 2 states, such as") == 1


def test_the_drawing_of_a_failing_play_names_what_changed_and_keeps_the_whole_state_for_who_asks():
    svg = play_svg(["a=1 b=[1,2,3]", "a=2 b=[1,2,3]"], ["?up", "!down"], {"a=2 b=[1,2,3]": "a=2"})
    assert ">a=2<" in svg
    assert "a=2 b=[1,2,3]" in svg


def test_of_a_passing_run_what_it_is_worth_comes_first_and_no_play_is_unfolded():
    events = [Event("input", Label.parse("?a"), given=float(play), play=play, n=play) for play in (1, 2)]
    parts = [Part("Forecast and actual", ["a: b"]), Part("How likely", ["c: d"], folded=True)]
    made = report(Trace(events=tuple(events)), Pass(), plays=2, parts=parts, summary=["least tested: `?a <b>`"])
    order = [
        "Least tested: <code>?a &lt;b&gt;</code>.",
        "Forecast and actual",
        "<summary><h2>How likely",
        "What happened",
    ]
    assert [*map(made.index, order)] == sorted(map(made.index, order))
    assert made.count("<details class=plays>") == 2
    assert "<details class=plays open" not in made
