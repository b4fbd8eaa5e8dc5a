"""What changed between two versions: by the definition, on all traces up to a length."""

from __future__ import annotations

import random

import pytest

from helpers.automata import random_automaton, random_steps
from helpers.seeds import seeds
from outplay import automaton, explore, win
from outplay.conformance import Behaviour, changes
from outplay.errors import ModelError


def versions(seed: int):
    """Two automata, the second a little other than the first."""
    rng = random.Random(f"versions {seed}")
    names, steps = random_steps(rng, most=4, share=0.5)
    kept = [step for step in steps if rng.random() < 0.85]
    kept += [(rng.choice(names), rng.choice(["?a", "?b", "!x", "!y", "!z"]), rng.choice(names)) for _ in range(2)]
    return automaton(steps, states=names), automaton(kept, states=names)


def by_traces(old, new, longest: int) -> dict[tuple[bool, str, str], int]:
    """The length of a shortest trace to each label that only one version has after it, by state and label."""
    sides = Behaviour(old), Behaviour(new)
    level, found = {(0, 0)}, {}
    for length in range(longest):
        following = set()
        for o, n in level:
            before, after = sides[0].moves(o), sides[1].moves(n)
            for label in before.keys() ^ after.keys():
                is_new = label in after
                state = sides[is_new].state_name(n if is_new else o)
                found.setdefault((is_new, state, str(label)), length)
            following |= {(before[label], after[label]) for label in before.keys() & after.keys()}
        level = following
    return found


@seeds(range(150))
def test_every_change_is_told_once_with_a_shortest_trace_shortest_first(seed):
    old, new = versions(seed)
    found = changes(old, new)
    told = {(one.is_new, one.state, str(one.label)): len(one.trace) for one in found}
    assert len(told) == len(found)
    assert told == by_traces(old, new, 60)
    assert [len(one.trace) for one in found] == sorted(len(one.trace) for one in found)


def test_a_model_has_not_changed_beside_itself():
    for seed in range(20):
        model = random_automaton(seed, most=5)
        assert changes(model, model) == []


def test_a_change_is_a_goal_of_the_version_that_has_it():
    old = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    new = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!glow", "on")])
    (change,) = changes(old, new)
    assert (change.goal, change.json()["kind"]) == ("on --!glow-->", "new")
    assert win(explore(new), change.goal).value is None  # the system decides
    assert win(explore(new), change.goal).strategy.hopeless(0, None) is False


def test_a_transition_that_both_have_elsewhere_is_no_goal():
    # After ?stop the new version goes on singing, in the state in which both sing.
    old = automaton([("idle", "?play", "playing"), ("playing", "!song", "playing"), ("playing", "?stop", "idle")])
    new = automaton([("idle", "?play", "playing"), ("playing", "!song", "playing"), ("playing", "?stop", "playing")])
    song = next(one for one in changes(old, new) if str(one.label) == "!song")
    assert (song.is_new, song.goal, [str(label) for label in song.trace]) == (True, None, ["?play", "?stop"])


def test_a_limit_is_told():
    old, new = (automaton([(str(n), "!x", str((n + 1) % size)) for n in range(size)]) for size in (7, 11))
    assert changes(old, new) == []
    with pytest.raises(ModelError, match="raise --max-states"):
        changes(old, new, most=20)
