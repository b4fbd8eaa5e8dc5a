"""Automata explored into games: who wins, against the concurrent game of 004 (Definitions 5.11, 5.12)."""

from __future__ import annotations

from itertools import count

import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import automaton, explore, win
from outplay.model.label import SILENCE
from outplay.model.suspension import SuspensionAutomaton, build_all_states

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic")


def outcomes(spec: SuspensionAutomaton, state: int, choice: object, assumption: str) -> set[int]:
    """Where the tester's choice may lead: an input, or None for waiting."""
    moves = spec.moves(state)
    spoken = {target for label, target in moves.items() if label.is_output}
    silent = {moves[SILENCE]} if SILENCE in moves else set()
    if choice is None:
        return spoken | silent
    taken = {moves[choice]}
    if assumption == "input-eager" or not spoken:
        return taken
    if assumption == "output-eager":
        return spoken | (taken if silent else set())
    return spoken | taken


def winning(spec: SuspensionAutomaton, goal: set[int], assumption: str) -> set[int]:
    won = set(goal)
    for _ in count():
        more = {
            state
            for state in range(build_all_states(spec))
            if state not in won
            and any(outcomes(spec, state, choice, assumption) <= won for choice in (*spec.inputs(state), None))
        }
        if not more:
            return won
        won |= more
    raise AssertionError


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@seeds(range(200))
def test_who_wins_is_as_in_the_concurrent_game(seed, assumption):
    model = random_automaton(seed, least=2, most=6, share=(0.2, 0.4), silence=0.3, internal=0.15)
    game = explore(model, assumption=assumption)
    spec = game.origin.specification
    for goal in range(game.origin.states):
        result = win(game, game.names[goal])
        found = {state for state in range(game.origin.states) if result.solution.value(state) is not None}
        assert found == winning(spec, {goal}, assumption)


def test_silence_that_tells_something_can_be_waited_for():
    # After the input the system is in one of two states; only silence tells that it is in the quiet one.
    model = automaton([("s", "?go", "loud"), ("s", "?go", "still"), ("loud", "!x", "s"), ("still", "?end", "done")])
    game = explore(model, assumption="input-eager")
    assert {"{loud,still}", "still"} <= set(game.names)
    assert game.origin.specification.inputs(1) == []
    labels = {game.label_of(edge) for edge in game.edges_of(game.vertex_numbers["{loud,still}"])}
    assert labels == {"!x", "delta"}
