"""What others say stays text: on pages and in pictures, beside a JSON object, and however long it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.commands import shell
from outplay import automaton
from outplay.formats.trace_jsonl import read_trace
from outplay.model.label import Label
from outplay.pictures.svg import draw, write_html, write_svg
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.verdict.report import AnswerFrequency, Part, report
from outplay.verdict.verdicts import Fail

NASTY = "a\x1b[2Jb\u202ec\u2066d\x07e\ud800f"
HIDDEN = ("\x1b", "\u202e", "\u2066", "\x07", "\ud800")


def plainly_seen(page: str) -> bool:
    page.encode()
    return "\\u202e" in page and not any(letter in page for letter in HIDDEN)


def test_the_report_shows_what_would_hide():
    label = Label("!", NASTY)
    event = Event("output", label, seen=0.5, play=1, n=1, detail=NASTY)
    trace = Trace(TraceHeader(model=NASTY, sut=NASTY, goal=(NASTY,)), (event,))
    parts = [Part(NASTY, [NASTY], [AnswerFrequency(NASTY, NASTY, 1, 0.5)])]
    assert plainly_seen(report(trace, Fail(NASTY, event, (label,), (NASTY,)), parts=parts))


@pytest.mark.parametrize("write", [write_svg, write_html])
def test_a_picture_shows_what_would_hide(write):
    assert plainly_seen(write(draw(automaton([(NASTY, Label("?", NASTY), "t"), ("t", "!x", NASTY)]), title=NASTY)))


@pytest.mark.parametrize("command", ["explore", "inspect", "forecast"])
def test_a_model_that_prints_leaves_standard_output_to_the_answer(outplay, model, command):
    Path("echo.py").write_text("print('loaded')\n" + Path("echo.py").read_text())
    result = outplay(command, model, "--json")
    assert result.json
    assert "loaded" in result.err


def test_so_does_one_that_prints_while_it_is_played_and_one_that_is_wrong(model):
    text = Path("echo.py").read_text()
    Path("echo.py").write_text(text.replace("self.told, self.spoken = word, False", "print('said'); self.told = word"))
    result = shell("run", model, "--sut", f"model:{model}", "--plays", "1", "--json")
    assert (result.json["verdict"], "said" in result.err) == ("pass", True)
    Path("echo.py").write_text("print('loaded')\nraise ValueError('no')\n")
    assert "error" in shell("run", model, "--sut", f"model:{model}", "--json").json


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_long_name_is_shortened(outplay, model, more):
    result = outplay("solve", model, "--goal", "g" * 80_000, *more)
    assert (result.code, len(result.err) < 1000, len(result.out) < 1000) == (2, True, True)
    assert "…(" in result.err
    assert len(outplay("explore", f"{'n' * 80_000}.aut", *more).err) < 1000


@pytest.mark.parametrize("value", [-1, [1], "x", True, {"a": 1}])
@pytest.mark.parametrize("name", ["silence", "latency", "plays", "assumption", "steps", "suite", "set", "purpose"])
@pytest.mark.parametrize("command", ["judge", "replay"])
def test_options_of_a_wrong_type_are_one_line(outplay, model, name, value, command):
    header = {"format": "outplay-trace/1", "model": model, "options": {name: value}}
    event = {"n": 1, "kind": "input", "label": "?say a", "given": 0.1, "seen": None, "play": 1}
    Path("t.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(event)}\n")
    typed = ["judge", model, "t.jsonl"] if command == "judge" else ["replay", "t.jsonl", "--sut", f"model:{model}"]
    more = [] if command == "judge" else ["--tries", "1", "--trust"]
    result = outplay(*typed, *more)
    assert result.code in (0, 1, 2, 4, 6), result
    assert "internal error" not in result.err
    assert result.err.count("\n") <= 2


def test_a_trace_with_hidden_letters_is_read_as_it_is(tmp_path):
    line = {"n": 1, "kind": "input", "label": "?a\u202eb", "given": 0.1, "seen": None, "play": 1}
    Path("t.jsonl").write_text('{"format": "outplay-trace/1"}\n' + json.dumps(line) + "\n")
    assert read_trace(Path("t.jsonl")).events[0].label == Label("?", "a\u202eb")
