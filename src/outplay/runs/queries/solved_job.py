"""Solving a job: the game of its model solved for its objective, and the answer confirmed by the checker."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.target import find_target
from outplay.runs.job import Job
from outplay.runs.preparing.job_answer import solver_options
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.option_rules import chosen_objective
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import OBJECTIVES

CHECKED_UP_TO = 100_000  # vertices
LISTED_UP_TO = 10_000  # vertices whose values are told
SHOWN = 20


@dataclass(frozen=True)
class Solved:
    """The answer to a job that was solved and not played."""

    objective: str
    answer: Answer
    certificate: dict[str, Any]
    """Whether the checker has confirmed it, for programs."""
    seconds: float
    exact: bool = False
    """Whether numbers are told as fractions."""
    listed: bool = True
    """Whether the values and moves of all vertices are told."""

    def json(self) -> dict[str, Any]:
        made = self.answer.json(exact=self.exact, listed=self.listed)
        return {"objective": self.objective, **made, "certificate": self.certificate, "seconds": self.seconds}

    def lines(self) -> list[str]:
        moves = self.answer.lines()
        left = len(moves) - SHOWN
        more = [f"  … and {left:,} more; --json lists them all"] if left > 0 else []
        checked, why = self.certificate["checked"], self.certificate.get("why")
        confirmed = "confirmed by the checker" if checked else f"not checked ({why})"
        return [str(self.answer), *(f"  {line}" for line in moves[:SHOWN]), *more, confirmed]


def solve_job(
    job: Job,
    progress: Progress | None = None,
    settling: Progress | None = None,
    *,
    exact: bool = False,
    values: bool = False,
    check: bool | None = None,
) -> Solved:
    """Solve the game of a job for its objective; by default values of large games are left out, huge ones not checked.

    Exploring reports to `progress`, and solvers that take long to `settling`. Where nothing is said of the objective,
    the goal is to be forced.
    """
    objective = chosen_objective(job) or OBJECTIVES["win"]
    game, goals = load_model(replace(job, restart=False)).wanted(progress)
    began = time.perf_counter()
    listed = values or game.vertex_count <= LISTED_UP_TO
    target: Any = goals
    if objective.takes_goal and job.learnt is not None:
        target = find_target(game, goals)
        game = target.game  # what was seen is counted on the game that is solved
    given = solver_options(job, objective, game)
    if exact and "epsilon" in objective.options:
        given.setdefault("epsilon", 0)  # exact numbers need an exact answer
    further = {"everywhere": listed, "progress": settling}
    given |= {name: value for name, value in further.items() if name in objective.also}
    answer = objective.solve(game, target, **given)
    certificate = _certified(answer, check)
    seconds = round(time.perf_counter() - began, 6)
    return Solved(objective.name, answer, certificate, seconds, exact, listed)


def _certified(answer: Answer, wanted: bool | None) -> dict[str, Any]:
    """Have the checker confirm the answer; it raises when it does not."""
    if answer.game.origin.approximate:
        return {"checked": False, "why": "states are grouped; remove @group to have the model itself solved"}
    if wanted is False or (wanted is None and answer.game.vertex_count > CHECKED_UP_TO):
        why = "--no-check" if wanted is False else f"more than {CHECKED_UP_TO} vertices; add --check"
        return {"checked": False, "why": why}
    confirmed = answer.check()
    return {"checked": True, "vertices": confirmed.vertices, "edges": confirmed.edges}
