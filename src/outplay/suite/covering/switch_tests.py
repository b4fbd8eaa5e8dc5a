"""Test cases that take every switch of a symbolic model: purposes with data chosen beforehand.

Each purpose (van den Bos 2020, 4.16) becomes a chain: its inputs are given, and its outputs hoped for, with values that
meet the path condition. Where the system rightly shows something else the test is inconclusive. Played on the fly
(`run --tester switches`), data are chosen as late as can be, and such a test goes on instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.model.expressions.evaluation import free_variables
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.term import conjunction
from outplay.model.label import SILENCE, Label
from outplay.model.symbolic.execution_graph import SymbolicLimits
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.solving import Satisfied, solve_condition
from outplay.model.symbolic.switch_coverage import CoveringPaths, SwitchPurpose, covering_paths
from outplay.model.symbolic.symbolic_state import at_step
from outplay.plurals import counted
from outplay.suite.methods import Subject, refuse_goals
from outplay.suite.suite import Stream, Suite, TestCase, case_of
from outplay.tester.tester import End


@dataclass(frozen=True)
class SwitchTests:
    """Purposes that cover the switches, and what they leave out."""

    spec: SymbolicSpecification
    found: CoveringPaths

    def json(self) -> dict[str, Any]:
        """The a priori coverage, and why switches are missing."""
        return {"switches": len(self.spec.system.switches), "coverage": self.found.share, "missing": self.found.missing}

    def lines(self) -> list[str]:
        taken = f"they take {counted(len(self.found.covered), 'switch')} of {len(self.spec.system.switches):,}"
        return [taken, *(f"not taken: {name}: {why}" for name, why in self.found.missing.items())]

    def cases(self) -> Iterator[TestCase]:
        """The test cases, one for each purpose, the longest first."""
        for number, purpose in enumerate(self.found.purposes):
            yield _case(self.spec, purpose, f"switches {number + 1}")


def switch_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """Make the suite that takes every switch of a symbolic model that can be taken."""
    spec = subject.bare()
    if not isinstance(spec, SymbolicSpecification):
        raise UsageError("--method switch is for symbolic models (.sts): they have switches")
    refuse_goals(subject, "switch", "switches")
    limits = SymbolicLimits(states=min(subject.limits.states, SymbolicLimits.states), seconds=subject.limits.seconds)
    made = SwitchTests(spec, covering_paths(spec.system, limits=limits, progress=progress))
    guarantee = "every switch that can be taken is taken by a test, if the system answers as the tests hope"
    count, labels = len(made.found.purposes), made.found.labels
    return Suite(tests=Stream(made.cases), guarantee=guarantee, count=count, labels=labels, remarks=made)


def _case(spec: SymbolicSpecification, purpose: SwitchPurpose, name: str) -> TestCase:
    (state,) = spec.initial
    steps: list[tuple[str, str | Label, str]] = []
    labels = _labels(purpose)
    for number, (label, switch) in enumerate(zip(labels, purpose.path, strict=True)):
        here, there = f"t{number}", f"t{number + 1}" if number + 1 < len(labels) else End.PASS.value
        steps.append((here, label, there))
        if not label.is_input:
            quiet = End.INCONCLUSIVE if spec.quiet(state) else End.FAIL
            steps.append((here, SILENCE, quiet.value))
        state = next(target for one, target in spec.taken(state, label) if one is switch)
    return case_of(steps, initial="t0", name=name)


def _labels(purpose: SwitchPurpose) -> list[Label]:
    """The labels of a purpose, with values that meet its path condition."""
    condition = simplify(conjunction(purpose.condition))
    own = [[at_step(one, step) for one in switch.parameters] for step, switch in enumerate(purpose.path, 1)]
    sorts = {name: one.sort for name, one in free_variables(condition, *(one for row in own for one in row)).items()}
    found = solve_condition(condition, sorts, Random(0))
    if not isinstance(found, Satisfied):
        raise UsageError(f"no data were found for the path {purpose}: play it on the fly, with run --tester switches")
    return [
        Label(switch.gate.kind, switch.gate.name, tuple(found.values[str(one.value)] for one in row))
        for switch, row in zip(purpose.path, own, strict=True)
    ]
