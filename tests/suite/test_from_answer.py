"""Test cases of solved games: what they promise, over all plays of the concurrent game of 004."""

from __future__ import annotations

from fractions import Fraction

import pytest

from helpers import arena
from helpers.figures import FIGURE_6_1
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import GameBuilder, Model, automaton, controllable, explore, observable, win
from outplay.errors import UsageError
from outplay.game.graph import TESTER
from outplay.model.label import SILENCE, Label
from outplay.model.programs.actions import goal as named_goal
from outplay.model.suspension import SuspensionAutomaton
from outplay.strategy.bounded import Bounded, bounded
from outplay.strategy.expected import expected
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.joker_answers import JokerStrategy
from outplay.strategy.probability import probability
from outplay.strategy.win import NoSureWin, SureWin
from outplay.suite.from_tester import case_from_answer
from outplay.suite.suite import TestCase
from outplay.tester.follower import input_of_edge
from outplay.tester.tester import End, Give, Stop, Wait

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic")


def followed(case: TestCase):
    """The decisions of a test case as a function of the trace."""

    def decide(trace):
        state = case.state_after(trace)
        if state is None or case.end(state):
            return Stop()
        label = case.given(state)
        return Wait() if label is None else Give(label)

    return decide


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@seeds(range(100))
def test_the_test_case_of_a_sure_win_passes_in_every_play_at_the_goal(seed, assumption):
    model = arena.deterministic(seed)
    game = explore(model, assumption=assumption)
    spec = game.origin.specification
    for goal in range(game.origin.states):
        result = win(game, game.names[goal])
        if not isinstance(result, SureWin):
            continue
        case = case_from_answer(result)
        assert unsound(case, spec) is None
        assert case.depth <= result.value
        stopped = [trace for trace in arena.plays(spec, followed(case), assumption) if case.verdict(trace)]
        assert stopped
        for trace in stopped:
            assert case.verdict(trace) is End.PASS
            assert arena.after(spec, trace) == goal


@seeds(range(100))
def test_only_an_eager_tester_can_be_surprised_on_the_way_to_a_sure_win(seed):
    model = arena.deterministic(seed)
    for assumption in ASSUMPTIONS:
        game = explore(model, assumption=assumption)
        spec = game.origin.specification
        for goal in range(game.origin.states):
            result = win(game, game.names[goal])
            if not isinstance(result, SureWin):
                continue
            case = case_from_answer(result)
            for trace in case.traces(End.INCONCLUSIVE):
                # An output where an input was to be given: possible, but not under the assumption.
                assert assumption != "nondeterministic"
                before = arena.after(spec, trace[:-1])
                assert case.given(case.state_after(trace[:-1])) is not None
                assert trace[-1].is_output
                assert trace[-1] in arena.out(spec, before)


def helping(strategy: JokerStrategy, spec, case: TestCase, assumption: str):
    """All traces in which the system helps wherever a joker is played: a state within the jokers left is reached."""
    game, decide = strategy.game, followed(case)
    stack = [((), strategy.value.jokers)]
    while stack:
        trace, left = stack.pop()
        yield trace
        decision, state = decide(trace), arena.after(spec, trace)
        if isinstance(decision, Stop):
            continue
        edge = strategy.edge(state, left)
        asked = state if game.owner[state] or game.moves[edge] else int(game.target[edge])
        played = strategy.plays_joker(asked, left)
        given = decision.label if isinstance(decision, Give) else None
        labels = {label for shown in arena.out(spec, state) for label in arena.executed(assumption, given, shown)}
        for label in sorted(labels, key=str):
            target = spec.moves(state)[label]
            if not played or 0 <= strategy.jokers[target] <= left - 1:
                stack.append(((*trace, label), left - played))


@seeds(range(200))
def test_every_joker_test_case_reaches_the_goal_whenever_the_system_helps(seed):
    """Theorem 6.35 of 004, and Lemma 6.34: there is such a play."""
    model = arena.deterministic(seed)
    assumption = ASSUMPTIONS[seed % 3]
    game = explore(model, assumption=assumption)
    spec = game.origin.specification
    for goal in range(game.origin.states):
        result = joker(game, game.names[goal])
        case = case_from_answer(result)
        assert unsound(case, spec) is None
        if not isinstance(result, JokerStrategy):
            assert case.verdict([]) is End.INCONCLUSIVE
            continue
        ended = [trace for trace in helping(result, spec, case, assumption) if case.verdict(trace)]
        assert ended
        for trace in ended:
            assert case.verdict(trace) is End.PASS
            assert arena.after(spec, trace) == goal
        assert all(arena.after(spec, trace) == goal for trace in case.traces(End.PASS))


def test_jokers_are_really_played_in_the_games_drawn():
    wanted = []
    for seed in range(60):
        game = explore(arena.deterministic(seed), assumption=ASSUMPTIONS[seed % 3])
        results = [joker(game, game.names[goal]) for goal in range(game.origin.states)]
        wanted += [result.value.jokers for result in results if isinstance(result, JokerStrategy)]
    assert sum(count >= 1 for count in wanted) >= 20
    assert max(wanted) >= 2


def test_the_joker_test_of_figure_6_1_is_inconclusive_where_the_system_does_not_help():
    result = joker(explore(automaton(FIGURE_6_1)), "happy")
    case = case_from_answer(result, name="smile")
    assert result.value == (1, 2)
    a, b, x, y = (Label.parse(text) for text in ("?a", "?b", "!x", "!y"))
    assert set(case.traces(End.PASS)) in ({(a, a), (a, x)}, {(b, a)})
    assert set(case.traces(End.INCONCLUSIVE)) in ({(a, y)}, {(b, x)})
    assert case.name == "smile"


def test_without_a_sure_win_a_test_case_hopes_and_gives_up():
    model = automaton([("s", "?try", "w"), ("w", "!yes", "done"), ("w", "!no", "s")])
    result = win(explore(model), "done")
    assert isinstance(result, NoSureWin)
    with pytest.raises(UsageError, match="give a depth"):
        case_from_answer(result)
    case = case_from_answer(result, depth=4)
    attempt, yes, no = (Label.parse(text) for text in ("?try", "!yes", "!no"))
    assert set(case.traces(End.PASS)) == {(attempt, yes), (attempt, no, attempt, yes)}
    assert set(case.traces(End.INCONCLUSIVE)) == {(attempt, no, attempt, no)}


def chance_to_pass(result: Bounded, case: TestCase) -> Fraction:
    """The chance that a play ends with Pass when all answers at a vertex of the system are equally likely."""
    game, spec = result.game, result.game.origin.specification

    def chance(state: int, place: int) -> Fraction:
        if case.end(place):
            return Fraction(case.end(place) is End.PASS)
        given = case.given(place)
        asked = state
        if game.owner[state] == TESTER:
            edge = next(e for e in game.edges_of(state) if input_of_edge(game, e) == given)
            if game.moves[edge]:
                return chance(spec.moves(state)[given], case.after(place, given))
            asked = int(game.target[edge])
        answers = [Label.parse(game.label_of(edge)) for edge in game.edges_of(asked)]
        return sum(chance(spec.moves(state)[x], case.after(place, x)) for x in answers) / len(answers)

    return chance(game.initial, case.initial)


@seeds(range(100))
def test_a_bounded_strategy_is_a_test_case_that_passes_with_its_probability(seed):
    game = explore(arena.deterministic(seed), assumption=ASSUMPTIONS[seed % 3])
    for wanted in range(game.origin.states):
        result = bounded(game, game.names[wanted], 4)
        case = case_from_answer(result)
        assert case.depth <= 4
        assert unsound(case, game.origin.specification) is None
        assert chance_to_pass(result, case) == result.value.probability


def test_a_strategy_that_trusts_in_chance_takes_a_depth():
    model = automaton([("s", "?try", "w"), ("w", "!yes", "done"), ("w", "!no", "s")])
    for result in (expected(explore(model), "done"), probability(explore(model), "done")):
        with pytest.raises(UsageError, match="give a depth"):
            case_from_answer(result)
        assert len(set(case_from_answer(result, depth=6).traces(End.PASS))) == 3


def test_a_fair_system_is_asked_again_until_the_depth_is_used_up():
    model = automaton([("s", "!tick", "s"), ("s", "?stop", "end")])
    result = win(explore(model, assumption="input-fair"), "end")
    stop, tick = Label.parse("?stop"), Label.parse("!tick")
    with pytest.raises(UsageError, match="give a depth"):
        case_from_answer(result)
    case = case_from_answer(result, depth=3)
    assert set(case.traces(End.PASS)) == {(stop,), (tick, stop), (tick, tick, stop)}
    assert set(case.traces(End.INCONCLUSIVE)) == {(tick, tick, tick)}
    eager = case_from_answer(win(explore(model, assumption="input-eager"), "end"))
    assert set(eager.traces(End.PASS)) == {(stop,)}
    assert set(eager.traces(End.INCONCLUSIVE)) == {(tick,)}


class Oven(Model):
    """Rings some time after it was started, or is opened before."""

    hot: bool = False
    ready: bool = False

    @controllable
    def start(self):
        if self.hot or self.ready:
            return False
        self.hot = True

    @controllable
    def open(self):
        if not self.hot:
            return False
        self.ready, self.hot = True, False

    @observable
    def ring(self):
        if not self.hot:
            return False
        self.ready, self.hot = True, False

    @named_goal
    def done(self):
        return self.ready


def test_after_a_time_out_the_active_copy_of_a_state_decides():
    case = case_from_answer(win(explore(Oven, assumption="timeout"), "done"))
    start, opened, ring = (Label.parse(text) for text in ("?start", "?open", "!ring"))
    assert set(case.traces(End.PASS)) == {(start, ring), (start, SILENCE, opened)} | {(start, SILENCE, ring)}


def test_a_label_is_a_goal_too():
    model = automaton([("s", "?go", "w"), ("w", "!x", "s"), ("w", "!y", "s")])
    game = explore(model)
    case = case_from_answer(win(game, ["!x", "!y"]))
    go, x, y = (Label.parse(text) for text in ("?go", "!x", "!y"))
    assert set(case.traces(End.PASS)) == {(go, x), (go, y)}
    assert case.name == "!x or !y"


def test_a_game_from_a_file_becomes_a_test_case_with_its_own_vertices():
    builder = GameBuilder().vertex("s", "tester").vertex("q", "system").vertex("g", "tester", goals=["done"])
    builder.vertex("c", "system")
    builder.edge("s", "c", "", moves=0).edge("c", "q", "?go").edge("c", "g", "!early")
    builder.edge("q", "g", "!x").edge("q", "s", "delta").edge("s", "q", "?slow", cost=9)
    result = win(builder.build(), "done")
    assert isinstance(result, NoSureWin)
    case = case_from_answer(result, depth=2)
    go, early, x = (Label.parse(text) for text in ("?go", "!early", "!x"))
    assert set(case.traces(End.PASS)) == {(early,), (go, x)}
    assert set(case.traces(End.INCONCLUSIVE)) == {(go, SILENCE)}


def test_a_nondeterministic_model_is_followed_on_sets_of_states():
    model = automaton(
        [("s", "?go", "loud"), ("s", "?go", "still"), ("loud", "!x", "s"), ("still", "?end", "done"), ("s", "!x", "s")]
    )
    game = explore(model, assumption="input-eager")
    spec = game.origin.specification
    assert isinstance(spec, SuspensionAutomaton)
    result = joker(game, "done")
    case = case_from_answer(result)
    go, end = Label.parse("?go"), Label.parse("?end")
    assert set(case.traces(End.PASS)) == {(go, SILENCE, end)}
