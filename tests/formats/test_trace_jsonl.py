from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from helpers.commands import PROGRAM
from helpers.heard import Heard
from outplay import run
from outplay.errors import FormatError
from outplay.formats.trace_jsonl import TraceWriter, read_trace, write_trace
from outplay.game.builder import GameBuilder
from outplay.game.game_specification import GameSpecification
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import Label
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import plan
from outplay.play.trace import KINDS, Event, Trace, TraceHeader
from outplay.verdict.judge import judge
from outplay.verdict.verdicts import Fail, Inconclusive, Pass

HEADER = '{"format": "outplay-trace/2", "goal": ["done"], "seed": 7, "options": {"latency": 0.25}}'
DIRECTIONS = {"input": "?", "output": "!", "late": "!"}
ARGUMENTS = ["bob", "two words", "3", 3, -1, True, None, 'quo"te', "back\\slash", "grün ✓", "line\nbreak", "", ("a", 1)]


def random_event(rng: Random, n: int) -> Event:
    kind = rng.choice(KINDS)
    arguments = tuple(rng.choice(ARGUMENTS) for _ in range(rng.randint(0, 3)))
    label = Label(DIRECTIONS[kind], "gate", arguments) if kind in DIRECTIONS else None
    given, seen = (rng.choice([None, 0.0, round(rng.uniform(0, 1e6), 6)]) for _ in range(2))
    detail = rng.choice(["", "exit status 3", "«ü»\n\t\\"])
    return Event(kind, label, given, seen, rng.randint(1, 3), n, detail, rng.random() < 0.2)


def random_trace(rng: Random) -> Trace:
    header = TraceHeader(
        model="chat.py:Chat",
        model_hash="0123",
        sut='exec:./server "two words"',
        goal=tuple(rng.sample(["done", "!x", "grün"], rng.randint(0, 3))),
        seed=rng.randint(-5, 10**12),
        options={"latency": rng.choice([0.0, 0.1]), "silence": 1.0, "set": ["a=1"], "steps": 5},
        started="2030-01-01T00:00:00+00:00",
    )
    return Trace(header, tuple(random_event(rng, n) for n in range(1, rng.randint(1, 15))))


def written(path: Path, *lines: str, end: str = "\n") -> Path:
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return path


@pytest.mark.parametrize("block", range(5))
def test_what_is_written_is_read_again(tmp_path, block):
    for seed in range(block * 40, (block + 1) * 40):
        trace = random_trace(Random(seed))
        write_trace(tmp_path / "trace.jsonl", trace, Pass() if seed % 2 else None)
        assert read_trace(tmp_path / "trace.jsonl") == trace, f"seed {seed}"


def test_the_lines_are_those_of_the_contract(tmp_path):
    path = tmp_path / "deep" / "trace.jsonl"
    crash = Event("crash", seen=0.5, play=1, n=3, detail="exit status 3")
    events = (
        Event("reset", seen=0.0, play=1, n=1),
        Event("input", Label.parse('?post bob "two words"'), given=0.1234567, taken=0.2, channel="bob", play=1, n=2),
        crash,
    )
    header = TraceHeader(
        "chat.py:Chat", "01ab", "exec:./server", ("done",), 7, {"latency": 0.1}, "2030-01-01T00:00:00+00:00"
    )
    write_trace(path, Trace(header, events), Fail("the system crashed", crash, (Label.parse("!x"),)))
    nothing = {"channel": None, "given": None, "taken": None, "seen": None, "play": 1}
    times = {"given": 0.123457, "taken": 0.2}
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [
        {
            "format": "outplay-trace/2",
            "model": "chat.py:Chat",
            "model_hash": "01ab",
            "sut": "exec:./server",
            "goal": ["done"],
            "seed": 7,
            "options": {"latency": 0.1},
            "started": "2030-01-01T00:00:00+00:00",
        },
        {"n": 1, "kind": "reset", "label": None, **nothing, "seen": 0.0},
        {"n": 2, "kind": "input", "label": '?post bob "two words"', **nothing, "channel": "bob", **times},
        {"n": 3, "kind": "crash", "label": None, **nothing, "seen": 0.5, "detail": "exit status 3"},
        {"verdict": "fail", "why": "the system crashed", "allowed": ["!x"]},
    ]


def test_the_time_of_handing_over_in_an_older_trace_proves_nothing(tmp_path):
    event = '{"kind": "input", "label": "?x", "given": 1.0, "taken": 1.5}'
    older = read_trace(written(tmp_path / "old.jsonl", '{"format": "outplay-trace/1"}', event))
    assert [(one.given, one.taken) for one in older.events] == [(1.0, None)]
    assert read_trace(written(tmp_path / "new.jsonl", HEADER, event)).events[0].taken == 1.5


def test_a_log_with_the_bare_minimum_is_read(tmp_path):
    path = written(tmp_path / "log.jsonl", '{"format": "outplay-trace/2"}', '{"kind": "output", "label": "!x"}')
    assert read_trace(path) == Trace(TraceHeader(), (Event("output", Label.parse("!x"), play=1, n=1),))


def test_a_goal_may_be_a_single_text(tmp_path):
    path = written(tmp_path / "log.jsonl", '{"format": "outplay-trace/2", "goal": "done"}')
    assert read_trace(path).header.goal == ("done",)


def test_lines_may_end_as_on_other_systems(tmp_path):
    path = written(tmp_path / "log.jsonl", HEADER, '{"kind": "silence"}\r')
    assert [event.kind for event in read_trace(path).events] == ["silence"]


# A killed run.


def test_a_run_cut_short_anywhere_stays_readable(tmp_path):
    """Whatever a kill, a full disk or a power cut leaves of the file, the whole lines of it are there."""
    trace = random_trace(Random(5))
    path = tmp_path / "trace.jsonl"
    write_trace(path, trace, Inconclusive("grün"))
    whole = path.read_bytes()
    for length in range(whole.index(b"\n"), len(whole) + 1):
        path.write_bytes(whole[:length])
        read = read_trace(path)
        assert read.header == trace.header
        assert read.events == trace.events[: len(read.events)]
        # A line whose end alone is missing lacks nothing.
        assert len(read.events) in (
            whole[:length].count(b"\n") - 1,
            whole[: length + 1].count(b"\n") - 1,
            len(trace.events),
        )


def test_a_last_line_that_lacks_only_its_end_counts(tmp_path):
    path = written(tmp_path / "log.jsonl", HEADER, '{"kind": "output", "label": "!x"}', end="")
    assert len(read_trace(path).events) == 1


def test_a_run_that_is_killed_leaves_what_it_has_seen(tmp_path, chat):
    model = f"{chat / 'model.py'}:Chat"
    command = ["run", model, "--sut", f"model:{model}", "--plays", "1000000", "--trace", "killed.jsonl"]
    path = tmp_path / "killed.jsonl"
    with subprocess.Popen(
        [*PROGRAM, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not path.exists() or path.stat().st_size < 50_000):
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    trace = read_trace(path)
    assert len(trace.events) > 100
    assert [event.n for event in trace.events] == list(range(1, len(trace.events) + 1))
    assert trace.header.model == model


def test_every_event_is_on_disk_before_the_next_happens(tmp_path):
    path = tmp_path / "trace.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        writer = TraceWriter(stream, TraceHeader())
        for n in range(1, 4):
            writer.event(Event("silence", seen=float(n), play=1, n=n))
            assert len(read_trace(path).events) == n


def test_text_that_has_no_utf_8_is_written_all_the_same():
    stream = io.StringIO()
    TraceWriter(stream, TraceHeader()).event(Event("note", detail="half a pair: \ud800"))
    line = stream.getvalue().splitlines()[1]
    line.encode()
    assert json.loads(line)["detail"] == "half a pair: \ud800"


# What is no trace.

MALFORMED = [
    # (lines, where, what)
    ([""], "1:1", "Expecting value; mend the JSON there"),
    (["no json"], "1:1", "Expecting value; mend the JSON there"),
    (['{"format": "outplay-trace/3"}'], "1:1", 'the first line must say "format": "outplay-trace/2"'),
    (['{"kind": "silence"}'], "1:1", 'the first line must say "format"'),
    (["[1, 2]"], "1:1", "[1, 2] where an object should be"),
    (["3"], "1:1", "3 where an object should be"),
    ([HEADER[:-1]], "1:88", "mend the JSON there"),
    (['{"format": "outplay-trace/2", "model": 3}'], "1:31", "model is 3 and should be a text"),
    (['{"format": "outplay-trace/2", "seed": 1.5}'], "1:31", "seed is 1.5 and should be a whole number"),
    (['{"format": "outplay-trace/2", "seed": true}'], "1:31", "seed is True and should be a whole number"),
    (['{"format": "outplay-trace/2", "options": []}'], "1:31", "options is [] and should be an object"),
    (['{"format": "outplay-trace/2", "options": {"latency": "x"}}'], "1:43", "latency is 'x' and should be a number"),
    (
        ['{"format": "outplay-trace/2", "options": {"latency": -1}}'],
        "1:43",
        "latency is -1 and cannot be less than 0",
    ),
    (
        ['{"format": "outplay-trace/2", "options": {"set": "a=1"}}'],
        "1:43",
        "set is 'a=1' and should be a list of texts",
    ),
    (['{"format": "outplay-trace/2", "goal": [1]}'], "1:31", "goal is [1] and should be a list of texts"),
    (['{"format": "outplay-trace/2", "goals": ["done"]}'], "1:31", "unknown field 'goals'; did you mean 'goal'?"),
    ([HEADER, ""], "2:1", "Expecting value; mend the JSON there"),
    ([HEADER, "{"], "2:2", "mend the JSON there"),
    ([HEADER, '{"kind": "silence"} {"kind": "silence"}'], "2:21", "Extra data; mend the JSON there"),
    ([HEADER, '{"n": 1}'], "2:1", "unknown kind of event None; known: input, output"),
    ([HEADER, '{"n": 1, "kind": "inptu"}'], "2:10", "unknown kind of event 'inptu'; known: input, output"),
    ([HEADER, '{"kind": ["input"]}'], "2:2", "unknown kind of event ['input']"),
    ([HEADER, '{"kind": "output"}'], "2:1", "an event of kind 'output' needs a \"label\", such as !x"),
    ([HEADER, '{"kind": "input", "label": null}'], "2:19", "an event of kind 'input' needs a \"label\", such as ?x"),
    ([HEADER, '{"kind": "input", "label": 3}'], "2:19", "label is 3 and should be a text"),
    ([HEADER, '{"kind": "input", "label": "a"}'], "2:19", "label 'a' has no direction: write ?a for an input"),
    ([HEADER, '{"kind": "input", "label": "!a"}'], "2:19", "is no label of an event of kind 'input'"),
    ([HEADER, '{"kind": "late", "label": "delta"}'], "2:18", "is no label of an event of kind 'late'"),
    ([HEADER, '{"kind": "output", "label": "!say \\"x"}'], "2:20", "a quote is opened and never closed"),
    ([HEADER, '{"kind": "silence", "seen": "now"}'], "2:21", "seen is 'now' and should be a number of seconds"),
    ([HEADER, '{"kind": "silence", "seen": true}'], "2:21", "seen is True and should be a number of seconds"),
    ([HEADER, '{"kind": "silence", "seen": NaN}'], "2:29", "NaN is no number that can be read; write a number"),
    ([HEADER, '{"kind": "silence", "seen": 1e999}'], "2:29", "1e999 is no number that can be read; write a number"),
    ([HEADER, '{"kind": "silence", "given": %s}' % ("9" * 400)], "2:21", "…"),
    (
        [HEADER, '{"kind": "silence", "given": %s}' % ("9" * 5000)],
        "2:30",
        "… is no number that can be read; write a number",
    ),
    ([HEADER, '{"kind": "silence", "play": "1"}'], "2:21", "play is '1' and should be a whole number"),
    ([HEADER, '{"kind": "silence", "n": 1.0}'], "2:21", "n is 1.0 and should be a whole number"),
    ([HEADER, '{"kind": "silence", "failed": 1}'], "2:21", "failed is 1 and should be true or false"),
    ([HEADER, '{"kind": "silence", "detail": {}}'], "2:21", "detail is {} and should be a text"),
    ([HEADER, '{"kind": "silence", "sen": 1}'], "2:21", "unknown field 'sen'; did you mean 'seen'?"),
    ([HEADER, '{"kind": "silence", "kind": "crash"}'], "2:21", "key 'kind' twice in one object; keep one"),
    ([HEADER, "[" * 100_000 + "]" * 100_000], "2:1", "nested too deeply"),
    ([HEADER, '{"verdict": "pass"}', '{"kind": "silence"}'], "3:1", "something follows the verdict"),
    ([HEADER, '{"verdict": "passed"}'], "2:2", "'passed' is no verdict; known: pass, fail, inconclusive, error"),
    ([HEADER, '{"verdict": "pass", "kind": "silence"}'], "2:21", "unknown field 'kind'"),
]


@pytest.mark.parametrize(("lines", "where", "what"), MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_line_is_told_in_one_line_with_its_place(tmp_path, lines, where, what):
    path = written(tmp_path / "bad.jsonl", *lines)
    with pytest.raises(FormatError) as caught:
        read_trace(path)
    told = str(caught.value)
    assert told.startswith(f"{path}:{where}: "), told
    assert what in told
    assert "\n" not in told
    assert len(told) < 300 + len(str(path))


def test_a_file_that_is_not_there_or_empty_or_no_text_is_told(tmp_path):
    with pytest.raises(FormatError, match="no such file; check the path"):
        read_trace(tmp_path / "nowhere.jsonl")
    with pytest.raises(FormatError, match="a folder; give a plain file"):
        read_trace(tmp_path)
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty\.jsonl:1:1: the file is empty"):
        read_trace(empty)
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(HEADER.encode() + b'\n{"kind": "note", "detail": "gr\xfcn"}\n')
    with pytest.raises(FormatError, match=r"latin\.jsonl:2:31: not UTF-8; save the trace as UTF-8"):
        read_trace(latin)


@pytest.mark.parametrize("block", range(5))
def test_any_bytes_give_a_trace_or_one_line(tmp_path, block):
    path, refused = tmp_path / "fuzz.jsonl", 0
    for seed in range(block * 200, (block + 1) * 200):
        rng = Random(seed)
        write_trace(path, random_trace(rng), Pass())
        data = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            piece = rng.choice([b"", b'"', b"{", b"}", b"[", b"\n", b"\xff", b"9" * 400, b"null", b"-", b"\\", b"e9"])
            data[place : place + rng.randint(0, 3)] = piece
        path.write_bytes(data)
        told = refusal(path)
        refused += told is not None
        assert told is None or re.fullmatch(rf"{re.escape(str(path))}:\d+:\d+: [^\n]+", told), f"seed {seed}"
    assert refused > 60


def refusal(path: Path) -> str | None:
    try:
        read_trace(path)
    except FormatError as error:
        return str(error)
    return None


# Judged again, a trace means what it meant.


def automaton(edges: list[tuple[str, str, str]]) -> GameSpecification:
    builder = GameBuilder()
    for name in dict.fromkeys(["s0", *(state for source, _, target in edges for state in (source, target))]):
        builder.vertex(name, "tester", goals=["goal"] * (name == "s2"))
    for source, label, target in edges:
        builder.edge(source, target, label)
    return GameSpecification(builder.build())


MODEL = [
    ("s0", "?a", "s1"),
    ("s0", "?b", "s0"),
    ("s1", "!x", "s2"),
    ("s1", "!y", "s0"),
    ("s2", "?a", "s0"),
    ("s2", "?a", "s1"),
    ("s2", "delta", "s0"),
    ("s2", "!z", "s2"),
]


def mutant(rng: Random) -> GameSpecification:
    """The model with one edge led elsewhere, relabelled, added or taken away."""
    edges, place = list(MODEL), rng.randrange(len(MODEL))
    source, label, target = edges[place]
    states, outputs = ["s0", "s1", "s2"], ["!x", "!y", "!z"]
    change = rng.randrange(4)
    if change == 0:
        edges[place] = (source, label, rng.choice(states))
    elif change == 1 and label[0] == "!":
        edges[place] = (source, rng.choice(outputs), target)
    elif change == 2:
        edges.append((rng.choice(states), rng.choice(outputs), rng.choice(states)))
    elif label[0] == "!":
        del edges[place]
    return automaton(edges)


@pytest.mark.parametrize("block", range(4))
def test_judging_a_written_trace_gives_the_verdict_of_the_run(tmp_path, block):
    path, names = tmp_path / "trace.jsonl", set()
    for seed in range(block * 50, (block + 1) * 50):
        rng = Random(seed)
        spec, wrong = automaton(MODEL), mutant(rng)
        goal = rng.choice([(), ("goal",), ("!z",), ("s1",)])
        header = TraceHeader(model="model", goal=goal, seed=seed)
        chosen = replace(plan(spec, seed=seed), goals=goal, goal=followed_goal(spec, goal)[1])
        with path.open("w", encoding="utf-8") as stream:
            writer = TraceWriter(stream, header)
            keep_going = bool(seed % 2)
            outcome = run(
                chosen,
                Simulated(wrong, rng),
                header=header,
                plays=6,
                steps=15,
                keep_going=keep_going,
                observers=[Heard(writer.event)],
            )
            writer.verdict(outcome.verdict)
        read = read_trace(path)
        assert read == outcome.trace, f"seed {seed}"
        assert judge(spec, read) == outcome.verdict, f"seed {seed}"
        names.add(outcome.verdict.name)
    assert names >= {"pass", "fail"}
