"""Jokers and moves against the definition: least jokers, least moves with that many in all, and the strategy itself."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from helpers.games import Plain
from helpers.jokers import NEVER, draw, help_wanted, least, within
from helpers.seeds import with_long
from outplay import Game, GameBuilder, automaton, explore, win
from outplay.errors import UsageError
from outplay.model.programs.load import load_program
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.joker_answers import Jokers, JokerStrategy, NoJoker
from outplay.strategy.jokers.prices import HelpKind


@pytest.mark.parametrize("number", with_long(range(20), quick=12))
def test_jokers_and_moves_of_all_vertices_are_those_of_the_definition_with_memory(number):
    for game_number in range(25):
        drawn = draw((number, game_number))
        assert joker(drawn.game(), "done").solution.values() == least(drawn), drawn


@pytest.mark.parametrize("number", range(10))
def test_with_more_jokers_in_hand_the_moves_are_those_of_the_definition_too(number):
    for game_number in range(25):
        drawn = draw(("in hand", number, game_number))
        solution = joker(drawn.game(), "done").solution
        table = within(drawn, solution.limit, steps=len(drawn.system) * (solution.limit + 1))
        for left, vertex in itertools.product(range(solution.limit + 1), range(len(drawn.system))):
            now = solution.now(vertex, left)
            assert (NEVER if now is None else now.moves) == table[left][vertex], drawn


def worst_play(drawn: Plain, choose, vertex: int, left: int, before: frozenset = frozenset()) -> tuple[int, int] | None:
    """Jokers and moves in the worst case when `choose(vertex, left)` names an edge; None where it need not arrive."""
    if vertex in drawn.goals:
        return 0, 0
    if (vertex, left) in before:
        return None
    edge = choose(vertex, left)
    asked = edge is not None and drawn.system[vertex]
    if asked and left == 0:
        return None
    jokers, longest = 0, -1
    for taken in drawn.leaving(vertex) if edge is None else [edge]:
        edge_taken = drawn.edges[taken]
        beyond = worst_play(drawn, choose, edge_taken.target, left - asked, before | {(vertex, left)})
        if beyond is None:
            return None
        jokers, longest = max(jokers, beyond[0] + asked), max(longest, beyond[1] + edge_taken.moves)
    return (jokers, longest) if longest >= 0 else None


def chosen(result, vertex: int, left: int) -> int | None:
    """What the strategy chooses, as the place of an edge in the list the game was built from."""
    edge = result.edge(vertex, left)
    return None if edge is None else int(result.game.edge_names[edge][1:])


@pytest.mark.parametrize("number", range(10))
def test_the_strategy_followed_against_all_answers_takes_what_it_promises(number):
    for game_number in range(20):
        drawn = draw(("followed", number, game_number), most=6)
        result = joker(drawn.game(), "done")
        for vertex, value in enumerate(result.solution.values()):
            if value is None:
                continue
            arrived = worst_play(drawn, partial(chosen, result), vertex, value.jokers)
            assert arrived is not None, drawn
            assert arrived[0] <= value.jokers, drawn
            assert arrived[1] == value.moves, drawn


def all_strategies(drawn: Plain, jokers: int):
    """Every way to choose with each number of jokers in hand; None at a system vertex is to play no joker."""
    places, options = [], []
    for left, vertex in itertools.product(range(jokers + 1), range(len(drawn.system))):
        if vertex in drawn.goals or not drawn.leaving(vertex):
            continue
        places.append((vertex, left))
        edges = drawn.leaving(vertex)
        options.append(edges if not drawn.system[vertex] else [None, *edges] if left else [None])
    return places, options


@pytest.mark.parametrize("number", range(10))
def test_no_strategy_found_by_trying_all_does_better(number):
    tried = 0
    for game_number in itertools.count():
        drawn = draw(("tried", number, game_number), most=5)
        value = joker(drawn.game(), "done").value
        jokers = 1 if value is None else value.jokers
        places, options = all_strategies(drawn, jokers)
        if len(list(itertools.islice(itertools.product(*options), 1001))) > 1000:
            continue
        ends = []
        for edges in itertools.product(*options):
            strategy = dict(zip(places, edges, strict=True))
            ends.append(worst_play(drawn, lambda v, left, s=strategy: s.get((v, left)), drawn.initial, jokers))
        reached = [end for end in ends if end is not None]
        assert (value is None) == (not reached), drawn
        if value is not None:
            assert min(reached) >= (value.jokers, 0)
            assert min(moves for _, moves in reached) == value.moves, drawn
        tried += 1
        if tried == 15:
            break


@pytest.mark.parametrize("number", range(10))
def test_a_joker_is_played_only_where_it_saves_moves(number):
    played = 0
    for game_number in range(20):
        drawn = draw(("saves", number, game_number), free=0.0)
        solution = joker(drawn.game(), "done").solution
        table = within(drawn, solution.limit, steps=len(drawn.system) * (solution.limit + 1))
        for vertex in range(len(drawn.system)):
            for change in solution.changes(vertex):
                if drawn.system[vertex] and change.edge >= 0:
                    without = [1 + table[change.left][drawn.edges[edge].target] for edge in drawn.leaving(vertex)]
                    assert max(without) > change.moves, drawn
                    played += 1
    assert played > 10


@pytest.mark.parametrize("number", range(10))
def test_where_no_joker_is_needed_the_goal_can_be_forced_and_where_some_are_it_cannot(number):
    for game_number in range(20):
        game = draw(("forced", number, game_number)).game()
        forced = [value is not None for value in win(game, "done").solution.values()]
        assert [jokers == 0 for jokers in joker(game, "done").jokers.tolist()] == forced


def test_the_random_games_hold_every_difficulty_they_are_drawn_for():
    games = [draw((number, game_number)) for number in range(20) for game_number in range(25)]
    results = [(drawn, joker(drawn.game(), "done").solution) for drawn in games]
    needs = [max(solution.jokers.tolist()) for _, solution in results]
    assert sum(need >= 2 for need in needs) > 50
    assert max(needs) >= 4
    assert sum(any(len(s.changes(v)) > 1 for v in range(len(d.system))) for d, s in results) > 30
    assert sum(any(j == -1 for j in solution.jokers.tolist()) for _, solution in results) > 100
    assert sum(isinstance(joker(d.game(), "done"), NoJoker) for d in games) > 50


def two_ways() -> Game:
    builder = GameBuilder()
    for name in ("1", "B0", "C1", "C2", "C3", "L"):
        builder.vertex(name, "tester")
    builder.vertex("A", "system").vertex("B", "system").vertex("G", "tester", goals=["G"])
    for source, target in ("1A", ("1", "B0"), ("B0", "B"), ("A", "C1"), "AL", "BG", "BL", ("C1", "C2"), ("C2", "C3")):
        builder.edge(source, target)
    return builder.edge("C3", "G").build("1")


def test_more_moves_to_the_joker_can_be_fewer_in_all():
    result = joker(two_ways(), "G")
    assert result.value == Jokers(1, 3)
    names = result.game.names
    assert names[result.game.target[result.edge(result.game.initial)]] == "B0"


def test_a_leftover_joker_saves_moves_so_pairs_cannot_be_minimised_vertex_by_vertex():
    steps = [("1", "?b", "0"), ("1", "!y", "2"), ("2", "!x", "1"), ("2", "!y", "3"), ("3", "!y", "4"), ("4", "!x", "0")]
    game = explore(automaton(steps, states=list("01234"), initial="2"))
    assert joker(game, "0").value == Jokers(1, 3)


def test_a_joker_that_turns_out_not_to_be_needed_is_played_to_save_moves():
    builder = GameBuilder().vertex("s", "system").vertex("w", "system").vertex("q", "system").vertex("lost", "tester")
    builder.vertex("far", "tester").vertex("farther", "tester").vertex("g", "tester", goals=["g"])
    builder.edge("s", "w").edge("s", "q").edge("w", "g").edge("w", "lost")
    game = builder.edge("q", "g").edge("q", "far").edge("far", "farther").edge("farther", "g").build()
    result = joker(game, "g")
    assert result.value == Jokers(1, 2)
    assert result.value_of(2) == Jokers(0, 3)
    assert [change[:2] for change in result.solution.changes(2)] == [(0, 3), (1, 1)]
    assert (result.plays_joker(2), result.plays_joker(2, left=1)) == (False, True)
    assert [game.names[vertex] for vertex, _, _ in help_wanted(result)] == ["w", "q"]


def test_help_is_not_wanted_where_the_joker_is_spent_already():
    builder = GameBuilder().vertex("w", "system").vertex("lost", "tester").vertex("q", "system").vertex("far", "tester")
    builder.vertex("g", "tester", goals=["g"]).edge("w", "q").edge("w", "lost")
    result = joker(builder.edge("q", "g").edge("q", "far").edge("far", "g").build(), "g")
    assert result.value == Jokers(1, 3)
    assert result.plays_joker(2, left=1)
    assert [vertex for vertex, _, _ in help_wanted(result)] == [0]


def test_where_the_goal_cannot_be_reached_at_all_the_answer_is_what_can():
    game = draw_lost()
    result = joker(game, "g")
    assert isinstance(result, NoJoker)
    assert result.value is None
    assert [game.names[vertex] for vertex in result.blocking.tolist()] == ["s", "c"]
    assert result.value_of(2) == Jokers(0, 0)
    assert repr(result) == "NoJoker(g is impossible, whatever help the system gives)"


def draw_lost() -> Game:
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["g"])
    return builder.edge("s", "c").edge("c", "s").edge("g", "s").build()


def test_a_goal_that_holds_nowhere_is_beyond_all_help():
    builder = GameBuilder().vertex("s", "system").edge("s", "s").goal("never", [])
    for everywhere in (True, False):
        result = joker(builder.build(), "never", everywhere=everywhere)
        assert isinstance(result, NoJoker)
        assert result.solution.values() == [None]
        check_joker(result.game, [], result.solution.claim())


def test_two_messages_are_pending_in_the_chat_if_the_server_takes_the_second_before_it_delivers(chat):
    game = explore(load_program(f"{chat / 'model.py'}:Chat"))
    result = joker(game, "two_pending")
    assert result.value == Jokers(1, 2)
    ((_, edge, kind),) = help_wanted(result)
    assert kind is HelpKind.CONFLICT
    assert game.label_of(edge).startswith("?post ")
    forestalled = joker(explore(load_program(f"{chat / 'model.py'}:Chat"), assumption="output-eager"), "two_pending")
    assert isinstance(forestalled, NoJoker)


def test_help_is_told_by_its_kind_conflict_output_or_silence():
    model = automaton(
        [
            ("s", "?post", "two"),
            ("s", "!deliver", "s"),
            ("two", "!x", "far"),
            ("two", "delta", "end"),
            ("far", "!y", "s"),
        ]
    )
    game = explore(model)
    result = joker(game, "end")
    assert isinstance(result, JokerStrategy)
    assert result.value == Jokers(2, 2)
    wanted = [(game.names[vertex], game.label_of(edge), kind) for vertex, edge, kind in help_wanted(result)]
    assert wanted == [("s ?post", "?post", HelpKind.CONFLICT), ("two", "delta", HelpKind.SILENCE)]
    far = joker(game, "far")
    assert [kind for _, _, kind in help_wanted(far)] == [HelpKind.CONFLICT, HelpKind.OUTPUT]


def test_choices_are_listed_at_tester_vertices_and_where_a_joker_is_played():
    result = joker(two_ways(), "G")
    listed = {
        result.game.names[vertex]: result.game.names[result.game.target[edge]] for vertex, edge in result.choices()
    }
    assert listed == {"1": "B0", "B0": "B", "A": "C1", "B": "G", "C1": "C2", "C2": "C3", "C3": "G"}
    played = [name for name in listed if result.plays_joker(result.game.vertex_numbers[name])]
    assert played == ["A", "B"]


@pytest.mark.parametrize("number", range(5))
def test_moves_for_the_initial_vertex_alone_are_the_same_as_those_for_all(number):
    for game_number in range(20):
        game = draw(("initial", number, game_number)).game()
        whole, part = joker(game, "done"), joker(game, "done", everywhere=False)
        assert part.value == whole.value
        assert part.jokers.tolist() == whole.jokers.tolist()
        for vertex in range(game.vertex_count):
            reached = 0 <= whole.jokers[vertex] <= (whole.value.jokers if whole.value else 0)
            assert part.value_of(vertex) == (whole.value_of(vertex) if reached else None)


def test_several_goals_count_as_one_union_and_a_label_is_a_goal_too():
    game = two_ways()
    assert joker(game, ["C3", "G"]).value == Jokers(1, 3)
    steps = [("s", "!x", "s"), ("s", "!y", "s")]
    assert joker(explore(automaton(steps)), "!y").value == Jokers(1, 1)


def test_where_only_fairness_is_known_jokers_are_refused():
    game = explore(automaton([("s", "?a", "t"), ("s", "!x", "s")]), assumption="input-fair")
    with pytest.raises(UsageError, match="not defined under input-fair; use input-eager"):
        joker(game, "t")
