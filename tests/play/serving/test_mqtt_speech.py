"""The words of MQTT that a served model speaks: every quality of service, once, and nothing but MQTT."""

from __future__ import annotations

import pytest

from outplay import Label
from outplay.play.serving.mqtt_server import MqttSpeech, _packet, _text

CONNECT = _packet(0x10, _text("MQTT") + b"\x04\x02\0\0" + _text("ann"))
POST = Label.parse("?post ann hi")
DELIVER = Label.parse("!deliver bob 3")
DELIVERED = _packet(0x30, _text("out/deliver") + b'["deliver", "bob", 3]')


def connected() -> MqttSpeech:
    speech = MqttSpeech()
    assert list(speech.heard(CONNECT)) == []
    assert speech.replies() == b"\x20\x02\0\0"
    return speech


def publish(quality: int, topic: str = "in/post", content: bytes = b'["post", "ann", "hi"]') -> bytes:
    return _packet(0x30 | quality << 1, _text(topic) + (b"\0\7" if quality else b"") + content)


@pytest.mark.parametrize(("quality", "answer"), [(0, b""), (1, b"\x40\2\0\7"), (2, b"\x50\2\0\7")])
def test_an_input_is_taken_and_acknowledged_by_its_quality_however_it_comes_in_pieces(quality, answer):
    speech = connected()
    came = [each for byte in publish(quality) for each in speech.heard(bytes([byte]))]
    assert (came, speech.replies()) == ([POST], answer)


def test_an_input_of_quality_two_is_taken_once_until_it_is_released():
    speech = connected()
    assert list(speech.heard(publish(2) * 2)) == [POST]
    speech.replies()
    assert list(speech.heard(_packet(0x62, b"\0\7"))) == []
    assert speech.replies() == b"\x70\2\0\7"
    assert list(speech.heard(publish(2))) == [POST]


def test_outputs_wait_for_the_first_subscription_and_go_to_what_is_subscribed():
    speech = connected()
    assert speech.told(DELIVER) == b""
    list(speech.heard(_packet(0x82, b"\0\1" + _text("out/+") + b"\1" + _text("x") + b"\0")))
    assert speech.replies() == b"\x90\4\0\1\0\0" + DELIVERED
    assert speech.told(DELIVER) == DELIVERED
    list(speech.heard(_packet(0xA2, b"\0\2" + _text("out/+"))))
    assert speech.replies() == b"\xb0\2\0\2"
    assert speech.told(DELIVER) == b""


def test_mistakes_are_told_and_a_ping_is_answered():
    speech = connected()
    told = [*speech.heard(publish(0, "post")), *speech.heard(publish(0, "in/post", b"{"))]
    assert told[0] == "publish inputs to in/GATE, not to post"
    assert told[1].startswith("this is no JSON")
    assert list(speech.heard(publish(0, "in/RESET", b'["RESET"]') + b"\xc0\0\xe0\0")) == ["RESET"]
    assert speech.replies() == b"\xd0\0"


@pytest.mark.parametrize(
    "sent",
    [
        publish(0),
        b"GET / HTTP/1.1\r\n\r\n",
        CONNECT + b"\0\0",
        CONNECT + _packet(0x30, b"\0\x09in"),
        b"\x30\xff\xff\xff\xff",
    ],
)
def test_who_speaks_no_mqtt_is_let_go(sent):
    with pytest.raises(EOFError):
        list(MqttSpeech().heard(sent))


def test_a_client_of_version_five_is_refused_in_its_own_words():
    speech = MqttSpeech()
    with pytest.raises(EOFError):
        list(speech.heard(_packet(0x10, _text("MQTT") + b"\5\2\0\0\0" + _text("ann"))))
    assert speech.replies() == b"\x20\3\0\x84\0"
