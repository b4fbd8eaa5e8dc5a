"""The coverage of many runs together, model by model, as plain data that processes can send to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outplay.plurals import counted
from outplay.runs.result import RunResult
from outplay.runs.watching.coverage_tally import Tally


def plays_that_reached(result: RunResult) -> int:
    """The number of plays that reached the goal."""
    return sum(play.arrived is not None for play in result.played)


def properties_of(result: RunResult, failures: Sequence[Path]) -> dict[str, str | int | None]:
    """Properties of a test for reports: its outcome, and where its failing play is, the newest first."""
    tally, comparison = result.tally, result.comparison
    return {
        "verdict": result.verdict.name,
        "seed": result.trace.header.seed,
        "reached": f"{plays_that_reached(result)} of {tally.plays} plays" if result.trace.header.goal else None,
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

    def __add__(self, other: ModelCoverage) -> ModelCoverage:
        names = sorted({*self.goals, *other.goals})
        goals = {name: self.goals.get(name, False) or other.goals.get(name, False) for name in names}
        return ModelCoverage(self.tests + other.tests, self.tally + other.tally, goals, self.actions | other.actions)

    @property
    def actions_seen(self) -> frozenset[str]:
        """The actions among what was seen."""
        return self.actions & {text.split()[0].lstrip("?!") for _, text in self.tally.transitions}

    def line(self, name: str) -> str:
        """All of it in one line, each count with its denominator where that is known."""
        tally, missed = self.tally, [goal for goal, reached in self.goals.items() if not reached]
        parts = [f"{counted(len(tally.states), 'state')} and {counted(len(tally.transitions), 'transition')} seen"]
        if self.actions:
            never = sorted(self.actions - self.actions_seen)
            seen = f"{len(self.actions_seen)} of {counted(len(self.actions), 'action')}"
            parts.insert(0, seen + (f" (never: {', '.join(never)})" if never else ""))
        if self.goals:
            reached = f"{len(self.goals) - len(missed)} of {counted(len(self.goals), 'goal')} reached"
            parts.insert(0, reached + (f" (not: {', '.join(missed)})" if missed else ""))
        played = f"{counted(self.tests, 'test')}, {counted(tally.plays, 'play')}, {counted(tally.steps, 'step')}"
        return f"{name}: {', '.join(parts)} in {played}"


@dataclass
class MergedCoverage:
    """The items that runs of several models have seen.

    >>> one, other = MergedCoverage(), MergedCoverage()
    >>> one.models["Lamp"] = ModelCoverage(1, Tally(plays=2, states={"on"}), {"lit": True})
    >>> other.models["Lamp"] = ModelCoverage(1, Tally(plays=3, states={"on", "off"}), {"dark": False})
    >>> one.merge(MergedCoverage.from_json(other.json()))
    >>> print(*one.lines())
    Lamp: 1 of 2 goals reached (not: dark), 2 states and 0 transitions seen in 2 tests, 5 plays, 0 steps
    """

    models: dict[str, ModelCoverage] = field(default_factory=dict)

    def add(self, name: str, result: RunResult, goals: dict[str, bool], actions: frozenset[str] = frozenset()) -> None:
        """Add what a run of this model has seen."""
        self._add(name, ModelCoverage(1, result.tally, goals, actions))

    def merge(self, other: MergedCoverage) -> None:
        """Add what another process has seen."""
        for name, seen in other.models.items():
            self._add(name, seen)

    def _add(self, name: str, seen: ModelCoverage) -> None:
        self.models[name] = self.models.get(name, ModelCoverage()) + seen

    def lines(self) -> Iterator[str]:
        """One line for each model."""
        return (seen.line(name) for name, seen in sorted(self.models.items()))

    def json(self) -> dict[str, Any]:
        """Lists, texts and numbers."""
        return {name: _plain(seen) for name, seen in sorted(self.models.items())}

    @staticmethod
    def from_json(entry: dict[str, Any]) -> MergedCoverage:
        """Read what `json` has written."""
        return MergedCoverage({name: _read(seen) for name, seen in entry.items()})


def _plain(seen: ModelCoverage) -> dict[str, Any]:
    tally = seen.tally
    counts = {"tests": seen.tests, **{name: getattr(tally, name) for name in ("plays", "steps", "inputs", "outputs")}}
    transitions = [list(transition) for transition in sorted(tally.transitions)]
    listed = {"states": sorted(tally.states), "transitions": transitions, "actions": sorted(seen.actions)}
    return {**counts, **listed, "goals": seen.goals}


def _read(entry: dict[str, Any]) -> ModelCoverage:
    states, transitions = set(entry["states"]), {(state, label) for state, label in entry["transitions"]}
    counts = {name: int(entry[name]) for name in ("plays", "steps", "inputs", "outputs")}
    tally = Tally(**counts, states=states, transitions=transitions)
    return ModelCoverage(entry["tests"], tally, dict(entry["goals"]), frozenset(entry["actions"]))
