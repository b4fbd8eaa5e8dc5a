"""A worker: it has a system and testers of its own, learns from what others have played, and plays what it is told.

This is the task that processes and machines do: a text says which play to make and what was learnt meanwhile, and a
text comes back. Each play is made by copies of the testers, which draw by chance from the seed and the number of the
play. So a play depends on its number and on what it was taught, and not on who makes it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

from outplay.cancellation import CancelToken, deadline
from outplay.model.tracking import Tracker
from outplay.play.following import Following
from outplay.play.runner import Afterwards
from outplay.play.system import Seeded
from outplay.runs.job import Job
from outplay.runs.play_loop import Play, Playing
from outplay.runs.play_sources import tester_after_goal
from outplay.runs.preparing.planning import prepare
from outplay.runs.preparing.systems import job_for_worker
from outplay.runs.recorded_play import RecordedPlay, learn_recorded_play
from outplay.tester.lessons import Entry, LessonWriter, copied_testers
from outplay.tester.tester import Tester

ENDING = "outplay.runs.parallel.play_worker:end_play_workers"
NEED = '{"need":'
"""The beginning of an answer which says that a worker knows less than it was thought to."""


class PlayWorker:
    """Plays of one job, as one of several workers."""

    def __init__(self, job: Job, number: int) -> None:
        self.prepared = prepared = prepare(job_for_worker(job, number))
        assert prepared.plan is not None
        self.plan, self.afterwards = prepared.plan, tester_after_goal(prepared)
        self.testers: list[Tester] = [self.plan.tester, *([self.afterwards.tester] if self.afterwards else [])]
        self.learnt = 0
        """From how many plays it has learnt, the first ones of the run."""
        self.token, self._retries_left = CancelToken(), job.retries

    def learn(self, play: RecordedPlay) -> None:
        """Learn from the next play of the run."""
        self.learnt += 1
        if any(tester.learns for tester in self.testers):
            for _ in learn_recorded_play(play, self._following(), self.testers):
                pass

    def play(self, number: int, steps: int, seconds: float | None) -> RecordedPlay:
        """Make the play of this number."""
        prepared, entries = self.prepared, list[Entry]()
        if isinstance(prepared.system, Seeded):
            prepared.system.seed(f"{prepared.job.seed}, system, play {number}")
        fixed = prepared.specification, prepared.game, prepared.answer, self.plan.goal
        testers = copied_testers(self.testers, fixed, f"{prepared.job.seed}, play {number}")
        playing = Playing(prepared.system, prepared.job.timing, token=self.token, retries=self._retries_left)
        writers = [
            LessonWriter(one, tester, entries, lambda: playing.numbering.count) for one, tester in enumerate(testers)
        ]
        if self.afterwards:
            playing.afterwards = Afterwards(writers[-1], self.afterwards.steps)
        plan = replace(self.plan, tester=writers[0])
        with self.token.stretch():
            events = [step.event for step in playing.begin(Play(plan, steps, until=deadline(seconds)), number)]
        self._retries_left = playing.retries.left
        writers[0].end()
        return RecordedPlay(number, tuple(events), tuple(entries), round(playing.now(), 6))

    def close(self) -> None:
        """End the system."""
        self.token.cancel()
        self.prepared.system.close()

    def _following(self) -> Following:
        timing = self.prepared.job.timing.for_system(self.prepared.system)
        times: dict[str, Any] = {"silence": timing.silence, "latency": timing.latency}
        return Following(Tracker(self.plan.specification, **times, goal=self.plan.goal))


_workers: dict[str, PlayWorker] = {}


def play_task(text: str) -> str:
    """Make a play as one of several workers; answer `{"need": n}` to be taught from play n + 1 on first."""
    asked = json.loads(text)
    name = f"{asked['run']} {asked['worker']}"
    worker = _workers.get(name)
    if worker is None:
        worker = _workers[name] = PlayWorker(Job.from_json(asked["job"]), asked["worker"])
    lessons, since = asked["lessons"], asked["since"]
    if since > worker.learnt:
        return json.dumps({"need": worker.learnt})
    for lesson in lessons[worker.learnt - since :]:
        worker.learn(RecordedPlay.from_text(lesson))
    if asked["play"] is None:
        return json.dumps({})
    return worker.play(asked["play"], asked["steps"], asked["seconds"]).text()


def end_play_workers(run: str = "") -> None:
    """End the systems of all play workers of this process, or of one run."""
    for name in [name for name in _workers if name.startswith(run)]:
        worker = _workers.pop(name)
        with suppress(Exception):
            worker.close()
