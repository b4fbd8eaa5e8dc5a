"""Past runs: those kept in the store listed, opened and compared; and traces, which are opened like them.

A store or a trace names a model and a system, and may come from somebody else. So its model is one that is open already
or that the user ran before with the same content, and its system is started only when the page asks for a replay and
names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from outplay.errors import OutplayError, UsageError
from outplay.formats.trace_jsonl import read_event, read_trace, read_trace_header
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.plurals import counted
from outplay.runs.job import READING, Job, recorded_job
from outplay.runs.preparing.configured_code import refuse_unnamed_server, with_remembered_model
from outplay.runs.preparing.loaded_model import other_model_warning
from outplay.runs.preparing.systems import with_other_system
from outplay.runs.run_folders import FOLDER, failure_file
from outplay.runs.secrets import is_redacted_output
from outplay.store.kept_runs import KeptFailure, KeptRun, RunDetails, kept_runs
from outplay.store.run_difference import run_difference
from outplay.studio.document import Asked, Document
from outplay.studio.feed import MOST_FAILURES, FailedPlay
from outplay.studio.shown_run import ShownRun
from outplay.studio.workspace import Workspace, existing_file
from outplay.verdict.judge import judge_play
from outplay.verdict.show import MARKS
from outplay.verdict.verdicts import Fail

MOST_LISTED = 200
_ADVICE = "open that model in the studio, and then this again"


@dataclass
class PastRun(ShownRun):
    """A run of the store, or the plays of a trace."""

    title: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    """The counts and the verdict of the record."""
    failed: tuple[FailedPlay, ...] = ()
    places: frozenset[str] = frozenset()
    """The keys of the states it saw, where that was kept."""
    warnings: tuple[str, ...] = ()
    over: bool = True

    @property
    def failures(self) -> list[FailedPlay]:
        return [*self.failed]

    @cached_property
    def seen(self) -> Collection[int]:
        vertices = self.document.vertex_of_key
        return {vertices[key] for key in self.places if key in vertices}

    def replay_job(self, asked: Asked) -> Job:
        """The job with the system that the page names; nothing that only the record names is started."""
        named = with_other_system(self.job, asked.text("sut"))
        return refuse_unnamed_server(named, (), self.title)

    def json(self, count: int = 0) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": self.id,
            "document": self.document.id,
            "phase": "ended",
            "sut": self.redact(self.job.sut),
            "ready": self.redact(self.job.ready or ""),
        }
        told |= {"title": self.title, "warnings": list(self.warnings), "covered": bool(self.places)}
        return {**told, **self.facts, "failures": [one.json() for one in self.failed]}


def runs_kept(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """The last runs, the newest first."""
    if not workspace.runs_store.exists():
        return {"runs": []}
    with kept_runs(workspace.runs_store) as kept:
        runs = kept.list().runs
    return {"runs": [run.json() for run in reversed(runs[-MOST_LISTED:])], "count": len(runs)}


def runs_compared(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Return what only one of two runs saw and how only one of them failed; states by their vertices where a model is
    open.
    """
    first, second = asked.text("first"), asked.text("second")
    if first == second:
        raise UsageError("choose two different runs to compare")
    with kept_runs(workspace.runs_store) as kept:
        found = run_difference(kept, first, second)
    told = found.json()
    if "document" in asked.given:
        document = workspace.document(asked.text("document"))
        with document.lock:
            vertices = document.vertex_of_key
        for side, places in (("only_first", found.lost), ("only_second", found.new)):
            told["coverage"][f"{side}_vertices"] = sorted({vertices[state] for state, _ in places if state in vertices})
    return {**told, "lines": list(found.lines())}


def open_past(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Open a run of the store, or without its id the trace that the command named."""
    if "run" not in asked.given:
        if workspace.trace is None:
            raise UsageError("run is missing: choose one of the list")
        return open_trace(workspace, workspace.trace, str(workspace.trace)).json()
    name = asked.text("run")
    with kept_runs(workspace.runs_store) as kept:
        if not any(run.id == name for run in kept.list().runs):
            raise UsageError("this run is not in the store any more; look at the list again")
        details = kept.show(name)
        places = frozenset(state for state, label in kept.seen(details.run) if not label)
    return _kept_run(workspace, details, places).json()


def _kept_run(workspace: Workspace, details: RunDetails, places: frozenset[str]) -> PastRun:
    run, store = details.run, workspace.runs_store
    header = read_trace_header(details.header)
    folder = store.parent / "runs" / run.id
    failed = [_kept_failure(number, one, header, folder) for number, one in enumerate(details.failures[:MOST_FAILURES])]
    made = _opened(workspace, header, f"run {run.id}", store.parent.parent)
    made.facts, made.failed, made.places = _facts(run), (*failed,), places
    return made


def _kept_failure(number: int, kept: KeptFailure, header: TraceHeader, folder: Path) -> FailedPlay:
    """A failure of the store as a play, with the file of it where that is still there."""
    events = tuple(read_event(dict(event), place) for place, event in enumerate(kept.events, 2))
    trace = Trace(header, events)
    file = failure_file(folder, trace)
    kind = _kind(events[-1]) if events else ""
    path = _near(file) if file.exists() else None
    return FailedPlay(number, kept.play, kind, kept.why, kept.allowed, trace, path, kept.short)


def _near(file: Path) -> Path:
    """A path as it is typed in the folder where we are."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


def _facts(run: KeptRun) -> dict[str, Any]:
    counts = {"plays": run.plays, "failed": run.failed, "steps": run.steps, "passed": run.conformed}
    covered = [[0, 0, 0], [1, run.states, run.transitions]]
    mark = MARKS.get(run.verdict or "", "not ended")
    why = f"{run.failed:,} of {counted(run.plays, 'play')} failed" if run.failed else run.why
    ended: dict[str, Any] = {"verdict": run.verdict, "headline": f"{mark}: {why}" if why else mark, "lines": []}
    return {**counts, "coverage": covered, "ended": ended, "started": run.started}


def open_trace(workspace: Workspace, file: Path, title: str, *, known: bool = True) -> PastRun:
    """Open a trace; its path is shown only where the user knows the file by it."""
    trace = read_trace(file)
    folder = next((one.parent for one in file.absolute().parents if one.name == FOLDER.name), file.absolute().parent)
    made = _opened(workspace, trace.header, title, folder)
    made.failed = (*_failing(made.document, trace, file if known else None),)
    plays, steps = sum(1 for _ in trace.plays()), sum(event.is_move for event in trace.events)
    said = f"{counted(len(made.failed), 'play')} of {plays:,} failed" if made.failed else f"none of {plays:,} failed"
    ended: dict[str, Any] = {"verdict": "fail" if made.failed else "pass", "headline": f"Trace: {said}", "lines": []}
    made.facts = {"plays": plays, "failed": len(made.failed), "steps": steps, "ended": ended}
    return made


def _failing(document: Document, trace: Trace, file: Path | None) -> Iterable[FailedPlay]:
    """The plays of a trace that the model does not allow."""
    found: list[FailedPlay] = []
    with document.lock:
        spec = document.model.judging(())
        for number, events in trace.plays():
            verdict = judge_play(spec, events, **trace.header.followed_by)
            if isinstance(verdict, Fail) and not is_redacted_output(verdict.event) and len(found) < MOST_FAILURES:
                until = [event for event in events if event.n <= verdict.event.n]
                play = Trace(trace.header, tuple(replace(event, play=1, n=n) for n, event in enumerate(until, 1)))
                allowed = tuple(label.text for label in verdict.allowed)
                found.append(FailedPlay(len(found), number, _kind(verdict.event), verdict.why, allowed, play, file))
    return found


def _kind(last: Event) -> str:
    return str(last.label.gate if last.label else last.kind)


def _opened(workspace: Workspace, header: TraceHeader, title: str, folder: Path) -> PastRun:
    """A past run with the model it was recorded with: one that is open, else one that the user ran before."""
    document = next((one for one in reversed(workspace.documents.values()) if _is_of(one, header)), None)
    job = recorded_job(header, title)
    if document is None:
        job = replace(job, model=existing_file(job, folder))
        job = with_remembered_model(job, title, "", advice=_ADVICE)
        document = workspace.open(replace(job.reading(), remembered_only=job.remembered_only))
    reading = {name: getattr(document.job, name) for name in (*READING, "remembered_only")}
    with document.lock:
        warnings = other_model_warning(header, document.model.specification())
    made = PastRun(document, replace(job, **reading), title=title, warnings=warnings)
    document.runs[made.id] = made
    return made


def _is_of(document: Document, header: TraceHeader) -> bool:
    """Whether a document is of the model that a trace was recorded with."""
    if document.draft_of is not None or not header.model_hash:
        return False
    try:
        return document.model.specification().fingerprint == header.model_hash
    except OutplayError:
        return False
