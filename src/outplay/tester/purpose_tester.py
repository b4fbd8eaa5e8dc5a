"""Executing one test purpose on the fly, with data chosen as it is needed.

Algorithm 6 of van den Bos 2020: the switches of the path are taken in their order. For an input, values are chosen
that meet the path condition with all that was seen put in; where the solver cannot tell, values that meet the guard
alone. An output that the next switch allows goes on; one that only other switches allow ends the test as inconclusive.
What no switch allows is a Fail, which is for the judge to say, who follows all switches at once (the set C of the
algorithm). Silence where the path goes on by an output is inconclusive too, where it is allowed at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Value
from outplay.model.expressions.term import FALSE, Term, conjunction, literal, literals
from outplay.model.label import INPUT, SILENCE, Label
from outplay.model.symbolic.interpretation import SemanticState, SymbolicSpecification
from outplay.model.symbolic.solving import Satisfied, Undecided, Unsatisfiable, solve_condition
from outplay.model.symbolic.switch_coverage import SwitchPurpose
from outplay.model.symbolic.symbolic_state import at_step, relevant_conjuncts
from outplay.model.symbolic.symbolic_system import Switch
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Stop, TraceBased, Wait


@dataclass(frozen=True)
class OnPath:
    """The progress of a purpose: the switches taken, the state they led to, and what the rest still asks for."""

    done: int
    state: SemanticState
    condition: Term
    given_up: bool = False


class PurposeTester(TraceBased):
    """The tester that executes a purpose."""

    def __init__(self, purpose: SwitchPurpose, rng: Random) -> None:
        self.purpose, self._rng = purpose, rng
        self._spec = SymbolicSpecification(purpose.system)
        (first,) = self._spec.initial
        self._start = OnPath(0, first, simplify(conjunction(purpose.condition)))

    @property
    def start(self) -> OnPath:
        return self._start

    def choose(self, tracker: Tracker, memory: OnPath) -> Decision:
        if memory.given_up:
            return Stop(End.INCONCLUSIVE)
        if memory.done == len(self.purpose):
            return Stop(End.PASS)
        switch = self.purpose.path[memory.done]
        if switch.gate.kind != INPUT:
            return Wait()
        values = self._values(switch, memory)
        if values is None:
            return Stop(End.INCONCLUSIVE)
        arguments = tuple(values[_named(one, memory)] for one in switch.parameters)
        label = Label(INPUT, switch.gate.name, arguments)
        # Where some state that the system may be in does not specify it, a conforming system may do anything.
        return Give(label) if tracker.enabled(label) else Stop(End.INCONCLUSIVE)

    def remember(self, tracker: Tracker, memory: OnPath, label: Label) -> OnPath:
        if memory.given_up or memory.done == len(self.purpose):
            return memory
        switch = self.purpose.path[memory.done]
        if label == SILENCE:
            return memory if switch.gate.kind == INPUT else replace(memory, given_up=True)
        reached = [state for one, state in self._spec.taken(memory.state, label) if one is switch]
        if not reached:
            return replace(memory, given_up=True)
        values = {_named(one, memory): literal(value, one.sort)
                  for one, value in zip(switch.parameters, label.arguments, strict=True)}  # fmt: skip
        left = simplify(substitute(memory.condition, values))
        return OnPath(memory.done + 1, reached[0], left, _is_lost(left))

    def _values(self, switch: Switch, memory: OnPath) -> dict[str, Value] | None:
        own = [at_step(one, memory.done + 1) for one in switch.parameters]
        wanted = relevant_conjuncts(memory.condition, [str(one.value) for one in own])
        sorts = {name: one.sort for name, one in free_variables(wanted, *own).items()}
        found = solve_condition(wanted, sorts, self._rng)
        chosen = self._by_guard(switch, memory) if isinstance(found, Undecided) else found
        return dict(chosen.values) if isinstance(chosen, Satisfied) else None

    def _by_guard(self, switch: Switch, memory: OnPath) -> Satisfied | None:
        """Values that the guard allows here, where nothing more is known; not such as make the rest impossible."""
        terms = literals(self._spec.valuation(memory.state), self.purpose.system.variables)
        own = {str(one.value): at_step(one, memory.done + 1) for one in switch.parameters}
        guard = simplify(substitute(self.purpose.system.enabling(switch), {**terms, **own}))
        found = solve_condition(guard, {str(one.value): one.sort for one in own.values()}, self._rng)
        if not isinstance(found, Satisfied):
            return None
        given = {str(one.value): literal(found.values[str(one.value)], one.sort) for one in own.values()}
        return None if _is_lost(simplify(substitute(memory.condition, given))) else found


def _named(parameter: Term, memory: OnPath) -> str:
    return str(at_step(parameter, memory.done + 1).value)


def _is_lost(condition: Term) -> bool:
    if condition is FALSE:
        return True
    names = free_variables(condition)
    return isinstance(solve_condition(condition, {name: one.sort for name, one in names.items()}), Unsatisfiable)
