"""What the kernels of value iteration work on, and when they stop."""

from __future__ import annotations

from typing import Any, NamedTuple


class Iterates(NamedTuple):
    """What is known of each state, and how far each component is off."""

    value: Any
    choice: Any
    """The best action."""
    moved: Any
    """Room for the change of each state in the sweep that was tracked last."""
    above: Any
    """Of each component, in parts of the cost of an action: value / (1 + above) is a lower bound."""
    below: Any
    """Likewise: value / (1 - below) is an upper bound."""
    change: Any
    """Of each component, the largest change in its last sweep, in parts of the cost of an action."""


class Stopping(NamedTuple):
    """When to stop."""

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


class Swept(NamedTuple):
    """Values that prove their own bounds: value / (1 + above) - shift and value / (1 - below) - shift."""

    value: Any
    shift: Any
    above: Any
    below: Any
    """Of each state; none is less than where it may lead, so one component that is off spoils none before it."""
    choice: Any
    """The best action of each state."""
