"""From a job and a game to the answer whose strategy is played: what the solver is told, and who plays against it.

Chances may be learnt from an earlier run: its trace is followed play by play, and its answers are counted. An
answer counts where it is known in which state it came; where several states are possible, as when inputs and outputs
may have crossed, it does not.

From a job to a model in place of a system: which model, and who chooses what it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.game.assumption import Assumption
from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.target import Target, find_target
from outplay.game.graph import Game
from outplay.model.specification import Specification
from outplay.play.following import follow
from outplay.play.serving.play_server import ServedPlay
from outplay.play.trace import Trace
from outplay.plurals import counted
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model
from outplay.runs.preparing.option_rules import chosen_objective
from outplay.runs.run_folders import FOLDER
from outplay.strategy.answer import Answer
from outplay.strategy.number_format import format_digits
from outplay.strategy.objectives import OBJECTIVES, Objective
from outplay.strategy.opponent import Opponent, goal_helper, goal_opponent
from outplay.tester.coverage_tester import GamePosition

TRACE = "trace.jsonl"
RANDOM, HELPFUL, ADVERSARIAL = "random", "helpful", "adversarial"
SIDES = (RANDOM, HELPFUL, ADVERSARIAL)
"""The sides that may choose: chance, a helper to a goal, or an adversary that keeps the client from it."""


def answer_for_job(
    job: Job, game: Game, goals: tuple[str, ...], settling: Progress | None = None
) -> tuple[Answer, tuple[str, ...]]:
    """Solve the game of a job for its objective, and say what the user should know before the answer is played."""
    objective = chosen_objective(job)
    if objective and not objective.takes_goal:
        answer = _solved(job, objective, game, goals, settling)
        return answer, (str(answer), *answer.warnings)
    target = goal_target(game, goals)
    cut = (f"{game.origin.stopped}; playing on what is known",) if game.origin.stopped else ()
    cut = (*game.origin.cautions, *cut)
    if objective:
        return _solved(job, objective, target.game, target, settling), cut
    answer, warnings = _strongest(target, job.assumption)
    return answer, cut + warnings


def opponent_of_answer(job: Job, answer: Answer) -> Opponent:
    """Return the opponent that plays against the answer of a job."""
    return (chosen_objective(job) or OBJECTIVES["win"]).against(answer)


def _solved(job: Job, objective: Objective, game: Game, goal: Any, settling: Progress | None) -> Answer:
    given = {name: value for name, value in solver_options(job, objective, game).items() if name in objective.options}
    if "progress" in objective.also:
        given["progress"] = settling
    if not objective.takes_goal and "everywhere" in objective.also:
        given["everywhere"] = False  # the strategy plans anew as it goes
    return objective.solve(game, goal, **given)


def goal_target(game: Game, goals: tuple[str, ...]) -> Target:
    """Find the target of a job's goals in the game; a goal that holds nowhere is refused."""
    found = find_target(game, goals)
    if not len(found.vertices):
        cure = "no way leads there; mend the goal or the model"
        if game.origin.stopped:
            cure = f"exploring {game.origin.stopped}"
        elif game.origin.approximate:
            cure = "one state stands for each group (@group), and others of its group may be there; remove @group"
        states = counted(game.origin.states, "state")
        raise UsageError(f"goal {' or '.join(map(repr, found.names))} holds in none of {states}: {cure}")
    return found


def _strongest(target: Target, assumption: str) -> tuple[Answer, tuple[str, ...]]:
    """The strongest promise there is: sure, then almost sure, then likely."""
    sure = OBJECTIVES["win"].solve(target.game, target)
    if sure.value is not None:
        return sure, ()
    cannot = f"{sure.goal} cannot be forced (assumption {assumption})"
    if target.game.origin.assumption is Assumption.INPUT_FAIR:
        return sure, (f"{cannot}; playing the shortest way to be lucky",)
    expectation = OBJECTIVES["expected"].solve(target.game, target)
    if (cost := expectation.value_of(target.game.initial)) is not None:
        return expectation, (f"{cannot}; playing for the least expected cost, {format_digits(cost)}",)
    likelihood = OBJECTIVES["probability"].solve(target.game, target)
    chance = likelihood.value_of(target.game.initial)
    impossible = f"{sure.goal} is impossible in this model"
    best = f"{cannot}; the best chance is {format_digits(chance)}" if chance else impossible
    return likelihood, (best,)


def learnt_counts(name: str, game: Game) -> Counter[tuple[int, str]]:
    """Count the answers of an earlier run, named by its trace, its folder, or its id or a part of that."""
    path = _trace_of_run(name)
    trace = read_trace(path)
    found = count_answers(trace, game)
    if not found:
        why = "no answer of this run can be placed in the model"
        raise UsageError(f"--learnt {path}: {why}; give a run of this model against a system that answers")
    return found


def _trace_of_run(name: str) -> Path:
    """The trace of a run."""
    path = Path(name)
    if path.is_dir():
        return path / TRACE
    if path.exists() or "/" in name:
        return path
    runs = FOLDER / "runs"
    kept = sorted(one.name for one in runs.iterdir()) if runs.is_dir() else []
    alike = [one for one in kept if one == name or one.startswith(name) or one.rpartition("-")[2].startswith(name)]
    if len(alike) != 1:
        why = f"{len(alike)} runs begin like that" if alike else "there is no such run"
        raise UsageError(f"--learnt {name}: {why} in {runs}; give a trace, a folder or a longer id")
    return runs / alike[0] / TRACE


def count_answers(trace: Trace, game: Game) -> Counter[tuple[int, str]]:
    """Count each answer in a trace, by the vertex of the state and the label as the game writes it."""
    found, spec = Counter[tuple[int, str]](), game.origin.specification
    header = trace.header
    for _, events in trace.plays():
        watching = GamePosition(game)
        for step in follow(spec, events, latency=header.latency, silence=header.silence):
            if step.event.kind == "reset":
                watching = GamePosition(game)
            if step.label is None:
                continue
            came = {(before, text) for before, text, _ in watching.moves(step.before, step.label)}
            if len(came) == 1 and len(step.before.states) == 1 and not step.label.is_input:
                ((before, text),) = came
                found[int(game.roles.state[before]), text] += 1
            watching = watching.after(step.label)
    return found


def solver_options(job: Job, objective: Objective, game: Game) -> dict[str, Any]:
    """Return the options of a job for a solver: fields that objectives take, where they are not as usual, and more.

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


def served_model(job: Job, side: str, pace: float, progress: Progress | None = None) -> Callable[[int], ServedPlay]:
    """Load the model that a job serves, solve it where somebody plays for or against a goal; return how plays begin."""
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
    return answer_for_job(replace(job, objective="joker" if side == HELPFUL else "win"), game, goals)[0]


def _plays(
    job: Job, spec: Specification, opponent: Callable[[], Opponent | None], pace: float
) -> Callable[[int], ServedPlay]:
    return lambda number: ServedPlay(spec, Random(f"{job.seed} {number}"), opponent(), pace=pace)
