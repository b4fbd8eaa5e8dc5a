"""A signal to end means exit code 130 wherever it breaks in, also where Python turns it into an error or drops it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.commands import PROGRAM
from helpers.killing import Killer, killing, marked

pytestmark = [
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="signals and what is left running are seen in /proc"
    ),
    pytest.mark.xdist_group("killers"),
]

IN_AN_IMPORT = "dataclasses:Field.__set_name__<"
AT_THE_PLAYS = "outplay.signals:cancel_on_signals<"  # others import it by its name
PLACES = {
    "before anything is prepared": "outplay.cli.printing:guard_streams<",
    "in an import, where a class tells its fields their names": IN_AN_IMPORT,
    "when a budget begins": "outplay.model.programs.guard:_Timer.__init__>",
    "before a budget has ended": "outplay.model.programs.guard:_Timer.stop<",
    "before a budget of a play has ended": "outplay.model.programs.guard:_Timer.stop<!",
    "when a lock has been taken": "threading:Condition.__enter__>!",
    "when a lock has been let go": "threading:Condition._release_save>!",
    "before a lock is taken again": "threading:Condition._acquire_restore<!",
    "where books are half kept": "outplay.strategy.suspicion.detection_chance:Clearing.follow<!",
    "while the system is started": "outplay.play.adapters.program_run:ProgramRun.__init__>",
    "while the system is ended": "outplay.play.adapters.descendants:Descendants.end<",
    "when the plays begin": AT_THE_PLAYS,
}  # fmt: skip
SUBJECT = """
class Subject:
    def __init__(self, emit):
        self._emit = emit
    def say(self, word):
        self._emit("echo", word)
"""
DROPPING = """
import os, signal
from outplay import Model, controllable

sent = []

class Rude:
    def __del__(self):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGTERM))
            sum(range(1_000))

class Dropping(Model):
    n: int = 0

    @controllable
    def up(self):
        Rude()
        self.n = (self.n + 1) % 3
"""
ENDLESS = """
import os, signal
from outplay import Model, controllable

class Endless(Model):
    n: int = 0

    @controllable
    def up(self):
        if os.path.exists(".outplay/last/trace.jsonl"):
            os.kill(os.getpid(), signal.SIGTERM)
            try:
                while True:
                    pass
            except BaseException:
                pass
        self.n = (self.n + 1) % 3
"""
LOCKS = [where for where, place in PLACES.items() if "Condition" in place]


@pytest.fixture(scope="module")
def killers() -> Iterator[dict[bool, Killer]]:
    """Make processes that have what a command needs loaded already, or have not."""
    with killing() as loaded, killing("bare") as bare:
        yield {True: loaded, False: bare}


@pytest.fixture
def broken(killers):
    """Check how a command ends where a signal breaks in at a place, what it says of it, and what it leaves running."""

    def check(place: str, *arguments: str) -> None:
        mark, killer = uuid.uuid4().hex, killers[place not in (IN_AN_IMPORT, AT_THE_PLAYS)]
        done = killer.kill(folder=str(Path.cwd()), arguments=arguments, signal=signal.SIGTERM, place=place, mark=mark)
        assert Path("sent").exists(), "the place was never met"
        said = Path("err").read_text()
        assert done["code"] == 130, said
        assert "Traceback" not in said
        assert marked(mark) == {}

    return check


@pytest.fixture
def run(broken):
    """The same for a run against a system."""
    times = ["--latency", "0.01", "--silence", "0.5"]
    asked = ("run", "echo.py:Echo", "--plays", "1000", "--steps", "4", *times, "--sut")
    return lambda place, *more: broken(place, *asked, *more)


@pytest.mark.parametrize("where", PLACES)
def test_a_signal_ends_a_run_wherever_it_breaks_in(model, system, run, where):
    run(PLACES[where], system("right"), "--ready", "ready")


@pytest.mark.parametrize("where", LOCKS)
def test_a_signal_ends_a_run_against_an_object_wherever_it_breaks_in(model, run, where):
    """Closing the object takes the locks again that were left taken."""
    Path("subject.py").write_text(SUBJECT)
    run(PLACES[where], "python:subject.py:Subject")


def recorded() -> str:
    """A trace of a play that failed."""
    labels = ["?say a", "!echo a", "?say b", "!echo a"]
    moves = [{"kind": "input" if label[0] == "?" else "output", "label": label} for label in labels]
    events = [{**move, "n": n, "given": n, "seen": n, "play": 1} for n, move in enumerate(moves, 1)]
    lines = [{"format": "outplay-trace/1", "model": "echo.py:Echo"}, *events]
    Path("trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "trace.jsonl"


REPLAYING = ["when a budget begins", "before a budget has ended", *LOCKS, "while the system is started"]
REPLAYING += ["while the system is ended", "when the plays begin"]


@pytest.mark.parametrize("where", REPLAYING)
def test_a_signal_ends_a_replay_wherever_it_breaks_in(model, system, broken, where):
    replay = ("replay", recorded(), "--model", model, "--sut", system("right"), "--ready", "ready")
    broken(PLACES[where].rstrip("!"), *replay, "--latency", "0.01")


@pytest.mark.parametrize("where", LOCKS)
def test_a_signal_ends_a_replay_against_an_object_wherever_it_breaks_in(model, broken, where):
    Path("subject.py").write_text(SUBJECT)
    sut = "python:subject.py:Subject"
    broken(PLACES[where].rstrip("!"), "replay", recorded(), "--model", model, "--sut", sut, "--silence", "0.5")


QUICK = {
    "before anything is prepared": PLACES["before anything is prepared"],
    "in an import": IN_AN_IMPORT,
    "when a budget begins": PLACES["when a budget begins"],
    "before a budget has ended": PLACES["before a budget has ended"],
    "when the work begins": AT_THE_PLAYS,
}


@pytest.mark.parametrize(
    "command", [["judge", "echo.py:Echo", "trace.jsonl"], ["check", "echo.py:Echo", "echo.py:Echo"]]
)
@pytest.mark.parametrize("where", QUICK)
def test_a_signal_ends_what_plays_nothing_wherever_it_breaks_in(model, broken, where, command):
    recorded()
    broken(QUICK[where], *command)


@pytest.mark.parametrize("command", ["judge dropping.py trace.jsonl", "check dropping.py dropping.py"])
def test_a_signal_that_meets_a_destructor_is_not_lost_where_the_command_soon_ends(command):
    """It comes again a moment later, when all may be told already."""
    Path("dropping.py").write_text(DROPPING)
    event = {"n": 1, "kind": "input", "label": "?up", "given": 1, "seen": 1, "play": 1}
    lines = [{"format": "outplay-trace/1", "model": "dropping.py"}, event]
    Path("trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = subprocess.run([*PROGRAM, *command.split()], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (130, ""), done
    assert "Traceback" not in done.stderr


def test_a_signal_that_meets_a_destructor_is_not_lost_where_another_is_ignored():
    """In the background of a shell script Ctrl-C is."""
    Path("dropping.py").write_text(DROPPING)
    command = [*PROGRAM, "run", "dropping.py", "--sut", "model:dropping.py", "--plays", "2000"]
    ignoring = "import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    ignoring += "sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    done = subprocess.run([sys.executable, "-c", ignoring, *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 130, done
    assert "Traceback" not in done.stderr


def test_what_never_looks_for_a_signal_is_broken_off():
    """A model that loops, and whose author thought of everything but that."""
    Path("endless.py").write_text(ENDLESS)
    command = [*PROGRAM, "run", "endless.py", "--sut", "model:endless.py", "--max-seconds", "1000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 130, done
    assert "Traceback" not in done.stderr
