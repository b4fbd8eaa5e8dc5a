"""Every play is taken to a clean state before it ends, by the cheapest way, whoever played and however it went."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from helpers.games import Plain, draw
from helpers.places import EXAMPLES
from outplay import Simulated, automaton, explore, run, win
from outplay.errors import UsageError
from outplay.game.graph import TESTER, Game
from outplay.play.following import follow
from outplay.play.timing import Timing
from outplay.plurals import counted
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare

MP3 = str(EXAMPLES / "mp3" / "mp3.aut")
QUICK = {"timing": Timing(settle=0)}
LIFT = automaton(
    [
        *[("ground", "?up", "first"), ("first", "?up", "second"), ("second", "!ring", "first")],
        *[("first", "?down", "ground"), ("second", "?stop", "stopped"), ("stopped", "?go", "second")],
    ]
)


def ends_of(result, game: Game) -> list[set[str]]:
    """Where each play has ended, by following its events once more."""
    found = []
    for _, events in result.trace.plays():
        *_, last = follow(game.origin.specification, events)
        vertices = [game.origin.vertex(state, True) for state in last.after.states]
        found.append({game.names[int(game.roles.state[vertex])] for vertex in vertices})
    return found


@pytest.mark.parametrize("tester", [None, "walk", "cover", "suspicion"])
def test_whoever_plays_the_play_ends_in_the_clean_state(tester: str | None):
    how = {"tester": tester, "end_in": ("ground",), "plays": 12, "steps": 9}
    result = run(LIFT, Simulated(LIFT, Random(1)), **how)
    assert result.passed
    assert ends_of(result, explore(LIFT)) == [{"ground"}] * result.tally.plays
    assert f"ended in ground: {result.tally.plays} of {counted(result.tally.plays, 'play')}" in result.findings


def labelled(plain: Plain) -> Plain:
    mark = ["!" if plain.system[edge.source] else "?" for edge in plain.edges]
    return replace(plain, edges=tuple(edge._replace(label=f"{mark[n]}e{n}") for n, edge in enumerate(plain.edges)))


def test_where_it_can_be_forced_it_is_reached_at_no_more_than_the_worst_cost():
    tried = 0
    for seed in range(3_000):
        game = labelled(draw(f"home {seed}", least=3, most=7, costs=(1,))).game()
        home = win(game, "done")
        values = [home.value_of(vertex) for vertex in range(game.vertex_count)]
        stays = all(game.owner[vertex] == TESTER for vertex in home.goal_vertices)  # a system would move on from there
        if None in values or max(values) < 2 or not game.edges_of(game.initial) or not stays:
            continue
        result = run(game, Simulated(game, Random(seed)), tester="walk", end_in=("done",), plays=4, steps=5)
        assert result.passed, seed
        for (_, events), end in zip(result.trace.plays(), ends_of(result, game), strict=True):
            assert end <= {game.names[vertex] for vertex in home.goal_vertices}, seed
            moves = [event for event in events if event.is_move and str(event.label) != "delta"]
            assert len(moves) <= 5 + max(values), seed
        tried += 1
        if tried == 25:
            return
    pytest.fail("too few games were tried")


def test_a_bug_on_the_way_home_is_found():
    result = run(MP3, f"model:{MP3}", goal="playing_repeat", end_in=("idle",), plays=3)
    assert result.passed
    assert "ended in idle: 3 of 3 plays" in result.findings
    wrong = [("idle", "?play", "playing"), ("idle", "?repeat", "waits"), ("waits", "?play", "plays")]
    wrong += [("waits", "?quit_repeat", "idle"), ("plays", "!song", "plays"), ("playing", "!song", "playing")]
    wrong += [("plays", "?quit", "stuck"), ("plays", "?quit_repeat", "playing"), ("playing", "?quit", "stuck")]
    wrong += [("playing", "?repeat", "plays"), ("stuck", "?quit_repeat", "stuck"), ("stuck", "!song", "stuck")]
    system = Simulated(automaton(wrong), Random(2))
    assert run(MP3, system, goal="playing_repeat", plays=3, **QUICK).passed
    assert run(MP3, system, goal="playing_repeat", end_in=("idle",), plays=3, **QUICK).verdict.name == "fail"


def test_what_does_not_go_with_it_is_told():
    with pytest.raises(UsageError, match="--end-in does not go with --jobs"):
        prepare(Job(MP3, end_in=("idle",), jobs=2, sut=f"model:{MP3}"))
    with pytest.raises(UsageError, match="did you mean 'idle'"):
        prepare(Job(MP3, end_in=("idl",), sut=f"model:{MP3}"))
    with pytest.raises(UsageError, match="--end-in needs"):
        prepare(Job(MP3, end_in=("idle",), suite="tests.json", sut=f"model:{MP3}"))
