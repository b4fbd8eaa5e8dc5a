"""A bound for machines whose unfolding is too large, from a smaller one in which more is said of tests than holds.

Every test has a walk there that costs as much and shows no less (overestimating.py), so the walk of least cost that
shows what a test shows is a bound, and so is what it costs relaxed. For machines without choices only: of the others a
by-pass edge may cost less than its parts.
"""

from __future__ import annotations

from outplay.predicates.touring.prediction import Vector
from outplay.predicates.touring.problem_model import ROOT, ProblemModel, needed
from outplay.predicates.unfolding.unfolding_limits import LargeUnfolding
from outplay.predicates.unfolding.unfoldings import overestimated
from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import errand_of
from outplay.strategy.tours.linear_programs.relaxing import relaxed_bound

WIDTH = 16


def overestimated_bound(problem: ProblemModel, until: Deadline = NEVER, width: int = WIDTH) -> Vector | None:
    """The least that a test costs which shows what a problem pursues; None where nothing is known."""
    model, system = problem.graph.model, problem.graph.system
    if not model.deterministic or not system.monotone or len(problem.choices) > 1 or problem.past:
        return None
    wanted = {problem.pursuit.goals[number].clauses for number in problem.choices[0]}
    try:
        more = ProblemModel(overestimated(model, system, width=width, until=until), problem.prediction, until)
        asked = [number for number, goal in enumerate(more.pursuit.goals) if goal.clauses in wanted]
        asked = sorted(needed(more.pursuit, asked, until))
    except LargeUnfolding:
        return None
    goals = [more.pursuit.goals[number].edges for number in asked]
    return relaxed_bound(errand_of(more.network, goals, start=ROOT), until)[1:]
