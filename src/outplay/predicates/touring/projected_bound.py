"""A quick bound from below: what the steps alone would cost, whatever comes before and after them.

Each run of a test is a walk of the machine itself, and it takes for each goal one of the steps that can be witnesses of
it. So where the worst is expected, or the machine makes no choices, a test costs at least as much as the postman's tour
that takes such steps, which is a flow of least cost where each goal has one step only: found at once, while the bound
of the whole problem may take long. Of an unfolding that says too little not all witnesses are known; then all steps
count that could be witnesses at the very most.
"""

from __future__ import annotations

from outplay.predicates.system_model import MachineStep
from outplay.predicates.touring.prediction import Expecting, Vector
from outplay.predicates.touring.problem_model import ProblemModel
from outplay.predicates.unfolding.overestimating import possible_witnesses
from outplay.predicates.unfolding.unfolding_limits import LargeUnfolding, look_at
from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import Tour
from outplay.strategy.tours.network import network_of
from outplay.strategy.tours.postman import postman


def projected_bound(problem: ProblemModel, until: Deadline = NEVER) -> Vector | None:
    """The least that steps cost which all goals need; None where there is a choice of goals, or luck is hoped for."""
    model = problem.graph.model
    if problem.graph.rounded and not problem.graph.system.monotone:
        return None
    if len(problem.choices) > 1 or problem.past or not (_worst(problem) or model.deterministic):
        return None
    place = {step: number for number, step in enumerate(model.steps)}
    try:
        goals = {frozenset(map(place.__getitem__, steps)) for steps in _witnesses(problem, until)}
    except LargeUnfolding:
        return None
    network = network_of(len(model.names), [(step.source, step.target, step.cost) for step in model.steps])
    found = postman(network, sorted(goals, key=sorted), start=model.root, time_limit=until.left)
    return found.checked if isinstance(found, Tour) else None


def _worst(problem: ProblemModel) -> bool:
    return problem.prediction.cost is problem.prediction.evidence is Expecting.WORST


def _witnesses(problem: ProblemModel, until: Deadline) -> list[frozenset[MachineStep]]:
    """For each goal the steps of which a run takes one."""
    graph, goals = problem.graph, [problem.pursuit.goals[number] for number in problem.choices[0]]
    if graph.rounded:
        return possible_witnesses(graph.model, graph.system, [set().union(*goal.clauses) for goal in goals], until)
    steps = [frozenset(part.step for part in problem.steps_of(edge)) for edge in range(len(graph.edges))]
    found = []
    for done, goal in enumerate(goals):
        look_at(until, done)
        found.append(frozenset().union(*(steps[edge] for edge in goal.edges)))
    return found
