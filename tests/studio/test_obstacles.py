"""The obstacles before a goal are there: what is listed follows from the game, and nothing that matters is left out."""

from __future__ import annotations

from helpers.games import draw
from helpers.seeds import seeds
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.answer import Blocked
from outplay.studio.goal_values import GoalValues
from outplay.studio.obstacles import MOST_PLACES, obstacles


def reaching(game: Game, goals: set[int]) -> set[int]:
    """From the definition: the vertices from where some way leads to a goal."""
    found = set(goals)
    for _ in range(game.vertex_count):
        for source, target in zip(game.source.tolist(), game.target.tolist(), strict=True):
            if target in found:
                found.add(source)
    return found


@seeds(range(150))
def test_ways_out_leave_the_blocking_set_and_last_chances_are_lost_for_ever(seed: int):
    game = draw(seed, most=9).game()
    values = GoalValues(game, next(iter(game.goals)))
    goals = set(values.target.vertices.tolist())
    found = obstacles(game, values.target, values.sure, values.helped)
    hope = reaching(game, goals)
    assert bool(found.reasons) == (game.initial not in hope)
    if found.reasons or not isinstance(values.sure, Blocked):
        return
    doors, lost = found.places
    held = set(values.sure.blocking.tolist())
    for vertex, _ in doors.found:
        assert game.owner[vertex] == SYSTEM
        assert vertex in held
        assert {int(game.target[edge]) for edge in game.edges_of(vertex)} - held
    assert doors.found  # else no way would lead out of the set, and the goal would be impossible
    given_up = {
        (source, game.labels[label])
        for source, target, label in zip(game.source.tolist(), game.target.tolist(), game.label.tolist(), strict=True)
        if source in hope - goals and target not in hope
    }
    assert {vertex for vertex, _ in lost.found} <= {source for source, _ in given_up}
    assert bool(lost.found) == bool(given_up)
    assert len(lost.found) <= MOST_PLACES
