"""The stop rule: what it says about what was not seen is right as often as it claims."""

from __future__ import annotations

from random import Random

import pytest

from outplay.runs.monitors.coverage_tally import Tally
from outplay.runs.monitors.quiet import DOUBT, Quiet


def seen(*states: object) -> Tally:
    return Tally(plays=1, states={str(state) for state in states})


def test_it_counts_plays_since_something_new():
    quiet = Quiet("states", 2)
    for states, since, stretches in ((("a",), 0, 1), (("a",), 1, 1), (("a", "b"), 0, 2), ((), 1, 2), (("b",), 2, 2)):
        assert not quiet.enough
        quiet.ended(seen(*states))
        assert (quiet.since, quiet.stretches) == (since, stretches)
    assert quiet.enough
    assert (quiet.plays, quiet.once, quiet.more) == (5, set(), {"a", "b"})


def test_kinds_are_states_transitions_and_labels():
    tally = Tally(states={"s"}, transitions={("s", "?a"), ("t", "?a")})
    assert [len(set(tally.of(kind))) for kind in ("states", "transitions", "labels")] == [1, 2, 1]


def test_without_a_number_it_is_no_reason_to_stop():
    quiet = Quiet("states")
    for _ in range(50):
        quiet.ended(seen("a"))
    assert not quiet.enough


@pytest.mark.parametrize("most", [5, 20])
def test_the_chance_it_tells_is_too_small_in_no_more_runs_than_it_admits(most: int):
    """States that each show in a play with a small chance of their own; a run ends when plays are quiet."""
    wrong, runs = 0, 600
    for number in range(runs):
        rng = Random(f"{most} {number}")
        chances = [rng.choice((0.5, 0.2, 0.1, 0.05, 0.02)) for _ in range(rng.randint(1, 12))]
        quiet, unseen = Quiet("states", most), set(range(len(chances)))
        while not quiet.enough:
            shown = {state for state, chance in enumerate(chances) if rng.random() < chance}
            unseen -= shown
            quiet.ended(seen(*shown))
        none_new = 1.0
        for state in unseen:
            none_new *= 1 - chances[state]
        assert quiet.report().chance is not None
        wrong += 1 - none_new > quiet.report().chance
    assert wrong <= DOUBT * runs


def test_the_bound_is_the_one_of_the_definition_for_the_first_stretch():
    quiet = Quiet("states", since=30)
    assert quiet.report().chance is not None
    assert (1 - quiet.report().chance) ** 30 == pytest.approx(DOUBT / 2)


def test_good_and_turing_estimate_what_the_next_play_shows():
    told, came = 0.0, 0
    for number in range(400):
        rng = Random(number)
        chances = [rng.choice((0.4, 0.1, 0.03)) for _ in range(20)]
        quiet = Quiet("states")
        for _ in range(15):
            quiet.ended(seen(*(state for state, chance in enumerate(chances) if rng.random() < chance)))
        known = quiet.once | quiet.more
        told += quiet.report().expected or 0.0
        came += sum(rng.random() < chance for state, chance in enumerate(chances) if str(state) not in known)
    assert told == pytest.approx(came, rel=0.12)


def test_words_and_json_tell_it():
    quiet = Quiet("states", 3)
    for states in (("a",), ("a", "b"), ("a",), ("a",), ("a",)):
        quiet.ended(seen(*states))
    report = quiet.report()
    assert report.line() == (
        "quiet: nothing new in 3 plays; that a play shows more has a chance of at most 0.8 (95% sure), "
        "and 0.2 new states a play are estimated"
    )
    assert report.json() == {"plays": 3, "chance_of_new": report.chance, "expected_new": 0.2}
