"""What is said of tests of uncertain machines is right: held against every test up to a length, run by run."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from helpers.machines import random_machine
from helpers.seeds import seeds, with_long
from outplay import Machine
from outplay.predicate_tours import stretches
from outplay.predicate_tours.evidence import Clauses, single_evidence
from outplay.predicate_tours.planned_tour import PlannedTour, Reason
from outplay.predicate_tours.predicate_system import Annotated, AnnotatedStep, Evidence, PredicateSystem
from outplay.predicate_tours.strategies import all_states, all_transitions
from outplay.predicate_tours.system_model import MachineStep, SystemModel, system_model
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.strategy.tours.postman_problem import NoTour

LONGEST = 5
MOST_RUNS = 200
Run = tuple[int, int, int]
"""The state a run has come to, its cost, and what it has shown, as bits."""


def uncertain_machine(rng: Random, states: int) -> SystemModel:
    """A machine whose answers often hide where it is."""
    machine = random_machine(rng, states, "ab", "xy", answers=(1, 1, 2, 2, 3), home=rng.random() < 0.5)
    costs = {step: rng.choice((0, 1, 1, 2, 5)) for step in machine.steps}
    return system_model(machine, cost=lambda *step: costs[step])


class Plain:
    """Every test of a machine with its runs one by one, for strategies whose evidence follows from steps alone."""

    def __init__(self, model: SystemModel, system: PredicateSystem) -> None:
        self.root, self.inputs = model.root, sorted({step.given for step in model.steps})
        self.bit = {one: 1 << number for number, one in enumerate(system.wanted)}
        self.answers = {
            key: [(step.target, int(step.cost[0]), self.shown(system, step)) for step in steps]
            for key, steps in model.answers.items()
        }

    def shown(self, system: PredicateSystem, step: MachineStep) -> int:
        found = system.evidence(AnnotatedStep(Annotated(step.source), step, Annotated(step.target)))
        return sum(self.bit[one] for one in found)

    def after(self, runs: set[Run], given: str) -> set[Run] | None:
        """The runs with one more input; None where it may be refused."""
        if not all((state, given) in self.answers for state, _, _ in runs):
            return None
        return {
            (target, paid + cost, known | shown)
            for state, paid, known in runs
            for target, cost, shown in self.answers[state, given]
        }

    def every_test(self, length: int) -> Iterator[set[Run]]:
        """The runs of every sequence of inputs that cannot be refused and surely leads home."""
        level: list[set[Run]] = [{(self.root, 0, 0)}]
        for _ in range(length):
            longer = [self.after(runs, given) for runs in level for given in self.inputs]
            level = [runs for runs in longer if runs is not None and len(runs) <= MOST_RUNS]
            yield from (runs for runs in level if all(state == self.root for state, _, _ in runs))

    def runs(self, word: tuple[str, ...]) -> set[Run]:
        found: set[Run] = {(self.root, 0, 0)}
        for given in word:
            further = self.after(found, given)
            assert further is not None
            found = further
        return found

    def sure(self, runs: set[Run], clauses: Clauses) -> bool:
        """Whether every run shows all of one of the clauses."""
        masks = [sum(self.bit[one] for one in clause) for clause in clauses]
        return all(any(mask & shown == mask for mask in masks) for _, _, shown in runs)


def check_claims(model: SystemModel, system: PredicateSystem, length: int) -> PlannedTour | None:
    """Hold what a planned test says of itself and of all others against every test up to a length."""
    found, plain = plan_tour(model, system), Plain(model, system)
    if isinstance(found, NoTour):
        assert not any(plain.every_test(length))
        return None
    goals = [goal.clauses for goal in found.problem.pursuit.goals]
    doubtful = [single_evidence(one.evidence) for one in found.missing if one.reason is not Reason.UNSEEN]
    own = plain.runs(found.inputs)
    dearest = max(paid for _, paid, _ in own)
    assert all(plain.sure(own, clauses) for clauses in goals)
    assert (dearest == found.cost[0]) if found.optimal else (dearest <= found.cost[0])
    for runs in plain.every_test(length):
        assert not any(plain.sure(runs, clauses) for clauses in doubtful)
        if max(paid for _, paid, _ in runs) < found.bound[0]:
            assert not all(plain.sure(runs, clauses) for clauses in goals)
    return found


@pytest.mark.parametrize("make", [all_states, all_transitions])
@seeds(range(5_000), a_test=30, quick=60)
def test_no_claim_of_optimality_or_impossibility_is_false(seed: int, make):
    rng = Random(f"{make.__name__} {seed}")
    model = uncertain_machine(rng, rng.randint(2, 4))
    check_claims(model, make(model), LONGEST)


def chain(steps: int) -> SystemModel:
    """Each step takes one input or two, unseen, so runs come to C at different times; from D, behind it, b is home."""
    end, behind = 2 * steps, 2 * steps + 1
    rows = [(end, "a", "x", behind), (behind, "a", "x", behind), (behind, "b", "x", 0)]
    for state in range(0, end, 2):
        rows += [(state, "a", "x", state + 2), (state, "a", "x", state + 1), (state + 1, "a", "x", state + 2)]
    names = (*(f"s{state}" for state in range(end)), "C", "D")
    return system_model(Machine(names, tuple(rows)))


@pytest.mark.parametrize("steps", with_long([2, 6, 12, 3, 4, 5, 7, 8, 9, 10, 11], quick=3))
def test_a_chain_of_uncertain_steps_surely_visits_its_end(steps: int):
    model = chain(steps)
    wanted, system = Evidence(2 * steps), all_states(model)
    found = plan_tour(model, system)
    assert isinstance(found, PlannedTour)
    assert wanted in {one for goal in found.problem.pursuit.goals if goal.sure for one in goal.wanted}
    assert wanted not in {one.evidence for one in found.missing}
    end = plan_tour(model, PredicateSystem("end", system.stages, system.evidence, (wanted,)))
    assert isinstance(end, PlannedTour)
    assert end.inputs == ("a",) * (2 * steps + 1) + ("b",)
    assert end.optimal


def test_where_a_limit_is_hit_nothing_is_called_optimal_or_impossible(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stretches, "MOST_WALKS", 3)
    model = chain(6)
    found = plan_tour(model, all_states(model))
    assert isinstance(found, PlannedTour)
    assert found.limited
    assert not found.optimal
    assert {one.reason for one in found.missing if one.evidence == Evidence(12)} == {Reason.UNSEEN}


def test_a_stretch_costs_what_its_dearest_run_does():
    """Figure 7 of Kapus-Kolar 2007: two inputs of 2 or 1 and 1 or 2 cost 3 together, and surely show a d."""
    costs = {(0, "a", "d", 1): 2, (0, "a", "e", 2): 1, (1, "a", "e", 0): 1, (2, "a", "d", 0): 2, (0, "b", "d", 0): 5}
    model = system_model(Machine(("s0", "s1", "s2"), tuple(costs)), cost=lambda *step: costs[step])
    wanted = Evidence("d")
    system = PredicateSystem("d", (), lambda one: frozenset([wanted] * (one.step.shown == "d")), (wanted,))
    found = plan_tour(model, system)
    assert isinstance(found, PlannedTour)
    assert (found.inputs, found.cost, found.gap, found.limited) == (("a", "a"), (3,), Fraction(0), False)
