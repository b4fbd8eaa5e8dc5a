"""Whatever a job asks for has a say in how it is played, or is refused with what it goes with."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from helpers.commands import called
from helpers.echo import MODEL, SYSTEM
from helpers.places import EXAMPLES
from outplay import GameBuilder, automaton, judge, read_trace, write_model
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import dump_suite
from outplay.play.timing import Timing
from outplay.runs.job import Job, read_kept_job, recorded_job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.option_rules import refuse_unused_options
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.testers import TESTERS
from outplay.runs.recorded_run import run_job
from outplay.runs.run_budget import WRITTEN
from outplay.strategy.objectives import OBJECTIVES
from outplay.suite.suite import Suite, case_of

DOORS = str(EXAMPLES / "graphs" / "two_doors.json")
GOAL = {"goal": ("lift",)}
NODES, EDGES, SUITE = {"objective": "cover-nodes"}, {"objective": "cover-edges"}, {"suite": "tests.json"}
ASKED = {
    "method": "vi",
    "epsilon": 0.5,
    "restart": True,
    "time_limit": 3.0,
    "tester": "walk",
    "strategy": "states",
    "deterministic": True,
    "budget": 5,
    "gain": "s3",
    "cover": "labels",
    "until_covered": True,
    "until_quiet": 7,
    "until_cleared": 0.5,
    "extra_steps": 3,
    "join": True,
    "chance": 0.5,
    "confidence": 0.5,
    "adversarial": True,
    "settle": 1.0,
}
HEARD = [
    (GOAL, "extra_steps until_quiet adversarial settle"),
    (GOAL | {"objective": "win"}, "extra_steps until_quiet adversarial settle"),
    (GOAL | {"objective": "expected"}, "method epsilon extra_steps until_quiet adversarial settle"),
    (GOAL | {"objective": "probability"}, "epsilon extra_steps until_quiet adversarial settle"),
    (NODES, "restart time_limit until_quiet adversarial"),
    (EDGES, "restart time_limit until_quiet"),
    ({}, "tester cover until_covered until_quiet until_cleared"),
    ({"tester": "walk"}, "tester cover until_covered until_quiet until_cleared"),
    ({"tester": "cover"}, "tester cover until_covered until_quiet until_cleared adversarial time_limit budget"),
    ({"tester": "nt-plan"}, "tester cover until_covered until_quiet until_cleared adversarial time_limit budget gain"),
    (
        {"tester": "tour"},
        "tester cover until_covered until_quiet until_cleared strategy deterministic budget time_limit",
    ),
    ({"cover": "states"}, "tester cover until_covered until_quiet until_cleared time_limit"),
    (SUITE, "tester until_cleared extra_steps join chance confidence settle"),
]


@pytest.mark.parametrize(("way", "heard"), HEARD, ids=lambda each: str(each))
@pytest.mark.parametrize("field", ASKED)
def test_a_field_has_a_say_or_is_refused_by_its_name(way: dict, heard: str, field: str):
    job = Job(DOORS, sut=f"model:{DOORS}", **{field: ASKED[field]} | way)
    if field in heard.split() or field in way:
        refuse_unused_options(job)
        return
    option = re.escape(WRITTEN.get(field, f"--{field.replace('_', '-')}"))
    with pytest.raises(UsageError, match=f"^{option} needs .*: leave {option} out$"):
        refuse_unused_options(job)
    assert UsageError.exit_code == 2


@pytest.mark.parametrize(("way", "heard"), HEARD, ids=lambda each: str(each))
def test_what_is_for_all_plays_is_never_refused(way: dict, heard: str):
    always = {"plays": 3, "steps": 7, "seed": 5, "silence": 0.5, "latency": 0.2, "keep_going": True}
    refuse_unused_options(Job(DOORS, sut=f"model:{DOORS}", shrink=0.0, max_states=9, reset_cost="1", **always, **way))


def test_the_silence_of_a_simulation_is_a_time_of_its_clock_and_the_latency_is_kept_for_a_replay():
    write_model("lamp.aut", automaton([("off", "delta", "off"), ("off", "?press", "on"), ("on", "!light", "off")]))
    played = run_job(Job("lamp.aut", sut="model:lamp.aut", tester="walk", plays=5, silence=7.0, latency=3.0))
    trace = read_trace(played.files.trace)
    waits = [event.time for event in trace.events if event.kind == "silence"]
    assert waits
    assert all(time % 7 == 0 for time in waits)
    assert (trace.header.silence, trace.header.latency) == (7.0, 0.0)
    assert recorded_job(trace.header).timing == Timing(7.0, 3.0)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (
            {"adversarial": True},
            "--adversarial needs a --goal, --objective cover-nodes, --tester cover or --tester nt-plan; "
            "with --tester mix it has no effect: leave --adversarial out",
        ),
        ({"objective": "expected"}, "--objective needs a --goal; with --tester mix"),
        (NODES | GOAL, "--goal needs an --objective that takes one; with --objective cover-nodes"),
        (SUITE | GOAL, "--goal needs an --objective that takes one; with --suite"),
        (GOAL | {"budget": 3}, "--budget needs --tester cover, --tester nt-plan or --tester tour; with a --goal it"),
        (GOAL | {"tester": "walk"}, "--tester needs a run without a goal or --suite; with a --goal it"),
        (NODES | {"tester": "suspicion"}, "--tester needs a run without a goal or --suite; with --objective"),
        ({"epsilon": 0.5}, "--epsilon needs --objective probability or --objective expected; with"),
        ({"extra_steps": 3}, "--extra-steps needs a --goal or --suite; with --tester mix"),
        (SUITE | {"objective": "win"}, "--objective needs a --goal"),
    ],
)
def test_a_complaint_says_what_it_goes_with(asked: dict, complaint: str):
    with pytest.raises(UsageError) as refused:
        prepare(Job(DOORS, sut=f"model:{DOORS}", **asked))
    assert complaint in str(refused.value)


SYSTEMS = {
    "exec:./server": "ready reset",
    "tcp:localhost:7000": "ready reset",
    "listen:localhost:7000": "ready reset",
    "python:m:C": "isolated",
    "model:m": "",
}


@pytest.mark.parametrize("sut", SYSTEMS)
@pytest.mark.parametrize(("field", "value"), [("ready", "hello"), ("reset", "A=B"), ("isolated", True)])
def test_a_system_is_told_what_it_takes_and_nothing_else(sut: str, field: str, value: object):
    job = Job(DOORS, sut=sut, **{field: value})
    if field in SYSTEMS[sut].split():
        refuse_unused_options(job)
        return
    takers = [f"--sut {other.partition(':')[0]}:…" for other, taken in SYSTEMS.items() if field in taken.split()]
    with pytest.raises(UsageError) as refused:
        refuse_unused_options(job)
    kind = sut.partition(":")[0]
    *before, last = takers
    needed = f"{', '.join(before)} or {last}" if before else last
    goes_with = f"--{field} needs {needed}; with --sut {kind}:… it has no effect: leave --{field} out"
    assert str(refused.value) == goes_with


def test_a_stored_job_is_played_against_another_system_without_what_only_its_own_took(capsys):
    stored = {"format": "outplay-job/1", "job": {"model": DOORS, "sut": "tcp:localhost:1", "ready": "hello"}}
    Path("job.json").write_text(json.dumps(stored))
    asked = ("run", "--job", "job.json", "--sut", f"model:{DOORS}", "--plays", "1")
    assert called(capsys, *asked).code == 0
    assert called(capsys, *asked, "--ready", "hello").code == 2


def test_a_replay_tells_its_system_what_that_takes_and_nothing_else(capsys):
    Path("echo.py").write_text(MODEL)
    Path("system.py").write_text(SYSTEM)
    system = f"exec:{sys.executable} system.py wrong"
    assert called(capsys, "run", "echo.py:Echo", "--sut", system, "--ready", "ready", "--shrink", "0").code == 1
    replay = ("replay", ".outplay/last/trace.jsonl", "--tries", "1", "--sut")
    assert called(capsys, *replay, system).code == 1
    assert called(capsys, *replay, "model:echo.py:Echo").code in (1, 6), "what was recorded is left out"
    for asked in (["--ready", "ready"], ["--reset", "A=B"], ["--isolated"]):
        told = called(capsys, *replay, "model:echo.py:Echo", *asked)
        assert (told.code, f"it has no effect: leave {asked[0]} out" in told.err) == (2, True)


def test_inputs_are_named_for_files_and_not_for_programs(capsys):
    Path("echo.py").write_text(MODEL)
    Path("plain.aut").write_text('des (0, 2, 2)\n(0, "say a", 1)\n(1, "echo a", 0)\n')
    for command in (["run", "--sut", "model:echo.py:Echo"], ["inspect"], ["explore"]):
        told = called(capsys, *command, "echo.py:Echo", "--inputs", "say*")
        assert (told.code, "--inputs is for automata" in told.err) == (2, True)
    for sides in (["echo.py:Echo", "plain.aut"], ["plain.aut", "echo.py:Echo"]):
        assert called(capsys, "check", *sides, "--inputs", "say*").code in (0, 1)


def test_what_was_recorded_with_inputs_that_had_no_say_is_read_as_it_was_then():
    Path("echo.py").write_text(MODEL)
    kept = read_kept_job({"model": "echo.py:Echo", "inputs": ["say*"]}, "trace.jsonl")
    assert load_model(kept).job.model == "echo.py:Echo"


def test_who_breaks_ties_for_a_goal_may_be_named():
    refuse_unused_options(Job(DOORS, tester="suspicion", **GOAL))


def test_whatever_a_registry_declares_is_a_field_of_a_job_or_its_own():
    fields = {*Job().__dict__}
    assert {name for kind in TESTERS.values() for name in kind.options} <= fields
    own = {name for each in OBJECTIVES.values() for name in each.options} - fields
    assert own == {*dict(Job(options=tuple(f"{name}=1" for name in own)).own_options)}


def test_a_restart_is_played_and_its_trace_can_be_judged():
    fork = GameBuilder().vertex("s", "tester").vertex("x", "tester").vertex("y", "tester")
    write_model("fork.json", fork.edge("s", "x", "?a").edge("s", "y", "?b").build())
    found = run_job(Job("fork.json", objective="cover-nodes", restart=True, plays=1, sut="model:fork.json"))
    assert (found.verdict.name, len(found.tally.states)) == ("pass", 3)
    trace = read_trace(found.files.trace)
    assert "?reset" in [str(event.label) for event in trace.events]
    assert judge(load_model(recorded_job(trace.header)).specification(), trace).name == "pass"


def test_what_a_solver_is_told_reaches_it():
    def answer(**asked):
        return prepare(Job(DOORS, sut=f"model:{DOORS}", **asked)).answer

    assert answer(**NODES).value == 3
    assert answer(time_limit=0.0, **NODES).value is None
    assert answer(**EDGES).value is None
    assert answer(restart=True, **EDGES).value == 8
    assert answer(objective="expected", method="lp", **GOAL).method == "lp"


@pytest.mark.parametrize("asked", [GOAL, NODES], ids=str)
def test_any_strategy_ends_when_nothing_new_was_seen_for_long(asked: dict):
    found = run_job(Job(DOORS, until_quiet=4, plays=60, sut=f"model:{DOORS}", **asked))
    assert found.tally.plays < 60
    assert found.quiet is not None
    assert found.quiet.since == 4


def test_steps_say_nothing_of_a_suite_and_that_is_told():
    case = case_of([("t0", "?left", "pass")])
    Path("tests.json").write_text("".join(dump_suite(Suite(tests=(case,), model=DOORS))))
    found = run_job(Job(DOORS, suite="tests.json", steps=7, sut=f"model:{DOORS}"))
    assert "each test of a suite ends by itself: --steps 7 has no effect" in found.warnings
