"""A model played out on paper: the game of a job, how large it is, and how far exploring got."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outplay.game.assumption import Origin
from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.plurals import counted
from outplay.runs.job import Job
from outplay.runs.parallel.worker_pool import exploration_crew
from outplay.runs.preparing.loaded_model import LoadedModel, load_model

MOST_GOALS = 25  # told one by one


@dataclass(frozen=True)
class ExploredModel:
    """The game of a model, which may be compressed, and how long it took."""

    model: LoadedModel
    game: Game
    origin: Origin
    """The origin of the game before it was compressed."""
    seconds: float

    @property
    def goals(self) -> dict[str, int]:
        """At how many vertices each goal holds."""
        return {name: len(members) for name, members in sorted(self.game.goals.items())}

    @property
    def warnings(self) -> tuple[str, ...]:
        """That a limit ended exploring."""
        return (self.origin.stopped,) if self.origin.stopped else ()

    def json(self) -> dict[str, Any]:
        return {
            "states": self.origin.states,
            "vertices": self.game.vertex_count,
            "edges": self.game.edge_count,
            "complete": self.origin.complete,
            "approximate": self.origin.approximate,
            "seconds": self.seconds,
            **({"expanded_by_workers": self.origin.helped} if self.origin.helped else {}),
            "goals": self.goals,
            **({"stopped": self.origin.stopped} if self.origin.stopped else {}),
        }

    def lines(self) -> Iterator[str]:
        game, cut = self.game, "" if self.origin.complete else " (not complete)"
        sizes = ((self.origin.states, "state"), (game.vertex_count, "vertex"), (game.edge_count, "edge"))
        yield f"{self.origin.scope}{', '.join(counted(*size) for size in sizes)}{cut} in {self.seconds} s"
        if self.origin.helped:
            yield f"  {counted(self.origin.helped, 'state')} expanded by workers"
        told = self.goals if len(self.goals) <= MOST_GOALS else {}
        if not told and self.goals:
            never = sum(not count for count in self.goals.values())
            yield f"  {len(self.goals):,} goals, of which {never:,} never hold"
        for name, count in told.items():
            places = f"holds at {counted(count, 'vertex')}" if count else "never holds"
            yield f"  goal {name}: {places}"


def explore_job(job: Job, *, compress: str | None = None, progress: Progress | None = None) -> ExploredModel:
    """Explore the model of a job into a game; compressed for a goal, reaching that costs and is as likely as before."""
    began = time.perf_counter()
    model = load_model(job)
    game = model.game(progress, crew=exploration_crew(job))
    small = game
    if compress is not None:
        from outplay.strategy.chance.reduction.compression import compressed_game  # takes long to load, and few ask

        small = compressed_game(game, compress)
    return ExploredModel(model, small, game.origin, round(time.perf_counter() - began, 3))
