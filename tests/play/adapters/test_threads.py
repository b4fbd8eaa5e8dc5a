"""Threads of a Python object: one that ends with an exception is a crash of the play it belongs to, and of no other."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from helpers.automata import specification_of
from outplay import Label, PythonObject, run
from outplay.play.adapters.isolated import Isolated
from outplay.play.timing import Timing

PATIENCE = 15.0
SUBJECT = """
import threading

class Subject:
    release = threading.Event()

    def go(self):
        self.worker = threading.Thread(target=self.work)
        self.worker.start()

    def time(self):
        self.worker = threading.Timer(0.0, self.work)
        self.worker.start()

    def leave(self):
        threading.Thread(target=self.later).start()

    def end(self):
        threading.Thread(target=lambda: exec("raise SystemExit(0)")).start()

    def work(self):
        raise RuntimeError("worker died")

    def later(self):
        Subject.release.wait()
        self.work()
"""


@pytest.fixture
def told():
    """A hook of somebody else, and what it was told."""
    before, heard = threading.excepthook, []
    threading.excepthook = lambda arguments: heard.append(str(arguments.exc_value))
    mine = threading.excepthook
    yield heard
    assert threading.excepthook is mine, "the hook from before was not put back"
    threading.excepthook = before


@pytest.fixture
def subject():
    found: dict[str, type] = {}
    exec(SUBJECT, found)
    return found["Subject"]


@pytest.fixture
def started(told):
    made = []

    def start(make) -> PythonObject:
        made.append(PythonObject(make))
        made[-1].reset()
        return made[-1]

    yield start
    for system in made:
        system.close()


def join_all(before) -> None:
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith("outplay"):
            thread.join()


@pytest.mark.parametrize("how", ["go", "time"])
def test_a_thread_that_ends_with_an_exception_is_a_crash_and_told_once(how, subject, started, told):
    system = started(subject)
    system.give(Label.parse(f"?{how}"))
    event = system.observe(PATIENCE)
    assert (event.kind, event.detail) == ("crash", "RuntimeError: worker died")
    assert "in work" in event.traceback
    assert told == []


@pytest.mark.parametrize("isolated", [False, True])
def test_a_run_fails_by_it(isolated, subject, tmp_path, monkeypatch, told):
    monkeypatch.chdir(tmp_path)
    Path("subject.py").write_text(SUBJECT)
    system = Isolated("subject.py:Subject") if isolated else PythonObject(subject)
    outcome = run(specification_of("s ?go s"), system, plays=2, steps=3, timing=Timing(silence=0.5))
    assert outcome.verdict.name == "fail"
    assert outcome.verdict.event.detail == "RuntimeError: worker died"


def test_a_thread_of_an_earlier_play_says_nothing_about_this_one(subject, started, told):
    before = set(threading.enumerate())
    system = started(subject)
    system.give(Label.parse("?leave"))
    system.reset()
    subject.release.set()
    join_all(before)
    assert system.observe(0.0).kind == "silence"
    assert told == ["worker died"]


def test_a_thread_of_somebody_else_is_told_to_the_hook_that_was_there(subject, started, told):
    go, before = threading.Event(), set(threading.enumerate())

    def die() -> None:
        go.wait()
        raise ValueError("not of the object")

    threading.Thread(target=die).start()
    system = started(subject)
    go.set()
    join_all(before)
    assert system.observe(0.0).kind == "silence"
    assert told == ["not of the object"]


def test_a_thread_that_set_up_began_belongs_to_every_play(started, told):
    class Server:
        go = threading.Event()

        @classmethod
        def set_up(cls) -> None:
            threading.Thread(target=cls.serve).start()

        @classmethod
        def serve(cls) -> None:
            cls.go.wait()
            raise OSError("the server is gone")

        def ask(self) -> None:
            self.go.set()

    system = started(Server)
    system.reset()
    system.give(Label.parse("?ask"))
    assert system.observe(PATIENCE).detail == "OSError: the server is gone"


def test_a_thread_that_exits_in_order_is_no_crash(subject, started, told):
    before = set(threading.enumerate())
    system = started(subject)
    system.give(Label.parse("?end"))
    join_all(before)
    assert system.observe(0.0).kind == "silence"


def test_a_hook_that_was_put_over_ours_stays_and_ours_hands_on(subject, told):
    below, system = threading.excepthook, PythonObject(subject)
    system.reset()
    ours, over = threading.excepthook, []
    mine = threading.excepthook = lambda arguments: (over.append(arguments.exc_type), ours(arguments))
    system.close()
    assert threading.excepthook is mine
    worker = threading.Thread(target=subject().work)
    worker.start()
    worker.join()
    assert (over, told) == ([RuntimeError], ["worker died"])
    threading.excepthook = below


def test_a_thread_that_one_of_an_earlier_play_starts_now_says_nothing_about_this_play(told):
    release, ended = threading.Event(), threading.Event()

    class Leaving:
        def leave(self):
            threading.Thread(target=self.wait).start()

        def wait(self):
            release.wait(PATIENCE)
            late = threading.Thread(target=self.die)
            late.start()
            late.join(PATIENCE)
            ended.set()

        def die(self):
            raise OSError("of a play that is over")

    system = PythonObject(Leaving)
    system.reset()
    system.give(Label.parse("?leave"))
    system.reset()
    release.set()
    assert ended.wait(PATIENCE)
    assert system.observe(0.0).kind == "silence"
    system.close()
    assert told == ["of a play that is over"]


def test_of_two_objects_at_once_the_one_crashes_whose_thread_it_is(told):
    class Dying:
        def go(self):
            self.thread = threading.Thread(target=self.die)
            self.thread.start()
            self.thread.join(PATIENCE)

        def die(self):
            raise ValueError("of the bad one")

    class Well:
        def go(self):
            return None

    starting = threading.Thread.start
    bad, good = PythonObject(Dying), PythonObject(Well)
    bad.reset()
    good.reset()
    bad.give(Label.parse("?go"))
    good.give(Label.parse("?go"))
    assert bad.observe(PATIENCE).kind == "crash"
    assert good.observe(0.0).kind == "silence"
    good.close()
    bad.close()
    assert told == []
    assert threading.Thread.start is starting, "what starts threads was not put back"
