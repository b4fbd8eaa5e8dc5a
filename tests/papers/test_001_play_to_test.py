"""The worked examples of "Play to Test" (paper 001), number by number."""
# an action that does not return False is enabled

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import perm
from pathlib import Path

import pytest

from outplay import GameBuilder, Model, controllable, expected, explore, given, goal, observable, win
from outplay.game.graph import SYSTEM, TESTER
from outplay.model.programs.load import load_program
from outplay.strategy.win import SureWin


class Chat(Model):
    """Section 1, line by line: client 0 posts only "hi", client 1 only "bye"."""

    clients = frozenset({0, 1})
    queue: tuple[tuple[int, str], ...] = ()
    recipients: frozenset[int] = frozenset()

    @controllable
    @given(sender="clients", text=("hi", "bye"))
    def post(self, sender, text):
        if text != ("hi", "bye")[sender] or any(message[0] == sender for message in self.queue):
            return False
        if not self.queue:
            self.recipients = self.clients - {sender}
        self.queue += ((sender, text),)

    @observable
    @given(message=lambda model: model.queue[:1], recipient="recipients")
    def deliver(self, message, recipient):
        if len(self.recipients) == 1:
            self.recipients = frozenset() if len(self.queue) == 1 else self.clients - {self.queue[1][0]}
            self.queue = self.queue[1:]
        else:
            self.recipients -= {recipient}

    @goal
    def final(self):
        return not self.queue

    @goal
    def two_pending(self):
        return len(self.queue) == 2


def test_figure_1_has_seven_vertices_and_ten_edges():
    game = explore(Chat, assumption="timeout")
    assert (game.origin.states, game.vertex_count, game.edge_count) == (5, 7, 10)
    owners = Counter(game.owner.tolist())
    assert (owners[TESTER], owners[SYSTEM]) == (3, 4)  # s1, s'2 and s'3 are active, the diamonds passive
    labels = Counter(game.label_of(edge) for edge in range(game.edge_count))
    assert labels == {
        "?post 0 hi": 2,
        "?post 1 bye": 2,
        '!deliver [0,"hi"] 1': 2,
        '!deliver [1,"bye"] 0': 2,
        "delta": 2,
    }


def test_in_figure_1_the_initial_state_is_active_and_the_only_final_one():
    game = explore(Chat, assumption="timeout")
    assert game.owner[game.initial] == TESTER
    assert game.goals["final"].tolist() == [game.initial]


def test_where_the_system_may_always_deliver_first_two_pending_messages_need_luck():
    for assumption in ("timeout", "nondeterministic", "output-eager"):
        assert win(explore(Chat, assumption=assumption), "two_pending").value is None
    sure = win(explore(Chat, assumption="input-eager"), "two_pending")
    assert isinstance(sure, SureWin)
    assert sure.value == 2


def sizes(clients: int, *, always: bool) -> tuple[int, int, int]:
    """States, vertices and edges of the chat with one text, counted by hand.

    A state is an order of k of the n clients in the queue, with a set of clients still to get the oldest message.
    """
    n = clients
    sets, waiting = 2 ** (n - 1) - 1, (n - 1) * 2 ** (n - 2)  # non-empty sets of the others, and their sizes added up
    orders = {k: perm(n, k) for k in range(1, n + 1)}
    states = 1 + sum(orders.values()) * sets
    expiring = sum(count for k, count in orders.items() if always or k < n) * sets
    posts = n + sum(count * (n - k) for k, count in orders.items()) * sets
    deliveries = sum(orders.values()) * waiting
    return states, states + expiring, posts + deliveries + expiring


def test_the_count_by_hand_gives_the_known_sizes():
    assert sizes(2, always=False) == (5, 7, 10)
    assert sizes(6, always=False)[:2] == (60_637, 98_953)
    assert sizes(6, always=True)[:2] == (60_637, 121_273)


@pytest.mark.parametrize("assumption", ["timeout", "timeout-always"])
@pytest.mark.parametrize("clients", [2, 3, 4, 6])
def test_the_chat_of_the_examples_has_the_size_counted_by_hand(clients: int, assumption: str, chat: Path):
    names = tuple("abcdef"[:clients])
    program = load_program(f"{chat / 'model.py'}:Chat", [f"clients={names}", "texts=('hi',)"])
    game = explore(program, assumption=assumption)
    assert (game.origin.states, game.vertex_count, game.edge_count) == sizes(
        clients, always=assumption == "timeout-always"
    )
    assert game.origin.complete


def test_figure_3_cannot_be_won_for_sure_since_the_system_may_always_go_back():
    game = (
        GameBuilder()
        .vertex("1", "tester")
        .vertex("2", "system")
        .vertex("g", "tester", goals=["goal"])
        .edge("1", "2")
        .edge("2", "g", probability=Fraction(2, 3))
        .edge("2", "1", probability=Fraction(1, 3))
        .build()
    )
    result = win(game, "goal")
    assert result.value is None
    assert [game.names[vertex] for vertex in result.blocking.tolist()] == ["1", "2"]


@pytest.mark.parametrize("method", ["auto", "vi", "pi", "lp"])
def test_two_pending_messages_in_the_chat_of_figure_1_cost_five_on_average(method):
    """By hand: after a post, a time-out (1/2) lets the other client post, a delivery (1/2) starts all over again.

    All costs are 1, so x = 1 + 1/2 · (1 + 1) + 1/2 · (1 + x), which is 5.
    """
    game = explore(Chat, assumption="timeout")
    assert (game.vertex_count, game.edge_count) == (7, 10)
    assert expected(game, "two_pending", method=method, epsilon=1e-9).value == pytest.approx(5, rel=1e-9)


def test_the_chat_of_figure_1_has_the_exact_costs_counted_by_hand():
    """Posted once: 4, for 1/2 · (1 + 1) + 1/2 · (1 + 5); after the time-out: 1; two pending: 0."""
    game = explore(Chat, assumption="timeout")
    exact = expected(game, "two_pending", epsilon=0).exact
    assert sorted(exact) == [0, 0, 1, 1, 4, 4, 5]
    assert exact[game.initial] == 5
