"""Chapter 6 of 004, number by number: joker sets, joker states, helping moves, strategies, ranks, jokers and moves."""

from __future__ import annotations

import pytest

from helpers.domination import Domination, domination
from helpers.figures import FIGURE_6_1
from helpers.joker_game import JokerGame, joker_game
from helpers.jokers import help_wanted
from outplay import Automaton, Game, GameBuilder, automaton, explore, win
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.joker_answers import Jokers
from outplay.strategy.jokers.prices import HelpKind
from outplay.strategy.jokers.resilience import resilient


def figure(assumption: str = "nondeterministic", start: str = "1") -> Game:
    """What can be reached in Figure 6.1 from a state."""
    return explore(automaton(FIGURE_6_1, initial=start), assumption=assumption)


@pytest.mark.parametrize(
    ("assumption", "jokers"),
    [
        ("nondeterministic", {"1": 1, "2": 1, "3": 1, "happy": 0, "sad": None}),
        ("output-eager", {"1": 1, "2": 1, "3": None, "happy": 0, "sad": None}),
        ("input-eager", {"1": 0, "2": 0, "3": 0, "happy": 0, "sad": None}),
    ],
)
def test_jokers_of_figure_6_1_under_each_assumption(assumption, jokers):
    found = {}
    for state in jokers:
        game = figure(assumption, state)
        result = joker(game, "happy") if "happy" in game.names else None
        found[state] = result.value.jokers if result and result.value else None
    assert found == jokers


def test_example_6_12_joker_sets():
    built = joker_game(figure(), "happy")
    names = {name: built.joker_rank(number) for number, name in enumerate(built.game.names)}
    assert {state: names[state] for state in ("happy", "1", "2", "3", "sad")} == {
        "happy": 0,
        "1": 1,
        "2": 1,
        "3": 1,
        "sad": None,
    }
    assert built.sets.count == 2
    assert {built.game.names[vertex] for vertex in built.joker_set(0)} == {"happy"}


def states_where(built: JokerGame, holds) -> set[str]:
    """States, which are the vertices named by themselves alone."""
    return {name for number, name in enumerate(built.game.names) if " " not in name and holds(number)}


def test_example_6_17_joker_states_and_helping_moves():
    built = joker_game(figure(), "happy")
    assert states_where(built, built.is_joker_state) == {"2", "3"}
    game, numbers = built.game, built.game.vertex_numbers

    def helping(vertex: str) -> set[tuple[str, str]]:
        edges = built.helping_moves(numbers[vertex])
        return {(game.label_of(edge), game.names[game.target[edge]]) for edge in edges}

    assert helping("2 ?a") == {("?a", "happy"), ("!x", "happy")}  # not !y: 3 needs as many jokers
    assert helping("3 ?a") == {("?a", "happy")}  # not !x: no joker helps there


def test_example_6_19_both_inputs_of_state_1_belong_to_joker_strategies():
    built = joker_game(figure(), "happy")
    game = built.game
    assert {game.label_of(edge) for edge in built.strategy_moves(game.vertex_numbers["1"])} == {"?a", "?b"}
    assert "?a" in {game.label_of(edge) for edge in built.strategy_moves(game.vertex_numbers["3"])}


def chosen(game: Game, **inputs: str) -> dict[int, int]:
    """A positional strategy: an input for each state, and the choice vertex behind it."""
    return {
        game.vertex_numbers[state]: next(
            e for e in game.edges_of(game.vertex_numbers[state]) if game.label_of(e) == label
        )
        for state, label in ((name[1:], label) for name, label in inputs.items())
    }


def test_example_6_37_giving_a_first_dominates_giving_b_first():
    game = figure()
    a_first, b_first = (chosen(game, q1=first, q2="?a", q3="?a") for first in ("?a", "?b"))
    compared = domination(game, "happy", a_first, b_first)
    assert compared.first_dominates
    assert not compared.second_dominates


def test_example_6_37_row_by_row_where_players_2_and_3_have_the_four_strategies_of_the_table():
    builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("3", "system")
    builder.vertex("happy", "tester").vertex("sad", "tester").edge("1", "2", "?a").edge("1", "3", "?b")
    game = builder.edge("2", "happy").edge("2", "3").edge("3", "happy").edge("3", "sad").build()
    assert domination(game, "happy", {0: 0}, {0: 1}) == Domination(both=2, only_first=1, only_second=0, neither=1)


def test_example_6_39_ranks_towards_losing_and_the_preferred_strategy():
    game = figure()
    result = resilient(game, "happy")
    ranks = {name: int(result.ranks[number]) for number, name in enumerate(game.names) if " " not in name}
    assert ranks == {"sad": 0, "3": 1, "2": 2, "1": 3, "happy": -1}
    assert result.resilience == 2
    assert game.label_of(result.edge(game.initial)) == "?a"
    assert result.value == Jokers(1, 2)


def test_a_forecast_can_say_which_help_is_wanted_in_figure_6_1():
    result = joker(figure(), "happy")
    assert result.value == Jokers(1, 2)
    assert [(kind, result.game.label_of(edge)) for _, edge, kind in help_wanted(result)] in (
        [(HelpKind.CONFLICT, "?a")],
        [(HelpKind.OUTPUT, "!x")],
    )


def two_ways() -> Game:
    builder = GameBuilder()
    for name, owner in {"1": 0, "A": 1, "B0": 0, "B": 1, "C1": 0, "C2": 0, "C3": 0, "L": 0, "G": 0}.items():
        builder.vertex(name, "system" if owner else "tester")
    edges = "1 A,1 B0,B0 B,A C1,A L,B G,B L,C1 C2,C2 C3,C3 G"
    for source, target in map(str.split, edges.split(",")):
        builder.edge(source, target)
    return builder.build()


def longest_by_layers(built: JokerGame, vertex: int) -> int:
    """The moves of the paper's joker strategies when every joker is granted, whichever of their edges are taken."""
    game = built.game
    if vertex in built.goal_vertices:
        return 0
    followed = built.strategy_moves(vertex) or list(game.edges_of(vertex))
    return max(int(game.moves[edge]) + longest_by_layers(built, int(game.target[edge])) for edge in followed)


def test_the_layers_take_five_moves_where_three_suffice():
    game = two_ways()
    assert longest_by_layers(joker_game(game, "G"), game.initial) == 5
    assert joker(game, "G").value == Jokers(1, 3)


def test_with_one_joker_in_all_three_moves_are_needed_where_pairs_suggest_two():
    steps = [("1", "?b", "0"), ("1", "!y", "2"), ("2", "!x", "1"), ("2", "!y", "3"), ("3", "!y", "4"), ("4", "!x", "0")]
    game = explore(automaton(steps, states=list("01234"), initial="2"))
    result = joker(game, "0")
    assert result.value == Jokers(1, 3)
    assert {name: result.value_of(game.vertex_numbers[name]) for name in "134"} == {
        "1": Jokers(1, 1),
        "3": Jokers(0, 2),
        "4": Jokers(0, 1),
    }
    check_joker(game, result.goal_vertices.tolist(), result.solution.claim())


def test_without_jokers_it_is_the_sure_win_of_section_6_3():
    game = figure("input-eager")
    assert joker(game, "happy").value == Jokers(0, 2)
    assert win(game, "happy").value == 2


TABLE_6_1 = {
    (0, 0): "happy",
    (0, 1): "19",
    (0, 2): "18 20",
    (0, 3): "17 21",
    (1, 0): "16 26",
    (1, 1): "15 22 25",
    (1, 2): "13 24",
    (1, 3): "14 23",
    (1, 4): "12",
    (2, 0): "7 8 9",
    (2, 1): "6 10",
    (2, 2): "4 11",
    (2, 3): "1 2",
    (2, 4): "3",
}


def tcp() -> Automaton:
    """A stand-in for Figure 6.5, which the text does not give: built so that Table 6.1 and section 6.8 come true."""
    waiting = "19 happy,18 19,20 19,21 20,15 16,22 16,25 26,14 13,23 24,12 14,12 23,6 7,6 8,10 9,4 6,2 11,3 2"
    steps = [(source, f"!to_{target}", target) for source, target in map(str.split, waiting.split(","))]
    inputs = "17 FIN 18,13 CLOSE 15,13 FIN 23,24 CLOSE 25,11 SYN 10,1 activeOpen 4,1 passiveOpen 2,0 any 1,0 more 3"
    asking = "16 ACK 17,16 FIN 21,26 ACK happy,7 SYNACK 14,8 ACK 14,9 CLOSE 15,9 ACK 13"
    for source, label, target in map(str.split, f"{inputs},{asking}".split(",")):
        steps.append((source, f"?{label}", target))
    steps += [(state, "!RST", "reset") for state in ("16", "26", "7", "8", "9")]
    steps += [("0", f"?visit_{state}", state) for state in ("12", "22")]
    return automaton(steps, initial="0")


def test_table_6_1_ranks_and_joker_states_of_the_tcp_stand_in():
    built = joker_game(explore(tcp()), "happy")
    numbers = built.game.vertex_numbers
    expected = {state: place for place, states in TABLE_6_1.items() for state in states.split()}
    found = {s: (built.joker_rank(numbers[s]), built.attractor_rank(numbers[s])) for s in expected}
    assert found == expected
    assert states_where(built, built.is_joker_state) == {"7", "8", "9", "16", "26"}


def test_tcp_by_layers_takes_two_jokers_and_eleven_moves_but_ten_suffice():
    game = explore(tcp())
    start = game.vertex_numbers["1"]
    result = joker(game, "happy")
    assert longest_by_layers(joker_game(game, "happy"), start) == 11
    assert result.value_of(start) == Jokers(2, 10)
    at_13 = game.vertex_numbers["13"]
    assert game.label_of(result.edge(at_13)) == "?FIN"
    assert result.value_of(at_13) == Jokers(1, 5)
    check_joker(game, result.goal_vertices.tolist(), result.solution.claim())
