"""A model behind WebSockets: each message is a label as a list of JSON."""

from __future__ import annotations

from collections.abc import Iterator

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from outplay.model.label import Label
from outplay.play.adapters.lines import LONGEST_LINE
from outplay.play.serving.play_server import json_of, read_json_input


class WebSocketSpeech:
    """The language of a client in the frames of WebSocket; one that sends anything else is let go."""

    def __init__(self) -> None:
        self._protocol = ServerProtocol(max_size=LONGEST_LINE)
        self._parts = bytearray()

    def heard(self, chunk: bytes) -> Iterator[Label | str]:
        protocol = self._protocol
        protocol.receive_data(chunk)
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
            elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._parts += event.data
                if event.fin:
                    content, self._parts = bytes(self._parts), bytearray()
                    yield read_json_input(content)
        if protocol.close_expected() or protocol.handshake_exc is not None:
            raise EOFError

    def told(self, label: Label) -> bytes:
        if self._protocol.state is State.OPEN:
            self._protocol.send_text(json_of(label).encode())
        return self.replies()

    def replies(self) -> bytes:
        return b"".join(self._protocol.data_to_send())
