"""Tours played against live systems: what is observed rules systems out, and the rest of the test follows it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from random import Random

from helpers.seeds import seeds
from helpers.tour_machines import named, random_system_model, running_example
from outplay import Machine, Simulated, run, specification
from outplay.play.plan import Plan
from outplay.predicate_tours.adaptive_tour import AdaptiveTour, TourMemory
from outplay.predicate_tours.continuation import initial_belief, plan_continuation, runs_observed
from outplay.predicate_tours.recognition import forward_recognition
from outplay.predicate_tours.system_model import MachineStep, SystemModel
from outplay.strategy.tours.postman_problem import NoTour
from outplay.tester.tester import End, Stop, TraceBased

THE_TEST = tuple("baaababbabb")


def machine_of(model: SystemModel, steps: tuple[MachineStep, ...] | None = None) -> Machine:
    return Machine(model.names, tuple(step[:4] for step in steps or model.machine_steps), model.root)


def deterministic_parts(model: SystemModel) -> Iterator[tuple[MachineStep, ...]]:
    """Every deterministic system that keeps to the machine with its own states."""
    yield from product(*model.answers.values())


class Watched(TraceBased):
    """A tester that keeps what it remembered last, and how often it was asked to decide with it."""

    def __init__(self, tester: AdaptiveTour) -> None:
        self.tester, self.last = tester, tester.start

    @property
    def start(self) -> TourMemory:
        return self.tester.start

    def choose(self, tracker, memory: TourMemory):
        self.last = memory
        return self.tester.choose(tracker, memory)

    def remember(self, tracker, memory: TourMemory, label):
        return self.tester.remember(tracker, memory, label)


def played(model: SystemModel, tester: AdaptiveTour, system: Machine, seed: int = 0) -> TourMemory:
    """Play once against a simulated system; the verdict must be no Fail."""
    watched = Watched(tester)
    plan = Plan(specification(machine_of(model)), watched)
    outcome = run(plan, Simulated(system, Random(seed)), plays=1, steps=500)
    assert outcome.verdict.name != "fail", outcome.verdict
    return watched.last


def test_a_deterministic_system_is_ruled_out_as_in_the_text():
    """7.6: after b a / f d the transition t5 is not implemented."""
    model = running_example()
    seen = initial_belief(model, deterministic=True).after("b", "f").after("a", "d")
    assert set(model.steps) - set(seen.remaining().steps) == set(named(model, "t5"))
    assert initial_belief(model).after("b", "f").after("a", "d").remaining() == model


@seeds(range(100), quick=10)
def test_what_is_left_is_what_some_deterministic_system_has(seed: int):
    model = random_system_model(Random(seed), states=2)
    systems = list(deterministic_parts(model))
    for seen in {observation(Random(f"{seed} {n}"), model, systems) for n in range(4)}:
        believed = initial_belief(model, deterministic=True)
        for label in seen:
            believed = believed.after(*label)
        fitting = [one for one in systems if labels_of(model, one, [x for x, _ in seen]) == seen]
        possible = {step for one in fitting for step in one}
        ruled_out = {step for step in model.steps if not believed._possible(step)}
        assert ruled_out == set(model.steps) - possible
        assert {run[-1].target if run else 0 for run in runs_observed(model, seen, deterministic=True)} == {
            state for state, _ in believed.readings
        }


def observation(rng: Random, model: SystemModel, systems: list[tuple[MachineStep, ...]]) -> tuple[tuple[str, str], ...]:
    inputs = [rng.choice(["a", "b"]) for _ in range(rng.randint(0, 5))]
    return labels_of(model, rng.choice(systems), inputs)


def labels_of(model: SystemModel, system: tuple[MachineStep, ...], inputs: list[str]) -> tuple[tuple[str, str], ...]:
    """What a deterministic system shows, as far as it takes the inputs."""
    found, state = [], model.root
    for given in inputs:
        step = next((one for one in system if (one.source, one.given) == (state, given)), None)
        if step is None:
            break
        found.append(step.label)
        state = step.target
    return tuple(found)


def test_every_deterministic_implementation_of_the_running_example_is_played_home():
    model = running_example()
    tester = AdaptiveTour(model, forward_recognition, deterministic=True)
    paid = []
    for system in deterministic_parts(model):
        memory = played(model, tester, machine_of(model, system))
        account = tester.account(memory)
        assert tester.choose(None, memory) == Stop(End.PASS)  # type: ignore[arg-type]
        assert account.paid <= account.plan.cost == (11,)
        assert account.shown
        paid.append(int(account.paid[0]))
    assert min(paid) < 11 == max(paid)


@seeds(range(20), quick=3)
def test_against_a_system_that_chooses_anew_all_that_was_pursued_is_shown(seed: int):
    model = running_example()
    tester = AdaptiveTour(model, forward_recognition)
    account = tester.account(played(model, tester, machine_of(model), seed))
    sure = {one for goal in tester.plan.problem.pursuit.goals if goal.sure for one in goal.wanted}
    assert sure <= set(account.shown)
    assert account.paid <= account.plan.cost
    assert account.paid <= account.plan.bound


def test_a_test_that_is_not_adaptive_is_played_as_planned():
    model = running_example()
    tester = AdaptiveTour(model, forward_recognition, adaptive=False)
    for seed in range(5):
        memory = played(model, tester, machine_of(model), seed)
        assert tuple(given for given, _ in memory.observed) == THE_TEST
        assert memory.plans == 1


def test_where_too_much_would_be_unfolded_the_approximate_test_is_played_as_planned(monkeypatch):
    small = partial(plan_continuation, most=3)
    monkeypatch.setattr("outplay.predicate_tours.adaptive_tour.plan_continuation", small)
    model = running_example()
    tester = AdaptiveTour(model, forward_recognition)
    assert tester.plan.approximate
    for seed in range(5):
        memory = played(model, tester, machine_of(model), seed)
        assert tuple(given for given, _ in memory.observed) == tester.plan.inputs
    assert isinstance(small(model, forward_recognition(model), [("b", "f")]), NoTour)


def test_the_budget_ends_a_test():
    model = running_example()
    tester = AdaptiveTour(model, forward_recognition, adaptive=False, budget=4)
    memory = played(model, tester, machine_of(model))
    assert len(memory.observed) == 4
    assert tester.choose(None, memory) == Stop(End.INCONCLUSIVE)  # type: ignore[arg-type]


def test_a_fault_is_a_fail():
    model = running_example()
    steps = ((s, x, "d" if (s, x) == (1, "b") else y, t) for s, x, y, t in machine_of(model).steps)
    wrong = Machine(model.names, tuple(steps))
    plan = Plan(specification(machine_of(model)), AdaptiveTour(model, forward_recognition))
    assert run(plan, Simulated(wrong, Random(0)), plays=5, steps=100).verdict.name == "fail"
