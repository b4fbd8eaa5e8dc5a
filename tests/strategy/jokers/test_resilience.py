"""Resilient strategies and domination against what the definitions say, by trying or iterating over everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise, product
from random import Random

import pytest

from helpers.domination import domination
from helpers.games import Edge
from helpers.jokers import draw
from outplay import Game, GameBuilder
from outplay.errors import CertificateError
from outplay.strategy.jokers.joker import joker, joker_sets
from outplay.strategy.jokers.joker_answers import Jokers, JokerStrategy, NoJoker
from outplay.strategy.jokers.resilience import Resilient, opponent_ranks, resilient

SAFE, LOST = 10**6, -1


def drawn(seed: object, most: int = 9) -> Game:
    """A random game with a vertex more from which nothing leads on, and ways to it."""
    plain = draw(seed, least=2, most=most, system=0.5, free=0.2)
    rng, lost = Random(f"lost {seed}"), len(plain.system)
    edges = [Edge(vertex, lost) for vertex in plain.vertices if rng.random() < 0.3 and vertex]
    whole = replace(plain, system=(*plain.system, False), edges=(*plain.edges, *edges), goals=frozenset({0}))
    return whole.game()


def branched(seed: object) -> Game:
    """Some ways to the goal, each with a joker at its end, from where losing takes one to three moves."""
    rng = Random(f"branched {seed}")
    builder = GameBuilder().vertex("goal", "tester", goals=["done"]).vertex("lost", "tester").vertex("start", "tester")
    names = ["start"]
    for branch in range(rng.randint(2, 3)):
        way = [f"{branch} way {step}" for step in range(rng.randint(0, 2))]
        danger = [f"{branch} danger {step}" for step in range(rng.randint(1, 3))]
        for name in way:
            builder.vertex(name, "tester")
        for name in danger:
            builder.vertex(name, "system").edge(name, "goal")
        path = ["start", *way, *danger, "lost"]
        for source, target in pairwise(path):
            builder.edge(source, target, moves=int(rng.random() < 0.9))
        names += [*way, *danger]
    for _ in range(rng.randint(0, 2)):
        builder.edge(rng.choice(names), rng.choice(names))
    return builder.build("start")


def sample(number: int):
    """Half of the games are wild, half have several ways to compare."""
    return [drawn((number, seed)) if seed % 2 else branched((number, seed)) for seed in range(26)]


def lost_vertices(game: Game) -> set[int]:
    """Vertices with no path to the goal."""
    reaching = {0}
    for _ in range(game.vertex_count):
        reaching |= {int(game.source[e]) for e in range(game.edge_count) if int(game.target[e]) in reaching}
    return set(range(game.vertex_count)) - reaching


def ranks_by_definition(game: Game) -> list[int]:
    """The least moves in which the system makes the tester lose, by iteration from nothing known."""
    lost = lost_vertices(game)
    rank = [0 if vertex in lost else SAFE for vertex in range(game.vertex_count)]
    for _ in range(game.vertex_count + 1):
        for vertex in set(range(1, game.vertex_count)) - lost:
            found = [min(SAFE, int(game.moves[e]) + rank[int(game.target[e])]) for e in game.edges_of(vertex)]
            rank[vertex] = (min if game.owner[vertex] == 1 else max)(found)
    return rank


def states_of(game: Game) -> set[int]:
    return {game.initial, *(int(game.target[e]) for e in range(game.edge_count) if game.moves[e])}


def best_by_definition(game: Game, jokers: int) -> int:
    """The highest lowest rank that so many jokers can keep to, by iteration over vertices and jokers in hand."""
    states, ranks = states_of(game), ranks_by_definition(game)
    own = [ranks[vertex] if vertex in states else SAFE for vertex in range(game.vertex_count)]
    table = [[SAFE if vertex == 0 else LOST for vertex in range(game.vertex_count)] for _ in range(jokers + 1)]
    for _ in range((jokers + 1) * game.vertex_count + 1):
        before = [list(row) for row in table]
        for left, vertex in product(range(jokers + 1), range(1, game.vertex_count)):
            found = [before[left][int(game.target[edge])] for edge in game.edges_of(vertex)]
            if game.owner[vertex] == 1:
                asked = [before[left - 1][int(game.target[edge])] for edge in game.edges_of(vertex)] if left else []
                found = [min(found, default=LOST), *asked]
            table[left][vertex] = min(own[vertex], max(found, default=LOST))
    return table[jokers][game.initial]


@pytest.mark.parametrize("number", range(10))
def test_the_systems_ranks_are_the_moves_it_needs_to_make_the_tester_lose(number):
    for game in sample(number):
        goals = game.goals["done"]
        ranks = opponent_ranks(game, goals, joker_sets(game, goals)).tolist()
        assert [SAFE if rank < 0 else rank for rank in ranks] == ranks_by_definition(game)


@pytest.mark.parametrize("number", range(10))
def test_no_strategy_with_the_fewest_jokers_stays_farther_from_losing(number):
    for game in sample(number):
        result, plain = resilient(game, "done"), joker(game, "done")
        assert isinstance(result, NoJoker) == isinstance(plain, NoJoker)
        if isinstance(result, Resilient):
            assert result.value.jokers == plain.value.jokers
            expected = best_by_definition(game, plain.value.jokers)
            assert result.resilience == (None if expected == SAFE else expected)


@pytest.mark.parametrize("number", range(10))
def test_followed_against_all_answers_the_strategy_keeps_its_distance_and_takes_its_moves(number):
    played = 0
    for game in sample(number):
        result = resilient(game, "done")
        if isinstance(result, NoJoker):
            continue
        played += 1
        strategy, ranks, states = result, ranks_by_definition(game), states_of(game)
        stack, lowest, longest = [(game.initial, strategy.value.jokers, 0)], SAFE, 0
        while stack:
            vertex, left, taken = stack.pop()
            assert taken <= strategy.value.moves
            assert left >= 0
            lowest = min(lowest, ranks[vertex] if vertex in states else SAFE)
            if vertex == 0:
                longest = max(longest, taken)
                continue
            edge, asked = strategy.edge(vertex, left), strategy.plays_joker(vertex, left)
            for each in game.edges_of(vertex) if edge is None else [edge]:
                stack.append((int(game.target[each]), left - asked, taken + int(game.moves[each])))
        assert longest == strategy.value.moves
        assert lowest == SAFE if result.resilience is None else lowest >= result.resilience
    assert played >= 10


@pytest.mark.parametrize("number", range(20))
def test_the_checker_accepts_what_is_right(number):
    for game in sample(number):
        for start in {game.initial, *Random(number).sample(range(game.vertex_count), 2)}:
            result = resilient(replace(game, initial=start), "done")
            answer = result
            assert answer.check().vertices == game.vertex_count


def wrong_answers(answer: JokerStrategy):
    """Answers with more or fewer moves somewhere, another edge, an avoided vertex that is not said to be one, and one
    that is said to be without being empty.
    """
    solution = answer.solution
    for place in range(len(solution.notes.vertex)):
        vertex = int(solution.notes.vertex[place])
        edges = answer.game.edges_of(vertex)
        for name, values in (("moves", (-1, 1)), ("left", (-1, 1))):
            for more in values:
                column = getattr(solution.notes, name).copy()
                column[place] += more
                yield replace(answer, solution=replace(solution, notes=solution.notes._replace(**{name: column})))
        outside = solution.notes.edge.copy()
        outside[place] = edges.stop
        if solution.notes.edge[place] >= 0:
            yield replace(answer, solution=replace(solution, notes=solution.notes._replace(edge=outside)))
        yield replace(answer, avoided=answer.avoided | {vertex})


@pytest.mark.parametrize("number", range(10))
def test_the_checker_refuses_what_is_wrong(number):
    for game in sample(number)[:8]:
        result = resilient(game, "done")
        if isinstance(result, Resilient):
            for wrong in wrong_answers(result):
                with pytest.raises(CertificateError):
                    wrong.check()


def test_who_may_enter_what_was_avoided_has_to_say_why_it_does_not():
    strategy = resilient(detour(), "g")
    assert {detour().names[vertex] for vertex in strategy.avoided} == {"edge", "near", "lost"}
    with pytest.raises(CertificateError):
        replace(strategy, avoided=frozenset()).check()


def test_the_random_games_tell_resilient_from_merely_short():
    different = endangered = 0
    for game in chain.from_iterable(map(sample, range(10))):
        result = resilient(game, "done")
        if isinstance(result, Resilient):
            endangered += result.resilience is not None
            different += result.value != joker(game, "done").value
    assert endangered > 50
    assert different > 10


def detour() -> Game:
    """One joker either way: at once beside the abyss, or after a step at a place from which losing takes two."""
    builder = GameBuilder().vertex("s", "tester").vertex("edge", "system").vertex("way", "tester")
    builder.vertex("far", "system").vertex("near", "system").vertex("g", "tester", goals=["g"]).vertex("lost", "tester")
    builder.edge("s", "edge").edge("edge", "g").edge("edge", "lost").edge("s", "way").edge("way", "far")
    return builder.edge("far", "g").edge("far", "near").edge("near", "g").edge("near", "lost").build()


def test_a_longer_way_is_taken_when_it_is_farther_from_losing():
    game = detour()
    assert joker(game, "g").value == Jokers(1, 2)
    result = resilient(game, "g")
    assert result.value == Jokers(1, 3)
    assert result.resilience == 2
    assert game.names[game.target[result.edge(0)]] == "way"
    assert repr(result) == "Resilient(g needs 1 joker, in at most 3 moves, and stays 2 moves from losing on the way)"


def test_where_the_system_cannot_make_the_tester_lose_there_is_no_danger():
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["g"])
    result = resilient(builder.edge("s", "s").edge("s", "g").build(), "g")
    assert result.resilience is None
    assert "never in danger" in repr(result)


def positional(game: Game, of_system: bool):
    options = [
        [(vertex, edge) for edge in game.edges_of(vertex)]
        for vertex in range(1, game.vertex_count)
        if (game.owner[vertex] == 1) == of_system and game.edges_of(vertex)
    ]
    return list(map(dict, product(*options)))


def won(game: Game, moves: dict[int, int]) -> bool:
    vertex = game.initial
    for _ in range(game.vertex_count):
        vertex = int(game.target[moves[vertex]]) if vertex and vertex in moves else vertex
    return vertex == 0


def test_domination_counts_the_positional_systems_each_strategy_wins_against():
    compared = 0
    for seed in range(400):
        game = drawn(("dominated", seed), most=7)
        mine, theirs = positional(game, of_system=False), positional(game, of_system=True)
        if len(mine) < 2 or len(theirs) > 200:
            continue
        first, second = Random(seed).sample(mine, 2)
        wins = [(won(game, system | first), won(game, system | second)) for system in theirs]
        found = domination(game, "done", first, second)
        counted = (found.both, found.only_first, found.only_second, found.neither)
        assert counted == tuple(map(wins.count, product((True, False), repeat=2)))
        one, other = ({n for n, win in enumerate(wins) if win[side]} for side in (0, 1))
        assert (found.first_dominates, found.second_dominates) == (one > other, other > one)
        compared += found.first_dominates or found.second_dominates
    assert compared > 10


def test_the_resilient_way_dominates_the_short_one():
    game = detour()
    short, safe = ({v: e for v, e in each.choices() if game.owner[v] == 0} for each in both_ways(game))
    assert domination(game, "g", safe, short).only_first > 0


def both_ways(game: Game):
    return joker(game, "g"), resilient(game, "g")
