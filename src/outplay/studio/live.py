"""Live runs from the page: started, paused, taken over, cancelled; their failing plays replayed and made short."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from outplay.cancellation import Cancelled, CancelToken
from outplay.errors import UsageError, explained
from outplay.formats.common.json_document import InvalidDocument
from outplay.play.following import follow
from outplay.play.trace import Trace
from outplay.runs.failing.replay import replay_job
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.runs.secrets import redaction_of
from outplay.store.stored_run import stored_run
from outplay.studio.document import Asked, Document
from outplay.studio.feed import FailedPlay, Feed
from outplay.studio.scene import pack
from outplay.studio.steering import SteeredTester, Steering
from outplay.studio.workspace import Workspace, new_id, store_of
from outplay.verdict.show import headline, steps

PREPARING, RUNNING, PAUSED, ASKING, ENDED = "preparing", "running", "paused", "asking", "ended"
TRIES = 10
SHRINKING = 10.0  # seconds
_GIVEN = (
    "sut",
    "goal",
    "plays",
    "labels",
    "time",
    "seed",
    "tester",
    "steps",
    "silence",
    "latency",
    "keep_going",
    "ready",
)


@dataclass
class LiveRun:
    """A run in a thread of its own."""

    document: Document
    job: Job
    store: Path
    id: str = field(default_factory=new_id)
    steering: Steering = field(default_factory=Steering)
    token: CancelToken = field(default_factory=CancelToken)
    feed: Feed | None = None
    error: str = ""
    over: bool = False

    def start(self) -> None:
        """Begin; what is wrong with the job shows in `error`."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            with self.token.stretch():
                prepared = prepare(self.job)
                vertices = self.document.vertex_of_key
            if prepared.plan is not None:
                steered = SteeredTester(prepared.plan.tester, self.steering)
                prepared = replace(prepared, plan=replace(prepared.plan, tester=steered))
            self.feed = Feed(vertices, redaction_of(self.job), prepared.suspected)
            stored_run(prepared, store=self.store, observers=[self.feed], token=self.token).finish()
        except Cancelled:
            pass
        except BaseException as error:  # the page has to learn of it, whatever it is
            self.error = explained(error) if isinstance(error, Exception) else f"{type(error).__name__}: {error}"
        finally:
            self.over = True

    @property
    def phase(self) -> str:
        """The phase of the run."""
        if self.over:
            return ENDED
        if self.feed is None:
            return PREPARING
        return ASKING if self.steering.offered is not None else PAUSED if self.steering.paused else RUNNING

    def json(self, count: int = 0) -> dict[str, Any]:
        """The run for the page, with the events since this many."""
        told = self.feed.since(count) if self.feed else {"count": 0, "rows": []}
        state = {"id": self.id, "phase": self.phase, "error": self.error, "sut": redaction_of(self.job)(self.job.sut)}
        offered = self.steering.offered
        return {**state, "byHand": self.steering.by_hand, "offered": None if offered is None else list(offered), **told}


def start_run(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Play the model of a document against a system."""
    document = workspace.document(asked.text("document"))
    given = {name: asked.given[name] for name in _GIVEN if asked.given.get(name) not in (None, "", [])}
    if not given.get("sut"):
        raise UsageError("name the system: exec:COMMAND, tcp:HOST:PORT, http://…, or model:MODEL for a simulation")
    if isinstance(given.get("goal"), str):
        given["goal"] = [given["goal"]]
    for name in ("time", "silence", "latency"):
        if isinstance(given.get(name), int):
            given[name] = float(given[name])
    try:
        job = Job.from_json({**document.job.json(), **given})
    except InvalidDocument as error:
        raise UsageError(str(error)) from None
    run = LiveRun(document, job, store_of(workspace))
    if asked.flag("byHand"):
        run.steering.take_over()
    document.runs[run.id] = run
    run.start()
    return run.json()


def run_of(workspace: Workspace, asked: Asked) -> LiveRun:
    """The run of an id."""
    name = asked.text("run")
    found = next((one.runs[name] for one in workspace.documents.values() if name in one.runs), None)
    if not isinstance(found, LiveRun):
        raise UsageError("this run is not known any more; start another one")
    return found


def steer_run(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Pause a run, let it go on, take it over, hand it back, make a move or cancel it."""
    run, what = run_of(workspace, asked), asked.text("what")
    verbs = {
        "pause": run.steering.pause,
        "go on": run.steering.go_on,
        "take over": run.steering.take_over,
        "hand back": run.steering.hand_back,
        "cancel": run.token.cancel,
    }
    if what == "move":
        run.steering.move(asked.text("label"))
    elif what in verbs:
        verbs[what]()
    else:
        raise UsageError(f"a run can be told to {', '.join(verbs)} or move")
    return run.json(2**60)


def failing_play(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """A failing play step by step, with the vertex of the graph where each step led."""
    run = run_of(workspace, asked)
    failed = _failure(run, asked)
    return {**failed.json(), "rows": _rows_of(run, failed.trace)}


def _failure(run: LiveRun, asked: Asked) -> FailedPlay:
    failures = run.feed.failures if run.feed else []
    if not failures:
        raise UsageError("no play of this run has failed")
    return failures[asked.number("failure", len(failures))]


def _rows_of(run: LiveRun, trace: Trace) -> list[list[Any]]:
    """The rows of a play, followed on the model."""
    document = run.document
    feed = Feed(document.vertex_of_key, redaction_of(run.job), None)
    spec, times = document.model.judging(()), trace.header
    with document.lock:
        for step in follow(spec, trace.events, latency=times.latency, silence=times.silence):
            feed.observe(step)
    rows: list[list[Any]] = feed.since(0)["rows"]
    return rows


def replay_failure(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Play a failing play again against the same system, and make it short where that is asked."""
    run = run_of(workspace, asked)
    failed = _failure(run, asked)
    if not run.over:
        raise UsageError("the run still goes on, and a system may serve one player only: cancel it first")
    seconds = SHRINKING if asked.flag("shrink") else 0.0
    again = replay_job(failed.trace, run.job, tries=TRIES, seconds=seconds, token=run.document.token)
    short = again.shrunk
    shown, trace = (short.verdict, short.trace) if short else (again.verdict, again.trace)
    lines = [*steps(trace, shown)] if again.reproduced else []
    told = {"tries": again.tries, "fails": again.fails, "headline": headline(shown), "lines": lines}
    return {**told, "short": bool(short and short.shorter), "rows": _rows_of(run, trace) if again.reproduced else []}


def run_tints(workspace: Workspace, asked: Asked) -> bytes:
    """For each vertex 1 where the run has been and 0 elsewhere; or 0 where a suspicion is left and 1 elsewhere."""
    run = run_of(workspace, asked)
    document, feed = run.document, run.feed
    found = np.full(document.game.vertex_count, np.nan, dtype=np.float32)
    states = np.flatnonzero(document.game.is_state)
    if feed is None:
        return pack({}, {"tint": found})
    seen = feed.seen_often()
    found[states] = 0.0
    found[list(seen)] = 1.0
    if asked.text("by") == "suspicion":
        named = document.game.vertex_numbers
        suspected = [named[state] for state, _ in feed.confidence.get("open", ()) if state in named]
        found[suspected] = 0.35
    return pack({}, {"tint": found})
