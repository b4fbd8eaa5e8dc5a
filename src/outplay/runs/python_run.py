"""A run asked for in Python: a model or system that is named is part of its job; one that is alive has no name.

A class that stands at the top of a file or module is named by that, so that a trace of it can be judged and played
again by another process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from outplay.cancellation import CancelToken
from outplay.errors import UsageError, did_you_mean
from outplay.game.assumption import named_assumption
from outplay.model.programs.program import Model
from outplay.play.adapters.adapters import ADAPTERS
from outplay.play.plan import Plan
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.runs.events import Observer
from outplay.runs.failing.shrinking import Shrinking
from outplay.runs.job import FIELDS, Job
from outplay.runs.monitors.forecast_against_outcome import ForecastComparison
from outplay.runs.preparing.loaded_model import LoadedModel, load_model, rules_of_game
from outplay.runs.preparing.planning import Prepared, prepare, promise_of
from outplay.runs.preparing.remembered_code import remember_loaded_code
from outplay.runs.preparing.systems import system_of
from outplay.runs.preparing.testers import goal_plan, suite_watchers, suspicion_monitor
from outplay.runs.result import RunResult
from outplay.runs.run import Run
from outplay.runs.run_budget import read_duration
from outplay.runs.secrets import Secrets, redaction_of
from outplay.strategy.answer import Answer
from outplay.suite.suite import Suite
from outplay.tester.tester import Tester


def run(
    what: Any,
    system: System | str,
    *,
    model: Any = None,
    goal: str | Sequence[str] = (),
    plays: int | None = None,
    labels: int | None = None,
    time: str | float | None = None,
    steps: int = Job.steps,
    seed: int | None = None,
    timing: Timing | None = None,
    observers: Iterable[Observer] = (),
    then: Tester | None = None,
    header: TraceHeader | None = None,
    token: CancelToken | None = None,
    compared: bool = False,
    **further: Any,
) -> RunResult:
    """Play a model, a strategy, a plan or a suite for this many `plays`, `labels` or a `time`; stop at the first Fail.

    A `time` such as `"90s"` cuts the run off. Without a budget a run has 10,000 labels, and ends where nothing is left
    to test; a test of a suite has 100 plays. A model is played towards its goal, as the command does, or against what
    may be wrong where none is named; a suite needs the model it was made from. A system may be named as on the command
    line, and so may a model: `run(Chat, "exec:./server", goal="two_pending", plays=20).check()` is a test. Anything
    else is a field of `Job`, such as `tester="walk"`, `keep_going=True` or `assumption="input-eager"`; with an
    assumption `result.audit` says whether the system kept to it. A failing play is made short for `shrink` seconds:
    where the system is named as many as the command takes, else none. A play that has reached its goal goes on for
    `extra_steps` steps, with the tester `then` where one is given. With `compared` the forecast of the goal is held
    against what happened, as the command does.

    >>> from random import Random
    >>> from outplay import Model, Simulated, observable, run, specification
    >>> class Clock(Model):
    ...     even: bool = True
    ...     @observable
    ...     def tick(self):
    ...         self.even = not self.even
    >>> result = run(Clock, Simulated(specification(Clock), Random(0)), plays=3, steps=10)
    >>> result.verdict.name, result.tally.plays, result.tally.outputs
    ('pass', 3, 30)
    """
    _check_system(system)
    job = _job(what if model is None else model, system, header, seed, timing, further)
    budget: dict[str, Any] = {"plays": plays, "labels": labels, "time": None if time is None else read_duration(time)}
    job = replace(job, goal=(goal,) if isinstance(goal, str) else tuple(goal), steps=steps, **budget)
    prepared = _prepared(what, system, model, job)
    if then is not None:
        prepared = replace(prepared, then=then)
    prepared = replace(prepared, audited="assumption" in further or bool(prepared.job.goal))
    token = token or CancelToken()
    before = [ForecastComparison(prepared, prepared.game, token)] if compared and prepared.game else []
    finishing = [*before, Shrinking(prepared, token), Secrets(redaction_of(job))]
    return Run(prepared, observers=[*observers, *finishing], header=header, token=token).finish()


def _check_system(system: Any) -> None:
    """Refuse a class, whose methods would be called without an object."""
    if isinstance(system, type):
        name = system.__name__
        raise UsageError(f"{name} is a class: wrap it, as in PythonObject({name})")


def _job(
    model: Any,
    system: System | str,
    header: TraceHeader | None,
    seed: int | None,
    timing: Timing | None,
    further: dict[str, Any],
) -> Job:
    """The job of a call in Python; where no seed is given it is that of the header."""
    unknown = next((name for name in further if name not in FIELDS), None)
    if unknown is not None and any(unknown in each.options for each in ADAPTERS.values()):
        raise UsageError(
            f"run() has no option {unknown!r}, which is one of the system: make that in Python, such as "
            "outplay.Http(url, table) or outplay.Process(command)"
        )
    if unknown is not None:
        raise UsageError(f"run() has no option {unknown!r}; {did_you_mean(unknown, FIELDS)}")
    sown = seed if seed is not None else header.seed if header else 0
    sut = system if isinstance(system, str) else ""
    asked = {"shrink": Job.shrink if sut else 0.0, **(timing or Timing()).options(), **further}
    if isinstance(asked["shrink"], bool):
        raise UsageError(
            f"shrink is {asked['shrink']}; give the seconds for making a failing play short, such as shrink=5"
        )
    asked |= {"assumption": named_assumption(asked["assumption"]).value} if asked.get("assumption") else {}
    asked |= {"redact": tuple(asked["redact"])} if "redact" in asked else {}
    asked |= (
        {"until": (until,) if isinstance(until := asked["until"], str) else tuple(until)} if "until" in asked else {}
    )
    given = {name: value for name, value in asked.items() if value is not None}
    return Job(model_name(model), seed=sown, sut=sut, **given)


def _prepared(what: Any, system: System | str, model: Any, job: Job) -> Prepared:
    """Return a run ready to be played: as it was planned elsewhere, or as the command would plan it."""
    if isinstance(what, Suite):
        if model is None and not what.model:
            raise UsageError("a suite is played with the model it was made from: name it with model=…")
        spec = live_model(model or what.model, job).specification()
        then, suspected = suite_watchers(spec, job)
        return Prepared(job, _live_system(system, job), spec, suite=what, then=then, suspected=suspected)
    if isinstance(what, Plan | Answer):
        if job.tester is not None:
            raise UsageError("a tester is named for a model; a strategy or a plan has its own: leave tester out")
        chosen, then = goal_plan(what, job) if isinstance(what, Answer) else (what, None)
        suspected = suspicion_monitor(chosen.tester, chosen.specification, job) if job.until_cleared else None
        found: dict[str, Any] = {"then": then, "suspected": suspected, "planned": isinstance(what, Plan)}
        if isinstance(what, Answer):
            found["promise"] = promise_of(what, job)
        return Prepared(job, _live_system(system, job), chosen.specification, chosen, **found)
    return prepare(job, model=live_model(what, job), system=None if isinstance(system, str) else system)


def live_model(model: Any, job: Job) -> LoadedModel:
    """Return a model that is given alive in Python, or load the one that a text names."""
    if isinstance(model, str):
        return load_model(job)
    if job.model:
        remember_loaded_code(sys.modules[model.__module__])  # so that its traces can be replayed
    return LoadedModel(job, model, rules_of_game(job))


def _live_system(system: System | str, job: Job) -> System:
    """A system as it is given, or the one that a text names."""
    return system_of(job) if isinstance(system, str) else system


def system_of_options(system: System | str, options: Mapping[str, Any]) -> System:
    """Make the system of a run with such options in Python: one that is named is made as the run would make it."""
    told = {"options", "assumption", *(name for each in ADAPTERS.values() for name in each.options if name in FIELDS)}
    given = {name: options[name] for name in told if name in options}
    return system_of(Job(sut=system, **given)) if isinstance(system, str) else system


def model_name(model: Any) -> str:
    """Return the name of a live model on the command line; nothing where that would not find the same one again."""
    if isinstance(model, str):
        return model
    if not (isinstance(model, type) and issubclass(model, Model)):
        return ""
    module, name = sys.modules.get(model.__module__), model.__qualname__
    file, known = getattr(module, "__file__", None), getattr(module, name, None)
    if file is None or known is not model:
        return ""  # made in a function, or by hand
    if "." in model.__module__:  # of a package, in which it may import its neighbours
        return f"{model.__module__}:{name}"
    path, here = Path(file).resolve(), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{name}"
