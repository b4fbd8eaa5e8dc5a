"""An answer that was there when we looked is never late: a real pipe, written to just before the time runs out.

Whatever the machine does meanwhile, bytes that were in the pipe before the deadline are there at the last look.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from helpers.systems import program
from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.adapters.line_system import LineSystem
from outplay.play.adapters.lines import LineReader, line_event
from outplay.play.adapters.process import Process
from outplay.play.trace import Event

WAIT, BEFORE = 0.02, (0.003, 0.001, 0.0003)  # seconds: how long we look, and how long before its end the answer is sent


@pytest.mark.parametrize("before", BEFORE)
def test_what_was_written_to_a_pipe_before_the_deadline_is_taken(before):
    ours, theirs = os.pipe()
    reader = LineReader(ours, lambda: os.read(ours, 1 << 16), lambda rest: [])
    just_in_time = 0
    for number in range(60):
        written: list[float] = []
        deadline = time.monotonic() + WAIT

        def answer(until=deadline - before, number=number, written=written) -> None:
            time.sleep(max(until - time.monotonic(), 0.0))
            os.write(theirs, f"x {number}\n".encode())
            written.append(time.monotonic())

        writer = threading.Thread(target=answer)
        writer.start()
        event = reader.take(max(deadline - time.monotonic(), 1e-9))  # never a mere glance
        writer.join()
        if written[0] < deadline:
            just_in_time += 1
            assert event is not None, f"written {deadline - written[0]:.6f} s before the deadline"
        event = event or reader.take(60)
        assert event is not None
        assert str(event.label) == f"!x {number}"
    reader.close()
    os.close(ours)
    os.close(theirs)
    assert just_in_time > 0, "nothing was tested"


def test_a_reader_whose_lock_nobody_gives_back_is_closed_all_the_same():
    """As after Ctrl-C between taking a lock and knowing that it was taken."""
    ours, theirs = os.pipe()
    reader = LineReader(ours, lambda: os.read(ours, 1 << 16), lambda rest: [])
    reader._reader._reading.acquire()
    os.write(theirs, b"x\n")
    closing = threading.Thread(target=reader.close, daemon=True)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()
    os.close(ours)
    os.close(theirs)


SYSTEM = """
import os, sys, time

for line in sys.stdin:
    until = float(line.split()[1])
    time.sleep(max(until - time.monotonic(), 0.0))
    os.write(1, b"x\\n")
    with open("written", "w") as note:
        note.write(str(time.monotonic()))
    os.rename("written", "known")
"""


@pytest.mark.promise("B2", trials=40)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs one monotonic clock for all processes")
@pytest.mark.parametrize("before", BEFORE)
def test_what_a_process_said_before_the_deadline_is_no_silence(before):
    system, just_in_time = Process(program(SYSTEM)), 0
    system.reset()
    for tried in range(400):
        if tried >= 40 and just_in_time:
            break
        Path("known").unlink(missing_ok=True)
        deadline = time.monotonic() + WAIT
        system.give(Label("?", "answer", (repr(deadline - before),)))
        event = system.observe(max(deadline - time.monotonic(), 1e-9))
        while not Path("known").exists():
            time.sleep(0.001)
        if float(Path("known").read_text()) < deadline:
            just_in_time += 1
            assert event.kind == "output"
        if event.kind == "silence":
            assert system.observe(60).kind == "output"
    system.close()
    assert just_in_time > 0, "nothing was tested"


@pytest.mark.parametrize("said", [["noise", "OK"], ["noise"], ["noise"] * 20_000])
def test_what_was_said_while_we_were_stopped_ourselves_still_makes_a_system_ready(said, monkeypatch):
    """The tester is stopped for longer than its patience with the first line in its hands."""
    now = [0.0]
    monkeypatch.setattr("outplay.play.adapters.line_system.time.monotonic", lambda: now[0])

    class Link:
        lines = iter(said)

        def next(self, timeout: float) -> Event:
            now[0] += 100.0
            return line_event(line.encode(), 0.0) if (line := next(self.lines, "")) else Event("silence")

        def end(self) -> None: ...

    class System(LineSystem):
        def _begin(self) -> None:
            self._link = Link()

    system = System("OK", None, patience=10.0)
    if "OK" in said:
        system.reset()
    else:
        with pytest.raises(SystemUnready, match="no 'OK' within 10 s"):
            system.reset()
