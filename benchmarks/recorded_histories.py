"""The recorded histories of the shared data, as outplay reads them, and the models they are judged by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from outplay import Map, Model, controllable, given
from outplay.model.label import Label
from outplay.play.history import History, HistoryEvent, history_of_events

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "histories"
LOGS = sorted(int(path.stem.removeprefix("etcd_")) for path in FOLDER.glob("etcd_*.log"))
KEY_VALUE = sorted(path.stem for path in FOLDER.glob("c*.txt"))
_JEPSEN = re.compile(r"jepsen\.util - (\d+)\s+:(\w+)\s+:(\w+)\s+(.*?)\s*$")
_KEY_VALUE = re.compile(r'\{:process (\d+), :type :(\w+), :f :(\w+), :key ("[^"]*"), :value (nil|".*")\}')


class Register(Model):
    """A register with compare-and-set; -1 before anything was written."""

    channel = "client"
    clients = range(100)
    values = range(5)
    value: int = -1

    @controllable(returns=range(-1, 5))
    @given(client="clients")
    def read(self, client: int, result: int) -> bool:
        return result == self.value

    @controllable(returns=("ok",))
    @given(client="clients", value="values")
    def write(self, client: int, value: int, result: str) -> None:
        self.value = value

    @controllable(returns=(True, False))
    @given(client="clients", old="values", new="values")
    def cas(self, client: int, old: int, new: int, result: bool) -> bool:
        if result != (self.value == old):
            return False
        if result:
            self.value = new
        return True


class Store(Model):
    """A key-value store whose values grow."""

    channel = "client"
    clients = range(100)
    keys = tuple(map(str, range(10)))
    texts = tuple(f"x {client} {number} y" for client in range(50) for number in range(100))
    stored: Map[str, str] = Map()

    @controllable(returns="contents")
    @given(client="clients", key="keys")
    def get(self, client: int, key: str, result: str) -> bool:
        return result == self.stored.get(key, "")

    @controllable(returns=("ok",))
    @given(client="clients", key="keys", text="texts")
    def put(self, client: int, key: str, text: str, result: str) -> None:
        self.stored = self.stored.set(key, text)

    @controllable(returns=("ok",))
    @given(client="clients", key="keys", text="texts")
    def append(self, client: int, key: str, text: str, result: str) -> None:
        self.stored = self.stored.set(key, self.stored.get(key, "") + text)

    def contents(self) -> tuple[str, ...]:
        """What some key holds, or nothing."""
        return ("", *self.stored.values())


def etcd_history(number: int) -> History:
    """A log of etcd as a register: a failed read tells nothing, a refused compare-and-set is an answer."""
    path = FOLDER / f"etcd_{number:03d}.log"
    events = list[HistoryEvent]()
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _JEPSEN.search(text)
        if found:
            client, kind, gate, rest = found.groups()
            values = re.findall(r"\d+", rest)
            if kind == "invoke":
                label = f"?{gate} {client} {' '.join(values)}"
            else:
                answer = {"read": values[0] if values else "-1", "write": "ok"}.get(gate, str(kind == "ok").lower())
                label = f"!{gate} {client} {answer}"
                kind = {"readfail": "info", "casfail": "ok"}.get(gate + kind, kind)
            events.append(HistoryEvent(kind, client, Label.parse(label), line))
    return history_of_events(events, path.name)


def key_value_history(name: str) -> History:
    """A log of a key-value store."""
    return history_of_events(_key_value_events(FOLDER / f"{name}.txt"), name)


def _key_value_events(path: Path) -> Iterator[HistoryEvent]:
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _KEY_VALUE.fullmatch(text)
        assert found, f"{path}:{line}"
        client, kind, gate, key, value = found.groups()
        arguments = (int(client), json.loads(key))
        if kind != "invoke":
            answer = json.loads(value) if gate == "get" else "ok"
            yield HistoryEvent(kind, client, Label("!", gate, (int(client), answer)), line)
        else:
            given_value = () if value == "nil" else (json.loads(value),)
            yield HistoryEvent(kind, client, Label("?", gate, (*arguments, *given_value)), line)
