"""Networks with faults: what is to happen happens, from a seed, and nothing else; models cause faults as inputs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers import framed_program
from helpers.commands import called
from helpers.http_server import http_server
from outplay import Label, Model, controllable, fault, observable, run
from outplay.errors import ModelError, UsageError
from outplay.model.programs.actions import FAULTS as MODEL_FAULTS
from outplay.play.adapters.adapters import adapter_of
from outplay.play.disturbances import FAULTS, Disturbances
from outplay.play.faulty_system import FaultySystem
from outplay.play.system import System
from outplay.play.timing import Timing

PATIENCE = 30.0
TABLE = {
    "inputs": {
        "add what": {"json": {"kind": "add", "what": "{what}", "id": "{count}"}},
        "all": {"json": {"kind": "all"}},
        "enter": {"connection": "open"},
    },
    "begin": [{"json": {"kind": "clear"}, "when": {"json.kind": "cleared"}}],
    "outputs": [
        {"when": {"json.kind": "added"}, "label": "added {json.id}"},
        {"when": {"json.kind": "item"}, "label": "item {json.what}"},
        {"when": {"closed": True}, "label": "gone"},
    ],
}


@pytest.fixture
def system() -> Iterator[Callable[..., System]]:
    ending: list[Callable[[], object]] = []

    def make(faults: str, **told: object) -> System:
        listener = framed_program.serve("lines")
        text = f"127.0.0.1:{listener.getsockname()[1]}"
        found = adapter_of("tcp:").system(text, table="t", read_table=lambda name: TABLE, faults=faults, **told)
        ending.extend([listener.close, found.close])
        found.reset()
        return found

    yield make
    for end in reversed(ending):
        end()


def give(system: System, *labels: str) -> None:
    for label in labels:
        system.give(Label.parse(f"?{label}"))


def shown(system: System) -> list[str]:
    """All that comes until nothing does."""
    found = []
    while (event := system.observe(0.5)).kind == "output":
        found.append(str(event.label))
    return found


def all_of(system: System, fault: str) -> list[str]:
    give(system, fault, "add a")
    first = shown(system)
    give(system, "add b", "add c", "all")
    return first + shown(system)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("drop", ["!added 3", "!added 4", "!item a", "!item b", "!item c"]),
        ("duplicate", ["!added 2", "!added 2", "!added 3", "!added 4", "!item a", "!item b", "!item c"]),
        ("delay", ["!added 2", "!added 3", "!added 4", "!item a", "!item b", "!item c"]),
        ("reorder", ["!added 2", "!added 3", "!added 4", "!item a", "!item b", "!item c"]),
        ("cut", ["!gone"]),
    ],
)
def test_a_fault_that_the_model_gives_happens_to_the_next_message_of_the_server(system, name, seen):
    assert all_of(system("model"), name) == seen


def test_a_message_passes_another(system):
    talk = system("model")
    give(talk, "add a", "add b")
    assert shown(talk) == ["!added 2", "!added 3"]
    give(talk, "reorder", "all")
    assert shown(talk) == ["!item b", "!item a"]


def test_a_delay_is_as_long_as_it_should_be(system):
    talk = system("delay=300ms")
    began = time.monotonic()
    give(talk, "delay", "add a")
    assert str(talk.observe(PATIENCE).label) == "!added 2"
    assert time.monotonic() - began > 0.25


def played(talk: System, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that comes where each answer, if there is one, comes before the next message, which is drawn after it."""
    assert isinstance(talk, FaultySystem)
    drawn, draw = list[str](), talk._chooser.fault

    def fault(*, to_client: bool) -> str:
        drawn.append(draw(to_client=to_client))
        return drawn[-1]

    monkeypatch.setattr(talk._chooser, "fault", fault)
    deadline = time.monotonic() + PATIENCE
    for n in range(12):
        before = len(drawn)
        give(talk, f"add {n}")
        while len(drawn) == before or len(drawn) < before + 2 - (drawn[before] == "drop"):
            assert time.monotonic() < deadline
            time.sleep(0.001)
    give(talk, "all")
    return shown(talk)


def test_chance_starts_from_the_seed_and_before_a_play_nothing_happens(system, monkeypatch):
    one, two, other = (played(system("drop=30%", seed=seed), monkeypatch) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    everything = [f"!added {n}" for n in range(2, 14)] + [f"!item {n}" for n in range(12)]
    assert set(one) < set(everything)
    assert played(system("model"), monkeypatch) == everything


def test_what_happened_is_counted_and_told(system):
    talk = system("drop=100%")
    assert isinstance(talk._system if hasattr(talk, "_server") else talk, FaultySystem)
    assert talk.faults() == {}
    give(talk, "add a")
    assert shown(talk) == []
    assert talk.faults() == {"drop": 1}
    assert talk.words() == "faults in this play: drop 1×"


def test_many_plays_leave_nothing_behind(system):
    talk = system("cut=20%,duplicate=20%")
    talk.reset()
    before = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        give(talk, "add a", "all")
        talk.observe(0.01)
        talk.reset()
    assert threading.active_count() <= before[0] + 4
    assert len(list(Path("/proc/self/fd").iterdir())) <= before[1] + 8


@pytest.mark.parametrize("name", ["duplicate", "drop", "delay"])
def test_calls_over_http_are_disturbed_whole(name):
    ok = {"when": {"status": 202}, "label": "ok"}
    table = {
        "inputs": {"submit": {"method": "POST", "path": "/jobs", "timeout": 0.5, "outputs": [ok]}},
        "reset": [{"method": "POST", "path": "/reset"}],
    }
    with http_server() as (url, shop):
        text = url.removeprefix("http:")
        http = adapter_of("http:").system(text, table="t", read_table=lambda _: table, faults=f"{name}=100%")
        http.reset()
        for _ in range(3):
            give(http, "submit")
            expected = "silence" if name == "drop" else "output"
            assert http.observe(1.0 if name == "drop" else PATIENCE).kind == expected
        assert shown(http) == [], "the second answer to a call goes to nobody"
        assert len(shop.jobs) == {"duplicate": 6, "drop": 0, "delay": 3}[name]
        http.close()


@pytest.mark.parametrize(
    ("rows", "seen"), [([{"when": {"closed": True}, "label": "lost"}], "!lost"), ([{}], "crash: ")]
)
def test_a_call_that_is_cut_off_is_an_output_only_where_a_row_is_for_just_that(rows, seen):
    table = {"inputs": {"submit": {"method": "POST", "path": "/jobs", "outputs": rows}}}
    with http_server() as (url, shop):
        text = url.removeprefix("http:")
        http = adapter_of("http:").system(text, table="t", read_table=lambda _: table, faults="model")
        http.reset()
        give(http, "cut", "submit")
        assert str(http.observe(PATIENCE)).startswith(seen)
        assert len(shop.jobs) == 1, "it was cut off just before the answer"
        http.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("drp", "there is no fault 'drp'; did you mean 'drop'"),
        ("delay=fast", "should be a time"),
        ("drop=50ms", "should be how often"),
        ("cut=0%", "above 0"),
        ("drop=3", "at most 100%"),
    ],
)
def test_a_mistake_is_told(text, told):
    with pytest.raises(UsageError, match=told):
        Disturbances.read(text)


def test_mistakes_are_refused():
    with pytest.raises(UsageError, match="needs --faults"):
        adapter_of("tcp:").system("h:1", faults_framing="resp")
    assert set(MODEL_FAULTS) == set(FAULTS)


class Line(Model):
    """Each number that is added is confirmed, unless the connection is cut just before."""

    forgets = False  # a wrong expectation: a cut loses nothing
    pending: bool = False
    armed: bool = False
    gone: bool = False

    @controllable
    def add(self):
        if self.pending or self.gone:
            return False
        self.pending = True

    @fault
    def cut(self):
        if self.pending or self.armed or self.gone:
            return False
        self.armed = not self.forgets

    @observable
    def added(self):
        if not self.pending or self.armed:
            return False
        self.pending = False

    @observable
    def lost(self):
        if not self.pending or not self.armed:
            return False
        self.pending, self.armed, self.gone = False, False, True

    @controllable
    def enter(self):
        if not self.gone:
            return False
        self.gone = False


LINE = {
    "inputs": {"add": {"json": {"kind": "add", "what": 1, "id": 1}}, "enter": {"connection": "open"}},
    "begin": TABLE["begin"],
    "outputs": [{"when": {"json.kind": "added"}, "label": "added"}, {"when": {"closed": True}, "label": "lost"}],
}


@pytest.mark.parametrize(("forgets", "verdict"), [(False, "pass"), (True, "fail")])
def test_strategies_use_faults_as_moves(forgets, verdict):
    class Expected(Line):
        pass

    Expected.forgets = forgets
    listener = framed_program.serve("lines")
    text = f"127.0.0.1:{listener.getsockname()[1]}"
    system = adapter_of("tcp:").system(text, table="t", read_table=lambda name: LINE, faults="model")
    outcome = run(Expected, system, plays=3, steps=12, timing=Timing(silence=1.0, latency=0.2))
    system.close()
    listener.close()
    assert outcome.verdict.name == verdict, outcome


def test_a_fault_has_the_name_of_one():
    class Odd(Model):
        @fault
        def crash(self): ...

    with pytest.raises(ModelError, match="a @fault is called like what it does: drop"):
        run(Odd, "model:x", plays=1)


SERVED = """
from outplay import Model, controllable, given, observable

class Echo(Model):
    owed: tuple[int, ...] = ()

    @controllable
    @given(n=(1, 2))
    def add(self, n):
        if self.owed:
            return False
        self.owed += (n,)

    @observable(optional=MAY)
    def added(self):
        if not self.owed:
            return False
        self.owed = self.owed[1:]
"""


@pytest.mark.parametrize(("may", "code"), [("True", 0), ("False", 1)])
def test_the_run_tells_which_faults_the_model_tolerates(capsys, tmp_path, monkeypatch, may, code):
    monkeypatch.chdir(tmp_path)
    Path("echo.py").write_text(SERVED.replace("MAY", may))
    Path("echo.toml").write_text(
        '[inputs."add n"]\njson = {kind = "add", what = "{n}", id = 1}\n[[outputs]]\nlabel = "added"\n'
    )
    listener = framed_program.serve("lines")
    sut = ("--sut", f"tcp:127.0.0.1:{listener.getsockname()[1]}", "--table", "echo.toml", "--faults", "drop=50%")
    done = called(
        capsys, "run", "echo.py:Echo", *sut, "--plays", "3", "--steps", "6", "--silence", "0.5", "--shrink", "0"
    )
    listener.close()
    assert done.code == code, done.out + done.err
    told = "plays conformed" if may == "True" else "of these plays failed"
    assert "fault drop: " in done.err
    assert told in done.err
