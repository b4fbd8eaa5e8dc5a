"""The ways to play, and which fields of a job have a say in each: what has none is refused, never left unheard.

A job plays a suite, for a goal, for an objective that takes none, or as a tester likes. Objectives and testers declare
in their registries what they take; what is the same for all of a kind is here. A field that nobody declares, such as
the seed, is for all of them, and one that is as it is by default was not asked for. What a system can be told depends
on its kind alone (systems.py).
"""

from __future__ import annotations

from outplay.campaign.job import Job
from outplay.campaign.preparing.systems import TAKEN, untaken
from outplay.campaign.preparing.testers import SUSPICION, TESTERS, NamedTester, tester_named
from outplay.errors import UsageError, did_you_mean
from outplay.strategy.declared_option import flag
from outplay.strategy.objectives import OBJECTIVES, Objective, objective_named

AUTO = "auto"
_GOAL = frozenset({"goal", "objective", "then_walk", "until_quiet", "adverse", "settle"})
_WITHOUT = frozenset({"objective", "until_quiet"})  # of objectives without a goal
_TESTER = frozenset({"tester", "cover", "until_quiet", "until_cleared"})
_SUITE = frozenset({"tester", "until_cleared", "then_walk", "join", "chance", "confidence", "settle"})
_FOR_ALL = frozenset({"steps"})  # of every play, also where an objective counts by them


def chosen_objective(job: Job) -> Objective | None:
    """The objective that a job names; None where the best is taken that can be had."""
    return None if job.objective == AUTO else objective_named(job.objective)


def refuse_unheard(job: Job) -> None:
    """Refuse what a job asks for and would not get; the complaint says what it goes with."""
    words, takes = _way(job)
    own = [text.partition("=")[0] for text in job.options]
    for name in [*job.json(), *own]:
        takers = _takers(name)
        if name in takes | _FOR_ALL or not (takers or name in own):
            continue
        if not takers:
            known = {option for objective in OBJECTIVES.values() for option in objective.options}
            raise UsageError(f"no objective has an option {name!r}; {did_you_mean(name, known)}")
        raise _unheard(name, takers, words)
    refuse_untaken(job)


def refuse_untaken(job: Job) -> None:
    """Refuse what a job tells its system, if that is of a kind which does not take it."""
    kind = job.sut.partition(":")[0]
    for name in untaken(job, kind):
        raise _unheard(name, [f"--sut {each}:…" for each, taken in TAKEN.items() if name in taken], f"--sut {kind}:…")


def _unheard(name: str, takers: list[str], words: str) -> UsageError:
    """The complaint about a field that has no say in what the words name."""
    needed = ", ".join(takers[:-1]) + " or " * (len(takers) > 1) + takers[-1]
    return UsageError(f"{flag(name)} needs {needed}; with {words} it has no say: leave {flag(name)} out")


def _way(job: Job) -> tuple[str, frozenset[str]]:
    """How a job is played, as the user wrote it, and the fields that have a say in that."""
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
    opposed = {"adverse"} if who.opponent else set[str]()
    return (_GOAL if who.takes_goal else _WITHOUT | opposed).union(who.options)


def _takers(name: str) -> list[str]:
    """What has to be asked for so that a field has a say, in words."""
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
