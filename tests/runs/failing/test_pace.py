"""Replays keep the pace of a race; single inputs are left out; failures are put together."""

from __future__ import annotations

import time
from random import Random

from helpers.automata import specification_of
from outplay import Label, Simulated, replay, run
from outplay.cli.main import run_command
from outplay.formats.trace_jsonl import write_trace
from outplay.play.plan import Plan
from outplay.play.system import RealClock, VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.runs.failing.shrinking import shrink
from outplay.runs.monitors.failure_groups import failure_group_lines
from outplay.tester.script import Beat, Script
from outplay.verdict.judge import judge

JOBS = specification_of(
    "idle ?look idle", "idle ?job busy", "busy !done idle", "busy ?cancel stopping", "stopping !cancelled idle"
)
TIMING = Timing(2.0, 0.05)


class Racy:
    """Jobs that take 90 ms or so long; one that is cancelled between two moments after it began breaks."""

    synchronous = False

    def __init__(self, least: float, most: float, takes: float = 0.09) -> None:
        self.clock = RealClock()
        self.least, self.most, self.takes = least, most, takes

    def reset(self) -> None:
        self.began = 0.0
        self.due: tuple[float, str] | None = None

    def give(self, label: Label) -> None:
        now = time.monotonic()
        if label.gate == "job":
            self.began, self.due = now, (now + self.takes, "done")
        elif label.gate == "cancel":
            breaks = self.least <= now - self.began <= self.most
            self.due = (now, "broken" if breaks else "cancelled")

    def observe(self, timeout: float) -> Event:
        until = time.monotonic() + timeout
        if self.due and self.due[0] <= until:
            (due, word), self.due = self.due, None
            time.sleep(max(due - time.monotonic(), 0.0))
            return Event("output", Label("!", word), seen=time.monotonic())
        time.sleep(max(timeout, 0.0))
        return Event("silence", seen=time.monotonic())

    def close(self) -> None: ...


def racing(pause: float, *before: str) -> Plan:
    given = [*(Beat(Label.parse(label)) for label in before), Beat(Label.parse("?job"))]
    return Plan(JOBS, Script([*given, Beat(Label.parse("?cancel"), pause), Beat(Label.parse("!cancelled"))]))


def failing(number: int):
    """A race that was lost, of 20: each window is open at another time after the job began."""
    middle = 0.03 + 0.002 * number
    system = Racy(middle - 0.015, middle + 0.015)
    for _ in range(50):
        found = run(racing(middle), system, plays=1, steps=4, timing=TIMING, shrink=0.0)
        if found.verdict.name == "fail":
            return system, found.failure()
    raise AssertionError("the race is never lost")


def test_of_twenty_races_at_least_fifteen_fail_again_within_twenty_tries():
    lost = [failing(number) for number in range(20)]
    again = [replay(JOBS, trace, system, tries=20, timing=TIMING) for system, trace in lost]
    assert sum(one.reproduced for one in again) >= 15, [one.tries for one in again]
    hurried = [replay(JOBS, trace, system, tries=2, pace="fast", timing=TIMING) for system, trace in lost]
    # On a busy machine even a hurried input may come late enough now and then.
    assert sum(one.reproduced for one in hurried) < 15, "a test that any pace passes shows nothing"


def test_a_script_waits_as_long_as_it_did_and_decides_again_when_something_comes():
    clock = VirtualClock()
    said = run(Plan(JOBS, Script([Beat(Label.parse("?job")), Beat(Label.parse("?look"), 0.4)])), Slow(clock), plays=1)
    times = [(str(event), round(event.time, 3)) for event in said.trace.events]
    assert times[:4] == [("reset", 0.0), ("?job", 0.0), ("!done", 0.1), ("?look", 0.5)]


class Slow:
    """Says `done` 0.1 s after a job, on a virtual clock."""

    synchronous = True

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock

    def reset(self) -> None:
        self.due: list[float] = []

    def give(self, label: Label) -> None:
        self.due += [self.clock.now() + 0.1] * (label.gate == "job")

    def observe(self, timeout: float) -> Event:
        end = self.clock.now() + timeout
        if self.due and self.due[0] <= end:
            self.clock.sleep(max(self.due.pop() - self.clock.now(), 0.0))
            return Event("output", Label.parse("!done"), seen=self.clock.now())
        self.clock.sleep(timeout)
        return Event("silence", seen=self.clock.now())

    def close(self) -> None: ...


def test_single_inputs_are_left_out_of_a_race_at_its_own_pace():
    system = Racy(0.02, 0.07)
    found = run(racing(0.045, "?look", "?look", "?look"), system, plays=20, steps=8, timing=TIMING, shrink=0.0)
    assert found.verdict.name == "fail"
    made = shrink(JOBS, found.failure(), system, timing=TIMING, seconds=30.0)
    assert [str(event) for event in made.trace.events if event.is_move] == ["?job", "?cancel", "!broken"]
    assert judge(JOBS, made.trace).name == "fail"
    assert "shrunk from 6 steps, fails in " in str(made)


def test_the_budget_breaks_off_a_wait_and_how_often_it_fails_is_said_all_the_same():
    """Without its inputs the play waits for silence, which takes ten minutes here."""
    long = Timing(600.0, 0.05)
    system = Racy(0.0, 600.0, takes=600.0)  # no job is done before it is cancelled, however busy the machine
    found = run(racing(0.045), system, plays=1, steps=8, timing=long, shrink=0.0)
    made = shrink(JOBS, found.failure(), system, timing=long, seconds=0.3)
    assert made.rate == (made.rate.tries, made.rate.tries)
    assert made.rate.tries >= 1
    assert not made.trouble


def test_where_nothing_shorter_is_found_that_is_said():
    system = Racy(0.02, 0.07)
    found = run(racing(0.045), system, plays=20, steps=8, timing=TIMING, shrink=0.0)
    made = shrink(JOBS, found.failure(), system, timing=TIMING, seconds=2.0)
    assert str(made).startswith("nothing shorter found in ")
    assert f"fails in {made.rate.fails} of {made.rate.tries} tr" in str(made)


def test_the_page_lists_the_ways_to_fail(tmp_path):
    wrong = specification_of("idle ?look idle", "idle ?job a", "idle ?job b", "idle ?job c", "a !done idle",
                             "b !worse idle", "c !cancelled idle")  # fmt: skip
    plan = Plan(JOBS, Script(map(Label.parse, ["?job", "!done"])))
    result = run(plan, Simulated(wrong, Random(3)), plays=60, steps=3, keep_going=True, shrink=0.0)
    failed = [play.verdict.event.label.gate for play in result.played if play.verdict.name == "fail"]
    assert {group.gate: group.count for group in result.failures} == {g: failed.count(g) for g in set(failed)}
    assert failure_group_lines(result.failures, 60)[0] == f"{len(failed)} of 60 plays failed, in 2 ways"
    page = result.report(tmp_path / "page.html").read_text()
    for group in result.failures:
        where = f"<a href='#play{group.play}'>{group.play}</a><td>output {group.gate}: {group.why}, in busy<"
        assert f">{group.count}<td class=n>{where}" in page


def test_the_command_takes_a_pace(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = specification_of("idle ?look idle", "idle ?job b", "b !worse idle")
    plan = Plan(JOBS, Script(map(Label.parse, ["?job", "!done"])))
    result = run(plan, Simulated(wrong, Random(3)), plays=5, steps=3, keep_going=True, shrink=0.0)
    write_trace(tmp_path / "t.jsonl", result.failure())
    (tmp_path / "jobs.aut").write_text('des (0,2,2)\n(0,"?job",1)\n(1,"!done",0)\n')
    (tmp_path / "worse.aut").write_text('des (0,2,2)\n(0,"?job",1)\n(1,"!worse",0)\n')
    command = ["replay", "t.jsonl", "--model", "jobs.aut", "--sut", "model:worse.aut", "--pace", "fast"]
    assert run_command(command) == 1
    assert "reproduced in try 1 (fast pace)" in capsys.readouterr().out
