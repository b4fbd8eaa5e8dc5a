"""Histories are read whole or cut short; what is wrong in one is told in one line with its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from helpers.histories import HEADER, write_history
from helpers.mutated_files import SAMPLES, mutated
from outplay import Model, controllable, given, judge, read_history
from outplay.errors import FormatError
from outplay.formats.history_jsonl import is_history

ASK = {"type": "invoke", "client": "a", "label": "?get 1"}
OK = {"type": "ok", "client": "a", "label": "!get 2"}
WHOLE = {"client": "a", "label": "?get 1", "answer": "!get 2", "start": 1.0, "end": 2.0}


class Register(Model):
    """What the mutated histories are judged by."""

    channel = "client"
    value: int = 0

    @controllable(returns=range(1000))
    @given(client=("a", "b"))
    def read(self, client: str, result: int) -> bool:
        return result == self.value

    @controllable(returns=("ok",))
    @given(client=("a", "b"), value=range(1000))
    def write(self, client: str, value: int, result: str) -> None:
        self.value = value


def lines(*entries: object) -> Path:
    path = Path("h.jsonl")
    path.write_text("\n".join([HEADER, *(one if isinstance(one, str) else json.dumps(one) for one in entries)]) + "\n")
    return path


def test_questions_and_answers_are_put_together_by_client():
    history = read_history(write_history(Path("h.jsonl"), "a ?get 1", "b ?get 2", "b info", "a !get 5", "c ?get 3"))
    found = [(call.client, call.question.text, call.answer and call.answer.text) for call in history.calls]
    assert found == [("a", "?get 1", "!get 5"), ("b", "?get 2", None), ("c", "?get 3", None)]
    assert [(call.line, call.answer_line) for call in history.calls] == [(2, 5), (3, 0), (6, 0)]


def test_a_call_that_failed_is_left_out():
    assert read_history(lines(ASK, {"type": "fail", "client": "a"}, ASK, OK)).calls[0].line == 4


def test_a_client_may_be_a_number_and_ask_again_when_its_call_has_ended():
    entries = [{**one, "client": 3} for one in (ASK, {"type": "info"}, ASK, OK)]
    assert [call.client for call in read_history(lines(*entries)).calls] == ["3", "3"]


def test_times_put_the_lines_in_order_where_every_line_has_one():
    late = [{**ASK, "time": 2}, {**ASK, "client": "b", "time": 1}, {**OK, "client": "b", "time": 1.5}]
    assert [call.client for call in read_history(lines(*late)).calls] == ["b", "a"]
    late[0].pop("time")
    assert [call.client for call in read_history(lines(*late)).calls] == ["a", "b"]


def test_calls_as_intervals_overlap_where_one_starts_as_another_ends():
    unknown = {"client": "b", "label": "?get 1", "start": 0.5}
    history = read_history(lines(WHOLE, {**WHOLE, "start": 2, "end": 3}, unknown))
    first, second, third = sorted(history.calls, key=lambda call: call.line)
    assert first.answered > second.asked
    assert third.asked < first.asked
    assert third.answered is None


def test_a_history_cut_short_by_a_kill_is_read_up_to_there():
    path = lines(ASK)
    path.write_text(path.read_text() + '{"type": "ok", "cli')
    assert read_history(path).calls[0].answer is None


def test_a_history_is_known_by_its_first_line():
    assert is_history(lines())
    Path("t.jsonl").write_text('{"format": "outplay-trace/1"}\n{"format": "outplay-history/1"}\n')
    assert not is_history(Path("t.jsonl"))
    assert not is_history(Path("none.jsonl"))


@pytest.mark.parametrize(
    ("entries", "line", "what"),
    [
        (["[1]"], 2, "[1] where an object should be"),
        (["{"], 2, "mend the JSON there"),
        ([{**ASK, "type": "begin"}], 2, "unknown type of event 'begin'; known: invoke, ok, fail, info"),
        ([{**ASK, "type": None}], 2, "unknown type of event None"),
        ([{"client": "a", "label": "?get 1"}], 2, "unknown type of event None"),
        ([{**ASK, "value": 1}], 2, "unknown field 'value'"),
        ([{"type": "invoke", "client": "a"}], 2, 'needs a "label", such as ?get 1'),
        ([{**ASK, "label": "get 1"}], 2, "has no direction"),
        ([{**ASK, "label": "!get 1"}], 2, "is no label of an event of type 'invoke', which starts with ?"),
        ([{**ASK, "label": '?get "'}], 2, "a quote is opened"),
        ([{**ASK, "label": 5}], 2, "label is 5 and should be a text"),
        ([{**ASK, "client": None}], 2, "client is None and should be a text or a whole number"),
        ([{**ASK, "client": True}], 2, "client is True"),
        ([{**ASK, "client": "\u001b[2J"}], 2, "is no name that can be shown"),
        ([{**ASK, "time": "now"}], 2, "time is 'now' and should be a number of seconds"),
        ([{**ASK, "time": 10**400}], 2, "should be a number of seconds"),
        ([OK], 2, "client a has no open call; write its invoke line before"),
        ([ASK, ASK], 3, "client a asks while its call of line 2 is open; write an info line"),
        ([ASK, OK, OK], 4, "client a has no open call"),
        ([ASK, WHOLE], 3, "a line per event, with a type, or per call, with a start"),
        ([WHOLE, ASK], 3, "a line per event, with a type, or per call, with a start"),
        ([{**WHOLE, "end": 0.5}], 2, "the call ends at 0.5, before it starts at 1"),
        ([{**WHOLE, "end": None}], 2, 'a call has both an "answer" and an "end", or neither'),
        ([{**WHOLE, "answer": "?get 2"}], 2, "is no label of an answer, which starts with !"),
        ([{"client": "a", "start": 1}], 2, 'a call needs a "label"'),
        (['{"type": "ok", "type": "ok"}'], 2, "key 'type' twice in one object"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(entries, line, what):
    with pytest.raises(FormatError) as refused:
        read_history(lines(*entries))
    assert re.match(rf"h\.jsonl:{line}:\d+: ", str(refused.value)), refused.value
    assert what in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", ["", '{"format": "outplay-history/2"}\n', "{}\n", "\n", '{"format": 1'])
def test_a_file_that_is_no_history_is_refused(content):
    Path("h.jsonl").write_text(content)
    with pytest.raises(FormatError, match=r"^h\.jsonl:1:1?"):
        read_history("h.jsonl")


def test_mutated_histories_are_judged_or_refused_in_one_line():
    rng, found = Random(29), {"refused": 0, "pass": 0, "fail": 0}
    events = ["a ?write a 3", "b ?read b", "a !write a ok", "b !read b 0", "b ?read b", "a info", "b !read b 3"]
    by_event = write_history(Path("h.jsonl"), *events[:5], *events[6:]).read_bytes()
    call = {"client": "a", "label": "?write a 3", "answer": "!write a ok", "start": 1.5, "end": 2}
    by_call = lines(call, {**call, "client": "b", "label": "?read b", "answer": "!read b 0"}).read_bytes()
    others = [text.encode() for texts in SAMPLES.values() for text in texts]
    for number in range(1_500):
        Path("h.jsonl").write_bytes(mutated(rng, [by_event, by_call][number % 2], others))
        found[_judged()] += 1
    assert min(found.values()) > 10, found


def _judged() -> str:
    try:
        return judge(Register, read_history("h.jsonl")).name
    except FormatError as error:
        wrong = str(error)
    assert wrong.startswith("h.jsonl:")
    assert "\n" not in wrong
    return "refused"
