"""A quick bound from below: what the steps alone would cost, whatever comes before and after them.

Where the machine makes no choices, a test is a walk of the machine itself, and it takes for each goal one of the steps
that can be witnesses of it. So it costs at least as much as the postman's tour that takes such steps, which is a flow
of least cost where each goal has one step only: found at once, while the bound of the whole problem may take long.
"""

from __future__ import annotations

from outplay.predicates.prediction import Vector
from outplay.predicates.problem_model import ProblemModel
from outplay.strategy.tours.errand import Tour
from outplay.strategy.tours.network import network_of
from outplay.strategy.tours.postman import postman

SECONDS = 10.0


def projected_bound(problem: ProblemModel) -> Vector | None:
    """The least that steps cost which all goals need; None where the system chooses, or there is a choice of goals."""
    model = problem.graph.model
    if len(problem.choices) > 1 or problem.past or any(len(steps) > 1 for steps in model.answers.values()):
        return None
    place = {step: number for number, step in enumerate(model.steps)}
    goals = {
        frozenset(place[part.step] for edge in problem.pursuit.goals[number].edges for part in problem.steps_of(edge))
        for number in problem.choices[0]
    }
    network = network_of(len(model.names), [(step.source, step.target, step.cost) for step in model.steps])
    found = postman(network, sorted(goals, key=sorted), start=model.root, time_limit=SECONDS)
    return found.bound if isinstance(found, Tour) else None
