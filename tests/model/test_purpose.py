"""Test purposes: beside a game they are a goal, exactly when some run of the purpose has seen what it wants."""

from __future__ import annotations

import random
from random import Random

import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Automaton, GameBuilder, Model, Simulated, automaton, controllable, explore, observable, run, win
from outplay.errors import UsageError
from outplay.game.game_specification import GameSpecification
from outplay.game.goals.product import with_purpose
from outplay.model.label import SILENCE, Label
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification
from outplay.play.plan import case_plan
from outplay.strategy.win import SureWin
from outplay.suite.from_tester import case_from_answer
from outplay.tester.tester import End

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic", "timeout")
LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def nowhere(name: str) -> bool:
    return False


def fulfilled(purpose: Automaton, final: set[str], trace: list[Label]) -> bool:
    """Some run: at each label a transition of the state, or none where it has none."""
    states = {purpose.initial}
    for label in trace:
        if any(purpose.names[state] in final for state in states):
            return True
        states = {t for s in states for t in [to for one, to in purpose.moves(s) if one == label] or [s]}
    return any(purpose.names[state] in final for state in states)


@seeds(range(200))
def test_a_purpose_is_fulfilled_when_some_run_of_it_is_at_a_final_state(seed):
    rng = random.Random(seed)
    model = random_automaton(rng, most=4, labels=[*LABELS, SILENCE], share=0.25, copies=2)
    final = set(rng.sample(model.names, rng.randint(1, model.state_count)))
    purpose = AutomatonPurpose(model, sorted(final))
    trace = [rng.choice([*LABELS, SILENCE]) for _ in range(6)]
    place, seen = purpose.initial, purpose.is_final(purpose.initial)
    for label in trace:
        place = purpose.after(place, label, nowhere, nowhere)
        seen = seen or purpose.is_final(place)
    assert seen == fulfilled(model, final, trace)


def forced(game, fulfilled_at) -> bool:
    """Can the tester force it, in the game with the purpose followed by hand? The attractor, pair by pair."""
    pairs, start = {}, fulfilled_at.start(game)
    stack = [start]
    while stack:
        vertex, place = stack.pop()
        if (vertex, place) not in pairs:
            pairs[vertex, place] = [
                (int(game.target[edge]), fulfilled_at.step(game, place, edge)) for edge in game.edges_of(vertex)
            ]
            stack += pairs[vertex, place]
    won = {pair for pair in pairs if fulfilled_at.final(pair[1])}
    while True:
        more = {
            pair
            for pair, targets in pairs.items()
            if pair not in won and targets and (all if game.owner[pair[0]] else any)(to in won for to in targets)
        }
        if not more:
            return start in won
        won |= more


class ByHand:
    """Follows a purpose as a set of states of its automaton."""

    def __init__(self, model: Automaton, final: set[str]) -> None:
        self.model, self.names = model, final

    def start(self, game):
        return game.initial, frozenset([self.model.initial])

    def step(self, game, place, edge):
        if not game.moves[edge]:
            return place
        label = Label.parse(game.label_of(edge))
        return frozenset(t for s in place for t in [to for one, to in self.model.moves(s) if one == label] or [s])

    def final(self, place):
        return any(self.model.names[state] in self.names for state in place)


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@seeds(range(80))
def test_the_game_with_a_purpose_is_won_as_when_it_is_followed_by_hand(seed, assumption):
    rng = random.Random(seed)
    game = explore(random_automaton(rng, most=4, share=0.35, copies=2), assumption=assumption)
    model = random_automaton(rng, most=3, labels=[*LABELS, SILENCE], share=0.3, copies=2)
    final = {rng.choice(model.names)}
    result = win(with_purpose(game, AutomatonPurpose(model, sorted(final))), "purpose")
    assert isinstance(result, SureWin) == forced(game, ByHand(model, final))


def sure_win(rng: random.Random) -> tuple[SureWin, Automaton, set[str]]:
    """A purpose that can be forced, with its automaton and its final states: drawn until there is one."""
    while True:
        game = explore(random_automaton(rng, most=4, share=0.35, copies=2), assumption="nondeterministic")
        spec = game.origin.specification
        if not any(spec.inputs(state) or spec.outputs(state) for state in spec.initial):
            continue  # nothing to run
        model = random_automaton(rng, most=3, labels=[*LABELS, SILENCE], share=0.3, copies=2)
        final = {rng.choice(model.names)}
        result = win(with_purpose(game, AutomatonPurpose(model, sorted(final), name="scenario")), "scenario")
        if isinstance(result, SureWin):
            return result, model, final


@seeds(range(80))
def test_a_sure_win_for_a_purpose_plays_and_tests_to_its_end(seed):
    result, model, final = sure_win(random.Random(seed))
    spec = result.game.origin.specification
    outcome = run(result, Simulated(spec, Random(seed)), plays=1)
    assert outcome.verdict.name == "pass"
    seen = [event.label or SILENCE for event in outcome.trace.events if event.is_move]
    assert fulfilled(model, final, seen)
    case = case_from_answer(result)
    assert all(fulfilled(model, final, list(trace)) for trace in case.traces(End.PASS))
    played = run(case_plan(case, spec), Simulated(spec, Random(seed)), plays=1)
    assert played.verdict.name == "pass"


MP3 = automaton(
    [
        ("off", "?play", "on"),
        ("on", "!song", "on"),
        ("on", "!end", "off"),
        ("on", "?quit", "off"),
    ]
)
AFTER_QUIT = [("any", "?quit", "quit"), ("quit", "!song", "accept")]


def test_songs_after_quit_are_a_scenario():
    result = win(
        with_purpose(explore(MP3, assumption="input-eager"), AutomatonPurpose(automaton(AFTER_QUIT))), "purpose"
    )
    assert not isinstance(result, SureWin)  # the list may end before a song
    either = automaton([*AFTER_QUIT, ("quit", "!end", "accept")])
    result = win(with_purpose(explore(MP3, assumption="input-eager"), AutomatonPurpose(either)), "purpose")
    assert isinstance(result, SureWin)
    assert result.value == 4
    case = case_from_answer(result)
    play, leave, song, end = (Label.parse(text) for text in ("?play", "?quit", "!song", "!end"))
    assert set(case.traces(End.PASS)) == {(play, leave, play, song), (play, leave, play, end)}


def test_goals_of_the_game_stay_goals_beside_the_purpose():
    builder = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"])
    game = builder.edge("s", "g", "?go").edge("g", "s", "?back").build()
    beside = with_purpose(game, AutomatonPurpose(automaton([("0", "?back", "1")])))
    assert win(beside, "done").value == 1
    assert win(beside, "purpose").value == 2
    assert list(beside.names) == ["s | 0", "g | 0", "s | 1", "g | 1"]
    assert beside.origin.describe(2) == "at s, purpose at 1"
    assert beside.origin.vertex((0, 1)) == 2
    assert beside.origin.vertex(0) is None
    assert isinstance(beside.origin.specification.spec, GameSpecification)


def test_states_come_first_and_decisions_after_them_as_in_other_games():
    beside = with_purpose(explore(MP3), AutomatonPurpose(automaton(AFTER_QUIT)))
    states = list(beside.names[: beside.origin.states])
    places = ("any", "quit", "accept")
    assert sorted(states) == sorted(f"{state} | {place}" for state in ("off", "on") for place in places)
    assert all("?quit" in name or "wait" in name for name in beside.names[beside.origin.states :])


class Lamp(Model):
    on: bool = False
    presses: int = 0

    @controllable
    def press(self):
        if self.on or self.presses > 2:
            return False
        self.on, self.presses = True, self.presses + 1

    @observable
    def light(self):
        if not self.on:
            return False
        self.on = False


def test_a_model_program_takes_a_purpose_too():
    beside = with_purpose(explore(Lamp), AutomatonPurpose(automaton([("0", "!light", "1"), ("1", "!light", "2")])))
    result = win(beside, "purpose")
    assert result.value == 4
    spec = beside.origin.specification
    assert isinstance(spec, PurposeSpecification)
    assert "presses" in spec.describe(spec.initial[0])
    assert "presses" in beside.origin.describe(0)
    assert run(result, Simulated(spec, Random(1)), plays=1).verdict.name == "pass"


def test_final_states_are_named_or_called_so_or_have_no_way_on():
    loop = automaton([("a", "!x", "b"), ("b", "!x", "a")], name="loop")
    assert AutomatonPurpose(loop, ["b"]).is_final(AutomatonPurpose(loop, ["b"]).initial) is False
    called = automaton([("Accept", "!x", "b")])
    assert AutomatonPurpose(called).is_final(AutomatonPurpose(called).initial)
    with pytest.raises(UsageError, match="loop has no final state; name one, or call it 'accept'"):
        AutomatonPurpose(loop)
    with pytest.raises(UsageError, match="loop has no state 'c'; known: a, b"):
        AutomatonPurpose(loop, ["c"])
    with pytest.raises(UsageError, match="'tau' is no label a play shows"):
        AutomatonPurpose(automaton([("a", "tau", "b")]))


def test_several_ways_are_followed_at_once():
    guess = automaton([("a", "!x", "a"), ("a", "!x", "b"), ("b", "!y", "final")])
    purpose = AutomatonPurpose(guess)
    place = purpose.initial
    for text in ("!x", "!x", "!y"):
        place = purpose.after(place, Label.parse(text), nowhere, nowhere)
    assert purpose.is_final(place)
    assert purpose.describe(place) == "a+final"
