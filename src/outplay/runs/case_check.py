"""A test case as a check of its own, for pytest files that `outplay suite` writes and for those made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.planning import Prepared
from outplay.runs.preparing.systems import system_of
from outplay.runs.result import RunResult
from outplay.runs.run import Run
from outplay.suite.suite import Suite, case_of
from outplay.tester.tester import End

States = Mapping[str, Mapping[str, str]]
"""For each state what is given or may come, and where that leads; the first state is the initial one."""


def fail(*labels: str) -> dict[str, str]:
    """Return the labels after which a test case ends with Fail."""
    return dict.fromkeys(labels, End.FAIL.value)


class CaseCheck:
    """Plays test cases against a system that a text names; what does not pass is raised with all that happened.

    In a fair check a test is done when each of its branches was seen or is concluded not to come, else when it came to
    its Pass end once (runs/suite_runs/ledger.py).
    """

    def __init__(self, job: Job, system: str, *, fair: bool = False) -> None:
        self._job, self._fair = replace(job, sut=system), fair
        self._model = load_model(job)

    def __call__(self, name: str, states: States) -> RunResult:
        """Play a test case until it is done, and raise `NotPassed` unless it passed."""
        __tracebackhide__ = True  # pytest shows the line of the test, not ours
        rows = [(state, label, target) for state, moves in states.items() for label, target in moves.items()]
        case = case_of(rows, initial=next(iter(states)), name=name)
        suite = Suite(self._job.model, tests=(case,), fair=self._fair)
        system = system_of(self._job, self._model)
        return Run(Prepared(self._job, system, self._model.specification(), suite=suite)).finish().check()
