"""The default tester: several take turns, each with its share, and all know what was played."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from helpers.automata import random_steps
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay import Simulated, automaton, read_model, run, specification
from outplay.play.plan import Plan
from outplay.runs.job import Job
from outplay.runs.preparing import testers
from outplay.tester.portfolio import GRACE, TURN, Member, Portfolio
from outplay.tester.tester import Walker

COIN = automaton([("s", "?toss", "t"), ("t", "!heads", "s"), ("t", "!tails", "u"), ("u", "?again", "s")])


def mixed(model, seed: int = 0) -> tuple[Portfolio, Plan]:
    spec = specification(model)
    tester = testers.tester_named(None).make(testers.Situation(Job(seed=seed), model=model, specification=spec))
    assert isinstance(tester, Portfolio)
    return tester, Plan(spec, tester)


@seeds(range(20), quick=3)
def test_each_has_its_share_whatever_is_discovered(seed):
    model = automaton(random_steps(Random(seed), least=3, most=7)[1])
    tester, plan = mixed(model, seed)
    outcome = run(plan, Simulated(model, Random(seed)), labels=1_500)
    assert outcome.verdict.name in ("pass", "inconclusive")
    assert sum(member.labels for member in tester.members) == outcome.tally.steps
    for member in tester.members:
        assert member.labels >= member.share * member.counted - TURN - 1
        assert member.counted >= (outcome.tally.steps - GRACE) / 11
    assert {member.name: member.share for member in tester.members} == {
        "suspicion": 0.0,
        "coverage": testers.SHARES["coverage"],
        "walk": testers.SHARES["walk"],
    }


def test_whoever_discovers_most_has_the_other_turns():
    tester, _ = mixed(COIN)
    suspicion, coverage, walk = tester.members
    for member, rate in ((suspicion, 0.1), (coverage, 0.3), (walk, 0.2)):
        for n in range(100):
            member.played(discovery=n < 100 * rate)
    tester._choose()
    assert tester.turn is coverage
    coverage.discovered = suspicion.discovered = walk.discovered = 0.0
    tester._choose()
    assert tester.turn is suspicion  # of equals the first


def test_a_share_is_full_for_the_best_and_once_the_best_is_stuck_and_else_smaller():
    best, other = (Member(name, Walker(Random(0)), share=0.1) for name in ("best", "other"))
    for _ in range(100):
        best.played(discovery=True)
        other.played(discovery=False)
    for member in (best, other):
        member.count(best.rate)
    assert best.counted == 1
    assert other.counted == pytest.approx(1 / 11)
    for _ in range(3_000):
        best.played(discovery=False)
    other.count(best.rate)
    assert other.counted == pytest.approx(1 / 11 + 1, rel=0.05)


def test_once_all_was_discovered_each_has_its_full_share():
    tester, plan = mixed(COIN)
    run(plan, Simulated(COIN, Random(0)), labels=1_500)
    before = {member.name: member.counted for member in tester.members}
    run(plan, Simulated(COIN, Random(1)), labels=400)
    for member in tester.members:
        assert member.counted - before[member.name] == pytest.approx(400, rel=0.1)


def test_what_one_has_played_the_others_know():
    tester, plan = mixed(COIN)
    tester.members = (replace(tester.members[2], share=1.0), *tester.members[:2])
    run(plan, Simulated(COIN, Random(0)), labels=400)
    assert tester.members[0].labels > 300
    assert tester.suspicions is not None
    assert tester.suspicions.player.untested.taken.sum() > 4
    assert tester.suspicions._labels == sum(member.labels for member in tester.members)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_run(seed):
    runs = [run(COIN, Simulated(COIN, Random(1)), seed=seed, labels=900) for _ in range(2)]
    assert [str(event) for event in runs[0].trace.events] == [str(event) for event in runs[1].trace.events]


def test_a_model_with_data_is_suspected_walked_and_covered_by_switches():
    model = read_model(EXAMPLES / "symbolic" / "auction.sts")
    tester, plan = mixed(model)
    assert [member.name for member in tester.members] == ["switches", "suspicion", "coverage", "walk"]
    outcome = run(plan, Simulated(model, Random(0)), labels=600)
    assert outcome.verdict.name == "pass"
    assert all(member.labels for member in tester.members[:2])
    assert not tester.report().nothing_left  # a few data are not all


def test_with_data_each_play_is_of_one_tester_and_two_begin():
    model = read_model(EXAMPLES / "symbolic" / "auction.sts")
    tester, plan = mixed(model)
    plays = list[list[str]]()
    begin, observe = tester.begin, tester.observe

    def begun() -> None:
        plays.append([])
        begin()

    def observed(tracker, label) -> None:
        plays[-1].append(tester.turn.name)
        observe(tracker, label)

    tester.begin, tester.observe = begun, observed  # type: ignore[method-assign]
    assert run(plan, Simulated(model, Random(0)), labels=600).verdict.name == "pass"
    assert all(len(set(names)) == 1 for names in plays if names)
    assert [names[0] for names in plays[:2]] == ["switches", "suspicion"]


def test_new_values_alone_are_no_discoveries():
    model = read_model(EXAMPLES / "symbolic" / "auction.sts")
    tester, plan = mixed(model)
    run(plan, Simulated(model, Random(0)), labels=1_000)
    discovered = sum(member.discovered for member in tester.members)
    assert discovered < 100  # nearly each of them had a value that had never been given


def test_where_labels_cannot_be_listed_it_is_a_walk_or_one_by_switches():
    model = read_model(EXAMPLES / "symbolic" / "locked_register.sts")
    tester, plan = mixed(model)
    assert [member.name for member in tester.members] == ["switches", "walk"]
    assert run(plan, Simulated(model, Random(0)), labels=200).verdict.name == "pass"


def test_a_member_is_a_name_and_a_tester():
    member = Member("walk", Walker(Random(0)), share=0.1)
    assert member.rate == 0.0
    member.played(discovery=True)
    assert (member.labels, member.rate) == (1, 1.0)
