"""What is no message is a Fail with its first bytes, in bounded memory; the tester neither hangs nor guesses."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from helpers.automata import specification_of
from helpers.systems import program
from outplay import run
from outplay.play.adapters.process import Process
from outplay.play.timing import Timing
from outplay.verdict.show import failing_steps

GARBAGE = {
    "bad UTF-8": (b"\xff\xfe\n", r"not UTF-8: b'\xff\xfe'"),
    "UTF-8 cut in half": ("grün".encode()[:3] + b"\n", r"not UTF-8: b'gr\xc3'"),
    "an empty line": (b"\n", "at least one word"),
    "only spaces": (b"   \t\n", "at least one word"),
    "an unbalanced quote": (b'say "hello\n', "quote is opened and never closed"),
    "a bad escape": (b'say "\\x"\n', "no quoted text"),
    "an unbalanced bracket": (b"say [1,2\n", "bracket is opened and never closed"),
    "a line too long": (b"x" * 65_546 + b"\n", "a line of more than 65536 bytes: b'xxx"),
    "half a line at the end": (b"x\nhal", "a line without an end: b'hal'"),
}


@pytest.fixture
def judged():
    """Run against a program that writes these bytes, in a specification where everything else would pass."""

    def outcome(source: str, spec=None, **options):
        spec = spec or specification_of("s !x s", "s ?a s", "s delta s")
        return run(spec, Process(program(source)), **{"plays": 1, "timing": Timing(2.0, 0.1), **options})

    return outcome


@pytest.mark.promise("B4")
@pytest.mark.parametrize("what", GARBAGE)
def test_what_is_no_message_is_a_fail_with_its_first_bytes(judged, what):
    written, told = GARBAGE[what]
    ends = "half" in what and "end" in what
    outcome = judged(f"import os, time; os.write(1, {written!r}); {'pass' if ends else 'time.sleep(60)'}")
    last = outcome.trace.events[-1]
    assert (outcome.verdict.name, last.kind) == ("fail", "garbage"), outcome.trace.events
    assert told in last.detail
    assert len(last.detail) < 400
    assert "silence" not in [event.kind for event in outcome.trace.events]


@pytest.mark.parametrize(
    "written",
    [b'say "\\ud800"\n', b"say " + b"9" * 5_000 + b"\n", b"say \x00\x1b\n", "\ufeffsay \u2028x\n".encode(), b"]]])\n"],
    ids=["half a surrogate pair", "a number without bounds", "control characters", "odd spaces", "closing brackets"],
)
def test_what_is_hard_to_read_is_never_lost(judged, written):
    """Whether such a line is a message or garbage, it is recorded, judged and shown."""
    outcome = judged(f"import os, time; os.write(1, {written!r}); time.sleep(60)")
    last = outcome.trace.events[-1]
    assert outcome.verdict.name == "fail", outcome.trace.events
    assert last.kind in ("output", "garbage")
    str(last).encode()
    "".join(failing_steps(outcome.failure(), outcome.verdict)).encode()


def test_what_came_before_the_garbage_is_kept(judged):
    source = "import os, time; os.write(1, b'x\\nx\\n\\xff\\n'); time.sleep(60)"
    outcome = judged(source, specification_of("s !x s"))
    assert [event.kind for event in outcome.trace.events] == ["reset", "output", "output", "garbage"]


@pytest.mark.promise("B4")
def test_an_endless_line_is_garbage_in_bounded_memory(judged):
    tracemalloc.start()
    try:
        outcome = judged("import os\nwhile True: os.write(1, b'x' * 65536)")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert outcome.trace.events[-1].kind == "garbage"
    assert peak < 20e6


def test_an_endless_line_that_grows_slowly_is_garbage_too(judged):
    outcome = judged("import os, time\nfor _ in range(700): os.write(1, b'x' * 100)\ntime.sleep(60)")
    assert outcome.trace.events[-1].kind == "garbage"


def test_a_flood_is_read_in_order_to_its_end():
    many = 100_000
    source = f"import os\nos.write(1, b'')\nprint(''.join('x %d\\n' % n for n in range({many})), end='', flush=True)"
    system = Process(program(source))
    system.reset()
    try:
        for number in range(many):
            assert system.observe(10).label.arguments == (number,)
        assert system.observe(10).kind == "closed"
    finally:
        system.close()


def test_a_flood_nobody_reads_waits_in_bounded_memory():
    system = Process(program("import os\nwhile True: os.write(1, b'x\\n' * 30_000)"))
    tracemalloc.start()
    try:
        system.reset()
        assert system.observe(10).kind == "output"
        time.sleep(0.7)
        early, _ = tracemalloc.get_traced_memory()
        time.sleep(0.7)
        late, _ = tracemalloc.get_traced_memory()
        assert all(system.observe(0.0).kind == "output" for _ in range(5_000))
    finally:
        tracemalloc.stop()
        system.close()
    assert late < 50e6
    assert late - early < 2e6, "the system has to wait"


def test_an_endless_flood_ends_with_the_steps_of_the_play(judged):
    outcome = judged("import os\nwhile True: os.write(1, b'x\\n' * 100)", plays=3, steps=1_000)
    assert outcome.verdict.name == "pass"
    assert outcome.tally.outputs >= 2_900


def test_a_flood_of_what_is_forbidden_is_one_fail(judged):
    outcome = judged("import os\nwhile True: os.write(1, b'y\\n' * 100)", plays=3)
    assert outcome.verdict.name == "fail"
    assert outcome.tally.outputs == 1


def test_half_a_line_that_is_finished_later_is_a_line():
    source = "import os, time; os.write(1, b'hal'); time.sleep(0.2); os.write(1, b'f 1\\n'); time.sleep(60)"
    system = Process(program(source))
    system.reset()
    try:
        assert system.observe(10).label.text == "!half 1"
    finally:
        system.close()


def test_garbage_of_every_kind_leaves_the_next_play_playable(tmp_path):
    source = """
import os, pathlib, sys, time
count = pathlib.Path(sys.argv[1])
count.write_text(count.read_text() + "." if count.exists() else ".")
os.write(1, b"\\xff\\n" if len(count.read_text()) % 2 else b"x\\n")
time.sleep(60)
"""
    system = Process(program(source, str(tmp_path / "count")))
    spec = specification_of("s !x t")
    outcome = run(spec, system, plays=4, steps=1, keep_going=True, timing=Timing(2.0, 0.05))
    kinds = [event.kind for event in outcome.trace.events]
    assert kinds == ["reset", "garbage", "reset", "output"] * 2
