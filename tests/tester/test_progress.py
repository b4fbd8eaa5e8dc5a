"""The default run never idles: while something reachable is not tested, labels go there, whatever was learnt."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from benchmarks.default_run import REQUESTS, plays_of, wrong_at

from helpers.automata import random_steps
from helpers.seeds import seeds
from outplay import Simulated, automaton, read_model, run, specification
from outplay.play.plan import Plan
from outplay.strategy.suspicion.player import Suspicion
from outplay.strategy.suspicion.suspicion_plan import SuspicionPlan
from outplay.strategy.suspicion.untested import LONGEST
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import WHOLE, SuspicionTester

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.parametrize("request_number", [8, 30])
def test_a_wrong_answer_to_a_late_request_is_found_in_the_first_plays(request_number):
    for seed in range(10):
        outcome = run(REQUESTS, Simulated(wrong_at(request_number), Random(seed)), seed=seed)
        assert outcome.verdict.name == "fail"
        assert outcome.tally.plays <= 3


def played(model, seed: int, **options):
    """A default run on the right system, and its tester."""
    spec = specification(model)
    tester = SuspicionTester(KnownBehaviour(spec), Random(seed))
    return run(Plan(spec, tester), Simulated(spec, Random(seed)), **options), tester


def idles(model, seed: int, plays: int = 100) -> str:
    """How often the commonest play was made, where that is too often."""
    outcome = run(model, Simulated(model, Random(seed)), seed=seed, plays=plays)
    assert outcome.verdict.name == "pass"
    plays = plays_of(outcome)
    most, total = max(plays.values()), sum(plays.values())
    return f"{most} of {total}" if total > 20 and most > total / 10 else ""


@pytest.mark.parametrize("name", ["02_car_alarm", "tftp_upload"])
def test_no_play_is_repeated_over_and_over(name):
    path = SHARED / "iolts" / f"{name}.dot"
    if not path.exists():
        pytest.skip("shared data is not here")
    assert idles(read_model(path), 3, plays=15) == ""


def stretches(monkeypatch, seed: int, labels: int) -> tuple[list[tuple[bool, bool, bool]], Suspicion]:
    """For each label whether something was left to test, whether it brought news and whether it was of a follow-up."""
    shown: list[tuple[bool, bool, bool]] = []
    saw = Suspicion.saw

    def counted(self: Suspicion, label: int) -> None:
        left, following_up = len(self.untested.left) > 0, self.sent
        before = self.untested.taken.sum() + self.suspects.told
        saw(self, label)
        shown.append((left, self.untested.taken.sum() + self.suspects.told > before, following_up))

    monkeypatch.setattr(Suspicion, "saw", counted)
    spec = specification(automaton(random_steps(Random(seed), least=3, most=7)[1]))
    tester = SuspicionTester(KnownBehaviour(spec), Random(seed))
    run(Plan(spec, tester), Simulated(spec, Random(seed)), plays=labels // 50, steps=50)
    return shown, tester.player


@seeds(range(40), quick=4)
def test_whatever_the_plan_is_worth_labels_go_to_what_is_not_tested(seed, monkeypatch):
    def misled(self, state, suspicion, *, fresh):
        """The same move always: what a plan would do that has learnt all of it wrongly."""
        rows = self._rows
        low, split, high = int(rows.first[state]), int(rows.split[state]), int(rows.first[state + 1])
        return np.append(np.linspace(1.0, 0.5, split - low), [2.0 if split < high else -np.inf, -np.inf])

    monkeypatch.setattr(SuspicionPlan, "worth", misled)
    shown, player = stretches(monkeypatch, seed, 1_000)
    idle = 0
    for left, news, following_up in shown:
        idle = 0 if news or following_up or not left else idle + 1
        assert idle <= player.untested.patience + 50  # a play that has nowhere to go is played to its end
    assert len(player.untested.left) == 0 or len(shown) < LONGEST * len(player.untested.taken)


def test_when_all_is_tested_and_whole_plays_showed_nothing_nothing_is_left():
    outcome, tester = played(REQUESTS, 1, plays=2, steps=100)
    assert outcome.verdict.name == "pass"
    assert tester.tested
    assert not tester.report().nothing_left
    _, tester = played(REQUESTS, 1, plays=WHOLE + 3, steps=100)
    assert tester.report().nothing_left


def test_what_was_not_reached_is_left():
    lamp = automaton(
        [("off", "?press", "on"), ("on", "!light", "off"), ("on", "!spark", "dead"), ("dead", "?a", "off")]
    )
    never = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    spec = specification(lamp)
    tester = SuspicionTester(KnownBehaviour(spec), Random(0))
    run(Plan(spec, tester), Simulated(never, Random(0)), plays=1, steps=20)
    assert not tester.tested
    run(Plan(spec, tester), Simulated(never, Random(0)), plays=40, steps=100)
    assert tester.tested  # it was tried often enough
    assert not tester.player.untested.taken.all()


def small_models() -> list[Path]:
    return [*sorted((SHARED / "iolts").glob("*.dot")), *sorted((SHARED / "mealy").glob("*.dot"))]


@pytest.mark.long
@pytest.mark.parametrize("path", small_models(), ids=lambda path: path.stem)
def test_no_small_model_is_idled_on(path):
    model = read_model(path)
    if KnownBehaviour(specification(model)).table.state_count > 200:
        pytest.skip("not small")
    reached = [run(model, Simulated(model, Random(seed)), seed=seed).tally.transitions for seed in range(20)]
    walked = [run(model, Simulated(model, Random(s)), seed=s, tester="walk").tally.transitions for s in range(3)]
    everything = set[tuple[str, str]]().union(*walked)
    assert sum(everything <= one for one in reached) >= 19


@pytest.mark.skipif(not SHARED.exists(), reason="the folder shared/data is not here")
@pytest.mark.parametrize("mutant", [1, 2, 3])
def test_public_mutants_of_a_protocol_with_data_are_found_within_a_hundred_labels(mutant):
    right, wrong = (
        read_model(SHARED / "brp" / f"BRP_{name}.register.xml") for name in ("reference", f"mutant{mutant}")
    )
    outcome = run(right, Simulated(wrong, Random(0)), labels=100)
    assert outcome.verdict.name == "fail"
