"""Mosquitto, played by a table of messages: clients, retained messages, acknowledgements, broken connections."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("paho.mqtt")

from helpers.servers import eagerly, free_port, needs, serving
from outplay import Label, Model, Mqtt, controllable, given, observable, run
from outplay.errors import SystemUnready
from outplay.play.timing import Timing

pytestmark = needs("mosquitto")
PATIENCE = 30.0
TABLE: dict[str, Any] = {
    "clients": ["ann", "bob"],
    "connect": {"id": "{client}", "subscribe": ["all/#"]},
    "inputs": {
        "publish who what": {"client": "{who}", "topic": "all/{who}", "body": "{what}", "qos": 1},
        "retain who what": {"client": "{who}", "topic": "kept/{who}", "body": "{what}", "qos": 2, "retain": True},
        "forget who": {"client": "{who}", "topic": "kept/{who}", "body": "", "retain": True},
        "subscribe who": {"client": "{who}", "subscribe": "kept/#", "qos": 1},
        "unsubscribe who": {"client": "{who}", "unsubscribe": "all/#"},
        "leave who": {"client": "{who}", "connection": "cut"},
    },
    "outputs": [
        {"when": {"retain": True}, "label": "kept {client} {levels.1} {body}"},
        {"when": {"topic": "*"}, "label": "hear {client} {levels.1} {body}"},
        {"when": {"ack": "unsubscribe"}, "label": "unsubscribed {client}"},
    ],
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port, folder = free_port(), tmp_path_factory.mktemp("broker")
    Path(folder, "broker.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    with serving(["mosquitto", "-c", "broker.conf"], port, folder):
        yield port


@pytest.fixture
def broker(port: int) -> Iterator[Mqtt]:
    system = Mqtt("127.0.0.1", port, TABLE, patience=PATIENCE)
    system.reset()
    yield system
    system.close()


def give(system: Mqtt, *labels: str) -> None:
    for label in labels:
        system.give(Label.parse(f"?{label}"))


def shown(system: Mqtt, many: int) -> list[str]:
    return sorted(str(system.observe(PATIENCE)) for _ in range(many))


def test_a_message_comes_to_all_that_have_subscribed(broker):
    give(broker, 'publish ann "hi there"')
    assert shown(broker, 2) == ['!hear ann ann "hi there"', '!hear bob ann "hi there"']
    give(broker, "unsubscribe bob")
    assert shown(broker, 1) == ["!unsubscribed bob"]
    give(broker, "publish bob bye")
    assert shown(broker, 1) == ["!hear ann bob bye"]
    assert broker.observe(0.05).kind == "silence"


def test_what_is_retained_comes_later(broker):
    give(broker, "retain ann 5", "subscribe bob")
    try:
        assert shown(broker, 1) in (['!kept bob ann "5"'], ['!hear bob ann "5"'])
    finally:
        give(broker, "forget ann")
        broker.observe(0.05)


def test_who_comes_twice_puts_the_first_out(broker, port):
    other = Mqtt("127.0.0.1", port, {**TABLE, "clients": ["ann"]}, patience=PATIENCE)
    other.reset()
    event = broker.observe(PATIENCE)
    assert event.kind == "closed", event
    assert "the broker ended the connection" in event.detail
    other.close()


def test_a_broker_that_is_not_there_is_trouble():
    with pytest.raises(SystemUnready, match="nothing answers at"):
        Mqtt("127.0.0.1", free_port(), TABLE, patience=0.1).reset()


def test_many_plays_leave_nothing_behind(broker):
    broker.reset()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for n in range(30):
        give(broker, "publish ann hi", *(["leave ann"] if n % 2 else []))
        broker.observe(PATIENCE)
        broker.reset()
        assert broker.observe(0.001).kind == "silence"
    assert threading.active_count() <= threads + 2
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 3


class Topics(Model):
    """What is published comes to everyone once; what one client is sent keeps its order."""

    loses = False  # a wrong expectation: bob hears nothing of himself
    names = ("ann", "bob")
    owed: tuple[tuple[str, str, str], ...] = ()

    @controllable
    @given(who="names", what=("hi", "bye"))
    def publish(self, who, what):
        if self.owed:
            return False
        self.owed = tuple((to, who, what) for to in self.names if not (self.loses and to == who == "bob"))

    @observable
    @given(to="names", who="names", what=("hi", "bye"))
    def hear(self, to, who, what):
        if (to, who, what) not in self.owed:
            return False
        self.owed = tuple(each for each in self.owed if each != (to, who, what))


@pytest.mark.parametrize(("loses", "verdict"), [(False, "pass"), (True, "fail")])
def test_mosquitto_passes_by_a_right_model_and_fails_by_a_wrong_one(port, loses, verdict):
    class Expected(Topics):
        pass

    Expected.loses = loses
    system = Mqtt("127.0.0.1", port, TABLE, patience=PATIENCE)
    outcome = run(eagerly(Expected), system, plays=10, steps=30, timing=Timing(silence=PATIENCE, latency=0.02))
    system.close()
    assert outcome.verdict.name == verdict, outcome
