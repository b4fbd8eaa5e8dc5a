"""What the store has of runs is what the runs told, whoever else uses it and whatever it is."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from helpers.stopped_store import Lamp, Smoking
from outplay import Run, Simulated, specification
from outplay.errors import FormatError, UsageError
from outplay.formats.trace_jsonl import event_json
from outplay.play.plan import plan
from outplay.runs.events import CoverageChanged, FailureFound, PlayEnded, RunEnded
from outplay.runs.job import Job
from outplay.runs.preparing.planning import Prepared
from outplay.store.database import MIGRATIONS, Database
from outplay.store.kept_runs import CombinedRuns, kept_runs
from outplay.store.run_difference import run_difference
from outplay.store.stored_run import StoredResult, StoredRun
from outplay.store.transfer import exported_lines, import_runs

STORE = Path("kept/store.db")


def play(name: str, seed: int, system: type = Smoking, plays: int = 8) -> tuple[Run, list]:
    """A run that is kept, with its events."""
    spec, observer = specification(Lamp), StoredRun(STORE, name)
    job = Job(plays=plays, steps=1 + seed % 4, keep_going=True, seed=seed)
    ready = Prepared(job, Simulated(specification(system), Random(seed)), spec, plan(spec, seed=seed))
    with Run(ready, observers=[observer, StoredResult(observer)]) as run:
        return run, list(run)


def test_the_store_has_what_each_run_told_and_adds_them_up_by_definition():
    told = {f"r{seed}": play(f"r{seed}", seed, Smoking if seed % 2 else Lamp) for seed in range(12)}
    seen = set[tuple[str, str]]()
    with kept_runs(STORE) as runs:
        for name, (run, events) in told.items():
            shown = runs.show(name)
            ended = [event for event in events if isinstance(event, PlayEnded)]
            failed = [event for event in events if isinstance(event, FailureFound)]
            here = {place for event in events if isinstance(event, CoverageChanged) for place in event.new}
            tally = run.result.tally
            assert here == {(state, "") for state in tally.states} | tally.transitions
            assert runs.seen(shown.run) == here
            assert {*shown.first} == here - seen
            seen |= here
            assert (shown.run.plays, shown.run.steps) == (len(ended), sum(event.steps for event in ended))
            assert shown.run.conformed == sum(event.verdict.name == "pass" for event in ended)
            assert [(one.play, one.why) for one in shown.failures] == [(one.play, one.verdict.why) for one in failed]
            assert [[*one.events] for one in shown.failures] == [[*map(event_json, one.trace.events)] for one in failed]
            assert (shown.run.verdict, shown.result) == (run.result.verdict.name, run.result.json())
        [together] = runs.list().together
    assert together.runs == 12
    assert together.plays == sum(run.result.tally.plays for run, _ in told.values())
    assert together.states + together.transitions == len(seen)
    assert together.failed > 0
    assert together.most_failing is None


@pytest.mark.parametrize("plays", [1, 7, 300, 10_000])
def test_the_share_of_failing_plays_that_is_ruled_out_would_have_shown_with_95_in_100(plays):
    share = CombinedRuns("", "", "", 1, plays, plays, 0, 1, 1, 1).most_failing
    assert share is not None
    assert (1 - share) ** plays == pytest.approx(0.05)
    # Plays that are inconclusive count for nothing.
    assert CombinedRuns("", "", "", 1, plays + 9, plays, 0, 1, 1, 1).most_failing == share


def test_a_run_differs_from_another_by_what_only_one_of_them_saw_and_had():
    play("first", 1, Lamp, plays=3)
    play("second", 3, Smoking, plays=20)
    with kept_runs(STORE) as runs:
        there, back, same = (run_difference(runs, *pair) for pair in (("f", "s"), ("s", "f"), ("s", "s")))
        assert {*there.new} == runs.seen(there.second) - runs.seen(there.first)
    assert (there.lost, there.new) == (back.new, back.lost)
    assert (there.fixed, there.broken) == (back.broken, back.fixed)
    assert there.broken
    assert there.made["seed"] == (1, 3)
    assert (same.made, same.lost, same.new, same.fixed, same.broken) == ({}, (), (), (), ())
    json.dumps(there.json())


def test_runs_are_the_same_in_the_store_they_are_carried_to():
    for seed in range(4):
        play(f"r{seed}", seed)
    other, file = Path("other/store.db"), Path("runs.jsonl")
    with kept_runs(STORE) as runs:
        file.write_text("".join(exported_lines(runs.database)))
        shown = [runs.show(f"r{seed}").json() for seed in range(4)]
        listed = runs.list()
    assert import_runs(file, other).new == ("r0", "r1", "r2", "r3")
    assert import_runs(file, other).known == ("r0", "r1", "r2", "r3")
    with kept_runs(other) as runs:
        assert [runs.show(f"r{seed}").json() for seed in range(4)] == shown
        assert runs.list() == listed
        assert "".join(exported_lines(runs.database)) == file.read_text()


@pytest.mark.parametrize("seed", range(100))
def test_a_damaged_export_is_refused_in_one_line_and_imports_nothing(seed):
    rng = Random(seed)
    play("r", 3, plays=3)
    with kept_runs(STORE) as runs:
        head, run = "".join(exported_lines(runs.database)).splitlines()
    entry = json.loads(run)
    entry["id"] = "new"
    place, key = entry, rng.choice([*entry])
    while isinstance(place[key], list) and place[key] and rng.random() < 0.8:
        place, key = place[key], rng.randrange(len(place[key]))
    if isinstance(place[key], dict) and (place is not entry or key in ("header", "environment")):
        place[key] = rng.choice([None, [], "x", 2**70])
    else:
        place[key] = {"no": "such"} if key != "result" else [1]
    Path("bad.jsonl").write_text(f"{head}\n{json.dumps(entry)}\n")
    with pytest.raises(FormatError, match=r"^bad\.jsonl:2:") as refused:
        import_runs(Path("bad.jsonl"), Path("other/store.db"))
    assert "\n" not in str(refused.value)
    assert not Path("other").exists()


def refusal(run: Run) -> str:
    """What the store could not keep."""
    assert run.result.verdict.name in ("pass", "fail")  # it costs no verdict
    [said] = run.result.files.unwritten
    return said


@pytest.mark.promise("B6", trials=5)
def test_a_store_that_is_none_of_ours_or_of_a_newer_outplay_is_named_and_left_as_it_is():
    STORE.parent.mkdir()
    with closing(sqlite3.connect(STORE)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    before = STORE.read_bytes()
    assert "no store of outplay; move it away" in refusal(play("r", 1)[0])
    assert STORE.read_bytes() == before
    STORE.write_bytes(b"no database " * 400)
    assert "no store of outplay; move it away" in refusal(play("r", 1)[0])
    with pytest.raises(FormatError, match="no store of outplay"), kept_runs(STORE):
        pass
    STORE.unlink()
    play("r", 1)
    with closing(sqlite3.connect(STORE)) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    assert "a newer outplay wrote it" in refusal(play("s", 1)[0])
    with pytest.raises(FormatError, match="a newer outplay wrote it"), kept_runs(STORE):
        pass


@pytest.mark.promise("B6", trials=2)
def test_a_store_that_somebody_keeps_locked_is_named_with_who_does(monkeypatch):
    play("r", 1)
    monkeypatch.setattr(Database.__init__, "__kwdefaults__", {"reading": False, "patience": 0.05})
    with Path("kept/store.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert f"process {os.getpid()} has held its lock" in refusal(play("s", 1)[0])
        with kept_runs(STORE) as runs:  # reading goes on
            assert [run.id for run in runs.list().runs] == ["r"]
    assert play("t", 1)[0].result.files.unwritten == ()


def test_a_migration_that_is_cut_short_is_begun_again():
    steps = [statement for statements in MIGRATIONS for statement in statements]
    for cut in range(len(steps) + 1):
        path = Path(f"{cut}/store.db")
        path.parent.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as begun:
            begun.execute("PRAGMA journal_mode = WAL")
            begun.execute("BEGIN")
            for statement in steps[:cut]:
                begun.execute(statement)
        with closing(Database(path)) as whole:
            assert whole.rows("SELECT * FROM run") == []


def test_there_is_no_run_of_that_name():
    with pytest.raises(UsageError, match="there is no store here"), kept_runs(STORE):
        pass
    play("20260301-101530-4f2a91", 1)
    play("20260301-101530-4f77aa", 1)
    with kept_runs(STORE) as runs:
        assert runs.find("4f2a").id == runs.find("20260301-101530-4f2").id == "20260301-101530-4f2a91"
        assert runs.find().id == "20260301-101530-4f77aa"
        with pytest.raises(UsageError, match="'4f' means 2 runs"):
            runs.find("4f")
        with pytest.raises(UsageError, match="there is no run '5'"):
            runs.find("5")


def test_a_run_that_is_interrupted_is_kept_with_what_it_has_played():
    spec, observer = specification(Lamp), StoredRun(STORE, "r")
    ready = Prepared(Job(plays=9, steps=4), Simulated(specification(Lamp), Random(1)), spec, plan(spec))
    with Run(ready, observers=[observer, StoredResult(observer)]) as run:
        for event in run:
            assert not isinstance(event, RunEnded)
            if isinstance(event, PlayEnded) and event.play == 3:
                break
    with kept_runs(STORE) as runs:
        shown = runs.show()
    assert (shown.run.plays, shown.run.verdict, shown.result["interrupted"]) == (3, "pass", True)
    assert "  pass so far   3 plays, " in shown.run.line()
    assert any(f"`outplay run --resume {shown.run.id}` goes on with it" in line for line in shown.lines())
