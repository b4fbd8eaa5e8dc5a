"""Coverage of many runs together: by definition the union of what each has seen, in whatever order they are merged."""

from __future__ import annotations

import json
from random import Random

from helpers.seeds import seeds
from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.monitors.merged_coverage import MergedCoverage, ModelCoverage


def some(rng: Random) -> ModelCoverage:
    states = {rng.choice("abcd") for _ in range(rng.randint(0, 4))}
    transitions = {(rng.choice("abcd"), rng.choice(["?in 1", "?in 2", "!out"])) for _ in range(rng.randint(0, 4))}
    counts = {name: rng.randint(0, 9) for name in ("plays", "steps", "inputs", "outputs")}
    goals = {name: rng.random() < 0.5 for name in "gh" if rng.random() < 0.7}
    tally = Tally(**counts, states=states, transitions=transitions)
    return ModelCoverage(rng.randint(1, 3), tally, goals, frozenset({"in", "out", "never"}))


@seeds(range(200))
def test_processes_together_have_seen_what_each_has_seen(seed):
    rng = Random(seed)
    runs = [(rng.choice(["Chat", "Shop"]), some(rng)) for _ in range(rng.randint(0, 6))]
    processes = [MergedCoverage() for _ in range(3)]
    for name, seen in runs:
        rng.choice(processes).merge(MergedCoverage({name: seen}))
    merged = MergedCoverage()
    for process in rng.sample(processes, 3):
        merged.merge(MergedCoverage.from_json(json.loads(json.dumps(process.json()))))
    assert merged.models.keys() == {name for name, _ in runs}
    for name, whole in merged.models.items():
        parts = [seen for model, seen in runs if model == name]
        assert whole.tests == sum(part.tests for part in parts)
        assert whole.tally.plays == sum(part.tally.plays for part in parts)
        assert whole.tally.states == {state for part in parts for state in part.tally.states}
        assert whole.tally.transitions == {one for part in parts for one in part.tally.transitions}
        known = {goal for part in parts for goal in part.goals}
        assert whole.goals == {goal: any(part.goals.get(goal) for part in parts) for goal in sorted(known)}
        gates = {label[1:].split()[0] for _, label in whole.tally.transitions}
        assert whole.actions_seen == gates
        if whole.tally.plays:
            assert f"{len(gates)} of 3 actions" in next(whole.lines(name))
