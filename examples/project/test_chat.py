"""One test of each goal of the chat model, and one that plays against what may be wrong."""

import pytest

import outplay
from model import Chat


@outplay.each_goal(Chat, ready="ready")
def test_goal(play, server):
    play(server)


@pytest.mark.outplay(model=Chat, ready="ready", plays=4)
def test_order(play, server):
    play(server)


def test_everyone_but_the_sender_gets_a_message():  # other tests stay as they are
    assert Chat().everyone_but("ann") == {"bob", "cid"}
