"""Bounds from below that are found sooner than that of the whole problem, or where it is too large.

Projected: each run of a test is a walk of the machine itself, and it takes for each goal one of the steps that can be
witnesses of it. So where the worst is expected, or the machine makes no choices, a test costs at least as much as the
postman's tour that takes such steps, which is a flow of least cost where each goal has one step only. Of an unfolding
that says too little not all witnesses are known; then all steps count that could be witnesses at the very most.

Overestimated: in a smaller unfolding that says more of tests than holds (overestimating.py) every test has a walk
that costs as much and shows no less, so what the walk of least cost costs relaxed is a bound. For machines without
choices only: of the others a by-pass edge may cost less than its parts.
"""

from __future__ import annotations

from outplay.predicates.system_model import MachineStep
from outplay.predicates.touring.prediction import Expecting, Vector
from outplay.predicates.touring.problem_model import ROOT, ProblemModel, needed
from outplay.predicates.unfolding.overestimating import possible_witnesses
from outplay.predicates.unfolding.unfolding_limits import LargeUnfolding, look_at
from outplay.predicates.unfolding.unfoldings import overestimated
from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import Tour, errand_of
from outplay.strategy.tours.linear_programs.proving import relaxed_bound
from outplay.strategy.tours.network import network_of
from outplay.strategy.tours.postman import postman

WIDTH = 16


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
