"""From a job to a model in place of a system: which model, and who chooses what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.model.specification import Specification
from outplay.play.serving.served_play import ServedPlay
from outplay.runs.job import Job
from outplay.runs.preparing.job_answer import answered
from outplay.runs.preparing.loaded_model import LoadedModel, load_model
from outplay.strategy.answer import Answer
from outplay.strategy.opponent import Opponent, goal_helper, goal_opponent

RANDOM, HELPFUL, ADVERSARIAL = "random", "helpful", "adversarial"
SIDES = (RANDOM, HELPFUL, ADVERSARIAL)
"""The sides that may choose: chance, a helper to a goal, or an adversary that keeps the client from it."""


def served_model(job: Job, side: str, pace: float, progress: Progress | None = None) -> Callable[[int], ServedPlay]:
    """Load the model, solve it for the goal where somebody plays for or against one; return who begins a play."""
    model = load_model(job)
    if side == RANDOM:
        if job.goal:
            raise UsageError("--goal needs --as helpful or --as adversarial; chance goes for none")
        return _plays(job, model.specification(), lambda: None, pace)
    if not model.goals:
        raise UsageError(f"--as {side} needs a --goal to play {'for' if side == HELPFUL else 'against'}")
    answer = _answer(job, model, side, progress)
    opponent = goal_helper if side == HELPFUL else goal_opponent
    return _plays(job, answer.game.origin.specification, lambda: opponent(answer), pace)


def _answer(job: Job, model: LoadedModel, side: str, progress: Progress | None) -> Answer:
    game, goals = model.wanted(progress)
    return answered(replace(job, objective="joker" if side == HELPFUL else "win"), game, goals)[0]


def _plays(
    job: Job, spec: Specification, opponent: Callable[[], Opponent | None], pace: float
) -> Callable[[int], ServedPlay]:
    return lambda number: ServedPlay(spec, Random(f"{job.seed} {number}"), opponent(), pace=pace)
