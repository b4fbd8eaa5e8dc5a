"""Live runs from the page: started, paused, taken over and cancelled."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from outplay.cancellation import Cancelled
from outplay.errors import UsageError, explained
from outplay.formats.common.json_document import InvalidDocument
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run
from outplay.studio.document import Asked
from outplay.studio.feed import FailedPlay, Feed
from outplay.studio.scene import pack
from outplay.studio.shown_run import ShownRun, run_of
from outplay.studio.steering import SteeredTester, Steering
from outplay.studio.workspace import Workspace

PREPARING, RUNNING, PAUSED, ASKING, ENDED = "preparing", "running", "paused", "asking", "ended"
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
class LiveRun(ShownRun):
    """A run in a thread of its own."""

    store: Path = field(kw_only=True)
    steering: Steering = field(default_factory=Steering)
    feed: Feed | None = None
    error: str = ""

    @property
    def failures(self) -> list[FailedPlay]:
        return self.feed.failures if self.feed else []

    @property
    def seen(self) -> Collection[int]:
        return self.feed.seen_often() if self.feed else ()

    @property
    def suspected(self) -> Collection[str]:
        return [state for state, _ in self.feed.confidence.get("open", ())] if self.feed else ()

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
            self.feed = Feed(vertices, self.redact, prepared.suspected)
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
        told = self.feed.since(count) if self.feed else {"count": 0, "rows": []}
        state = {"id": self.id, "document": self.document.id, "phase": self.phase, "error": self.error}
        state["sut"] = self.redact(self.job.sut)
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
    run = LiveRun(document, job, store=workspace.runs_store)
    if asked.flag("byHand"):
        run.steering.take_over()
    document.runs[run.id] = run
    run.start()
    return run.json()


def live_run(workspace: Workspace, asked: Asked) -> LiveRun:
    """The live run of an id."""
    found = run_of(workspace, asked)
    if not isinstance(found, LiveRun):
        raise UsageError("this run is past; start another one")
    return found


def steer_run(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Pause a run, let it go on, take it over, hand it back, make a move or cancel it."""
    run, what = live_run(workspace, asked), asked.text("what")
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


def run_tints(workspace: Workspace, asked: Asked) -> bytes:
    """For each vertex 1 where the run has been and 0 elsewhere; or 0 where a suspicion is left and 1 elsewhere."""
    run = run_of(workspace, asked)
    document = run.document
    found = np.full(document.game.vertex_count, np.nan, dtype=np.float32)
    found[np.flatnonzero(document.game.is_state)] = 0.0
    found[list(run.seen)] = 1.0
    if asked.text("by") == "suspicion":
        named = document.game.vertex_numbers
        found[[named[state] for state in run.suspected if state in named]] = 0.35
    return pack({}, {"tint": found})
