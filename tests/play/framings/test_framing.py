"""Framings: whatever is framed is cut out again, however the stream comes in pieces."""

from __future__ import annotations

from random import Random

import pytest

from outplay.play.framing import FRAMINGS, NoMessage


@pytest.mark.parametrize("name", FRAMINGS)
@pytest.mark.parametrize("seed", range(40))
def test_what_is_framed_is_cut_out_again_in_whatever_pieces_it_comes(name, seed):
    rng, framing = Random(f"{name} {seed}"), FRAMINGS[name]
    longest = 200 if name == "length1" else 1000
    contents = [rng.randbytes(rng.choice([0, 1, 5, rng.randrange(longest)])) for _ in range(rng.randrange(6))]
    if name == "lines":
        contents = [content.replace(b"\n", b" ").rstrip(b"\r") for content in contents]
    whole = b"".join(framing.framed(content) for content in contents)
    cut, pending, at = [], b"", 0
    while at < len(whole):
        size = rng.choice([1, 2, 7, 500])
        messages, pending = framing.cut(pending + whole[at : at + size])
        cut += messages
        at += size
    assert pending == b""
    assert b"".join(cut) == whole, "messages stay as they stand"
    assert [framing.content(message) for message in cut] == contents


@pytest.mark.parametrize(
    ("name", "stream"),
    [
        ("netstring", b"x:"),
        ("netstring", b"3:abcd"),
        ("netstring", b"1234567890123"),
        ("content-length", b"Content-Type: text\r\n\r\n"),
        ("content-length", b"X: " + b"y" * 70_000),
    ],
)
def test_what_can_be_no_message_is_told(name, stream):
    with pytest.raises(NoMessage):
        FRAMINGS[name].cut(stream)


def test_what_does_not_go_into_a_frame_is_told():
    with pytest.raises(NoMessage, match="several lines"):
        FRAMINGS["lines"].framed(b"a\nb")
    with pytest.raises(NoMessage, match="too many"):
        FRAMINGS["length1"].framed(b"x" * 256)
