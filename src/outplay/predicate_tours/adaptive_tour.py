"""A tester that plays a tour and plans anew after an answer, and the account of what it paid and showed.

What a play of a tour came to: what was planned, paid and shown, beside the bound.

A tester that plays a tour and plans anew when an answer shows that another way is better. Kapus-Kolar 2007, 7.3: apply
what was planned, observe, leave out the systems that cannot have answered so, and find the best continuation whenever
the system has made a choice. What the past has shown need not be shown again, and what a deterministic system cannot do
any more need not be waited for. Without `adaptive` the test is played as it was planned. Where the model has resets, a
step of the plan may start the system again; what was observed before is still observed. The last step is not played if
it is a reset, because the next play begins with one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from outplay.cancellation import NEVER, Deadline
from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.model.tracking import Tracker
from outplay.plurals import counted
from outplay.predicate_tours.continuation import Belief, ManyReadings, initial_belief, plan_continuation, runs_observed
from outplay.predicate_tours.evidence import run_shows_clause, single_evidence
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.predicate_system import AnnotatedStep, Evidence, PredicateSystem, annotated_tour
from outplay.predicate_tours.sheaf_graph import Prediction, Vector, cost_vector_text
from outplay.predicate_tours.system_model import MachineStep, SystemModel
from outplay.strategy.tours.postman_problem import NoTour
from outplay.tester.tester import Decision, End, Give, Stop, TesterReport, TraceBased, Wait

Seen: TypeAlias = tuple[tuple[str, str], ...]
"""Inputs, each with the output that answered it; a reset is answered by itself."""


@dataclass(frozen=True)
class Account:
    """The account of a play: what was planned, what was paid and what was shown."""

    plan: PlannedTour
    paid: Vector
    shown: tuple[Evidence, ...]
    """The wanted evidence that was shown, whichever run it was."""
    wanted: int


def _account_of(
    plan: PlannedTour, model: SystemModel, system: PredicateSystem, seen: Seen, *, deterministic: bool
) -> Account:
    """The account of what was seen; nothing is shown before the machine is back home, or if too much may have been."""
    runs = [run for run in _runs(model, seen, deterministic) if run]
    home = runs and all(run[-1].target == model.root for run in runs)
    evidence = [_evidence(system, run, model.root) for run in runs] if home else [frozenset[Evidence]()]
    shown = [one for one in system.wanted if all(run_shows_clause(each, single_evidence(one)) for each in evidence)]
    return Account(plan, _paid_for(model, seen), tuple(shown), len(system.wanted))


def _paid_for(model: SystemModel, seen: Seen) -> Vector:
    """Return the cost paid, reckoned with the dearest run that shows what was seen."""
    nothing = model.nothing
    dearest: dict[int, Vector] = {model.root: nothing}
    for label in seen:
        longer: dict[int, Vector] = {}
        for step in model.machine_steps:
            if step.source in dearest and step.label == label:
                paid = tuple(a + b for a, b in zip(dearest[step.source], step.cost, strict=True))
                longer[step.target] = max(longer.get(step.target, nothing), paid)
        dearest = longer
    return max(dearest.values(), default=nothing)


def _runs(model: SystemModel, seen: Seen, deterministic: bool) -> list[tuple[MachineStep, ...]]:
    try:
        found = runs_observed(model, seen, deterministic=deterministic)
        return found or runs_observed(model, seen)  # it may have changed its mind after all
    except ManyReadings:
        return []


def _evidence(system: PredicateSystem, run: tuple[MachineStep, ...], root: int) -> frozenset[Evidence]:
    states = annotated_tour(system, run, root)
    steps = (AnnotatedStep(before, step, after) for before, step, after in zip(states, run, states[1:], strict=False))
    return frozenset().union(*map(system.evidence, steps))


Maker: TypeAlias = Callable[[SystemModel], PredicateSystem]
AGAIN = Label.parse(RESET)
"""The label that starts the system again."""
_A_PLAN = 0.5  # of the time that is left
_ALLOW = "; allow the tester to start the system again, with --reset-cost"


@dataclass(frozen=True)
class TourMemory:
    """The observations so far, the input that is not answered yet, and the inputs that are still to be given."""

    rest: tuple[str, ...]
    observed: Seen = ()
    waiting: str | None = None
    plans: int = 1
    end: End = End.PASS

    @property
    def over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.rest in ((), (RESET,)) or self.end is not End.PASS

    @property
    def whole(self) -> Seen:
        """Return the observations, with the reset that ends them."""
        return (*self.observed, (RESET, RESET)) if self.rest == (RESET,) else self.observed


class AdaptiveTour(TraceBased):
    """The tester. A strategy is given as the function that makes it, because it follows what is left of the machine."""

    def __init__(
        self,
        model: SystemModel,
        strategy: Maker,
        *,
        deterministic: bool = False,
        adaptive: bool = True,
        budget: int | None = None,
        prediction: Prediction | None = None,
        time_limit: float | None = None,
        until: Deadline = NEVER,
    ) -> None:
        """Each plan may take `time_limit` seconds; after `until` the rest of the last plan is kept to."""
        self._model, self._strategy, self._adaptive, self._budget = model, strategy, adaptive, budget
        self._prediction, self._time_limit, self._until = prediction or Prediction(), time_limit, until
        self._belief = initial_belief(model, deterministic=deterministic)
        self._inputs = {Label(INPUT, step.given): step.given for step in model.own_steps}
        self._outputs = {Label(OUTPUT, step.shown): step.shown for step in model.own_steps}
        if model.resets and AGAIN in self._inputs:
            raise UsageError(f"the machine has an input {AGAIN} of its own: rename it, or allow no resets")
        self._believed = lru_cache(maxsize=1_000)(self._believed_after)
        self._planned = lru_cache(maxsize=1_000)(self._planned_after)
        found = self._planned(())
        if isinstance(found, NoTour):
            raise UsageError(f"no tour found to play: {found.why}{'' if model.resets else _ALLOW}")
        if not found.is_one_test:
            raise UsageError(f"the strategy takes {len(found.walks)} tests, each from a fresh start{_ALLOW}")
        if not found.inputs and found.missing:
            raise UsageError(f"no test that surely leads back shows what is wanted{'' if model.resets else _ALLOW}")
        self.plan: PlannedTour = found
        self._ended: dict[TourMemory, int] = {}

    @property
    def start(self) -> TourMemory:
        """The test as it is planned before anything was observed."""
        return TourMemory(self.plan.inputs)

    def choose(self, tracker: Tracker, memory: TourMemory) -> Decision:
        if memory.waiting is not None:
            return Wait()
        if memory.over:
            self._ended[memory] = self._ended.get(memory, 0) + 1
            return Stop(memory.end)
        return Give(AGAIN if memory.rest[0] == RESET else Label(INPUT, memory.rest[0]))

    def remember(self, tracker: Tracker, memory: TourMemory, label: Label) -> TourMemory:
        if label in self._inputs:
            return replace(memory, waiting=self._inputs[label])
        if label == AGAIN and self._model.resets:
            return self._observed(memory, RESET, RESET)
        if memory.waiting is None or label not in self._outputs:
            return memory
        return self._observed(memory, memory.waiting, self._outputs[label])

    def _observed(self, memory: TourMemory, given: str, shown: str) -> TourMemory:
        """Return the memory after an input was answered; with a choice of the system the rest is planned anew."""
        observed = (*memory.observed, (given, shown))
        expected = self._believed(memory.observed).answers(given)
        rest = memory.rest[1:] if memory.rest[:1] == (given,) else ()
        after = replace(memory, observed=observed, waiting=None, rest=rest)
        if self._budget is not None and not after.over and _paid_for(self._model, observed)[0] >= self._budget:
            return replace(after, end=End.INCONCLUSIVE)
        return self._replanned(after) if self._adaptive and len(expected) > 1 and rest else after

    def _replanned(self, memory: TourMemory) -> TourMemory:
        """The best continuation; where none is found what is left of the plan still leads home."""
        if self._until.passed:
            return memory
        found = self._planned(memory.observed)
        if isinstance(found, NoTour) or not found.is_one_test:
            return memory
        rest = found.inputs[len(memory.observed) :]
        return memory if rest == memory.rest else replace(memory, rest=rest, plans=memory.plans + 1)

    def _believed_after(self, observed: Seen) -> Belief:
        if not observed:
            return self._belief
        return self._believed(observed[:-1]).after(*observed[-1])

    def _planned_after(self, observed: Seen) -> PlannedTour | NoTour:
        model = self._believed(observed).remaining()
        left = self._until.share(_A_PLAN).left
        limit = self._time_limit if left is None else left
        return plan_continuation(model, self._strategy(model), observed, prediction=self._prediction, time_limit=limit)

    def account(self, memory: TourMemory) -> Account:
        """Return the account of a play, from the tester's memory at its end."""
        system, deterministic = self._strategy(self._model), self._belief.deterministic
        return _account_of(self.plan, self._model, system, memory.whole, deterministic=deterministic)

    def report(self) -> TesterReport:
        return TesterReport(lines=tuple(self._accounts()))

    def _accounts(self) -> list[str]:
        """Describe the plays so far, in words."""
        if not self._ended:
            given = [one for one in self.plan.inputs if one != RESET]
            labels = len(self.plan.inputs) + len(given)  # resets are not answered
            return [f"no tour was played to its end: as planned it takes {counted(labels, 'label')}, see --steps"]
        found = [self.account(memory) for memory in self._ended]
        plays, first = sum(self._ended.values()), found[0]
        least, most = (cost_vector_text(choice(one.paid for one in found)) for choice in (min, max))
        paid = least if least == most else f"{least} to {most}"
        anew = sum(count for memory, count in self._ended.items() if memory.plans > 1)
        shown = {one for account in found for one in account.shown}
        torn = sum(count for memory, count in self._ended.items() if not self._believed(memory.observed).readings)
        left_out = 0 if self._model.resets else len(self._model.left_out)
        changed = f"in {counted(torn, 'play')} the system changed its mind, so it is not deterministic"
        return [
            f"tours: planned {cost_vector_text(first.plan.cost)}, where no plan promises less than "
            f"{cost_vector_text(first.plan.bound)}; paid {paid} in {counted(plays, 'play')}, planned anew in {anew:,}",
            f"surely shown: {len(shown):,} of {first.wanted:,} that the strategy wants",
            *([changed] if torn else []),
            *([f"{counted(left_out, 'transition')} no safe way leads to and back from{_ALLOW}"] if left_out else []),
        ]
