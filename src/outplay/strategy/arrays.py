"""What kernels read and write, as named tuples of arrays (see compiling.py).

A field holds a numpy array where the kernel is compiled and a list where Python runs it, so its type is left open.
"""

from __future__ import annotations

from typing import NamedTuple

from outplay.game.algebra import Array

NOWHERE = -1
"""No vertex: where a kernel may stop at a vertex, it goes on to the end."""
UNIT = 2.0**-53
"""The relative error of one rounding."""
SMALLEST = 1e-290
"""Below it products may be too small for that, or vanish: there floats prove nothing."""


class ProcessArrays(NamedTuple):
    """States of a decision process, their actions and the outcomes of those, each in rows."""

    row_first: Array
    """The states of each component."""
    action_first: Array
    action_cost: Array
    leave: Array
    """The chance that an action does not stay; 1 where it cannot."""
    outcome_first: Array
    outcome_state: Array
    outcome_chance: Array
