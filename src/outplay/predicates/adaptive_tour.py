"""A tester that plays a tour and plans anew when an answer shows that another way is better.

Kapus-Kolar 2007, 7.3: apply what was planned, observe, leave out the systems that cannot have answered so, and find the
best continuation whenever the system has made a choice. What the past has shown need not be shown again, and what a
deterministic system cannot do any more need not be waited for. Without `adaptive` the test is played as it was planned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from outplay.errors import UsageError
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.model.tracking import Tracker
from outplay.predicates.belief import Belief, belief, runs_showing
from outplay.predicates.continuation import plan_continuation
from outplay.predicates.planned_tour import PlannedTour
from outplay.predicates.predicate_system import AnnotatedStep, Evidence, PredicateSystem, annotated_tour
from outplay.predicates.prediction import Prediction, Vector, vector_words
from outplay.predicates.system_model import MachineStep, SystemModel
from outplay.predicates.witnessing import run_shows, single
from outplay.strategy.tours.errand import NoTour
from outplay.strategy.words import counted
from outplay.tester.tester import Decision, End, Give, Stop, Wait

Maker: TypeAlias = Callable[[SystemModel], PredicateSystem]
Seen: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TourMemory:
    """What was observed, the input that is not answered yet, and the inputs that are still to be given."""

    rest: tuple[str, ...]
    observed: Seen = ()
    waiting: str | None = None
    plans: int = 1
    end: End = End.PASS


@dataclass(frozen=True)
class Account:
    """What a play came to: what was planned, what was paid, and the bound below which no plan was."""

    planned: Vector
    bound: Vector
    paid: Vector
    plans: int
    shown: tuple[Evidence, ...]
    """What is wanted and was shown, whichever run it was."""
    wanted: int

    @property
    def regret(self) -> Fraction:
        """How much more was paid than the bound, by the first criterion in which they differ; below 0 for luck."""
        pairs = zip(self.paid, self.bound, strict=True)
        return next((paid - bound for paid, bound in pairs if paid != bound), Fraction(0))


class AdaptiveTour:
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
    ) -> None:
        self._model, self._strategy, self._adaptive, self._budget = model, strategy, adaptive, budget
        self._prediction, self._time_limit = prediction or Prediction(), time_limit
        self._belief = belief(model, deterministic=deterministic)
        self._inputs = {Label(INPUT, step.given): step.given for step in model.machine_steps}
        self._outputs = {Label(OUTPUT, step.shown): step.shown for step in model.machine_steps}
        self._believed = lru_cache(maxsize=1_000)(self._believed_after)
        self._planned = lru_cache(maxsize=1_000)(self._planned_after)
        found = self._planned(())
        if isinstance(found, NoTour):
            raise UsageError(f"there is no tour to play: {found.why}")
        self.plan: PlannedTour = found
        self._ended: dict[TourMemory, int] = {}

    @property
    def start(self) -> TourMemory:
        """The test as it is planned before anything was observed."""
        return TourMemory(self.plan.inputs)

    def decide(self, tracker: Tracker, memory: TourMemory) -> Decision:
        if memory.waiting is not None:
            return Wait()
        if not memory.rest or memory.end is not End.PASS:
            self._ended[memory] = self._ended.get(memory, 0) + 1
            return Stop(memory.end)
        return Give(Label(INPUT, memory.rest[0]))

    def remember(self, tracker: Tracker, memory: TourMemory, label: Label) -> TourMemory:
        if label in self._inputs:
            return replace(memory, waiting=self._inputs[label])
        if memory.waiting is None or label not in self._outputs:
            return memory
        observed = (*memory.observed, (memory.waiting, self._outputs[label]))
        expected = self._believed(memory.observed).answers(memory.waiting)
        rest = memory.rest[1:] if memory.rest[:1] == (memory.waiting,) else ()
        after = replace(memory, observed=observed, waiting=None, rest=rest)
        if self._budget is not None and rest and self.paid(observed)[0] >= self._budget:
            return replace(after, end=End.INCONCLUSIVE)
        return self._replanned(after) if self._adaptive and len(expected) > 1 and rest else after

    def _replanned(self, memory: TourMemory) -> TourMemory:
        """The best continuation; where none is found what is left of the plan still leads home."""
        found = self._planned(memory.observed)
        if isinstance(found, NoTour):
            return memory
        rest = found.tests[0][len(memory.observed) :]
        return memory if rest == memory.rest else replace(memory, rest=rest, plans=memory.plans + 1)

    def _believed_after(self, observed: Seen) -> Belief:
        if not observed:
            return self._belief
        return self._believed(observed[:-1]).after(*observed[-1])

    def _planned_after(self, observed: Seen) -> PlannedTour | NoTour:
        model = self._believed(observed).remaining()
        return plan_continuation(
            model, self._strategy(model), observed, prediction=self._prediction, time_limit=self._time_limit
        )

    def paid(self, observed: Seen) -> Vector:
        """What was paid, reckoned with the dearest run that shows what was observed."""
        width = len(self._model.machine_steps[0].cost)
        costs = [_cost(run, width) for run in self._runs(observed)]
        return max(costs, default=(Fraction(0),) * width)

    def account(self, memory: TourMemory) -> Account:
        """What a play came to, from what the tester remembers at its end; nothing is shown before it is back home."""
        system, root = self._strategy(self._model), self._model.root
        runs = [run for run in self._runs(memory.observed) if run]
        home = runs and all(run[-1].target == root for run in runs)
        evidence = [_evidence(system, run, root) for run in runs] if home else [frozenset[Evidence]()]
        shown = [one for one in system.wanted if all(run_shows(each, single(one)) for each in evidence)]
        paid = self.paid(memory.observed)
        return Account(self.plan.cost, self.plan.bound, paid, memory.plans, tuple(shown), len(system.wanted))

    def accounts(self) -> list[str]:
        """What plays came to so far, in words."""
        if not self._ended:
            return []
        found = [self.account(memory) for memory in self._ended]
        plays, first = sum(self._ended.values()), found[0]
        least, most = (vector_words(choice(one.paid for one in found)) for choice in (min, max))
        paid = least if least == most else f"{least} to {most}"
        anew = sum(count for memory, count in self._ended.items() if memory.plans > 1)
        shown = {one for account in found for one in account.shown}
        torn = sum(count for memory, count in self._ended.items() if not self._believed(memory.observed).readings)
        changed = f"in {counted(torn, 'play')} the system changed its mind, so it is not deterministic"
        return [
            f"tours: planned {vector_words(first.planned)}, where no plan promises less than "
            f"{vector_words(first.bound)}; paid {paid} in {counted(plays, 'play')}, planned anew in {anew:,}",
            f"shown for sure: {len(shown):,} of {first.wanted:,} that the strategy wants",
            *([changed] if torn else []),
        ]

    def _runs(self, observed: Seen) -> list[tuple[MachineStep, ...]]:
        found = runs_showing(self._model, observed, deterministic=self._belief.deterministic)
        return found or runs_showing(self._model, observed)  # it may have changed its mind after all


def _cost(run: tuple[MachineStep, ...], width: int) -> Vector:
    return tuple(Fraction(sum(step.cost[part] for step in run)) for part in range(width))


def _evidence(system: PredicateSystem, run: tuple[MachineStep, ...], root: int) -> frozenset[Evidence]:
    states = annotated_tour(system, run, root)
    steps = (AnnotatedStep(before, step, after) for before, step, after in zip(states, run, states[1:], strict=False))
    return frozenset().union(*map(system.evidence, steps))
