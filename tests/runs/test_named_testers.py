"""`outplay.run` takes what the command takes: who plays, when enough is cleared, and its page says so."""

from __future__ import annotations

from random import Random

import pytest

from outplay import Simulated, automaton, explore, run, specification, win
from outplay.errors import UsageError
from outplay.play.plan import Plan
from outplay.tester.tester import Walker

COIN = automaton(
    [("s", "?toss", "t"), ("t", "!heads", "s"), ("t", "!tails", "u"), ("u", "?again", "s"), ("u", "?toss", "t")]
)


def played(what=COIN, **more):
    return run(what, Simulated(COIN, Random(0)), plays=6, steps=15, **more)


@pytest.mark.parametrize(
    ("tester", "told"),
    [
        (None, "against what may be wrong, by turns with a walk and others"),
        ("suspicion", "against what may be wrong"),
        ("walk", "a random walk"),
        ("cover", "for coverage"),
    ],
)
def test_a_tester_is_named_and_the_page_says_who_played(tester, told, tmp_path):
    outcome = played(tester=tester)
    assert outcome.verdict.name == "pass"
    page = outcome.report(tmp_path / "page.html").read_text()
    assert f"<code>none: {told}</code>" in page
    assert f"{outcome.headline}</h1>" in page
    suspecting = tester in (None, "suspicion")
    assert (outcome.suspected is not None) == suspecting
    assert ("<h2>What may still be wrong</h2>" in page) == suspecting
    assert ("<h2>How likely answers are, as was learnt</h2>" in page) == suspecting


@pytest.mark.parametrize("tester", [None, "walk"])
def test_a_run_ends_where_enough_is_cleared(tester):
    outcome = played(tester=tester, until_cleared=0.3)
    assert outcome.tally.plays < 6
    assert outcome.suspected.cleared.share >= 0.3


def test_what_is_cleared_can_be_asked_of_a_plan_of_ones_own():
    assert 0 < played(Plan(specification(COIN), Walker(Random(1))), until_cleared=1.0).suspected.cleared.share <= 1


def test_a_strategy_has_its_own_tester():
    with pytest.raises(UsageError, match="leave tester out"):
        played(win(explore(COIN), "t"), tester="walk")
    with pytest.raises(UsageError, match="tester"):
        played(tester="nobody")


def test_how_likely_answers_are_is_told_with_a_prior_and_by_how_often_they_came():
    outcome = played()
    (state,) = outcome.suspected.learnt
    assert {answer.label for answer in state.answers} == {"!heads", "!tails"}
    came = [str(event.label) for event in outcome.trace.events if event.kind == "output"]
    for answer in state.answers:
        assert answer.seen == came.count(answer.label)
        assert answer.chance == pytest.approx((answer.seen + 1) / (len(came) + 2))
    assert [answer.seen for answer in state.answers] == sorted((answer.seen for answer in state.answers), reverse=True)
