"""Goals as text and on games; all of several goals against recursion over (vertex, those that were reached)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from random import Random

import pytest

from helpers.seeds import seeds
from outplay import (
    Game,
    GameBuilder,
    Simulated,
    automaton,
    bounded,
    expected,
    explore,
    joker,
    judge,
    probability,
    run,
    win,
)
from outplay.errors import UsageError
from outplay.game.goals.goal import AllOf, AnyOf, AtState, Goal, NamedSet, Seen, Transition
from outplay.game.goals.goal_grammar import parse_goal
from outplay.game.goals.target import GameNames, find_target
from outplay.game.graph import SYSTEM
from outplay.model.label import Label

NAMES = ("a", "b & c", "d or e", 'say "x"', "f --?x--> g", "h")


@dataclass(frozen=True)
class Words:
    """Names to be read: goals, states and labels."""

    goals: tuple[str, ...] = ("done", "x & y")
    states: tuple[str, ...] = NAMES
    labels: tuple[str, ...] = ("?x", "!y 1", '!say "p & q"', "!this or that")
    place: str = "these words"

    def is_goal(self, name):
        return name in self.goals

    def is_state(self, name):
        return name in self.states

    def is_label(self, name, *, alone):
        return name in self.labels

    def transition(self, found):
        return Transition(found.state, Label.parse(found.label).text, found.target)

    def edge(self, name):
        return None

    def hints(self):
        return [*self.goals, *self.states]


def drawn_goal(rng: Random) -> Goal:
    words = Words()

    def single():
        return rng.choice(
            [
                NamedSet(rng.choice(words.goals)),
                AtState(rng.choice(NAMES)),
                Seen(rng.choice(words.labels)),
                Transition(rng.choice(NAMES), rng.choice(words.labels[:3]), rng.choice([None, *NAMES])),
            ]
        )

    def part():
        parts = tuple(dict.fromkeys(single() for _ in range(rng.randint(1, 3))))
        return parts[0] if len(parts) == 1 else AllOf(parts)

    parts = tuple(dict.fromkeys(part() for _ in range(rng.randint(1, 3))))
    return parts[0] if len(parts) == 1 else AnyOf(parts)


@seeds(range(300))
def test_what_is_written_is_read_again(seed):
    wanted = drawn_goal(Random(seed))
    assert parse_goal(str(wanted), Words()) == wanted


def test_a_text_that_is_a_name_means_what_has_it():
    assert parse_goal("x & y", Words()) == NamedSet("x & y")
    assert parse_goal("b & c", Words()) == AtState("b & c")
    assert parse_goal("!this or that", Words()) == Seen("!this or that")
    assert parse_goal("h & a or done", Words()) == AnyOf((AllOf((AtState("h"), AtState("a"))), NamedSet("done")))
    assert parse_goal('"b & c" & h', Words()) == AllOf((AtState("b & c"), AtState("h")))
    assert parse_goal('!say "p & q" & h', Words()) == AllOf((Seen('!say "p & q"'), AtState("h")))
    assert parse_goal("a ?x → h", Words()) == parse_goal("a --?x--> h", Words()) == Transition("a", "?x", "h")
    with pytest.raises(UsageError, match=r"no goal, .* 'don' in these words; did you mean 'done'"):
        parse_goal("a & don", Words())


def test_too_many_goals_at_once_and_goals_that_remember_are_refused():
    with pytest.raises(UsageError, match="13 goals are too many"):
        AllOf(tuple(AtState(f"s{number}") for number in range(13)))
    with pytest.raises(UsageError, match="not a & h"):
        AllOf((AllOf((AtState("a"), AtState("h"))), NamedSet("done")))


def drawn(seed: int) -> Game:
    """A random game of states and choices, as from a file."""
    rng = random.Random(seed)
    builder = GameBuilder()
    size = rng.randint(2, 5)
    for number in range(size):
        goals = [name for name in ("g", "h") if rng.random() < 0.25]
        builder.vertex(f"v{number}", rng.choice(["tester", "system"]), goals=goals)
    builder.vertex("c", "system").edge("v0", "c", moves=0).edge("c", f"v{rng.randrange(size)}", "?a")
    for number in range(size):
        for _ in range(rng.randint(0, 3)):
            label = rng.choice(["?a", "?b", "!x", "!y"])
            builder.edge(f"v{number}", f"v{rng.randrange(size)}", label, cost=rng.choice([1, 1, 2]))
    return builder.goal("g", []).goal("h", []).build("v0" if rng.random() < 0.5 else "v1")


def met_at(game: Game, part: Goal, vertex: int) -> bool:
    if isinstance(part, NamedSet):
        return vertex in game.goals[part.name].tolist()
    return isinstance(part, AtState) and game.names[vertex] == part.name


def met_by(game: Game, part: Goal, edge: int) -> bool:
    source, target = (game.names[int(each[edge])] for each in (game.source, game.target))
    state = "v0" if source == "c" else source  # the tester chose in v0
    if isinstance(part, Seen):
        return game.label_of(edge) == part.label
    if isinstance(part, Transition):
        return (state, game.label_of(edge)) == (part.state, part.label) and part.target in (None, target)
    return met_at(game, part, int(game.target[edge]))


class BruteForce:
    """The pairs of a vertex and the set of parts that were reached, as a game by hand."""

    def __init__(self, game: Game, parts: tuple[Goal, ...]) -> None:
        self.game, self.parts = game, parts
        start = frozenset(number for number, part in enumerate(parts) if met_at(game, part, game.initial))
        builder, self.all = GameBuilder(), frozenset(range(len(parts)))
        known, stack = {(game.initial, start)}, [(game.initial, start)]
        edges = []
        while stack:
            vertex, met = stack.pop()
            for edge in game.edges_of(vertex):
                after = met
                if game.moves[edge]:
                    after = met | {number for number, part in enumerate(parts) if met_by(game, part, edge)}
                pair = int(game.target[edge]), after
                edges.append(((vertex, met), pair, edge))
                if pair not in known:
                    known.add(pair)
                    stack.append(pair)
        for vertex, met in [(game.initial, start), *sorted(known - {(game.initial, start)}, key=str)]:
            owner = "system" if game.owner[vertex] == SYSTEM else "tester"
            builder.vertex(str((vertex, sorted(met))), owner, goals=["all"] if met == self.all else [])
        for (vertex, met), (after, then), edge in edges:
            names = str((vertex, sorted(met))), str((after, sorted(then)))
            builder.edge(*names, game.label_of(edge), cost=game.cost[edge], moves=int(game.moves[edge]))
        self.product = builder.goal("all", []).build()


@seeds(range(150), quick=80)
def test_all_of_several_goals_is_solved_as_over_pairs_of_vertex_and_what_was_reached(seed):
    rng = random.Random(seed)
    game = drawn(seed)
    pool = ["g", "h", "v1", "?a", "!x", "v0 --?a-->", "v1 --!x--> v0", "v0 --!y--> v1"]
    texts = rng.sample([text for text in pool if is_there(game, text)], rng.randint(2, 3))
    wanted = parse_goal(" & ".join(texts), GameNames(game))
    assert isinstance(wanted, AllOf)
    ours, theirs = find_target(game, " & ".join(texts)), BruteForce(game, wanted.parts).product
    assert win(ours.game, ours).value == win(theirs, "all").value
    assert win(game, wanted).value == win(theirs, "all").value
    assert joker(game, str(wanted)).value == joker(theirs, "all").value
    assert bounded(game, str(wanted), 5).value == bounded(theirs, "all", 5).value
    assert probability(game, [str(wanted)]).value == pytest.approx(probability(theirs, "all").value)
    assert expected(game, wanted).value == pytest.approx(expected(theirs, "all").value)


def is_there(game: Game, text: str) -> bool:
    try:
        parse_goal(text, GameNames(game))
    except UsageError:
        return False
    return True


def test_enough_of_these_games_are_won_and_enough_are_not():
    won = [win(drawn(seed), "h & g").value is not None for seed in range(150)]
    assert min(won.count(True), won.count(False)) >= 8


LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("off", "?hold", "dim"), ("dim", "!light", "off")])


def test_all_of_several_goals_is_played_and_judged():
    game = explore(LAMP)
    for text in ("on & dim", "?hold & on --!light-->", "dim --!light--> off & on & !light"):
        answer = win(game, text)
        assert answer.value in (3, 4)
        spec = game.origin.specification
        outcome = run(answer, Simulated(spec, Random(1)), plays=2)
        assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 2)
        assert outcome.trace.header.goal == (text,)
        verdict = judge(spec, outcome.trace)
        assert (verdict.name, verdict.reached) == ("pass", 2)
    short = outcome.trace.play(1, until=3)
    assert judge(spec, short).name == "inconclusive"


def test_any_of_and_all_of_go_together():
    game = explore(LAMP)
    assert win(game, "on & dim or ?hold").value == 1
    assert win(game, ["on & dim", "on & ?hold"]).value == 3
    assert find_target(game, ["on & dim", "?hold"]).names == ("on & dim", "?hold")


def test_a_decision_is_no_state_that_could_be_remembered():
    game = explore(automaton([("s", "?a", "t"), ("s", "!x", "t"), ("t", "!y", "s")]))
    with pytest.raises(UsageError, match="s wait is no state of its own"):
        win(game, "s wait & t")
