"""Chapters 5 and 6 of 004 as forecasts: Figure 6.1 under each assumption, jokers and moves, a TCP connection."""

from __future__ import annotations

import pytest

from helpers.figures import FIGURE_6_1
from helpers.places import EXAMPLES
from outplay import GameBuilder, automaton, explore
from outplay.model.programs.load import load_program
from outplay.strategy.forecast.forecast import forecast

TCP = EXAMPLES / "tcp" / "model.py"


def entry(assumption, start, goal="happy"):
    seen = forecast(explore(automaton(FIGURE_6_1, initial=start), assumption=assumption), [goal])
    return seen.entries[0]


@pytest.mark.parametrize(
    ("assumption", "jokers"),
    [
        ("nondeterministic", {"1": 1, "2": 1, "3": 1}),
        ("output-eager", {"1": 1, "2": 1, "3": None}),
        ("input-eager", {"1": 0, "2": 0, "3": 0}),
    ],
)
def test_figure_6_1_needs_the_jokers_of_each_assumption(assumption, jokers):
    assert {start: entry(assumption, start).jokers for start in jokers} == jokers


def test_figure_6_1_is_forced_in_two_moves_where_inputs_come_first_and_impossible_from_the_sad_state():
    forced = entry("input-eager", "1").forced
    assert (forced.moves, forced.cost) == (2, 2)
    lost = explore(automaton([*FIGURE_6_1[6:], ("happy", "?a", "happy")], initial="3"))
    assert forecast(lost, ["sad"]).entries[0].forced.moves == 1


def test_the_help_of_figure_6_1_is_said_in_words():
    assert entry("nondeterministic", "3").why == "needs help once (the system has to take ?a before it says !x)"


def test_the_fewest_jokers_are_counted_where_layers_by_moves_would_go_the_longer_way():
    """Arena 1–a→A, 1–b→B0→B, A→{C1, L}, B→{G, L}, C1→C2→C3→G: one joker either way."""
    builder = GameBuilder()
    for name in ("1", "B0", "C1", "C2", "C3", "G", "L"):
        builder.vertex(name, "tester")
    builder.vertex("A", "system").vertex("B", "system")
    edges = ["1 A", "1 B0", "B0 B", "A C1", "A L", "B G", "B L", "C1 C2", "C2 C3", "C3 G"]
    for edge in edges:
        builder.edge(*edge.split())
    found = forecast(builder.build("1"), ["G"]).entries[0]
    assert (found.jokers, found.forced, found.expected_cost) == (1, None, None)
    assert found.probability == 0.5


CLOSING = {  # RFC 9293, figure 5: the moves of a peer and a user that want to get there, beside those of the end itself
    "listen": 1,
    "syn_sent": 1,
    "syn_received": 2,
    "established": 4,
    "fin_wait_1": 4,
    "close_wait": 5,
    "closing": 6,
    "fin_wait_2": 6,
    "time_wait": 6,
    "last_ack": 7,
}


def test_every_state_of_a_tcp_connection_can_be_forced():
    seen = forecast(explore(load_program(f"{TCP}:Tcp")), kinds=["goal"])
    assert {name: seen[name].forced.moves for name in CLOSING} == CLOSING
    assert all(seen[name].forced.cost == moves for name, moves in CLOSING.items())


@pytest.mark.parametrize(
    ("assumption", "jokers"),
    [
        ("nondeterministic", {"last_ack_repeated": 1, "established_after_a_second_syn": 2}),
        ("output-eager", {"last_ack_repeated": 1, "established_after_a_second_syn": 2}),
        ("input-eager", {"last_ack_repeated": 0, "established_after_a_second_syn": 1}),
    ],
)
def test_what_hangs_on_the_timers_of_tcp_needs_help(assumption, jokers):
    seen = forecast(explore(load_program(f"{TCP}:Tcp"), assumption=assumption), list(jokers))
    assert {name: seen[name].jokers for name in jokers} == jokers


def test_who_closed_first_never_waits_for_the_last_ack():
    seen = forecast(explore(load_program(f"{TCP}:Tcp")), ["last_ack_though_closed_first"])
    assert seen.entries[0].impossible
