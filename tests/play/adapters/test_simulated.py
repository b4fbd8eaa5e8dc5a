# an action that does not return False is enabled

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from helpers.automata import specification_of
from outplay import Model, controllable, observable, run, specification
from outplay.game.assumption import Assumption
from outplay.model.label import Label
from outplay.play.adapters.simulated import Simulated
from outplay.play.runner import playing
from outplay.strategy.opponent import Opponent


class Lamp(Model):
    """A lamp that may stay dark for ever after it was pressed."""

    pressed: bool = False

    @controllable
    def press(self):
        if self.pressed:
            return False
        self.pressed = True

    @observable(optional=True)
    def light(self):
        if not self.pressed:
            return False
        self.pressed = False


class Toggle(Model):
    """A light that blinks whenever it likes, and that the tester may press."""

    @controllable
    def press(self):
        pass

    @observable
    def blink(self):
        pass


def test_it_conforms_to_what_it_simulates():
    spec = specification_of("s ?a t", "s ?a u", "t !x s", "t !y u", "u !y s", "u delta v", "v ?a s", "s !z v")
    for seed in range(100):
        outcome = run(spec, Simulated(spec, Random(seed)), plays=5, steps=30, tester="walk")
        assert outcome.verdict.name == "pass", f"seed {seed}: {outcome.verdict}"


def test_it_is_the_same_for_the_same_seed():
    spec = specification_of("s ?a t", "s ?a u", "t !x s", "t !y u", "u !y s", "s !z s")

    def events(seed):
        return list(playing(spec, Simulated(spec, Random(seed)), seed=1, steps=50))

    assert events(7) == events(7)
    assert events(7) != events(8)


def test_where_both_may_move_it_is_drawn_who_is_first_when_the_tester_is_about_to_give_an_input():
    spec, ask = specification_of("s ?a s", "s !x s", "s !y s"), Label.parse("?a")
    first = Counter()
    for seed in range(600):
        system = Simulated(spec, Random(seed))
        assert system.observe(0.0).kind == "silence", "nothing comes before the tester has made up its mind"
        forestalled = system.forestalls(ask)
        if not forestalled:
            system.give(ask)
        first[forestalled, system.observe(0.0).kind] += 1
    assert set(first) == {(True, "output"), (False, "silence")}
    assert first[True, "output"] / 600 == pytest.approx(2 / 3, abs=0.06)


@pytest.mark.parametrize(("assumption", "forestalled"), [("input-eager", 0), ("output-eager", 20), ("timeout", 0)])
def test_who_is_first_goes_by_the_assumption(assumption, forestalled):
    spec, ask = specification_of("s ?a s", "s !x s"), Label.parse("?a")
    systems = [Simulated(spec, Random(seed), assumption=assumption) for seed in range(20)]
    assert sum(system.forestalls(ask) for system in systems) == forestalled


def test_after_a_time_out_nothing_comes_until_the_tester_has_moved():
    spec = specification(Toggle, silence=Assumption.TIMEOUT.silence)
    for seed in range(50):
        system = Simulated(spec, Random(seed), assumption="timeout")
        while system.observe(0.1).kind != "silence":
            pass
        assert {system.observe(wait).kind for wait in (0.0, 0.1, 0.0, 0.1)} == {"silence"}
        system.give(Label.parse("?press"))


def test_where_an_output_is_due_a_wait_ends_with_it():
    spec = specification_of("s !x s")
    for seed in range(50):
        assert Simulated(spec, Random(seed)).observe(0.1).kind == "output"


def test_silence_once_chosen_lasts_through_the_whole_wait():
    """A wait comes in slices: choosing in each of them would make silence as good as impossible."""
    spec = specification(Lamp)
    kinds = Counter()
    for seed in range(300):
        system = Simulated(spec, Random(seed))
        system.give(Label.parse("?press"))
        looks = [system.observe(0.1).kind for _ in range(10)]
        kinds[looks[0]] += 1
        if looks[0] == "silence":
            assert set(looks) == {"silence"}
    assert min(kinds["silence"], kinds["output"]) > 75


def test_an_input_or_a_new_move_ends_a_chosen_silence():
    spec = specification(Lamp)
    kinds = Counter()
    for seed in range(300):
        system = Simulated(spec, Random(seed))
        system.give(Label.parse("?press"))
        if system.observe(0.1).kind == "silence":
            assert system.observe(0.0).kind == "silence"
            kinds[system.observe(0.1).kind] += 1
    assert min(kinds["silence"], kinds["output"]) > 20


def test_an_input_that_is_not_specified_is_ignored():
    spec = specification_of("s ?a t", "t !x s")
    system = Simulated(spec, Random(0))
    system.give(Label.parse("?b"))
    assert system.observe(1.0).kind == "silence"


def test_outputs_come_as_often_as_their_weights_say():
    class Coin(Model):
        tossed: bool = False

        @observable(weight=9)
        def heads(self):
            pass

        @observable(weight=1)
        def tails(self):
            pass

    system = Simulated(specification(Coin), Random(0))
    sides = Counter(str(system.observe(1.0)) for _ in range(2_000))
    assert sides["!heads"] / 2_000 == pytest.approx(0.9, abs=0.03)


def test_an_adverse_system_does_the_worst():
    spec = specification_of("s !x good", "s !y bad", "good !x good", "bad !y bad")
    bad = spec.game.vertex_numbers["bad"]
    system = Simulated(spec, Random(0), adversarial=Opponent(lambda state: float(state == bad)))
    assert [str(system.observe(0.1)) for _ in range(3)] == ["!y", "!y", "!y"]


def test_time_passes_only_in_silence():
    system = Simulated(specification_of("s ?a t", "t !x s"), Random(0))
    assert system.observe(0.7).seen == pytest.approx(0.7)
    system.give(Label.parse("?a"))
    assert system.observe(0.7).seen == pytest.approx(0.7)
    assert system.synchronous


def test_resetting_brings_it_back():
    system = Simulated(specification_of("s ?a t", "t !x s"), Random(0))
    system.give(Label.parse("?a"))
    system.reset()
    assert system.observe(1.0).kind == "silence"
    system.close()
