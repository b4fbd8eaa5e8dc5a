"""A model of any kind whose labels can be listed is explored by what it answers, and comes to the same game."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest

from helpers.seeds import seeds
from outplay import Label, Simulated, automaton, expected, explore, run, win
from outplay.errors import UsageError
from outplay.model.kinds import register_kind
from outplay.model.label import SILENCE
from outplay.model.offer import LabelFamily, any_integer
from outplay.model.specification import BaseSpecification
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.wrapping import Wrapped


@dataclass(frozen=True)
class Dice:
    """A sum of throws up to a limit; a six is three times as likely as each other face."""

    limit: int


class DiceSpecification(BaseSpecification):
    name, fingerprint, initial, goals = "dice", "dice-1", ((0, False),), ("enough",)

    def __init__(self, dice: Dice) -> None:
        self.limit = dice.limit

    def inputs(self, state):
        return [] if state[1] or state[0] >= self.limit else [Label("?", "throw")]

    def outputs(self, state):
        return [Label("!", "shows", (face,)) for face in range(1, 7)] if state[1] else []

    def quiet(self, state):
        return not state[1]

    def after(self, state, label):
        total, thrown = state
        if label == SILENCE:
            return [state] if not thrown else []
        if label not in [*self.inputs(state), *self.outputs(state)]:
            return []
        return [(total, True)] if label.is_input else [(min(self.limit, total + label.arguments[0]), False)]

    def weight(self, state, label):
        return 3.0 if label.arguments == (6,) else 1.0

    def holds(self, goal, state):
        return state == (self.limit, False)


register_kind(Dice, lambda model, **_: DiceSpecification(model))


def throws_needed(limit: int) -> Fraction:
    """By the definition: one throw, and then what is needed from where it led."""
    shares = {face: Fraction(3 if face == 6 else 1, 8) for face in range(1, 7)}
    needed = [Fraction(0)] * (limit + 1)
    for left in range(1, limit + 1):
        needed[left] = 1 + sum(share * needed[max(0, left - face)] for face, share in shares.items())
    return needed[limit]


@pytest.mark.parametrize("limit", [1, 5, 12])
def test_a_kind_of_model_of_one_file_is_explored_solved_and_played(limit):
    game = explore(Dice(limit))
    assert game.origin.complete
    assert float(expected(game, "enough").value) == pytest.approx(2 * float(throws_needed(limit)))
    strategy = win(game, "enough")
    outcome = run(strategy, Simulated(game.origin.specification, Random(1)), plays=5, steps=60)
    assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 5)


def labels_at(game, vertex):
    """The labels of a vertex, and behind its decisions, as often as they are there."""
    edges = game.edges_of(vertex)
    behind = [edge for one in edges if not game.moves[one] for edge in game.edges_of(int(game.target[one]))]
    return sorted(game.label_of(edge) for edge in [*edges, *behind])


LABELS = ["?a", "?b", "!x", "!y"]


@seeds(range(150))
def test_a_specification_and_its_automaton_come_to_the_same_game(seed):
    rng = Random(seed)
    states = [f"q{n}" for n in range(rng.randint(1, 6))]
    rows = [(rng.choice(states), rng.choice(LABELS), rng.choice(states)) for _ in range(rng.randint(2, 15))]
    spec = SuspensionAutomaton(automaton(rows))
    rule = rng.choice(["nondeterministic", "input-eager", "output-eager", "timeout"])
    known, found = explore(spec.automaton, assumption=rule), explore(Wrapped(spec), assumption=rule)
    # Exploring an automaton numbers sets too that only an input leads to which may not be given.
    at = {known.origin.specification.key(state): state for state in range(known.origin.states)}
    for place in range(found.origin.states):
        goal = rng.choice(states)
        state = at[found.origin.specification.key(place)]
        assert found.origin.describe(place) == known.origin.describe(state)
        assert found.owner[place] == known.owner[state]
        assert labels_at(found, place) == labels_at(known, state)
        if spec.is_state(goal):
            assert found.origin.specification.holds(goal, place) == known.origin.specification.holds(goal, state)


class Hidden(BaseSpecification):
    """An automaton as it stands: nobody sees to which of several states a label leads."""

    name, fingerprint = "hidden", "hidden-1"

    def __init__(self, rows, start):
        self.rows, self.initial = rows, start

    def inputs(self, state):
        return list(
            dict.fromkeys(Label.parse(label) for one, label, _ in self.rows if one == state and label[0] == "?")
        )

    def outputs(self, state):
        return list(
            dict.fromkeys(Label.parse(label) for one, label, _ in self.rows if one == state and label[0] == "!")
        )

    def quiet(self, state):
        return not self.outputs(state)

    def after(self, state, label):
        if label == SILENCE:
            return [state] if self.quiet(state) else []
        return list(dict.fromkeys(target for one, shown, target in self.rows if (one, shown) == (state, label.text)))

    def holds(self, goal, state):
        return goal == state

    goals = ("q1",)


@seeds(range(300), quick=60)
def test_a_strategy_never_counts_on_what_nobody_sees(seed):
    rng = Random(seed)
    states = [f"q{n}" for n in range(rng.randint(2, 5))]
    rows = [("q0", "?a", rng.choice(states))]
    rows += [(rng.choice(states), rng.choice(LABELS), rng.choice(states)) for _ in range(rng.randint(2, 12))]
    rule = rng.choice(["nondeterministic", "input-eager", "output-eager"])
    found, known = explore(Hidden(rows, ["q0"]), assumption=rule), explore(automaton(rows), assumption=rule)
    for label in sorted(set(found.labels) & set(LABELS)):
        assert win(found, label).value == win(known, label).value
    sure = [number for number, name in enumerate(known.names) if name == "q1"]
    assert win(found, "q1").value == (win(known, "q1").value if sure else None)


def test_a_system_that_may_start_anywhere_starts_in_all_of_them():
    rows = [("q0", "?a", "q1"), ("q2", "?a", "q1"), ("q0", "!x", "q0"), ("q2", "!y", "q1")]
    game = explore(Hidden(rows, ["q0", "q2"]))
    assert game.origin.describe(0) == "q0 or q2"
    assert labels_at(game, 0) == ["!x", "!x", "!y", "!y", "?a", "?a", "wait"]


class Endless(DiceSpecification):
    def inputs(self, state):
        return [LabelFamily("?", "throw", (any_integer("n"),))]


def test_what_cannot_be_explored_says_why():
    with pytest.raises(UsageError, match=r"exploring takes labels that can be listed.*\?throw n \(n: integer\)"):
        explore(Endless(Dice(3)))
    with pytest.raises(UsageError, match="cannot be played"):
        explore(42)
