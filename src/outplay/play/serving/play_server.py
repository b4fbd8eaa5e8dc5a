"""A model as a server, whatever it is spoken to in: plays of clients that come, give inputs, are told outputs, and go.

Each client has a play of its own, or all have one. An input that the model forbids is answered with why, and not taken.

Labels as JSON: a list of the gate and its arguments, `["deliver", "bob", "ann", "hi"]`, which keeps their types.

One play of a model in place of a system: it takes inputs as they come, and says when to speak, and what.
What it says is chosen by a simulation, by chance or by an opponent. It pauses before it speaks, so that an input may
come first: by chance, not at all where the opponent is hasty, and for the whole time where the opponent would rather
wait for an input. An input may meet an output on its way: one that is forbidden now, and was allowed before what was
said a moment ago, is taken as if it had come before that, where the model allows the same to be said after it.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from outplay.errors import OutplayError
from outplay.model.label import INPUT, Label
from outplay.model.offer import Offer
from outplay.model.specification import Specification, State
from outplay.play.adapters.lines import MOST_WAITING
from outplay.play.adapters.messages.message import from_json, parsed, to_json
from outplay.play.adapters.simulated import Simulated
from outplay.strategy.opponent import Opponent

CROSSING = 0.1  # seconds in which an input may not have known of an output
_LISTED = 5  # inputs
RESET = "RESET"
BEGIN, END = "begin", "end"
ANSWER = "OK"


class ServedPlay:
    """The model's side of a play; `pace` is the longest pause in seconds before it speaks."""

    def __init__(self, spec: Specification, rng: Random, opponent: Opponent | None = None, *, pace: float) -> None:
        self._spec, self._rng, self._opponent, self._pace = spec, rng, opponent, pace
        self._system = Simulated(spec, rng, adversarial=opponent)
        self._said: deque[tuple[float, State, Label]] = deque()
        self._silent = False

    def reset(self) -> None:
        """Begin a new play."""
        self._system.reset()
        self._said.clear()
        self._silent = False

    def pause(self) -> float | None:
        """Return how long to wait for an input before speaking; None where there is nothing to say until one comes."""
        if self._silent or not self._spec.outputs(self._system.state):
            return None
        if self._opponent is None:
            return self._rng.uniform(0, self._pace)
        eager = self._opponent.hasty or self._opponent.gains(self._system.state, self._after_speaking())
        return 0.0 if eager else self._pace

    def speak(self) -> Label | None:
        """Say something, or decide to say nothing until an input comes."""
        before = self._system.state
        label = self._system.observe(1.0).label
        self._silent = label is None
        if label is not None:
            self._said.append((time.monotonic(), before, label))
        return label

    def take(self, label: Label) -> str:
        """Take an input; return why not where the model forbids it."""
        self._forget(time.monotonic() - CROSSING)
        if self._spec.after(self._system.state, label):
            self._system.give(label)
        elif not self._took_before(label):
            return f"{label.message} is not allowed here; {self._allowed()}"
        self._silent = False
        return ""

    def _took_before(self, label: Label) -> bool:
        """Take an input as if it had come before something that was said, the latest that there is."""
        for n in reversed(range(len(self._said))):
            states = set(self._spec.after(self._said[n][1], label))
            for _, _, said in list(self._said)[n:]:
                states = {after for state in states for after in self._spec.after(state, said)}
            if states:
                self._system.go_to(states)
                self._said.clear()
                return True
        return False

    def _forget(self, before: float) -> None:
        while self._said and self._said[0][0] < before:
            self._said.popleft()

    def _after_speaking(self) -> list[State]:
        state = self._system.state
        labels = [label for offer in self._spec.outputs(state) if (label := offer.sample(self._rng)) is not None]
        return [after for label in labels for after in self._spec.after(state, label)]

    def _allowed(self) -> str:
        offers: list[Offer] = list(self._spec.inputs(self._system.state))
        shown = ", ".join(str(offer).removeprefix("?") for offer in offers[:_LISTED])
        more = f" and {len(offers) - _LISTED} more" if len(offers) > _LISTED else ""
        return f"allowed: {shown}{more}" if offers else "no input is allowed until something was said"


class ServedClient(Protocol):
    """A client that takes part in a play."""

    def tell(self, label: Label) -> None:
        """Tell an output; who cannot be told has gone."""

    def end(self) -> None:
        """Let the client go."""


@dataclass(frozen=True)
class Said:
    """An input of a client; or `BEGIN`, `RESET`, `END`."""

    client: ServedClient
    what: Label | str
    answer: Callable[[str], None] = lambda why: None
    """Told why the input is not taken, or nothing where it is."""


Line = queue.Queue[Said]


class PlayServer(ABC):
    """Plays until it is closed. `make` begins the play of a client, by its number.

    The model is stepped by one play at a time.
    """

    address = ""
    """The address where it listens."""

    def __init__(self, make: Callable[[int], ServedPlay], *, shared: bool) -> None:
        self._make, self._shared = make, shared
        self._all: Line = queue.Queue(MOST_WAITING)
        self._clients: set[ServedClient] = set()
        self._closed, self._stepping = threading.Event(), threading.Lock()
        self._trouble: Exception | None = None
        self._number = 0

    @abstractmethod
    def listen(self) -> None:
        """Take clients until the server is closed."""

    @abstractmethod
    def stop_listening(self) -> None:
        """Take no more clients."""

    def serve(self) -> None:
        """Take clients until the server is closed; what the model raises ends it too."""
        if self._shared:
            start_thread(self._play, 0, self._all, self._clients)
        self.listen()
        if self._trouble:
            raise self._trouble

    def close(self) -> None:
        """Let all clients go, and take no more."""
        self._closed.set()
        self.stop_listening()
        for client in list(self._clients):
            client.end()

    @property
    def many(self) -> int:
        """The number of clients."""
        return len(self._clients)

    def enter(self, client: ServedClient) -> Line:
        """Take a client; return where what it says is put."""
        self._clients.add(client)
        if self._shared:
            self._all.put(Said(client, BEGIN))
            return self._all
        said: Line = queue.Queue(MOST_WAITING)
        self._number += 1
        start_thread(self._play, self._number - 1, said, {client})
        return said

    def leave(self, client: ServedClient, said: Line) -> None:
        """Let a client go that has gone by itself."""
        self._clients.discard(client)
        said.put(Said(client, END))

    def _play(self, number: int, said: Line, clients: set[ServedClient]) -> None:
        """Play: take what comes, and speak where nothing comes for as long as the play pauses."""
        try:
            with self._stepping:
                play = self._make(number)
            while (clients and not self._closed.is_set()) or self._shared:
                self._step(play, said, clients)
        except Exception as error:
            self._trouble = error
            self.close()

    def _step(self, play: ServedPlay, said: Line, clients: set[ServedClient]) -> None:
        with self._stepping:
            pause = play.pause() if clients else None
        came = _next(said, pause)
        if came is None:
            with self._stepping:
                label = play.speak()
            for client in list(clients) if label is not None else ():
                client.tell(label)  # type: ignore[arg-type]  # as was just seen
        elif came.what == END:
            if not self._shared:
                clients.discard(came.client)
            came.client.end()
        elif came.what == RESET:
            with self._stepping:
                play.reset()
            came.answer("")
        elif isinstance(came.what, Label):
            with self._stepping:
                why = play.take(came.what)
            came.answer(why)


def _next(said: Line, pause: float | None) -> Said | None:
    """Return the next event within a pause; without a pause nothing is waited for, and what is there already comes
    later.
    """
    if pause == 0:
        return None
    with contextlib.suppress(queue.Empty):
        return said.get(timeout=pause)
    return None


def start_thread(action: Callable[..., None], *arguments: Any) -> None:
    """Start a thread of a server that never keeps the process from ending."""
    threading.Thread(target=action, args=arguments, daemon=True).start()


def json_of(label: Label) -> str:
    """Write a label as JSON for the client of a server.

    >>> json_of(Label.parse("!deliver bob 3"))
    '["deliver", "bob", 3]'
    """
    return json.dumps([label.gate, *map(to_json, label.arguments)], ensure_ascii=False)


def read_json_input(content: bytes) -> Label | str:
    """Read an input of a client in JSON, or `RESET`, or return why it is none."""
    try:
        said = parsed(content)
    except (ValueError, UnicodeDecodeError) as error:
        return f"this is no JSON: {error}"
    if not isinstance(said, list) or not said or not isinstance(said[0], str):
        return 'this is no label: send a list such as ["post", "ann", "hi"]'
    return RESET if said == [RESET] else json_input(said[0], said[1:])


def json_input(gate: str, arguments: list[Any]) -> Label | str:
    """Make the input of a client from a gate and JSON arguments, or return why there is none."""
    try:
        label = Label(INPUT, gate, tuple(map(from_json, arguments)))
        label.text.encode()
        return label
    except (OutplayError, ValueError, TypeError) as error:
        return f"this is no label: {error}"
