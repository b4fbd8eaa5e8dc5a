"""From a job and a game to the answer whose strategy is played: what the solver is told, and who plays against it."""

from __future__ import annotations

from typing import Any

from outplay.errors import UsageError
from outplay.game.assumption import Assumption
from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.target import Target, find_target
from outplay.game.graph import Game
from outplay.play.plan import PATIENCE
from outplay.play.runner import Ending
from outplay.runs.job import Job
from outplay.runs.preparing.learnt_counts import learnt_counts
from outplay.runs.preparing.option_rules import chosen_objective
from outplay.strategy.answer import Answer
from outplay.strategy.number_format import digits
from outplay.strategy.objectives import OBJECTIVES, Objective
from outplay.strategy.opponent import Opponent
from outplay.tester.follower import Homing


def solver_options(job: Job, objective: Objective, game: Game) -> dict[str, Any]:
    """Return the options of a job for a solver: the fields that objectives take, where they are not as usual, and more.

    Some of it may be nothing that this objective takes. What a run has shown is counted on the game that is solved.
    """
    known = {name for each in OBJECTIVES.values() for name in each.options}
    asked = {name: value for name, value in job.json().items() if name in known}
    for name, value in job.own_options:
        option = objective.options.get(name)
        asked[name] = option.read(name, value) if option else value
    if job.learnt is not None and "learnt" in objective.options:
        asked["learnt"] = learnt_counts(job.learnt, game)
    return asked


def answered(
    job: Job, game: Game, goals: tuple[str, ...], settling: Progress | None = None
) -> tuple[Answer, tuple[str, ...]]:
    """Solve for the objective, and say what the user should know before it is played."""
    objective = chosen_objective(job)
    if objective and not objective.takes_goal:
        answer = _solved(job, objective, game, goals, settling)
        return answer, (str(answer), *answer.warnings)
    target = _target(game, goals)
    cut = (f"{game.origin.stopped}; playing on what is known",) if game.origin.stopped else ()
    cut = (*game.origin.cautions, *cut)
    if objective:
        return _solved(job, objective, target.game, target, settling), cut
    answer, warnings = _strongest(target, job.assumption)
    return answer, cut + warnings


def opponent(job: Job, answer: Answer) -> Opponent:
    """Return the opponent of an answer."""
    return (chosen_objective(job) or OBJECTIVES["win"]).against(answer)


def ending_of(job: Job, game: Game | None) -> Ending | None:
    """Return the tester that takes a play to its end state, by the cheapest way."""
    if not job.end_in or game is None:
        return None
    if job.jobs is not None:
        raise UsageError("--end-in does not go with --jobs: leave one out")
    target = _target(game, job.end_in)
    home = Homing(target.game, _way_home(target).persistent, target.vertices.tolist(), patience=PATIENCE)
    return Ending(home, job.steps)


def _way_home(target: Target) -> Answer:
    """Force it from everywhere, else arrive with probability 1 from everywhere, else be lucky as soon as can be."""
    game, vertices = target.game, range(target.game.vertex_count)
    sure = OBJECTIVES["win"].solve(game, target)
    if game.origin.assumption is Assumption.INPUT_FAIR or all(sure.value_of(each) is not None for each in vertices):
        return sure
    expectation = OBJECTIVES["expected"].solve(game, target)
    return expectation if all(expectation.value_of(each) is not None for each in vertices) else sure


def _solved(job: Job, objective: Objective, game: Game, goal: Any, settling: Progress | None) -> Answer:
    given = {name: value for name, value in solver_options(job, objective, game).items() if name in objective.options}
    if "progress" in objective.also:
        given["progress"] = settling
    if not objective.takes_goal and "everywhere" in objective.also:
        given["everywhere"] = False  # the strategy plans anew as it goes
    return objective.solve(game, goal, **given)


def _target(game: Game, goals: tuple[str, ...]) -> Target:
    """Find what is to be reached; a goal that holds nowhere is a mistake that is best told at once."""
    found = find_target(game, goals)
    if not len(found.vertices):
        cure = "no way leads there; mend the goal or the model"
        if game.origin.stopped:
            cure = f"exploring {game.origin.stopped}"
        elif game.origin.approximate:
            cure = "one state stands for each group (@group), and others of its group may be there; remove @group"
        raise UsageError(f"goal {' or '.join(found.names)} holds at no vertex of {game.vertex_count:,}: {cure}")
    return found


def _strongest(target: Target, assumption: str) -> tuple[Answer, tuple[str, ...]]:
    """The strongest promise there is: sure, then almost sure, then likely."""
    sure = OBJECTIVES["win"].solve(target.game, target)
    if sure.value is not None:
        return sure, ()
    cannot = f"{sure.goal} cannot be forced under {assumption}"
    if target.game.origin.assumption is Assumption.INPUT_FAIR:
        return sure, (f"{cannot}; playing the shortest way to be lucky",)
    expectation = OBJECTIVES["expected"].solve(target.game, target)
    if (cost := expectation.value_of(target.game.initial)) is not None:
        return expectation, (f"{cannot}; playing for the least expected cost, {digits(cost)}",)
    likelihood = OBJECTIVES["probability"].solve(target.game, target)
    chance = likelihood.value_of(target.game.initial)
    impossible = f"{sure.goal} is impossible in this model"
    best = f"{cannot}; the best chance is {digits(chance)}" if chance else impossible
    return likelihood, (best,)
