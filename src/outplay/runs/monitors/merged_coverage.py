"""The coverage of many runs together, model by model, as plain data that processes can send to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outplay.plurals import counted
from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.result import RunResult

SURE = 0.95
"""The confidence of statements about plays that were not made."""


def most_failing(conformed: int, failed: int) -> float | None:
    """The greatest share of failing plays that is still likely; None after a Fail, or where no play passed.

    If a share p of plays failed, n plays would all conform with probability (1 - p)^n. That is less than 5 % for
    every p above 1 - 0.05^(1/n), so such p are ruled out with 95 % confidence. It holds for plays like those made,
    of a system that stayed the same.

    >>> round(most_failing(300, 0), 4)
    0.0099
    """
    return None if failed or not conformed else 1 - (1 - SURE) ** (1 / conformed)


def none_failed(most: float) -> str:
    """Say what it means that no play failed."""
    told = f"with {SURE:.0%} confidence at most {most:.2%} of plays like these fail".replace("%", " %")
    return f"no play failed: {told}"


def count_plays_at_goal(result: RunResult) -> int:
    """Count the plays of a run that reached the goal."""
    return sum(play.arrived is not None for play in result.played)


def result_properties(result: RunResult, failures: Sequence[Path]) -> dict[str, str | int | None]:
    """Return properties of a test for reports: its outcome, coverage and newest failing play."""
    tally, comparison = result.tally, result.comparison
    return {
        "verdict": result.verdict.name,
        "seed": result.trace.header.seed,
        "reached": f"{count_plays_at_goal(result)} of {tally.plays} plays" if result.trace.header.goal else None,
        "forecast": f"{comparison.goal} {comparison.forecast}" if comparison else None,
        "coverage": f"{len(tally.states)} states, {len(tally.transitions)} transitions",
        "trace": str(failures[0]) if failures and result.verdict.name == "fail" else None,
    }


@dataclass
class ModelCoverage:
    """The items that all runs of one model have seen together."""

    tests: int = 0
    tally: Tally = field(default_factory=Tally)
    goals: dict[str, bool] = field(default_factory=dict)
    """Each goal that the model has or that was named, and whether it was reached."""
    actions: frozenset[str] = frozenset()
    """All that the model has, where it is a program."""
    conformed: int = 0
    failed: int = 0
    """Plays with those verdicts."""
    noticed: tuple[float, int] = (0.0, 0)
    """The best chance of one test to notice a single fault, as far as it was counted, and the number of its plays."""

    def __add__(self, other: ModelCoverage) -> ModelCoverage:
        names = sorted({*self.goals, *other.goals})
        return ModelCoverage(
            self.tests + other.tests,
            self.tally + other.tally,
            {name: self.goals.get(name, False) or other.goals.get(name, False) for name in names},
            self.actions | other.actions,
            self.conformed + other.conformed,
            self.failed + other.failed,
            max(self.noticed, other.noticed),
        )

    @property
    def actions_seen(self) -> frozenset[str]:
        """The actions among what was seen."""
        return self.actions & {text.split()[0].lstrip("?!") for _, text in self.tally.transitions}

    def lines(self, name: str) -> Iterator[str]:
        """What was seen and, unless a play failed, what that is worth."""
        if self.tally.plays:
            yield self._seen(name)
        most = most_failing(self.conformed, self.failed)
        if most is None:
            return
        share, plays = self.noticed
        if plays:
            from outplay.strategy.suspicion.confidence_report import noticed_fault, plays_enough  # not without need

            least = "at least " if self.tests > 1 else ""  # of what the other tests add nothing is known
            yield f"  {noticed_fault(share, least)}{plays_enough(share, plays, 'in one test', '--outplay-plays')}"
        yield f"  {none_failed(most)}"

    def _seen(self, name: str) -> str:
        """All that was seen in one line, each count with its denominator where that is known."""
        tally, missed = self.tally, [goal for goal, reached in self.goals.items() if not reached]
        parts = [f"{counted(len(tally.states), 'state')} and {counted(len(tally.transitions), 'transition')} seen"]
        if self.actions:
            never = sorted(self.actions - self.actions_seen)
            seen = f"{len(self.actions_seen)} of {counted(len(self.actions), 'action')}"
            parts.insert(0, seen + _named("never", never))
        if self.goals:
            reached = f"{len(self.goals) - len(missed)} of {counted(len(self.goals), 'goal')} reached"
            parts.insert(0, reached + _named("not", missed))
        played = f"{counted(self.tests, 'test')}, {counted(tally.plays, 'play')}, {counted(tally.steps, 'step')}"
        return f"{name}: {', '.join(parts)} in {played}"


@dataclass
class MergedCoverage:
    r"""The items that runs of several models have seen.

    >>> one, other = MergedCoverage(), MergedCoverage()
    >>> one.models["Lamp"] = ModelCoverage(1, Tally(plays=2, states={"on"}), {"lit": True})
    >>> other.models["Lamp"] = ModelCoverage(1, Tally(plays=3, states={"on", "off"}), {"dark": False})
    >>> one.merge(MergedCoverage.from_json(other.json()))
    >>> print(*one.lines())
    Lamp: 1 of 2 goals reached (not: dark), 2 states and 0 transitions seen in 2 tests, 5 plays, 0 steps
    >>> one.models["Lamp"] += ModelCoverage(conformed=59, noticed=(0.5, 20))
    >>> print(*[line.strip() for line in one.lines()][1:], sep="\n")  # doctest: +ELLIPSIS
    a single wrong answer or transition would have been noticed with at least about 50 % chance; about 67 plays ...
    no play failed: with 95 % confidence at most 4.95 % of plays like these fail
    """

    models: dict[str, ModelCoverage] = field(default_factory=dict)

    def add(self, name: str, result: RunResult, goals: dict[str, bool], actions: frozenset[str] = frozenset()) -> None:
        """Add what a run of this model has seen."""
        verdicts = Counter(play.verdict.name for play in result.played)
        share = result.suspected.cleared.share if result.suspected else None
        noticed = (0.0, 0) if share is None else (share, result.tally.plays)
        self._add(name, ModelCoverage(1, result.tally, goals, actions, verdicts["pass"], verdicts["fail"], noticed))

    def add_failure(self, name: str) -> None:
        """Add a stored play of this model that failed again."""
        self._add(name, ModelCoverage(1, failed=1))

    def merge(self, other: MergedCoverage) -> None:
        """Add what another process has seen."""
        for name, seen in other.models.items():
            self._add(name, seen)

    def _add(self, name: str, seen: ModelCoverage) -> None:
        self.models[name] = self.models.get(name, ModelCoverage()) + seen

    def lines(self) -> Iterator[str]:
        """The lines of each model."""
        return (line for name, seen in sorted(self.models.items()) for line in seen.lines(name))

    def json(self) -> dict[str, Any]:
        """Lists, texts and numbers."""
        return {name: _plain(seen) for name, seen in sorted(self.models.items())}

    @staticmethod
    def from_json(entry: dict[str, Any]) -> MergedCoverage:
        """Read what `json` has written."""
        return MergedCoverage({name: _read(seen) for name, seen in entry.items()})


def _named(what: str, names: Sequence[str]) -> str:
    """Name the first few of those that are missing, if any is.

    >>> _named("not", ["a", "b", "c", "d", "e"])
    ' (not: a, b, c and 2 more)'
    """
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f" ({what}: {', '.join(names[:_FEW])}{more})" if names else ""


_FEW = 3
_COUNTS = ("tests", "conformed", "failed")


def _plain(seen: ModelCoverage) -> dict[str, Any]:
    tally = seen.tally
    counts = {**{name: getattr(seen, name) for name in _COUNTS}, "noticed": list(seen.noticed)}
    counts |= {name: getattr(tally, name) for name in ("plays", "steps", "inputs", "outputs")}
    transitions = [list(transition) for transition in sorted(tally.transitions)]
    listed = {"states": sorted(tally.states), "transitions": transitions, "actions": sorted(seen.actions)}
    return {**counts, **listed, "goals": seen.goals}


def _read(entry: dict[str, Any]) -> ModelCoverage:
    states, transitions = set(entry["states"]), {(state, label) for state, label in entry["transitions"]}
    counts = {name: int(entry[name]) for name in ("plays", "steps", "inputs", "outputs")}
    tally = Tally(**counts, states=states, transitions=transitions)
    share, plays = entry["noticed"]
    own = {name: int(entry[name]) for name in _COUNTS}
    return ModelCoverage(
        tally=tally, goals=dict(entry["goals"]), actions=frozenset(entry["actions"]), noticed=(share, plays), **own
    )
