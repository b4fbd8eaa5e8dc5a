"""A system that is reset in the middle of a play still answers all that is asked of the system inside."""

from __future__ import annotations

import pytest

from outplay.model.specification import Channels
from outplay.play import system
from outplay.play.adapters.line_system import Resetting

OPTIONAL = [kind for kind in vars(system).values() if getattr(kind, "_is_runtime_protocol", False)]
QUESTIONS = {
    name
    for kind in OPTIONAL
    for name in {*vars(kind), *vars(kind).get("__annotations__", ())}
    if not name.startswith("_")
}


@pytest.mark.parametrize("question", sorted(QUESTIONS))
def test_it_passes_on_every_optional_question(question):
    assert {"quiet", "rests", "renewed", "seed"} <= QUESTIONS
    assert hasattr(Resetting, question)


class Idle:
    synchronous, clock = True, system.VirtualClock()

    def rests(self):
        return True


def test_calls_of_different_channels_overlap_in_it_too():
    class Two:
        synchronous, clock = True, system.VirtualClock()

        def use_channels(self, channels):
            self.synchronous = not channels.named

    both = Resetting(Two())
    both.use_channels(Channels({("?", "put"): 0}))
    assert not both.synchronous


def test_it_rests_where_the_system_inside_does():
    assert Resetting(Idle()).rests()
    assert not Resetting(object.__new__(type("Loud", (), {"synchronous": True, "clock": None}))).rests()
