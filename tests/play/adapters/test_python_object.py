"""A Python object as the system under test: the contract of `outplay.play.adapters.python_object`, line by line."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from helpers.automata import specification_of
from outplay import Label, PythonObject, run
from outplay.errors import SystemUnready
from outplay.play.adapters.python_object import load_object
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.tester.tester import Give, TraceBased, Wait

PATIENCE = 15.0
ENDINGS = [
    SystemExit(3),
    SystemExit(0),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
    GeneratorExit(),
    BaseException("x"),
]


def give(system: PythonObject, *words: object) -> float | None:
    return system.give(Label("?", str(words[0]), words[1:]))


@pytest.fixture
def started():
    made = []

    def start(make, **options) -> PythonObject:
        system = PythonObject(make, **options)
        made.append(system)
        system.reset()
        return system

    yield start
    for system in made:
        system.close()


class Giving(TraceBased):
    """Gives `?go` once and waits."""

    start = True

    def choose(self, tracker, first):
        return Give(Label.parse("?go")) if first else Wait()

    def remember(self, tracker, first, label):
        return False


@pytest.mark.parametrize("ending", ENDINGS, ids=repr)
@pytest.mark.parametrize("kind", ["plain", "coroutine", "task"])
def test_however_an_object_ends_it_is_a_crash_and_never_silence(ending, kind):
    class Subject:
        if kind == "plain":

            def go(self) -> None:
                raise ending
        else:

            async def go(self) -> None:
                if kind == "task":
                    asyncio.get_running_loop().call_soon(self.later)
                    await asyncio.sleep(60)
                await asyncio.sleep(0)
                raise ending

        def later(self) -> None:
            raise ending

    if kind == "task" and isinstance(ending, asyncio.CancelledError):
        pytest.skip("a callback that raises CancelledError is a callback that was cancelled")
    spec = specification_of("s ?go t", "t delta t")
    outcome = run(Plan(spec, Giving()), PythonObject(Subject), plays=1, steps=4, timing=Timing(1.0, 0.1))
    assert (outcome.verdict.name, outcome.trace.events[-1].kind) == ("fail", "crash")
    assert outcome.trace.events[-1].detail.startswith(type(ending).__name__)
    assert "raise ending" in outcome.trace.events[-1].traceback


def test_the_traceback_of_a_crash_is_kept_in_the_trace(tmp_path):
    from outplay.formats.trace_jsonl import read_trace, write_trace

    class Subject:
        def go(self) -> None:
            raise ValueError("broken")

    outcome = run(Plan(specification_of("s ?go s"), Giving()), PythonObject(Subject), plays=1)
    write_trace(tmp_path / "t.jsonl", outcome.trace)
    crash = read_trace(tmp_path / "t.jsonl").events[-1]
    assert crash.detail == "ValueError: broken"
    assert 'raise ValueError("broken")' in crash.traceback


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_trouble_that_the_adapter_marks_as_its_own_is_an_error(kind):
    class Subject:
        if kind == "plain":

            def go(self) -> None:
                raise SystemUnready("the database is not there")
        else:

            async def go(self) -> None:
                raise SystemUnready("the database is not there")

    outcome = run(Plan(specification_of("s ?go s"), Giving()), PythonObject(Subject), plays=1)
    assert (outcome.verdict.name, outcome.verdict.why) == ("error", "the database is not there")


def test_plain_calls_begin_and_end_in_the_order_given(started):
    class Subject:
        def __init__(self, emit) -> None:
            self.emit = emit

        def work(self, number: int) -> None:
            self.emit("begin", number)
            time.sleep(0.1)
            self.emit("end", number)

    system = started(Subject)
    for number in range(3):
        give(system, "work", number)
    told = [system.observe(PATIENCE).label.text for _ in range(6)]
    assert told == ["!begin 0", "!end 0", "!begin 1", "!end 1", "!begin 2", "!end 2"]


def test_coroutines_begin_in_the_order_given_and_go_on_side_by_side(started):
    class Subject:
        def __init__(self, emit) -> None:
            self.emit = emit

        async def slow(self, number: int) -> None:
            self.emit("begin", number)
            await asyncio.sleep(0.3 - number / 10)
            self.emit("end", number)

        def plain(self) -> None:
            self.emit("plain")

    system = started(Subject)
    for number in range(2):
        give(system, "slow", number)
    give(system, "plain")
    told = [system.observe(PATIENCE).label.text for _ in range(5)]
    assert told == ["!begin 0", "!begin 1", "!plain", "!end 1", "!end 0"]


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_silence_is_not_called_while_a_call_has_not_begun(kind):
    """Each call takes its time, allowed by the model; the next one waits in line for longer than silence lasts."""

    class Subject:
        if kind == "plain":

            def go(self) -> str:
                time.sleep(0.4)
                return "done"
        else:

            async def go(self) -> str:
                time.sleep(0.4)  # which holds up the whole loop
                return "done"

        def ask(self) -> str:
            return "yes"

    system = PythonObject(Subject)
    system.reset()
    give(system, "go")
    assert system.observe(0.05).kind == "silence"
    began = give(system, "ask")
    shown = system.observe(0.0), system.observe(0.2)
    assert [str(event.label) for event in shown] == ["!go done", "!ask yes"]
    assert shown[0].seen <= began <= shown[1].seen
    system.close()


def test_a_call_behind_one_that_hangs_is_given_up_after_the_patience(started):
    class Subject:
        def hang(self) -> None:
            time.sleep(3600)

        def ask(self) -> str:
            return "yes"

    system = started(Subject, patience=0.3)
    assert give(system, "hang") is not None
    before = time.monotonic()
    assert give(system, "ask") is None
    assert 0.2 < time.monotonic() - before < 5
    assert system.observe(0.1).kind == "silence"


def test_an_answer_never_precedes_its_question(started):
    class Subject:
        def ask(self) -> str:
            return "yes"

    system = started(Subject)
    for _ in range(200):
        before = time.monotonic()
        began = give(system, "ask")
        assert before <= began <= system.observe(PATIENCE).seen


def test_what_was_shown_when_we_looked_is_not_late(started):
    """The thread that shows is held up between stamping and saying so; the look waits for it."""

    class Subject:
        def __init__(self, emit) -> None:
            self.emit = emit

        def later(self, delay: float) -> None:
            threading.Timer(delay, self.emit, ["x"]).start()

    system = started(Subject)
    life = system._life
    put = life._shown._shown.put

    def slow(event):
        time.sleep(0.2)
        put(event)

    life._shown._shown.put = slow
    life.emit("x")
    threading.Timer(0.05, life.emit, ["y"]).start()
    assert str(system.observe(0.0).label) == "!x"
    assert str(system.observe(0.1).label) == "!y"


def test_a_coroutine_close_has_ended_before_the_next_object_is_made(started):
    told: list[str] = []

    class Subject:
        def __init__(self) -> None:
            told.append("made")

        async def close(self) -> None:
            await asyncio.sleep(0.1)
            told.append("closed")

    system = started(Subject)
    system.reset()
    system.close()
    assert told == ["made", "closed", "made", "closed"]


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
@pytest.mark.parametrize("plays", [1, 2])
def test_an_exception_in_close_is_an_error(kind, plays):
    class Subject:
        def go(self) -> None:
            pass

        if kind == "plain":

            def close(self) -> None:
                raise OSError("still busy")
        else:

            async def close(self) -> None:
                await asyncio.sleep(0)
                raise OSError("still busy")

    outcome = run(
        Plan(specification_of("s ?go s"), Giving()), PythonObject(Subject), plays=plays, steps=1, timing=Timing(0.1)
    )
    assert outcome.verdict.name == "error"
    assert "close raised OSError: still busy" in outcome.verdict.why


def test_a_close_that_does_not_end_is_an_error(started):
    class Subject:
        async def close(self) -> None:
            await asyncio.sleep(3600)

    system = started(Subject, patience=0.2)
    with pytest.raises(SystemUnready, match=r"close has not ended within 0\.2 s"):
        system.reset()


def test_set_up_and_tear_down_are_called_once_per_run():
    told: list[str] = []

    class Subject:
        def __init__(self) -> None:
            told.append("made")

        @classmethod
        async def set_up(cls) -> None:
            told.append("set up")
            cls.background = asyncio.create_task(asyncio.sleep(3600))

        @staticmethod
        def tear_down() -> None:
            told.append(f"torn down, {Subject.background.cancelled()}")

        def go(self) -> None:
            pass

        def close(self) -> None:
            told.append("closed")

    outcome = run(
        Plan(specification_of("s ?go s"), Giving()), PythonObject(Subject), plays=3, steps=1, timing=Timing(0.05)
    )
    assert outcome.verdict.name == "pass"
    assert told == ["set up", *["made", "closed"] * 3, "torn down, False"]


@pytest.mark.parametrize("name", ["set_up", "tear_down"])
def test_an_exception_in_set_up_or_tear_down_is_an_error(name):
    def fail() -> None:
        raise OSError("no room")

    subject = type("Subject", (), {name: staticmethod(fail), "go": lambda self: None})
    outcome = run(
        Plan(specification_of("s ?go s"), Giving()), PythonObject(subject), plays=1, steps=1, timing=Timing(0.05)
    )
    assert outcome.verdict.name == "error"
    assert f"{name}: OSError: no room" in outcome.verdict.why


def test_what_a_play_left_running_says_nothing_in_the_next(started):
    class Subject:
        def __init__(self, emit) -> None:
            self.emit = emit

        async def leave(self) -> None:
            self.task = asyncio.create_task(self.later())

        async def later(self) -> None:
            await asyncio.sleep(0.1)
            self.emit("late")

    system = started(Subject)
    give(system, "leave")
    system.reset()
    assert system.observe(0.3).kind == "silence"


def test_an_object_may_be_named_by_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("adder.py").write_text("class Adder:\n    def add(self, a, b):\n        return a + b\n")
    system = load_object("adder.py:Adder")
    system.reset()
    give(system, "add", 1, 2)
    assert str(system.observe(PATIENCE).label) == "!add 3"
    system.close()
    for reference, told in [
        ("addr.py:Adder", "no such file; did you mean 'adder.py'"),
        ("adder.py:Ader", "did you mean 'Adder'"),
        ("adder.py", "write python:file.py:Class"),
    ]:
        with pytest.raises(SystemUnready, match=told):
            load_object(reference)


def test_many_plays_keep_no_threads_and_no_descriptors(started):
    class Subject:
        async def go(self) -> str:
            return "x"

    system = started(Subject)
    give(system, "go")
    system.observe(PATIENCE)
    system.reset()
    time.sleep(0.1)
    threads = threading.active_count()
    for _ in range(50):
        give(system, "go")
        system.observe(PATIENCE)
        system.reset()
    time.sleep(0.1)
    assert threading.active_count() <= threads


def test_an_unknown_class_is_answered_with_what_makes_objects(tmp_path):
    (tmp_path / "subject.py").write_text("import sys\nlimit = 3\nclass Queue: ...\ndef make(): ...\n")
    with pytest.raises(SystemUnready, match=r"no class 'Xyz' there; known: Queue, make$"):
        load_object(f"{tmp_path}/subject.py:Xyz")
