"""Suites played by several workers: the run is the same however many there are, with one ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, ClassVar

import pytest

from outplay import Suite
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import dump_suite
from outplay.runs.job import Job
from outplay.runs.parallel import worker_pool
from outplay.runs.parallel.parallel_suite import end_suite_workers
from outplay.runs.run import Run
from outplay.suite.suite import case_of

LAMP = "des (0, 4, 3)\n(0, ?press, 1)\n(1, !light, 2)\n(1, !dim, 2)\n(2, ?off, 0)\n"
DEAD = "des (0, 2, 3)\n(0, ?press, 1)\n(2, ?off, 0)\n"


def case(name: str, rounds: int) -> Any:
    moves = list[tuple[str, str, str]]()
    for place in range(rounds):
        lit = f"lit{place}" if place < rounds - 1 else "pass"
        moves += [(f"t{place}", "?press", f"on{place}"), (f"on{place}", "!light", lit), (f"on{place}", "!dim", lit)]
        moves.append((f"on{place}", "delta", "fail"))
        if lit != "pass":
            moves.append((lit, "?off", f"t{place + 1}"))
    return case_of(moves, name=name)


class Here(Executor):
    """A worker that does its tasks in this process, when they are asked for."""

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        done = Future[Any]()
        try:
            done.set_result(task(*arguments))
        except Exception as error:
            done.set_exception(error)
        return done


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: Here())
    yield
    end_suite_workers()


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    Path("lamp.aut").write_text(LAMP)
    Path("dead.aut").write_text(DEAD)
    tests = tuple(case(f"test {number}", 1 + number % 3) for number in range(12))
    suite = Suite(tests=tests, fair=True, model="lamp")
    Path("tests.json").write_text("".join(dump_suite(suite)))
    return {"model": "lamp.aut", "suite": "tests.json", "seed": 3, "shrink": 0.0}


def told(result: Any) -> Any:
    events = [(event.play, event.n, event.kind, event.shown, event.given, event.seen) for event in result.trace.events]
    tests = [(test.name, test.verdict.name, test.plays) for test in result.tests]
    return result.verdict.name, result.verdict.why, tests, result.ledger.json(), events


@pytest.mark.usefixtures("_here")
def test_the_run_is_the_same_however_many_workers_play(job: dict[str, Any]):
    one, *others = (Run(Job(**job, sut="model:lamp.aut", jobs=jobs)).finish() for jobs in (1, 3))
    assert one.verdict.name == "pass"
    assert len(one.tests) == 12
    assert max(test.plays for test in one.tests) > 1  # a fair suite tries its branches again
    for other in others:
        assert told(other) == told(one)


@pytest.mark.usefixtures("_here")
def test_a_system_that_fails_is_found_at_the_same_test(job: dict[str, Any]):
    one, two = (Run(Job(**job, sut="model:dead.aut", jobs=jobs)).finish() for jobs in (1, 3))
    assert one.verdict.name == "fail"
    assert told(one) == told(two)


class Noting(Here):
    """A worker that notes the tries that it is asked for."""

    tries: ClassVar[list[list[list[int]]]] = []

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self.tries.append(json.loads(arguments[0])["tests"])
        return super().submit(task, *arguments, **named)


def test_whoever_has_nothing_else_to_do_tries_an_open_test_again(job: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    """Of three workers two have further tries of a test that was tried before; no try is made twice."""
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: Noting())
    Noting.tries.clear()
    three = Run(Job(**job, sut="model:lamp.aut", jobs=3)).finish()
    made = [tuple(one) for tries in Noting.tries for one in tries]
    assert len(made) == len({*made})
    needed = sum(test.plays for test in three.tests)
    assert needed < len(made) <= needed + 3 * len(three.tests)
    end_suite_workers()


@pytest.mark.usefixtures("modules_as_they_were")
def test_processes_play_a_suite(job: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    two = Run(Job(**job, sut="model:lamp.aut", jobs=2)).finish()
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: Here())
    assert told(two) == told(Run(Job(**job, sut="model:lamp.aut", jobs=1)).finish())
    end_suite_workers()


@pytest.mark.parametrize("more", [{"join": True}, {"extra_steps": 3}, {"tester": "suspicion"}, {"exhaustive": True}])
def test_what_needs_one_test_after_the_other_is_refused(job: dict[str, Any], more: dict[str, Any]):
    with pytest.raises(UsageError, match="leave out"):
        Run(Job(**job, **more, sut="model:lamp.aut", jobs=2))
