"""Two runs held against each other: how they were made, what they came to, what only one of them saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outplay.plurals import counted
from outplay.store.kept_runs import KeptFailure, KeptRun, KeptRuns

_COUNTS = ("verdict", "plays", "failed", "steps", "states", "transitions")
Place = tuple[str, str]


@dataclass(frozen=True)
class RunDifference:
    """The first run and the second one, and where they differ."""

    first: KeptRun
    second: KeptRun
    made: dict[str, tuple[Any, Any]]
    """The differences in how they were made: parts of the job, of the environment, the model and the system."""
    lost: tuple[Place, ...]
    """States and transitions that only the first one saw."""
    new: tuple[Place, ...]
    """States and transitions that only the second one saw."""
    fixed: tuple[KeptFailure, ...]
    """Failures that only the first one had."""
    broken: tuple[KeptFailure, ...]
    """Failures that only the second one had."""

    def json(self) -> dict[str, Any]:
        def placed(places: tuple[Place, ...]) -> list[dict[str, Any]]:
            return [{"state": state, "label": label or None} for state, label in places]

        return {
            "first": self.first.json(),
            "second": self.second.json(),
            "made": {name: list(values) for name, values in self.made.items()},
            "coverage": {"only_first": placed(self.lost), "only_second": placed(self.new)},
            "failures": {
                "only_first": [one.json() for one in self.fixed],
                "only_second": [one.json() for one in self.broken],
            },
        }

    def lines(self) -> Iterator[str]:
        yield f"{self.first.id} and {self.second.id}"
        for name, (before, after) in self.made.items():
            yield f"  {name}: {before} → {after}"
        for name in _COUNTS:
            before, after = getattr(self.first, name), getattr(self.second, name)
            yield f"  {name}: {_told(before)}" + (f" → {_told(after)}" if before != after else "")
        for only, places, failures in (("first", self.lost, self.fixed), ("second", self.new, self.broken)):
            states = sum(not label for _, label in places)
            if places:
                seen = f"{counted(states, 'state')} and {counted(len(places) - states, 'transition')}"
                yield f"  only the {only} saw {seen}"
            for failure in failures:
                yield f"  only the {only} failed so: {failure.why}"


def run_difference(runs: KeptRuns, first: str, second: str) -> RunDifference:
    """Compare two runs of a store."""
    before, after = runs.show(first), runs.show(second)
    seen, then = runs.seen(before.run), runs.seen(after.run)
    known, came = ({one.kind for one in run.failures} for run in (before, after))
    made: dict[str, tuple[Any, Any]] = {}
    for earlier, later in (
        ({"model_hash": before.run.model_hash}, {"model_hash": after.run.model_hash}),
        ({**before.header, **before.header.get("job", {})}, {**after.header, **after.header.get("job", {})}),
        (before.environment, after.environment),
    ):
        names = sorted({*earlier, *later} - {"format", "started", "options", "job"})
        made |= {name: (earlier.get(name), later.get(name)) for name in names if earlier.get(name) != later.get(name)}
    return RunDifference(
        before.run,
        after.run,
        made,
        tuple(sorted(seen - then)),
        tuple(sorted(then - seen)),
        tuple(one for one in before.failures if one.kind not in came),
        tuple(one for one in after.failures if one.kind not in known),
    )


def _told(value: Any) -> str:
    return "not ended" if value is None else str(value)
