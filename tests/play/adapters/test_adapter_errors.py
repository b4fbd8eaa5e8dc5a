"""Trouble of an adapter is an Error wherever it comes from; objects are opened, and what programs write is shown."""

from __future__ import annotations

import pytest

from helpers.automata import specification_of
from helpers.systems import program
from outplay import AdapterError, PythonObject, run
from outplay.formats.trace_jsonl import event_json, read_trace, write_trace
from outplay.play.adapters.isolated import Isolated
from outplay.play.adapters.process import Process
from outplay.play.timing import Timing
from outplay.verdict.judge import judge

LAMP = specification_of("off ?press on", "on !light off")
TIMING = Timing(2.0, 0.1)


class Troubled:
    """Its adapter breaks where it is told to."""

    where = ""

    def __init__(self, emit) -> None:
        self.emit = emit
        self.breaks("constructor")

    def breaks(self, where: str) -> None:
        if self.where == where:
            raise AdapterError(f"the login was refused in {where}")

    async def open(self) -> None:
        self.breaks("open")

    async def press(self) -> None:
        self.breaks("press")
        self.emit("light")


@pytest.mark.parametrize("where", ["constructor", "open", "press", ""])
def test_trouble_of_an_adapter_is_an_error_and_never_a_fail(where):
    made = type("Made", (Troubled,), {"where": where})
    verdict = run(LAMP, PythonObject(made), plays=2, steps=4, timing=TIMING).verdict
    assert verdict.name == ("error" if where else "pass"), verdict
    assert where == "" or f"the login was refused in {where}" in verdict.why


class Opened:
    """Works only after it was opened, which takes a coroutine."""

    def __init__(self, emit) -> None:
        self.emit, self.ready = emit, False

    async def open(self) -> None:
        self.ready = True

    def press(self) -> None:
        self.emit("light" if self.ready else "dark")


def test_an_object_is_opened_before_the_play_begins():
    assert run(LAMP, PythonObject(Opened), plays=2, steps=4, timing=TIMING).passed

    async def made(emit):
        opened = Opened(emit)
        await opened.open()
        opened.open = None
        return opened

    assert run(LAMP, PythonObject(made), plays=2, steps=4, timing=TIMING).passed


DOOR = """
class Door:
    def __init__(self, emit):
        self.emit, self.times = emit, 0
    def open(self):
        self.times += 1
        self.emit(f"opened_{self.times}")
"""


@pytest.mark.parametrize("kind", ["here", "isolated"])
def test_an_open_that_the_model_has_for_an_input_is_not_called_before(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.py").write_text(DOOR)
    scope: dict[str, type] = {}
    exec(DOOR, scope)
    system = PythonObject(scope["Door"]) if kind == "here" else Isolated("door.py:Door", patience=60)
    door = specification_of("shut ?open waiting", "waiting !opened_1 open")
    assert run(door, system, plays=2, steps=2, timing=Timing(2.0, 0.1)).passed


TALKING = """
import sys
for line in sys.stdin:
    for number in range(12):
        print("password=hunter2, line", number, file=sys.stderr, flush=True)
    print("dark", flush=True)
"""


def test_a_fail_shows_the_end_of_standard_error_and_its_trace_keeps_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(LAMP, Process(program(TALKING)), plays=1, timing=TIMING, redact=["hunter2"])
    assert result.verdict.name == "fail"
    assert "standard error, after 4 earlier lines:" in str(result)
    assert "line 11" in str(result)
    assert "line 3" not in str(result)
    assert "hunter2" not in str(result)
    write_trace(tmp_path / "t.jsonl", result.trace)
    kept = read_trace(tmp_path / "t.jsonl")
    assert [event_json(event) for event in kept.events] == [event_json(event) for event in result.trace.events]
    assert judge(LAMP, kept).event.words == result.verdict.event.words
