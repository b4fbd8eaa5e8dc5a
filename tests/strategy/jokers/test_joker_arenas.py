"""Joker ranks, states, moves and strategies against 004's definitions on the concurrent arenas of suspension automata.

The arena is built here, state by state (Definition 6.23, and 5.12 for the other two assumptions), and all sets are
plain fixpoints over it; nothing of the game graph is used but the answer that is compared.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from random import Random

import pytest

from helpers.automata import random_automaton
from helpers.joker_game import joker_game
from outplay import Game, explore
from outplay.model.label import SILENCE
from outplay.model.suspension import SuspensionAutomaton
from outplay.strategy.jokers.joker import joker, joker_sets
from outplay.strategy.jokers.resilience import opponent_ranks

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic")
WAIT, STOP, STOPPED = "theta", "stop?", -1
NEVER = 10**9
AUTOMATA = 1000
BATCHES = 20
drawn = partial(random_automaton, least=4, most=7, share=(0.2, 0.4), silence=0.3, internal=0.1)


class Arena:
    """The game arena of Definition 6.23 without the marks of who moved last, which change no strategy."""

    def __init__(self, spec: SuspensionAutomaton, count: int, assumption: str) -> None:
        self.assumption = assumption
        self.step = {q: spec.moves(q) for q in range(count)}
        self.mine = {q: [*spec.inputs(q), WAIT, STOP] for q in range(count)} | {STOPPED: [STOP]}
        spoken = {q: [label for label in spec.moves(q) if not label.is_input] for q in range(count)}
        self.theirs = spoken | {STOPPED: [SILENCE]}
        self.states = list(self.theirs)
        self.known: dict = {}

    def moves(self, q, a, x) -> set[int]:
        if a == STOP:
            return {STOPPED}
        if a == WAIT:
            return {self.step[q][x]}
        if x == SILENCE or self.assumption == "input-eager":
            return {self.step[q][a]}
        if self.assumption == "output-eager":
            return {self.step[q][x]}
        return {self.step[q][a], self.step[q][x]}

    def outcomes(self, q, a) -> set[int]:
        if (q, a) not in self.known:
            self.known[q, a] = set().union(*(self.moves(q, a, x) for x in self.theirs[q]))
        return self.known[q, a]

    def attractor(self, goal: set[int]) -> dict[int, int]:
        """Definition 6.7: the rank of each state of the attractor."""
        rank = dict.fromkeys(goal, 0)
        while True:
            new = {
                q: max(rank.values()) + 1
                for q in self.states
                if q not in rank and any(self.outcomes(q, a) <= rank.keys() for a in self.mine[q])
            }
            if not new:
                return rank
            rank |= new

    def predecessors(self, goal: set[int]) -> set[int]:
        return {q for q in self.states if any(self.outcomes(q, a) & goal for a in self.mine[q])}

    def joker_sets(self, goal: set[int]) -> list[set[int]]:
        """Definition 6.11, until nothing is added."""
        sets = [set(self.attractor(goal))]
        while True:
            more = sets[-1] | set(self.attractor(self.predecessors(sets[-1])))
            if more == sets[-1]:
                return sets
            sets.append(more)

    def joker_states(self, goal: set[int]) -> set[int]:
        """Definition 6.14."""
        return set().union(*(self.predecessors(each) - each for each in self.joker_sets(goal)))

    def opponents(self, goal: set[int], lost: set[int]) -> dict[int, int]:
        """Definition 6.38: the ranks of the system's attractor; no stopping, and no waiting where nothing can happen.

        A play that has reached the goal is over, so the goal never joins.
        """
        rank = dict.fromkeys(lost, 0)
        while True:
            new = {
                q: max(rank.values(), default=0) + 1
                for q in self.states
                if q not in rank and q not in goal and self.leads_there(q, rank.keys())
            }
            if not new:
                return rank
            rank |= new

    def leads_there(self, q, members) -> bool:
        idle = self.theirs[q] == [SILENCE] and self.step[q][SILENCE] == q
        actions = [a for a in self.mine[q] if a != STOP and not (a == WAIT and idle)]
        return any(all(self.moves(q, a, x) & members for a in actions) for x in self.theirs[q])

    def least_moves(self, goal: set[int], jokers: int) -> list[dict[int, int]]:
        """With at most so many jokers in all, by plain iteration."""
        table = [{q: 0 if q in goal else NEVER for q in self.states} for _ in range(jokers + 1)]
        while True:
            before = [dict(row) for row in table]
            for left, q in product(range(jokers + 1), self.states):
                if q in goal:
                    continue
                offers = [max(before[left][to] for to in self.outcomes(q, a)) for a in self.mine[q]]
                if left:
                    offers += [min(before[left - 1][to] for to in self.outcomes(q, a)) for a in self.mine[q]]
                table[left][q] = min(NEVER, 1 + min(offers))
            if table == before:
                return table


@cache
def cases(batch: int) -> list[tuple[Game, Arena, int]]:
    """A share of the automata under each assumption, with one of its states as goal."""
    found = []
    for seed, assumption in product(range(batch, AUTOMATA, BATCHES), ASSUMPTIONS):
        game = explore(drawn(seed), assumption=assumption)
        count = game.origin.states
        goal = Random(f"{seed} {assumption}").randrange(count)
        found.append((game, Arena(game.origin.specification, count, assumption), goal))
    return found


@pytest.mark.parametrize("batch", range(BATCHES))
def test_joker_and_attractor_ranks_are_those_of_the_plain_fixpoints(batch):
    for game, arena, goal in cases(batch):
        built = joker_game(game, game.names[goal])
        sets = arena.joker_sets({goal})
        for q in range(game.origin.states):
            rank = next((k for k, members in enumerate(sets) if q in members), None)
            assert built.joker_rank(q) == rank
            if rank is None:
                continue
            layer = arena.attractor(arena.predecessors(sets[rank - 1]) if rank else {goal})
            assert built.attractor_rank(q) == layer[q]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_joker_states_helping_moves_and_joker_strategies_are_those_of_the_definitions(batch):
    for game, arena, goal in cases(batch):
        built = joker_game(game, game.names[goal])
        sets, asking = arena.joker_sets({goal}), arena.joker_states({goal})
        for q in range(game.origin.states):
            assert built.is_joker_state(q) == (q in asking)
            rank = next((k for k, members in enumerate(sets) if q in members), None)
            if q == goal or rank is None:
                continue
            assert offered(built, q) == strategies(arena, sets, rank, q, goal, q in asking)


def offered(built, q: int) -> set[tuple[str, frozenset[int]]]:
    """What joker strategies choose at a state: inputs or waiting, each with where help would lead."""
    game, found = built.game, set()
    if game.owner[q] == 1:
        return {(WAIT, frozenset(int(game.target[edge]) for edge in built.helping_moves(q)))}
    for edge in built.strategy_moves(q):
        after = int(game.target[edge])
        text = WAIT if game.label_of(edge) == "wait" else game.label_of(edge)
        helped = built.helping_moves(after) if game.moves[edge] == 0 else []
        found.add((text, frozenset(int(game.target[each]) for each in helped)))
    return found


def strategies(arena: Arena, sets, rank: int, q: int, goal: int, asks: bool) -> set[tuple[str, frozenset[int]]]:
    """Definitions 6.15 and 6.18 at a state: actions with helping moves, or those that come nearer for sure."""
    # An input that the system always forestalls is the same as waiting, and the game graph has only that.
    ignored = arena.assumption == "output-eager" and SILENCE not in arena.theirs[q]
    actions = [a for a in arena.mine[q] if not ignored or a in (WAIT, STOP)]
    if asks:
        helped = {a: arena.outcomes(q, a) & sets[rank - 1] for a in actions}
        return {(str(a), frozenset(where)) for a, where in helped.items() if where}
    layer = arena.attractor(arena.predecessors(sets[rank - 1]) if rank else {goal})
    return {
        (str(a), frozenset())
        for a in actions
        if all(to in layer and layer[to] < layer[q] for to in arena.outcomes(q, a))
    }


@pytest.mark.parametrize("batch", range(BATCHES))
def test_jokers_and_moves_are_those_of_the_concurrent_game(batch):
    for game, arena, goal in cases(batch):
        result = joker(game, game.names[goal])
        most = max(result.jokers.tolist())
        table = arena.least_moves({goal}, most)
        for q in range(game.origin.states):
            enough = [left for left in range(most + 1) if table[left][q] < NEVER]
            assert result.value_of(q) == ((enough[0], table[enough[0]][q]) if enough else None)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_systems_ranks_towards_losing_are_those_of_the_concurrent_game(batch):
    for game, arena, goal in cases(batch):
        goals = game.goal_vertices(game.names[goal])
        ranks = opponent_ranks(game, goals, joker_sets(game, goals))
        lost = set(arena.states) - arena.joker_sets({goal})[-1]
        expected = arena.opponents({goal}, lost)
        assert ranks[: game.origin.states].tolist() == [expected.get(q, -1) for q in range(game.origin.states)]


def test_the_random_arenas_need_many_jokers_and_the_more_the_less_is_known():
    forced, several = dict.fromkeys(ASSUMPTIONS, 0), 0
    for seed in range(300):
        goal = Random(seed).randrange(2)
        for assumption in ASSUMPTIONS:
            game = explore(drawn(seed), assumption=assumption)
            ranks = joker(game, game.names[min(goal, game.origin.states - 1)]).jokers.tolist()
            forced[assumption] += sum(rank == 0 for rank in ranks[: game.origin.states])
            several += max(ranks) >= 2
    assert several > 50
    assert forced["input-eager"] > forced["nondeterministic"] == forced["output-eager"]
