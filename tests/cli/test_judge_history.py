"""`outplay judge` of a history of concurrent calls, as the contract has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.histories import HEADER, write_history

MODEL = """
from outplay import Map, Model, controllable, given, observable

class Store(Model):
    channel = "client"
    clients = tuple("abcdefgh")
    stored: Map[int, int] = Map()

    @controllable(returns=range(10**12))
    @given(client="clients", key=range(10**12))
    def get(self, client, key, result):
        return result == self.stored.get(key, 0)

    @controllable(returns=("ok",))
    @given(client="clients", key=range(10**12), value=range(10**12))
    def put(self, client, key, value, result):
        self.stored = self.stored.set(key, value)

    @controllable(returns=("ok",))
    @given(client="clients")
    def clear(self, client, result):
        self.stored = Map()

    @controllable
    def poke(self):
        pass

class Talking(Store):
    @observable
    def tick(self):
        pass

class Broken(Store):
    @controllable(returns=("ok",))
    @given(client="clients")
    def clear(self, client, result):
        return 1 / 0
"""
GOOD = ("a ?put a 1 5", "b ?get b 1", "b !get b 5", "c ?get c 2", "a !put a ok", "c !get c 0")
BAD = (*GOOD, "b ?get b 1", "a ?put a 1 7", "c ?get c 2", "b !get b 0", "c !get c 0")


@pytest.fixture(autouse=True)
def _model() -> None:
    Path("store.py").write_text(MODEL)


def history(*lines: str) -> str:
    return str(write_history(Path("h.jsonl"), *lines))


@pytest.mark.parametrize(
    ("lines", "options", "verdict", "code"),
    [
        (GOOD, (), "pass", 0),
        ((), (), "pass", 0),
        (GOOD, ("--partition", "key"), "pass", 0),
        (BAD, (), "fail", 1),
        (BAD, ("--partition", "key"), "fail", 1),
        (GOOD, ("--max-states", "1"), "inconclusive", 6),
    ],
)
def test_a_history_is_judged_by_a_model_of_calls(outplay, lines, options, verdict, code):
    result = outplay("judge", "store.py:Store", history(*lines), *options, "--json")
    assert (result.code, result.json["verdict"]) == (code, verdict), result
    assert set(result.json) == {"verdict", "why", "window"}
    assert bool(result.json["window"]) == (verdict == "fail")
    assert outplay("judge", "store.py:Store", "h.jsonl", *options).code == code


def test_the_window_is_the_wrong_call_with_what_matters_beside_it(outplay):
    result = outplay("judge", "store.py:Store", history(*BAD), "--json")
    assert result.json["window"] == ["?get b 1", "!get b 0"]
    assert result.json["why"] == "no order of the calls explains !get b 0 (line 11)"
    assert outplay("judge", "store.py:Store", "h.jsonl").out == (
        "✗ Fail: no order of the calls explains !get b 0 (line 11)\n"
        "  before: stored={1:5}\n"
        "  b  ├get b 1 → 0┤  ← fits nowhere\n"
    )


def test_clients_have_lanes(outplay):
    lines = ("a ?put a 1 5", "b ?get b 1", "b !get b 5", "c ?get c 1", "a !put a ok", "c !get c 0", "d ?put d 1 0")
    result = outplay("judge", "store.py:Store", history(*lines))
    assert result.code == 1
    assert result.out.splitlines()[1:] == [
        "  before: stored={1:5}",
        "  c  ├get c 1 → 0┤  ← fits nowhere",
    ]


@pytest.mark.parametrize(
    ("model", "lines", "options", "code", "what"),
    [
        ("Store", ("a ?get a",), (), 4, "h.jsonl:2:1: ?get a has 1 arguments; write ?get CLIENT KEY"),
        ("Store", ("a ?got a 1",), (), 4, "h.jsonl:2:1: Store has no call 'got'; did you mean 'get'?"),
        ("Store", ("a ?get z 1",), (), 4, "h.jsonl:2:1: ?get z 1: z is no value of 'client' in the model"),
        ("Store", ("a ?get a x",), (), 4, "h.jsonl:2:1: ?get a x: x is no value of 'key' in the model"),
        ("Store", ("a ?get a true",), (), 4, "true is no value of 'key' in the model"),
        ("Store", ("a ?get a 1", "a !get b 5"), (), 4, "h.jsonl:3:1: !get b 5 does not answer ?get a 1; write !get a"),
        ("Store", ("a ?get a 1", "a !get 5"), (), 4, "h.jsonl:3:1: !get 5 does not answer"),
        ("Store", ("a ?get a 1", "a !put a ok"), (), 4, "h.jsonl:3:1: !put a ok does not answer"),
        ("Store", ("a ?poke",), (), 4, "h.jsonl:2:1: poke is no call in Store: mark it @controllable(returns=…)"),
        (
            "Store",
            ("a ?get a 1", "b ?get a 1", "b !get a 0", "a !get a 0"),
            (),
            4,
            "h.jsonl:3:1: ?get a 1 is asked while the call of line 2 is open on the same channel, a",
        ),
        ("Store", ("a ?clear a",), ("--partition", "key"), 2, "h.jsonl:2:1: clear has no argument 'key'"),
        ("Store", GOOD, ("-o", "x.svg"), 2, "-o draws traces, and this is a history; remove it"),
        ("Talking", GOOD, (), 4, "action 'tick' is an output that answers no call"),
        ("Broken", ("a ?clear a", "a !clear a ok"), (), 4, "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(outplay, model, lines, options, code, what):
    result = outplay("judge", f"store.py:{model}", history(*lines), *options)
    assert (result.code, len((result.out + result.err).splitlines())) == (code, 1), result
    assert what in result.out + result.err


def test_a_model_that_is_no_program_judges_no_history(outplay):
    Path("m.aut").write_text('des (0, 1, 2)\n(0, "?a", 1)\n')
    result = outplay("judge", "m.aut", history())
    assert result.code == 2
    assert "a history is judged by a model program of calls" in result.err


@pytest.mark.parametrize("option", ["--partition=key", "--max-states=5"])
def test_what_is_for_histories_is_refused_with_a_trace(outplay, option):
    Path("t.jsonl").write_text('{"format": "outplay-trace/1", "model": "store.py:Store"}\n')
    result = outplay("judge", "store.py:Store", "t.jsonl", option)
    assert result.code == 2
    assert f"{option.split('=')[0]} has no effect on a trace" in result.err


def test_a_model_without_channels_takes_calls_of_all_clients(outplay):
    Path("plain.py").write_text(
        "from outplay import Model, controllable, given\n"
        "class Plain(Model):\n"
        "    value: int = 0\n"
        "    @controllable(returns=range(9))\n"
        "    def add(self, result):\n"
        "        self.value += 1\n"
        "        return result == self.value\n"
    )
    lines = ["a ?add", "b ?add", "a !add 2", "b !add 1"]
    assert outplay("judge", "plain.py:Plain", history(*lines)).code == 0
    assert outplay("judge", "plain.py:Plain", history(*lines[:3])).code == 0
    assert outplay("judge", "plain.py:Plain", history("a ?add", "a !add 2", "b ?add", "b !add 1")).code == 1


def test_an_empty_history_has_a_header():
    assert Path(history()).read_text() == HEADER + "\n"
