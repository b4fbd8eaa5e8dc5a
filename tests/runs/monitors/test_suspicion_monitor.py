"""What a run tells of its suspicions: how much is cleared, when that is enough, and answers that come too often."""

from __future__ import annotations

from math import comb
from random import Random

import pytest

from helpers.seeds import seeds
from outplay import Model, Simulated, controllable, observable, run, specification
from outplay.play.plan import Plan
from outplay.runs.monitors.forecast_against_outcome import FAR_OFF
from outplay.runs.monitors.learnt_answers import AnswerOdds
from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import Walker


def dice(weight):
    """A die that is thrown, with as many sixes as one says."""

    class Dice(Model):
        asked: bool = False

        @controllable
        def throw(self):
            if self.asked:
                return False
            self.asked = True
            return None

        @observable(weight=weight)
        def six(self):
            if not self.asked:
                return False
            self.asked = False
            return None

        @observable(weight=5)
        def other(self):
            if not self.asked:
                return False
            self.asked = False
            return None

    return specification(Dice)


def watched(spec, system, *, seed=0, plays=5, steps=60, until=None):
    known = KnownBehaviour(spec)
    tester = SuspicionTester(known, Random(seed))
    monitor = SuspicionMonitor(known, tester, until=until)
    outcome = run(Plan(spec, tester), Simulated(system, Random(seed)), plays=plays, steps=steps, observers=[monitor])
    assert outcome.verdict.name == "pass"
    return monitor.report(), outcome


@seeds(range(400), quick=20)
def test_a_system_that_chooses_as_the_model_says_is_no_surprise(seed):
    told, _ = watched(dice(1), dice(1), seed=seed, plays=2)
    assert told.surprise == ""


def test_an_answer_that_comes_too_often_is_told():
    told, _ = watched(dice(1), dice(5))
    assert {one.label for one in told.odd} == {"!six", "!other"}
    assert told.surprise.startswith("this system does not choose with the probabilities of the model: !")
    assert told.json()["odd_answers"][0]["by_chance"] < FAR_OFF
    assert f"surprise: {told.surprise}" in told.lines()


def test_a_model_that_says_nothing_about_chance_is_held_to_nothing():
    class Coin(Model):
        @observable
        def heads(self):
            pass

        @observable
        def tails(self):
            pass

    class OneSided(Model):
        @observable
        def heads(self):
            pass

    told, _ = watched(specification(Coin), specification(OneSided))
    assert told.odd == ()


@pytest.mark.parametrize(("came", "answers", "chance"), [(0, 5, 0.5), (5, 5, 0.5), (3, 10, 0.2), (10, 10, 0.9)])
def test_by_chance_is_the_share_of_both_tails(came, answers, chance):
    each = [comb(answers, k) * chance**k * (1 - chance) ** (answers - k) for k in range(answers + 1)]
    tails = min(sum(each[: came + 1]), sum(each[came:]))
    assert AnswerOdds("s0", "!x", came, answers, chance).by_chance == pytest.approx(min(1, 2 * tails))


def test_a_run_ends_when_enough_is_cleared():
    told, outcome = watched(dice(5), dice(5), plays=50, until=0.9)
    assert told.cleared.share >= 0.9
    assert outcome.tally.plays < 50
    assert "the estimated chance that such a single fault would have been noticed by now" in told.lines()[1]


def test_any_tester_can_be_watched():
    spec, walker = dice(5), Walker(Random(1))
    monitor = SuspicionMonitor(KnownBehaviour(spec), walker)
    run(Plan(spec, walker), Simulated(spec, Random(1)), plays=2, steps=30, observers=[monitor])
    told = monitor.report()
    assert 0 < told.cleared.share <= 1
    assert told.json()["complete"] is True
