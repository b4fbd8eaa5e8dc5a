"""One follower: a strategy with a memory is played live and written out as a test case by the same tester."""

from __future__ import annotations

from random import Random

import pytest

from helpers import arena
from outplay import Game, GameBuilder, Simulated, automaton, explore, joker, run, win
from outplay.game.graph import SYSTEM, TESTER
from outplay.game.reset import RESET, with_reset
from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.play.plan import plan, strategy_plan
from outplay.suite.from_tester import case_from_answer, case_from_strategy
from outplay.tester.follower import input_of_edge
from outplay.tester.tester import End, Give, Stop


def built(lines: str, *, system: str, goals: str) -> Game:
    """A game of lines such as `s ?a c`; the first state named is the initial one."""
    edges = [line.split() for line in lines.split(",")]
    builder = GameBuilder()
    for name in dict.fromkeys(state for source, _, target in edges for state in (source, target)):
        goal = ["done"] * (name in goals.split())
        builder.vertex(name, "system" if name in system.split() else "tester", goals=goal)
    for source, label, target in edges:
        builder.edge(source, target, label)
    return builder.build()


# After !l the goal can be forced in five more moves; with the joker that is in hand for !r, two are enough.
LEFT_OVER = (
    "s ?go c, c !l a, c !r b, a ?fast d, b ?fast d, d !ok g, d !no lost, "
    "a ?slow p, p !p q, q ?q r, r !r t, t ?t u, u !u g, lost !l lost"
)


@pytest.mark.parametrize("seed", range(20))
def test_a_joker_that_is_left_over_is_played_for_a_shorter_way(seed):
    game = built(LEFT_OVER, system="c d p r u lost", goals="g")
    answer = joker(game, "done")
    assert answer.value == (1, 4)
    helping = built(LEFT_OVER.replace("d !no lost, ", ""), system="", goals="g").origin.specification
    outcome = run(answer, Simulated(helping, Random(seed)), plays=5)
    assert outcome.verdict.reached == 5
    assert outcome.tally.steps <= 5 * answer.value.moves
    assert case_from_answer(answer).depth == answer.value.moves


def helped_play(answer, rng: Random) -> int:
    """Play live against a system that helps where a joker is played and does as it likes elsewhere: the moves made."""
    game, chosen = answer.game, plan(answer)
    tester, tracker = chosen.tester, Tracker(chosen.specification, goal=chosen.goal)
    memory, jokers, moves = tester.start, answer.value.jokers, 0
    while not tracker.reached:
        (vertex,) = tracker.states
        decision = tester.choose(tracker, memory)
        assert not isinstance(decision, Stop)
        edge = None
        if game.owner[vertex] == TESTER:
            given = decision.label if isinstance(decision, Give) else None
            edge = next(edge for edge in game.edges_of(vertex) if input_of_edge(game, edge) == given)
        asked = vertex if edge is None else int(game.target[edge])
        if edge is None or not game.moves[edge]:
            helps = answer.plays_joker(asked, jokers)
            edge = answer.edge(asked, jokers) if helps else rng.choice(game.edges_of(asked))
            jokers -= helps
        label = Label.parse(game.label_of(edge))
        memory = tester.remember(tracker, memory, label)
        tracker = tracker.gave(label) if label.is_input else tracker.saw(label)
        moves += 1
    return moves


@pytest.mark.parametrize("assumption", ["input-eager", "output-eager", "nondeterministic"])
def test_a_system_that_helps_is_beaten_in_the_moves_that_were_promised(assumption):
    needed = 0
    for seed in range(60):
        game = explore(arena.deterministic(seed, most=8), assumption=assumption)
        for goal in range(game.origin.states):
            answer = joker(game, game.names[goal])
            if answer.value is not None:
                needed += answer.value.jokers > 0
                assert helped_play(answer, Random(seed)) <= answer.value.moves, (seed, goal)
    assert needed > 20


def test_who_plays_on_takes_new_jokers_where_the_system_did_not_help():
    game = built("s ?go c, c !ok g, c !no s", system="c", goals="g")
    answer = joker(game, "done")
    strict, persistent = answer.strategy, answer.persistent
    assert strict.after(1, strict.start) == persistent.after(1, persistent.start) == 0
    assert strict.hopeless(0, 0)
    assert not persistent.hopeless(0, 0)
    reached = [
        run(answer, Simulated(game.origin.specification, Random(seed)), plays=1).verdict.reached for seed in range(9)
    ]
    assert reached == [1] * 9, "each play goes on until the system helps"
    assert set(map(len, case_from_answer(answer).traces(End.INCONCLUSIVE))) == {2}, "a test case gives up at once"


class Taking:
    """A strategy with a memory: it takes the inputs of a vertex in turn, a new one each time it comes there."""

    start = 0

    def __init__(self, game: Game, most: int) -> None:
        self._game, self._most = game, most

    def edge(self, vertex: int, memory: int) -> int:
        edges = self._game.edges_of(vertex)
        return edges[memory % len(edges)]

    def after(self, vertex: int, memory: int) -> int:
        return memory + (self._game.owner[vertex] == SYSTEM)

    def hopeless(self, vertex: int, memory: int) -> bool:
        return memory >= self._most


TURNS = "s ?a c, s ?b d, c !x s, d !x s, c !y g, d !z g"


def test_a_strategy_with_a_memory_is_played_live_by_its_memory():
    game = built(TURNS, system="c d", goals="g")
    system = Simulated(built("s ?a c, s ?b d, c !x s, d !x s", system="", goals="").origin.specification, Random(0))
    outcome = run(strategy_plan(game, Taking(game, 4), ("done",)), system, plays=2)
    inputs = [str(event) for event in outcome.trace.events if event.kind == "input"]
    assert inputs == ["?a", "?b", "?a", "?b"] * 2
    assert outcome.verdict.name == "inconclusive"


def test_a_strategy_with_a_memory_becomes_a_test_case_by_the_same_follower():
    game = built(TURNS, system="c d", goals="g")
    case = case_from_strategy(game, Taking(game, 3), ("done",))
    (given_up,) = case.traces(End.INCONCLUSIVE)
    assert [str(label) for label in given_up] == ["?a", "!x", "?b", "!x", "?a", "!x"]
    assert sorted(" ".join(map(str, trace)) for trace in case.traces(End.PASS)) == [
        "?a !x ?b !x ?a !y",
        "?a !x ?b !z",
        "?a !y",
    ]


def test_after_a_reset_a_tester_that_waits_for_time_outs_is_active_again():
    model = automaton([("s", "?a", "t"), ("t", "!x", "s"), ("t", "!y", "done"), ("s", "!z", "s")])
    answer = win(with_reset(explore(model, assumption="timeout")), "done")
    chosen = plan(answer)
    tester, tracker = chosen.tester, Tracker(chosen.specification, goal=chosen.goal)
    shown = {text: tester.remember(tracker, tester.start, Label.parse(text)).silent for text in ("!z", "delta", RESET)}
    assert shown == {"!z": False, "delta": True, RESET: True}


@pytest.mark.parametrize(("near", "other"), ["vw", "wv"])
def test_where_the_state_is_not_known_only_an_input_that_all_of_them_take_is_given(near, other):
    """After ?a and !x crossed it is v or w: in one of them ?b would be nearest, but the other does not take it."""
    steps = [("s", "?a", "t"), ("s", "!x", "u"), ("t", "!x", "v"), ("u", "?a", "w"), (near, "?b", "done")]
    steps += [(near, "?c", "far"), ("far", "?c", "done"), (other, "?c", "done")]
    answer = joker(explore(automaton(steps), assumption="input-eager"), "done")
    chosen = plan(answer)
    tracker = Tracker(chosen.specification, latency=0.1, goal=chosen.goal)
    tracker = tracker.gave(Label.parse("?a"), 1.0).saw(Label.parse("!x"), 1.05).settled(2.0)
    assert len(tracker.states) == 2
    assert chosen.tester.choose(tracker, chosen.tester.start) == Give(Label.parse("?c"))
