"""The kernel that bounds runs of actions of cost 0: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

from outplay.strategy.arrays import ProcessArrays


def zero_runs(process: ProcessArrays, run: Any, patience: int) -> bool:
    """Bound the expected number of actions of cost 0 in a row, whatever the tester does.

    On entry `run` is 0; on return each action of cost 0 lowers it by at least a half on average, or the answer is
    False: some component did not get there in so many sweeps.
    """
    row_first, action_first, action_cost = process.row_first, process.action_first, process.action_cost
    leave, outcome_first, outcome_state = process.leave, process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    for row in range(len(row_first) - 1):
        for _ in range(patience):
            least = 1.0
            for state in range(row_first[row], row_first[row + 1]):
                for action in range(action_first[state], action_first[state + 1]):
                    if action_cost[action] > 0.0:
                        continue
                    ahead = 0.0
                    for place in range(outcome_first[action], outcome_first[action + 1]):
                        ahead += outcome_chance[place] * run[outcome_state[place]]
                    least = min(least, run[state] * leave[action] - ahead)
                    run[state] = max(run[state], (1.0 + ahead) / leave[action])
            if least >= 0.5:
                break
        if least < 0.5:
            return False
    return True
