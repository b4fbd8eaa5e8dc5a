"""Runs read from the store: listed, shown one by one, and added up over runs of the same model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outplay.errors import UsageError, did_you_mean
from outplay.plurals import counted
from outplay.runs.monitors.merged_coverage import SURE, most_failing, none_failed
from outplay.store.database import Database

_RUN = """SELECT run.*, (SELECT count(DISTINCT number) FROM play WHERE run = run.number AND verdict = 'fail') AS failed,
    (SELECT count(*) FROM (SELECT number FROM play WHERE run = run.number GROUP BY number
        HAVING sum(verdict <> 'pass') = 0)) AS conformed,
    (SELECT count(*) FROM seen JOIN item ON item.number = item WHERE run = run.number AND label = '') AS states,
    (SELECT count(*) FROM seen JOIN item ON item.number = item WHERE run = run.number AND label <> '') AS transitions,
    coalesce(json_extract(result, '$.interrupted'), 0) AS interrupted
    FROM run"""
_SEEN = "SELECT DISTINCT state, label FROM seen JOIN item ON item.number = seen.item JOIN run ON run.number = seen.run"


@dataclass(frozen=True)
class KeptRun:
    """One run as the store has it; without a verdict it was cut short, or still goes on."""

    id: str
    started: str
    ended: str | None
    model: str
    model_hash: str
    sut: str
    verdict: str | None
    why: str | None
    plays: int
    conformed: int
    failed: int
    steps: int
    states: int
    transitions: int
    interrupted: bool
    """Whether somebody ended it before its end, so that it may go on."""

    def json(self) -> dict[str, Any]:
        return asdict(self)

    def line(self) -> str:
        """The run in one line."""
        failed = f", {self.failed} failed" if self.failed else ""
        verdict = f"{self.verdict} so far" if self.interrupted else self.verdict or "not ended"
        plays = f"{counted(self.plays, 'play')}{failed}, {counted(self.steps, 'step')}"
        return f"{self.id}  {verdict:<12}  {plays}  {self.model}  {self.sut}"


@dataclass(frozen=True)
class CombinedRuns:
    """The sum of all runs of one model against one system."""

    model: str
    model_hash: str
    sut: str
    runs: int
    plays: int
    conformed: int
    """Plays that passed; neither those that failed nor those that are inconclusive or errors."""
    failed: int
    steps: int
    states: int
    transitions: int

    @property
    def most_failing(self) -> float | None:
        """The greatest share of failing plays that is still likely."""
        return most_failing(self.conformed, self.failed)

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "most_failing": self.most_failing, "confidence": SURE}

    def lines(self) -> list[str]:
        seen = f"{counted(self.states, 'state')} and {counted(self.transitions, 'transition')} seen"
        lines = [f"together: {counted(self.runs, 'run')}, {counted(self.plays, 'play')}, {seen}"]
        if self.most_failing is not None:
            return [*lines, f"{none_failed(self.most_failing)}, if the system has stayed the same"]
        return [*lines, f"{self.failed:,} of {counted(self.plays, 'play')} failed"] if self.failed else lines


@dataclass(frozen=True)
class RunList:
    """All runs, and for each model and system what they come to together."""

    runs: tuple[KeptRun, ...]
    together: tuple[CombinedRuns, ...] = ()

    def json(self) -> dict[str, Any]:
        return {"runs": [run.json() for run in self.runs], "together": [one.json() for one in self.together]}

    def lines(self) -> Iterator[str]:
        if not self.runs:
            yield "no runs are kept here; `outplay run` keeps them in the folder where it is called"
        for run in self.runs:
            yield run.line()
        for one in self.together:
            if one.runs > 1:
                yield f"{one.model}  {one.sut}"
                yield from (f"  {line}" for line in one.lines())


@dataclass(frozen=True)
class KeptFailure:
    """A failing play with its events as a trace has them; the short one where it was made short."""

    play: int
    short: bool
    why: str
    allowed: tuple[str, ...]
    events: tuple[dict[str, Any], ...]

    @property
    def kind(self) -> tuple[str, str]:
        """By this failures of different plays and runs are compared: what came last, and why that is wrong."""
        last = self.events[-1] if self.events else {}
        return str(last.get("label") or last.get("kind") or ""), self.why

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "allowed": list(self.allowed), "events": list(self.events)}

    def lines(self) -> list[str]:
        shown = [str(event["label"] or event["kind"]) for event in self.events if event["kind"] != "reset"]
        short = " (made short)" if self.short else ""
        return [f"play {self.play} failed{short}: {self.why}", f"  {' '.join(shown)}"]


@dataclass(frozen=True)
class RunDetails:
    """One run with its failures, what it was the first to see, and what it comes to with the others."""

    run: KeptRun
    header: dict[str, Any]
    environment: dict[str, Any]
    failures: tuple[KeptFailure, ...]
    first: tuple[tuple[str, str], ...]
    """States and transitions that no earlier run of the model had seen."""
    result: dict[str, Any] | None
    together: CombinedRuns

    def json(self) -> dict[str, Any]:
        return {
            **self.run.json(),
            "seed": self.header.get("seed"),
            "job": self.header.get("job") or {},
            "environment": self.environment,
            "failures": [failure.json() for failure in self.failures],
            "first_seen": [{"state": state, "label": label or None} for state, label in self.first],
            "result": self.result,
            "together": self.together.json(),
        }

    def lines(self) -> Iterator[str]:
        run, states = self.run, sum(not label for _, label in self.first)
        yield run.line()
        if run.why:
            yield f"  {run.why}"
        ended = f"ended {run.ended}" if run.ended else "not ended: cut short, or still going on"
        if run.interrupted:
            ended = f"interrupted {run.ended}; `outplay run --resume {run.id}` goes on with it"
        yield f"  seed {self.header.get('seed')}, started {run.started}, {ended}"
        seen = f"{counted(run.states, 'state')} and {counted(run.transitions, 'transition')} seen"
        yield f"  {seen}, {states} and {len(self.first) - states} of them for the first time in a run of this model"
        for failure in self.failures:
            yield from (f"  {line}" for line in failure.lines())
        yield from (f"  {line}" for line in self.together.lines())


class KeptRuns:
    """A store, opened to be read; all that is asked of it is answered from one moment's state."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list(self) -> RunList:
        """All runs, the oldest first."""
        runs = tuple(map(_run, self.database.rows(f"{_RUN} ORDER BY started, number")))
        pairs = dict.fromkeys((run.model_hash, run.sut) for run in runs)
        return RunList(
            runs, tuple(self._together([run for run in runs if (run.model_hash, run.sut) == pair]) for pair in pairs)
        )

    def show(self, name: str = "") -> RunDetails:
        """One run, by its id, or the beginning of that or of its last part; without a name the last one."""
        run = self.find(name)
        [row] = self.database.rows("SELECT number, header, environment, result FROM run WHERE id = ?", (run.id,))
        alike = f"{_RUN} WHERE model_hash = ? AND sut = ?"
        first = f"{_SEEN} WHERE run.number = ? AND seen.item NOT IN (SELECT item FROM seen WHERE run < ?) ORDER BY 1, 2"
        return RunDetails(
            run,
            json.loads(row["header"]),
            json.loads(row["environment"]),
            self._failures(row["number"]),
            tuple(map(tuple, self.database.rows(first, (row["number"], row["number"])))),
            json.loads(row["result"]) if row["result"] else None,
            self._together([*map(_run, self.database.rows(alike, (run.model_hash, run.sut)))]),
        )

    def find(self, name: str = "") -> KeptRun:
        """The run that a name means."""
        runs = self.database.rows(f"{_RUN} ORDER BY started, number")
        exactly = [run for run in runs if run["id"] == name]
        found = exactly or [run for run in runs if any(part.startswith(name) for part in _parts(run["id"]))]
        if not runs:
            raise UsageError(f"{self.database.path}: no runs are kept there; `outplay run` makes them")
        if not found:
            raise UsageError(f"there is no run {name!r}; {did_you_mean(name, [run['id'] for run in runs])}")
        if name and len(found) > 1:
            raise UsageError(
                f"{name!r} means {counted(len(found), 'run')}; {did_you_mean(name, [run['id'] for run in found])}"
            )
        return _run(found[-1])

    def seen(self, run: KeptRun) -> set[tuple[str, str]]:
        """The states and transitions that a run saw."""
        return {tuple(row) for row in self.database.rows(f"{_SEEN} WHERE run.id = ?", (run.id,))}

    def failing(self, model_hash: str, sut: str, most: int) -> tuple[tuple[dict[str, Any], ...], ...]:
        """The events of failing plays of a model against a system, the newest first, as short as they were made."""
        runs = "SELECT number FROM run WHERE model_hash = ? AND sut = ? ORDER BY started DESC, number DESC"
        numbers = [row["number"] for row in self.database.rows(runs, (model_hash, sut))]
        found: dict[str, tuple[dict[str, Any], ...]] = {}
        for failure in (failure for number in numbers for failure in self._failures(number)):
            shown = json.dumps([event.get("label") or event["kind"] for event in failure.events])
            found.setdefault(shown, failure.events)
        return tuple(found.values())[:most]

    def _failures(self, number: int) -> tuple[KeptFailure, ...]:
        """The failing plays of a run, each as short as it was made."""
        rows = self.database.rows("SELECT * FROM failure WHERE run = ? ORDER BY play, short", (number,))
        shortest = {row["play"]: row for row in rows}
        return tuple(map(_failure, shortest.values()))

    def _together(self, runs: Sequence[KeptRun]) -> CombinedRuns:
        last = runs[-1]
        where = f"{_SEEN} WHERE run.model_hash = ? AND run.sut = ?"
        seen = self.database.rows(where, (last.model_hash, last.sut))
        states = sum(not row["label"] for row in seen)
        names = ("plays", "conformed", "failed", "steps")
        counts: dict[str, int] = {name: sum(getattr(run, name) for run in runs) for name in names}
        counts |= {"runs": len(runs), "states": states, "transitions": len(seen) - states}
        return CombinedRuns(last.model, last.model_hash, last.sut, **counts)


@contextmanager
def kept_runs(path: Path) -> Iterator[KeptRuns]:
    """Open the store at a path to read the runs that are kept in it."""
    if not path.exists():
        raise UsageError(f"{path}: there is no store here; `outplay run` makes it in the folder where it is called")
    with closing(Database(path, reading=True)) as database, database.snapshot():
        yield KeptRuns(database)


def _parts(name: str) -> tuple[str, str]:
    """The id of a run, and the last part of it."""
    return name, name.rpartition("-")[2]


def _run(row: Any) -> KeptRun:
    found = {name: row[name] for name in KeptRun.__dataclass_fields__}
    return KeptRun(**found | {"interrupted": bool(found["interrupted"])})


def _failure(row: Any) -> KeptFailure:
    verdict, events = json.loads(row["verdict"]), json.loads(row["events"])
    return KeptFailure(row["play"], bool(row["short"]), verdict["why"], tuple(verdict["allowed"]), tuple(events))
