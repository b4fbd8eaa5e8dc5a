"""Which states a sequence of inputs and outputs rules out, computed step by step.

Definition (Kapus-Kolar 2007, 3.3 and 6.1): a sequence excludes a state forwards when no walk from the state shows it
(FE), and backwards when no walk to the state does (BE). One step longer, a state is excluded when every way of it to
show the step leads to, or comes from, a state that was excluded already.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from outplay.groups import grouped
from outplay.predicates.system_model import MachineStep, SystemModel

Excluded: TypeAlias = frozenset[int]
Pair: TypeAlias = tuple[str, str]
Longer: TypeAlias = Callable[[Pair, Excluded], Excluded]


def longer_future(model: SystemModel) -> Longer:
    """FE of a sequence that begins with a label, from FE of the rest."""
    return _longer(model, lambda step: (step.target, step.source))


def longer_past(model: SystemModel) -> Longer:
    """BE of a sequence that ends with a label, from BE of what comes before."""
    return _longer(model, lambda step: (step.source, step.target))


def _longer(model: SystemModel, ends: Callable[[MachineStep], tuple[int, int]]) -> Longer:
    pairs = grouped((step.label, ends(step)) for step in model.machine_steps)
    everything = frozenset(model.states)

    @lru_cache(maxsize=100_000)
    def longer(label: Pair, excluded: Excluded) -> Excluded:
        return everything - {new for old, new in pairs[label] if old not in excluded}

    return longer
