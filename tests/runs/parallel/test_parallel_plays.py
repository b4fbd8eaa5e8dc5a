from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.inline_workers import InlineExecutor
from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.play.trace import Trace
from outplay.runs.events import FailureFound, Observer, PlayEnded
from outplay.runs.job import Job
from outplay.runs.parallel import play_worker, worker_pool
from outplay.runs.preparing.planning import prepare
from outplay.runs.result import RunResult
from outplay.runs.run import Run

CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
LAMP = """
from outplay import Model, controllable, observable

class Lamp(Model):
    level: int = 0
    lit: int = 0

    @controllable
    def press(self):
        if self.level >= 3:
            return False
        self.level += 1

    @observable
    def light(self):
        if self.lit >= self.level:
            return False
        self.lit += 1
        if self.lit == 3:
            self.level = self.lit = 0

class Dark(Lamp):
    '''Now and then it shows what the other never shows.'''

    @observable
    def smoke(self):
        if self.level < 3:
            return False
"""


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: InlineExecutor())


@pytest.fixture
def lamp(tmp_path: Path, modules_as_they_were: None) -> Path:
    path = tmp_path / "lamp_for_workers.py"
    path.write_text(LAMP)
    return path


def played(job: Job, *observers: Observer) -> RunResult:
    return Run(job, observers=observers).finish()


def events(trace: Trace) -> list[tuple[Any, ...]]:
    return [(event.play, event.n, event.kind, event.shown, event.given, event.seen) for event in trace.events]


@pytest.mark.usefixtures("inline")
def test_a_walk_is_the_same_with_any_number_of_workers(lamp: Path):
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Lamp", "tester": "walk", "plays": 7, "steps": 25}
    one, two, three = (played(Job(**job, jobs=jobs)) for jobs in (1, 2, 3))
    assert one.tally.plays == 7
    assert one.tally == two.tally == three.tally
    assert events(one.trace) == events(two.trace) == events(three.trace)


@pytest.mark.usefixtures("inline")
def test_plays_of_one_seed_differ_and_those_of_another_seed_too(lamp: Path):
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Lamp", "tester": "walk", "plays": 4, "steps": 25, "jobs": 2}
    here, there = (played(Job(**job, seed=seed)).trace for seed in (0, 1))
    plays = [[event.shown for event in each] for _, each in here.plays()]
    assert plays[0] != plays[1]
    assert events(here) != events(there)


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("further", [{}, {"tester": "cover"}, {"goal": ("s3",), "extra_steps": 5}])
def test_a_run_with_so_many_workers_repeats(lamp: Path, further: dict[str, Any]):
    job = Job(f"{lamp}:Lamp", sut=f"model:{lamp}:Lamp", plays=9, steps=30, jobs=3, **further)
    first, second = played(job), played(job)
    assert first.passed
    assert first.tally.steps
    assert events(first.trace) == events(second.trace)


@pytest.mark.usefixtures("inline")
def test_all_learn_the_same_from_the_plays_of_all(monkeypatch: pytest.MonkeyPatch):
    workers = list[play_worker.PlayWorker]()
    monkeypatch.setattr(play_worker, "_workers", Kept(workers))
    with Run(Job(CHAT, sut=f"model:{CHAT}", plays=12, steps=60, jobs=2)) as run:
        run.finish()
        source: Any = run.source
        here = source.plan.tester.suspicions
    assert here is not None
    assert [worker.learnt for worker in workers] == [9, 10]
    taken = here.player.untested.taken
    assert taken.any()
    for worker in workers:
        there = worker.testers[0].suspicions
        assert there is not None
        assert not (there.player.untested.taken & ~taken).any()  # they have seen less by the last plays
        for lesson in LESSONS[worker.learnt :]:
            worker.learn(lesson)
        assert (there.player.untested.taken == taken).all()
        assert np.array_equal(there.player.untested._attempts, here.player.untested._attempts)
        assert np.array_equal(there.player.suspects.met, here.player.suspects.met)
        portfolio: Any = worker.testers[0]
        assert [(one.labels, one.discovered) for one in portfolio.members] == [
            (one.labels, one.discovered) for one in source.plan.tester.members
        ]


LESSONS = list[Any]()


class Kept(dict[str, play_worker.PlayWorker]):
    """Keeps all workers that there ever were."""

    def __init__(self, workers: list[play_worker.PlayWorker]) -> None:
        super().__init__()
        self._all = workers
        LESSONS.clear()

    def __setitem__(self, name: str, worker: play_worker.PlayWorker) -> None:
        super().__setitem__(name, worker)
        self._all.append(worker)
        play = worker.play

        def noted(number: int, *further: Any) -> Any:
            made = play(number, *further)
            LESSONS.append(made)
            LESSONS.sort(key=lambda one: one.number)
            return made

        worker.play = noted  # type: ignore[method-assign]


class Held(InlineExecutor):
    """Two workers: a task with `held` in it is done by the first one after so many of the second."""

    def __init__(self, done: list[Held], held: str, behind: int) -> None:
        self.tasks, self._all, self._held, self._behind = 0, done, held, behind
        self._left: tuple[Future[Any], Callable[[], Any]] | None = None
        done.append(self)

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        first = self._all[0]
        if self is first and self._held in arguments[0]:
            future = Future[Any]()
            self._left = future, lambda: task(*arguments)
            return future
        self.tasks += 1
        if first._left and self.tasks == self._behind:
            future, late = first._left
            first._left = None
            future.set_result(late())
        return super().submit(task, *arguments, **named)


def test_whoever_is_free_plays_on_where_nobody_learns(lamp: Path, monkeypatch: pytest.MonkeyPatch):
    """The first worker is held up in play 1, until the other has made five plays; the run is the same."""
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Lamp", "tester": "walk", "plays": 9, "steps": 25}
    workers = list[Held]()
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: Held(workers, '"play": 1,', 1 + 5))
    disturbed = played(Job(**job, jobs=2))
    assert workers[1].tasks >= 1 + 5
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda ending: InlineExecutor())
    assert events(disturbed.trace) == events(played(Job(**job, jobs=1)).trace)


class Under(Observer):
    """Notes how many plays were asked for while the first one was taken into the run."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.asked = list[int]()

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded) and self.run:
            source: Any = self.run.source
            self.asked.append(source._next - 1 - event.play)


@pytest.mark.usefixtures("inline")
def test_workers_go_on_while_a_play_is_taken_into_the_run(lamp: Path):
    under = Under()
    with Run(Job(f"{lamp}:Lamp", sut=f"model:{lamp}:Lamp", plays=12, steps=30, jobs=2), observers=[under]) as run:
        under.run = run
        run.finish()
    assert under.asked[0] > 2  # without looking for what was made meanwhile it would be one or two


@pytest.mark.usefixtures("inline")
def test_together_they_find_out_when_nothing_is_left_to_test(lamp: Path):
    result = played(Job(f"{lamp}:Lamp", sut=f"model:{lamp}:Lamp", jobs=2, steps=30))
    assert result.suspected is not None
    assert result.suspected.nothing_left
    assert result.tally.steps < 5_000


@pytest.mark.usefixtures("inline")
def test_the_first_play_that_fails_ends_the_run_whoever_made_it(lamp: Path):
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Dark", "tester": "walk", "steps": 12, "shrink": 0.0}
    found = [played(Job(**job, jobs=jobs, plays=40)) for jobs in (1, 2, 4)]
    assert [result.verdict.name for result in found] == ["fail"] * 3
    assert len({result.failing_play for result in found}) == 1
    assert events(found[0].trace) == events(found[1].trace) == events(found[2].trace)


@pytest.mark.usefixtures("inline")
def test_runs_that_go_on_count_each_failure_once(lamp: Path):
    class Failures(Observer):
        def __init__(self) -> None:
            self.plays = list[int]()

        def observe(self, event: Any) -> None:
            if isinstance(event, FailureFound):
                self.plays.append(event.play)

    seen = [Failures() for _ in range(3)]
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Dark", "tester": "walk", "steps": 12, "shrink": 0.0}
    for jobs, failures in enumerate(seen, 1):
        result = played(Job(**job, jobs=jobs, plays=20, keep_going=True), failures)
        assert result.tally.plays == 20
    assert seen[0].plays == seen[1].plays == seen[2].plays
    assert len(seen[0].plays) > 2


@pytest.mark.usefixtures("inline")
def test_budgets_are_those_of_all_workers_together(lamp: Path):
    job = {"model": f"{lamp}:Lamp", "sut": f"model:{lamp}:Lamp", "tester": "walk", "steps": 20}
    for labels in (15, 110, 118):
        one, two, five = (played(Job(**job, jobs=jobs, labels=labels)) for jobs in (1, 2, 5))
        assert labels - 2 < one.tally.steps + one.tally.plays < labels + 3
        assert events(one.trace) == events(two.trace) == events(five.trace)
    assert played(Job(**job, jobs=5, plays=2)).tally.plays == 2


def test_workers_that_would_share_a_system_are_refused(lamp: Path):
    job = Job(f"{lamp}:Lamp", sut="tcp:localhost:7000", jobs=2)
    with pytest.raises(UsageError, match="same system"):
        Run(prepare(job))
    Run(prepare(Job(f"{lamp}:Lamp", sut="tcp:localhost:700{worker}", jobs=2)))


class Killing(Observer):
    """Kills the worker of the next play when so many have ended."""

    def __init__(self, when: int) -> None:
        self.run: Run | None = None
        self._when, self.killed = when, 0

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded) and event.play == self._when and self.run:
            source: Any = self.run.source
            for process in source._slots[event.play % 2].executor._processes:
                os.kill(process, signal.SIGKILL)
                self.killed += 1


def test_a_worker_that_dies_costs_only_the_play_it_was_making(lamp: Path):
    """Each worker has its own process and its own system, and a new one learns what the dead one knew."""
    job = Job(f"{lamp}:Lamp", sut=f"model:{lamp}:Lamp", plays=6, steps=40, jobs=2)
    killing = Killing(3)
    with Run(job, observers=[killing]) as run:
        killing.run = run
        disturbed = run.finish()
    assert killing.killed == 1
    assert disturbed.passed
    assert events(disturbed.trace) == events(played(job).trace)


def test_each_worker_has_a_system_of_its_own(tmp_path: Path, lamp: Path):
    code = "import sys; open(sys.argv[1], 'a').write('started\\n'); sys.stdin.read()"
    sut = f'exec:{sys.executable} -c "{code}" {tmp_path}/system-{{worker}}'
    job = Job(f"{lamp}:Lamp", sut=sut, plays=4, steps=2, jobs=2, silence=0.2, shrink=0.0, keep_going=True)
    assert played(job).verdict.name in ("fail", "inconclusive")  # a lamp that never lights, or a tester that was late
    assert [(tmp_path / f"system-{worker}").read_text().count("started") for worker in (0, 1)] == [2, 2]
