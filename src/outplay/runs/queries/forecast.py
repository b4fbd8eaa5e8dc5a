"""The forecast for a job before anything is played: of each target, and of how much of the model a run will see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError
from outplay.game.assumption import Origin
from outplay.game.exploring.breadth_first import Progress
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.strategy.coverage.expected_coverage import Outlook, expected_coverage
from outplay.strategy.coverage.items import COVERABLE, items_to_cover
from outplay.strategy.forecast.entries import Forecast
from outplay.strategy.forecast.forecast import forecast


@dataclass(frozen=True)
class TimedForecast:
    """The forecast of a job, and how long it took to find."""

    forecast: Forecast
    seconds: float

    def json(self) -> dict[str, Any]:
        return {**self.forecast.json(), "seconds": self.seconds}


@dataclass(frozen=True)
class CoverageForecast:
    """The forecast of how much of a model a run will see, kind by kind."""

    outlooks: Sequence[Outlook]
    origin: Origin

    @property
    def warnings(self) -> tuple[str, ...]:
        """That a limit ended exploring, or that states are grouped."""
        cut = (f"{self.origin.stopped}; coverage of what is known",) if self.origin.stopped else ()
        return (*self.origin.cautions, *cut)

    def json(self) -> dict[str, Any]:
        return {"coverage": {seen.items.kind: _in_full(seen) for seen in self.outlooks}}

    def lines(self) -> list[str]:
        return [line for seen in self.outlooks for line in seen.lines()]


def _in_full(seen: Outlook) -> dict[str, Any]:
    after = [{"plays": plays, "expected": seen.expected(plays)} for plays in seen.milestones]
    return {"total": seen.items.count, **seen.json(), "after": after if seen.rehearsals else None}


def forecast_job(job: Job, kinds: Sequence[str] = (), progress: Progress | None = None) -> TimedForecast:
    """Forecast the goals that a job names, else all targets of some kinds, else of all kinds there are."""
    if job.goal and kinds:
        raise UsageError("--goal names targets and --of lists all of a kind: give one or the other")
    if job.cover:
        raise UsageError("--cover says what coverage to forecast: add --of coverage")
    game, goals = load_model(job).wanted(progress)
    began = time.perf_counter()
    seen = forecast(game, () if kinds else dict.fromkeys(goals), steps=job.steps, kinds=list(kinds) or None)
    return TimedForecast(seen, round(time.perf_counter() - began, 6))


def forecast_coverage(job: Job, progress: Progress | None = None) -> CoverageForecast:
    """Forecast how much a run of the job will see: of what it asks to cover, else of each kind there is."""
    game = load_model(job).game(progress)
    how: dict[str, Any] = {"plays": job.most_plays, "steps": job.steps, "seconds": job.time_limit}
    found = [expected_coverage(items_to_cover(game, kind), **how) for kind in ([job.cover] if job.cover else COVERABLE)]
    return CoverageForecast(found, game.origin)
