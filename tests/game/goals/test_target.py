"""Transitions as goals, against the attractor in which the edges themselves count as reached."""

from __future__ import annotations

import random
from random import Random

import pytest

from helpers.automata import random_automaton
from helpers.seeds import seeds
from outplay import Game, GameBuilder, Simulated, automaton, explore, run, win
from outplay.errors import UsageError
from outplay.game.goals.product import with_purpose
from outplay.game.goals.target import find_target
from outplay.game.reset import with_reset
from outplay.model.label import Label
from outplay.model.purpose import AutomatonPurpose
from outplay.strategy.win import SureWin

ASSUMPTIONS = ("input-eager", "output-eager", "nondeterministic", "timeout")


def forced(game: Game, states: set[str], transitions: set[tuple[str, str]]) -> bool:
    """The attractor of states and edges; a vertex behind a decision is called like its state and the decision."""
    won = {vertex for vertex, name in enumerate(game.names) if name in states}

    def reached(edge: int) -> bool:
        state = game.names[game.source[edge]].split(" ")[0]
        return bool(game.moves[edge] and (state, game.label_of(edge)) in transitions) or game.target[edge] in won

    while True:
        more = {
            vertex
            for vertex in range(game.vertex_count)
            if vertex not in won
            and len(game.edges_of(vertex))
            and (all if game.owner[vertex] else any)(map(reached, game.edges_of(vertex)))
        }
        if not more:
            return game.initial in won
        won |= more


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@seeds(range(60))
def test_some_of_several_transitions_and_states_is_reached_as_by_the_attractor_with_edges(seed, assumption):
    rng = random.Random(seed)
    model = random_automaton(seed, least=2, enabled=True)
    game = explore(model, assumption=assumption)
    known = [(model.names[s], label.text) for s, label, _ in model.transitions() if model.names[s] in game.names]
    known = [(state, label) for state, label in known if label in game.labels]
    assert known, "every state takes every input, or speaks before any comes"
    wanted = set(rng.sample(known, min(len(known), rng.randint(1, 2))))
    states = {rng.choice([name for name in game.names if " " not in name])} if seed % 2 else set()
    names = [*(f"{state} --{label}-->" for state, label in sorted(wanted)), *states]
    target = find_target(game, names)
    result = win(target.game, target)
    assert isinstance(result, SureWin) == forced(game, states, wanted)
    if isinstance(result, SureWin) and assumption == "nondeterministic":
        spec = target.game.origin.specification
        assert run(result, Simulated(spec, Random(seed)), plays=1).verdict.name == "pass"


def test_both_answers_occur_with_transitions_that_are_not_just_states():
    won = []
    for seed in range(60):
        model = random_automaton(seed, least=2, enabled=True)
        game = explore(model, assumption="nondeterministic")
        state, label, target = random.Random(seed).choice(list(model.transitions()))
        name = f"{model.names[state]} --{label}--> {model.names[target]}"
        if model.names[state] in game.names and label.text in game.labels and model.names[target] in game.names:
            target = find_target(game, [name])
            won.append(isinstance(win(target.game, target), SureWin))
    assert min(won.count(True), won.count(False)) >= 10


LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")])


def test_goals_that_are_no_transitions_stay_as_they_are():
    game = explore(LAMP)
    target = find_target(game, ["on", "off"])
    assert (target.game, target.names) == (game, ("on", "off"))
    target = find_target(game, [" on --!hum--> ", "off"])
    assert target.names == ("on --!hum-->", "off")
    assert [target.game.names[vertex] for vertex in target.vertices] == ["off", "on on --!hum--> on"]


def test_a_target_tells_transitions_apart():
    model = automaton([("s", "?go", "t"), ("t", "!x", "s"), ("t", "?stay", "t")])
    game = explore(model, assumption="input-eager")
    target = find_target(game, ["t --!x--> t"])
    assert not isinstance(win(target.game, target), SureWin)
    target = find_target(game, ["t --!x--> s"])
    assert win(target.game, target).value == 2


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("onn --!hum-->", "no state 'onn' in this game; did you mean 'on'"),
        ("on --!humm-->", "no label '!humm' in this game; did you mean '!hum'"),
        ("on wait --!hum-->", "no state 'on wait' in this game"),
        ("on --!hum--> of", "no state 'of' in this game; did you mean 'off'"),
    ],
)
def test_a_transition_that_is_not_there_is_refused(goal, message):
    with pytest.raises(UsageError, match=message):
        find_target(explore(LAMP), [goal])


def test_an_edge_of_a_file_is_a_goal_by_its_name():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("t", "tester")
    builder.edge("s", "c", name="choose", moves=0).edge("c", "t", "?go", name="going").edge(
        "c", "s", "!late", name="late"
    )
    game = builder.edge("t", "s", "?back", name="back").build()
    target = find_target(game, ["back"])
    assert target.names == ("t --?back--> s",)
    assert win(target.game, target).value is None
    target = find_target(game, ["going", "late"])
    assert target.names == ("s --?go--> t", "s --!late--> s")
    assert win(target.game, target).value == 2
    with pytest.raises(UsageError, match="edge 'choose' is a decision of the tester"):
        find_target(game, ["choose"])


def test_a_transition_can_be_watched_for_beside_a_reset():
    game = with_reset(explore(LAMP, assumption="input-eager"))
    target = find_target(game, ["on --?reset-->"])
    assert win(target.game, target).value == 2
    spec = target.game.origin.specification
    outcome = run(win(target.game, target), Simulated(spec, Random(0)), plays=1)
    assert Label.parse("?reset") in [event.label for event in outcome.trace.events]


def test_transitions_and_edges_keep_their_names_beside_a_purpose():
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester")
    game = builder.edge("s", "t", "?go", name="going").edge("t", "s", "?back", name="back").build()
    beside = with_purpose(game, AutomatonPurpose(automaton([("0", "?back", "1")])))
    for goal in ("t --?back-->", "t --?back--> s", "back"):
        target = find_target(beside, [goal])
        assert win(target.game, target).value == 2
    target = find_target(beside, ["t --?back-->", "s --?go-->"])
    assert win(target.game, target).value == 1
    again = find_target(beside, ["t --?back--> s"])
    assert win(again.game, again).value == 2
    with pytest.raises(UsageError, match=r"no state 's \| 0' in this game"):
        find_target(beside, ["s | 0 --?go-->"])


def test_one_transition_named_twice_is_watched_once():
    game = explore(LAMP, assumption="input-eager")
    target = find_target(game, ["off --?press-->", " off --?press--> "])
    assert set(target.names) == {"off --?press-->"}
    assert win(target.game, target).value == 1


def unlike_labels() -> Game:
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    builder.edge("s", "t", name="plain").edge("t", "u", "turn", name="turning").edge("u", "u", "tau", name="hidden")
    return builder.edge("u", "s", "?back", name="back").build()


def test_edges_without_a_label_or_a_direction_do_not_hinder_other_goals():
    for goal in ("back", "u --?back-->"):
        target = find_target(unlike_labels(), [goal])
        assert win(target.game, target).value == 3


@pytest.mark.parametrize(("edge", "label"), [("plain", ""), ("turning", "turn"), ("hidden", "tau")])
def test_an_edge_whose_label_no_play_shows_is_refused_by_name(edge, label):
    with pytest.raises(UsageError, match=f"edge '{edge}' has the label '{label}', which no play shows"):
        find_target(unlike_labels(), [edge])


def test_a_transition_that_no_play_shows_is_refused():
    with pytest.raises(UsageError, match="no label 'tau' in this game"):
        find_target(unlike_labels(), ["u --tau-->"])


def test_an_edge_that_looks_like_another_one_is_refused_and_the_transition_means_both():
    builder = GameBuilder().vertex("s", "system").vertex("t", "tester")
    builder.edge("s", "t", "!x", name="left").edge("s", "t", "!x", name="right").edge("s", "s", "!x", name="loop")
    game = builder.build()
    with pytest.raises(UsageError, match=r"edges 'left' and 'right' look alike .* --goal 's --!x--> t'"):
        find_target(game, ["left"])
    assert find_target(game, ["loop"]).names == ("s --!x--> s",)
    assert find_target(game, ["s --!x--> t"]).names == ("s --!x--> t",)


def test_edges_behind_two_decisions_of_one_state_look_alike():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("d", "system")
    builder.edge("s", "c", name="to c", moves=0).edge("s", "d", name="to d", moves=0)
    builder.edge("c", "s", "!x", name="early").edge("d", "s", "!x", name="late").edge("d", "s", "?a", name="given")
    with pytest.raises(UsageError, match="edges 'late' and 'early' look alike"):
        find_target(builder.build(), ["late"])


def test_an_edge_of_a_file_is_a_goal_by_its_name_beside_a_reset():
    builder = GameBuilder().vertex("s", "system").vertex("t", "tester")
    game = with_reset(builder.edge("s", "t", "!x", name="shown").edge("t", "s", "?a", name="given").build())
    target = find_target(game, ["given"])
    assert target.names == ("t --?a--> s",)
    assert win(target.game, target).value == 2
    assert find_target(game, ["shown"]).names == ("s --!x--> t",)
