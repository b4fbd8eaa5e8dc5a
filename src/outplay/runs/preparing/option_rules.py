"""The ways to play, and which options of a job count in each: an option that has no effect is refused, never ignored.

A job plays a suite, for a goal, for an objective that takes none, or as a tester likes. Objectives and testers declare
in their registries what they take; what is the same for all of a kind is here. A field that nobody declares, such as
the seed, is for all of them, and one that is as it is by default was not asked for. What a system can be told depends
on its kind alone (systems.py).
"""

from __future__ import annotations

from outplay.errors import UsageError, did_you_mean
from outplay.play.adapters.adapters import ADAPTERS
from outplay.registries import flag
from outplay.runs.job import Job
from outplay.runs.preparing.named_tester import NamedTester
from outplay.runs.preparing.systems import taken_by_system, unsupported_fields
from outplay.runs.preparing.testers import SUSPICION, TESTERS, tester_named
from outplay.runs.run_budget import WRITTEN
from outplay.strategy.objectives import OBJECTIVES, Objective, objective_named

AUTO = "auto"
_GOAL = frozenset({"goal", "objective", "extra_steps", "end_in", "until_quiet", "adversarial", "settle", "jobs"})
_WITHOUT = frozenset({"objective", "until_quiet", "jobs", "end_in"})  # of objectives without a goal
_TESTER = frozenset({"tester", "end_in", "cover", "until_covered", "until_quiet", "until_cleared", "jobs"})
_SUITE = frozenset(
    {"tester", "until_cleared", "extra_steps", "join", "chance", "confidence", "settle", "exhaustive", "jobs"}
)
_FOR_ALL = frozenset({"steps"})  # of every play, also where an objective counts by them


def chosen_objective(job: Job) -> Objective | None:
    """Return the objective that the options of a job name; None where the best possible is taken."""
    return None if job.objective == AUTO else objective_named(job.objective)


def refuse_unused_options(job: Job) -> None:
    """Refuse options of a job that would have no effect; the complaint says what they go with."""
    words, takes = _way(job)
    own = [name for name, _ in job.own_options]
    of_systems = {name for adapter in ADAPTERS.values() for name in adapter.options}
    for name in [*job.json(), *own]:
        takers = _takers(name)
        if name in takes | _FOR_ALL or name in taken_by_system(job) or not (takers or name in own):
            continue
        if takers:
            raise _unheard(name, takers, words)
        if name not in of_systems:  # those are looked at below
            known = of_systems | {option for objective in OBJECTIVES.values() for option in objective.options}
            raise UsageError(f"no objective or system has an option {name!r}; {did_you_mean(name, known)}")
    refuse_unsupported_options(job)


def refuse_unsupported_options(job: Job) -> None:
    """Refuse options of a job that its kind of system does not take."""
    kind = job.sut.partition(":")[0]
    for name in unsupported_fields(job, kind):
        takers = [f"--sut {each.name}:…" for each in ADAPTERS.values() if name in each.options]
        raise _unheard(name, takers, f"--sut {kind}:…")


def _unheard(name: str, takers: list[str], words: str) -> UsageError:
    """The complaint about a field that has no say in what the words name."""
    needed = ", ".join(takers[:-1]) + " or " * (len(takers) > 1) + takers[-1]
    written = WRITTEN.get(name, flag(name))
    return UsageError(f"{written} needs {needed}; with {words} it has no effect: leave {written} out")


def _way(job: Job) -> tuple[str, frozenset[str]]:
    """Return how a job is played, as the user wrote it, and the fields that matter for that."""
    objective = chosen_objective(job)
    if job.suite is not None:
        return "--suite", _SUITE
    if objective and not objective.takes_goal:
        return f"--objective {objective.name}", _taken_by(objective)
    if job.goal or job.purpose:
        ties = {"tester"} if job.tester == SUSPICION else set[str]()  # it breaks them whether it is named or not
        named = f" and --objective {objective.name}" if objective else ""
        return f"a --goal{named}", (_taken_by(objective) if objective else _GOAL) | ties
    kind = tester_named(job.tester)
    counted = {"time_limit"} if job.cover else set[str]()  # to find out how much can be covered
    return f"--tester {kind.name}", _taken_by(kind) | counted


def _taken_by(who: Objective | NamedTester) -> frozenset[str]:
    if isinstance(who, NamedTester):
        return _TESTER.union(who.options)
    opposed = {"adversarial"} if who.opponent else set[str]()
    return (_GOAL if who.takes_goal else _WITHOUT | opposed).union(who.options)


def _takers(name: str) -> list[str]:
    """Describe what has to be asked for so that a field has an effect."""
    if name in ("goal", "objective"):  # each goes with the other: a list of all would say less
        return ["an --objective that takes one" if name == "goal" else "a --goal"]
    found = ["a --goal"] if name in _GOAL else []
    objectives = [each for each in OBJECTIVES.values() if not (each.takes_goal and found)]
    found += [f"--objective {each.name}" for each in objectives if name in _taken_by(each)]
    if name in _TESTER:
        found.append("a run without a goal")
    else:
        found += [f"--tester {kind.name}" for kind in TESTERS.values() if name in kind.options]
    return [*found, "--suite"] if name in _SUITE else found
