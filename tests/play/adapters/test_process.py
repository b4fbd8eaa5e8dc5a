from __future__ import annotations

import itertools
import os
import threading
import time

import pytest

from helpers.automata import specification_of
from helpers.systems import program
from outplay import run
from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.adapters.process import Process
from outplay.play.timing import Timing

ECHO = """
import sys
for line in sys.stdin:
    print("heard", line.rstrip(), flush=True)
"""

COUNTER = """
import os, sys
count = 0
print("banner of some kind", flush=True)
print("ready [1,  2]", flush=True)
for line in sys.stdin:
    if line == "RESET\\n":
        count = 0
        print("left over", flush=True)
        print("OK", flush=True)
    else:
        count += 1
        print("count", count, os.getpid(), flush=True)
"""


@pytest.fixture
def started():
    """Start a program as a system; all are ended with the test."""
    systems = []

    def start(source: str, *arguments: str, **options) -> Process:
        system = Process(program(source, *arguments), **options)
        systems.append(system)
        system.reset()
        return system

    yield start
    for system in systems:
        system.close()


def test_an_input_is_a_line_written_and_an_output_a_line_read(started):
    system = started(ECHO)
    system.give(Label("?", "post", ("two words", 3, "grün")))
    event = system.observe(10)
    assert event.kind == "output"
    assert event.label == Label("!", "heard", ("post", "two words", 3, "grün"))
    assert abs(event.seen - time.monotonic()) < 10


def test_silence_takes_about_as_long_as_was_waited(started):
    system = started(ECHO)
    before = time.monotonic()
    assert system.observe(0.05).kind == "silence"
    assert time.monotonic() - before >= 0.049
    assert system.observe(0.0).kind == "silence"


def test_a_line_may_end_as_on_other_systems(started):
    system = started('print("x", end="\\r\\n", flush=True); input()')
    assert system.observe(10).label.text == "!x"


def test_outputs_come_in_the_order_written(started):
    system = started('print("".join(f"x {n}\\n" for n in range(1000)), flush=True, end=""); input()')
    assert [system.observe(10).label.arguments for _ in range(1_000)] == [(n,) for n in range(1_000)]


def test_resetting_restarts_the_process_and_forgets_what_it_said(started):
    system = started(COUNTER, ready="ready [1, 2]")
    system.give(Label.parse("?go"))
    first = system.observe(10).label.arguments
    system.give(Label.parse("?go"))
    system.reset()
    system.give(Label.parse("?go"))
    second = system.observe(10).label.arguments
    assert (first[0], second[0]) == (1, 1)
    assert first[1] != second[1]


def test_a_reset_message_resets_without_a_restart(started):
    system = started(COUNTER, ready="ready [1, 2]", reset_message=("RESET", "OK"))
    seen = []
    for _ in range(3):
        system.give(Label.parse("?go"))
        seen.append(system.observe(10).label.arguments)
        system.reset()
    assert len(set(seen)) == 1, "the same process counts from one again"


def test_a_process_that_died_is_restarted_even_where_a_message_resets(started):
    system = started(
        "import os, sys; print(os.getpid(), flush=True); input(); sys.exit(3)",
        reset_message=("RESET", "OK"),
    )
    first = system.observe(10).label.text
    system.give(Label.parse("?go"))
    assert system.observe(10).kind == "crash"
    system.reset()
    assert system.observe(10).label.text not in ("", first)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import time; time.sleep(60)", "no 'ready' within 0.3 s, the line that says it is ready"),
        ("import sys; sys.exit('no licence')", r"crash \(exit status 1; last words: no licence\) while waiting"),
        ("pass", r"closed \(exit status 0\) while waiting"),
        ("import os; os.write(1, b'\\xff\\n'); input()", r"garbage \(not UTF-8: b'\\xff'\) while waiting"),
    ],
)
def test_a_system_that_does_not_get_ready_is_told(started, source, told):
    with pytest.raises(SystemUnready, match=told):
        started(source, ready="ready", patience=0.3 if "sleep" in source else 10)


def test_a_reset_that_is_not_answered_is_told_within_the_patience(started):
    system = started("import sys\nfor line in sys.stdin: pass", reset_message=("RESET", "OK"), patience=0.3)
    before = time.monotonic()
    with pytest.raises(SystemUnready, match=r"no 'OK' within 0\.3 s, the answer to the reset 'RESET'"):
        system.reset()
    assert time.monotonic() - before < 5


def test_a_crash_at_the_reset_is_told(started):
    system = started("input(); raise SystemExit(7)", reset_message=("RESET", "OK"))
    with pytest.raises(SystemUnready, match=r"crash \(exit status 7\) while waiting for the answer to the reset"):
        system.reset()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", "names no command"),
        ("no-such-program-anywhere --fast", "cannot start 'no-such-program-anywhere': no such program"),
        ("./script", "no such program|is it executable"),
    ],
)
def test_a_command_that_cannot_be_started_is_told(command, told):
    with pytest.raises(SystemUnready, match=told):
        Process(command).reset()


def test_a_file_that_is_no_program_is_told(tmp_path):
    script = tmp_path / "script"
    script.write_text("no interpreter is named here")
    script.chmod(0o755)
    with pytest.raises(SystemUnready, match=r"cannot start .* is it executable"):
        Process([str(script)]).reset()


def test_nothing_can_be_given_or_observed_before_the_first_reset():
    system = Process(program(ECHO))
    with pytest.raises(SystemUnready, match="reset it first"):
        system.observe(0.0)
    with pytest.raises(SystemUnready, match="reset it first"):
        system.give(Label.parse("?a"))
    system.close()


def test_closing_twice_is_closing_once(started):
    system = started(ECHO)
    pid = system._link._process.pid
    system.close()
    system.close()
    assert not os.path.exists(f"/proc/{pid}")
    with pytest.raises(SystemUnready, match="reset it first"):
        system.observe(0.0)


def test_an_input_to_a_system_that_is_gone_raises_nothing_and_the_end_is_seen_next(started):
    system = started("print('here', flush=True); raise SystemExit(5)")
    assert system.observe(10).kind == "output"
    time.sleep(0.1)
    for _ in range(3):
        system.give(Label("?", "a", ("x" * 100_000,)))
    assert system.observe(10).detail == "exit status 5"
    assert system.observe(0.0).kind == "crash", "and it stays so"


def test_a_system_that_reads_nothing_does_not_block_for_ever(started):
    system = started("import time; time.sleep(60)", patience=0.3)
    before = time.monotonic()
    with pytest.raises(SystemUnready, match=r"the system has taken no input for 0\.3 s"):
        system.give(Label("?", "huge", ("x" * 10_000_000,)))
    assert time.monotonic() - before < 5


def test_a_system_that_reads_slowly_gets_all_of_a_long_line(started):
    source = """
import os, sys, time
read = b""
while not read.endswith(b"\\n"):
    time.sleep(0.005)
    read += os.read(0, 50_000)
print("read", len(read), flush=True)
input()
"""
    system = started(source)
    label = Label("?", "long", ("x" * 1_000_000,))
    system.give(label)
    assert system.observe(10).label.arguments == (len(label.message) + 1,)


def test_a_run_against_a_system_that_reads_nothing_is_an_error():
    spec = specification_of(f"s ?{'x' * 300_000} s")
    system = Process(program("import time; time.sleep(60)"), patience=0.3)
    outcome = run(spec, system, plays=2, timing=Timing(0.1, 0.0))
    assert outcome.verdict.name == "error"
    assert "taken no input" in outcome.verdict.why


def test_the_last_words_of_a_crash_are_kept(started):
    system = started("input(); raise ValueError('out of luck')")
    system.give(Label.parse("?go"))
    event = system.observe(10)
    assert event.detail == "exit status 1; last words: ValueError: out of luck"


def test_much_on_standard_error_does_not_block_the_system(started):
    source = "import sys; sys.stderr.write('x' * 1_000_000); print('done', flush=True); input()"
    assert started(source).observe(10).label.text == "!done"


@pytest.mark.promise("B7")
def test_setting_the_computers_time_touches_no_deadline(monkeypatch):
    """The wall clock leaps by a day at every look; silence and patience last as long as ever."""
    days = itertools.count(0, 86_400)
    monkeypatch.setattr(time, "time", lambda: float(next(days)))
    source = "import sys; print('ready', flush=True)\nfor line in sys.stdin: print('pong', flush=True)"
    system = Process(program(source), ready="ready")
    outcome = run(specification_of("s ?ping t", "t !pong s"), system, plays=1, steps=6, timing=Timing(2.0, 0.1))
    assert outcome.verdict.name == "pass"
    assert all(event.time < 1_000 for event in outcome.trace.events)


def test_restarting_leaks_no_descriptors_and_no_threads(started):
    system = started(ECHO)
    system.reset()
    descriptors, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(20):
        system.reset()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert threading.active_count() == threads
