"""The arrays that kernels read and write, as named tuples (see compiling.py).

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


class Iterates(NamedTuple):
    """The iterates of each state, and how far each component is off."""

    value: Array
    choice: Array
    """The best action."""
    moved: Array
    """Room for the change of each state in the sweep that was tracked last."""
    above: Array
    """Of each component, in parts of the cost of an action: value / (1 + above) is a lower bound."""
    below: Array
    """Likewise: value / (1 - below) is an upper bound."""
    change: Array
    """Of each component, the largest change in its last sweep, in parts of the cost of an action."""


class Stopping(NamedTuple):
    """The rule for stopping."""

    tolerance: float
    """Of the two bounds, relative to each other."""
    rounding: float
    """The relative error of a sum over answers."""
    margin: float
    """The relative error of a value by itself: when it is made a bound, and a float again."""
    patience: int
    """Sweeps before a component of few states is called slow."""
    long_patience: int
    """The same for others."""


class SweepResult(NamedTuple):
    """Values that prove their own bounds: value / (1 + above) - shift and value / (1 - below) - shift."""

    value: Array
    shift: Array
    above: Array
    below: Array
    """Of each state; none is less than where it may lead, so one component that is off spoils none before it."""
    choice: Array
    """The best action of each state."""
