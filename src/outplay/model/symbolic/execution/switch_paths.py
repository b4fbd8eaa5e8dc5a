"""Along which switches a label may lead, where inputs may be on their way and outputs may have passed them.

A place of a play is a state and the inputs that may not have arrived there, as a tracker keeps them
(`model.tracking`). A tracker forgets the way; whoever counts switches, or plans along them, follows it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.symbolic_system import Switch
from outplay.model.tracking import Tracker

PlayPlace: TypeAlias = tuple[Any, tuple[Label, ...]]
"""A state, and inputs that may not have arrived."""
SwitchPath: TypeAlias = tuple[Switch, ...]


def paths_of(spec: SymbolicSpecification, place: PlayPlace, label: Label) -> Iterator[tuple[SwitchPath, PlayPlace]]:
    """The switches that may be taken up to the next label, and where they lead, in all orders that fit a label."""
    state, waiting = place
    if label.is_input:
        yield from _arriving(spec, (), (state, (*waiting, label)))
    elif label == SILENCE or state is UNSPECIFIED:
        if not waiting or label != SILENCE:
            yield (), place
    else:
        for switch, target in spec.taken(state, label):
            yield from _arriving(spec, (switch,), (target, waiting))


def _arriving(
    spec: SymbolicSpecification, taken: SwitchPath, place: PlayPlace
) -> Iterator[tuple[SwitchPath, PlayPlace]]:
    """The place itself, and those after inputs on their way have arrived, in their order."""
    yield taken, place
    state, waiting = place
    if not waiting:
        return
    steps = [] if state is UNSPECIFIED else spec.taken(state, waiting[0])
    for switch, target in steps:
        yield from _arriving(spec, (*taken, switch), (target, waiting[1:]))
    if not steps:
        yield from _arriving(spec, taken, (UNSPECIFIED, waiting[1:]))


def places_of(tracker: Tracker) -> set[PlayPlace]:
    """The places that what is known of times leaves possible."""
    found: set[PlayPlace] = {*tracker.places}
    return found | {(UNSPECIFIED, unarrived) for unarrived in tracker.unarrived_outside}
