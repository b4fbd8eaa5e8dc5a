from __future__ import annotations

import json
import socket
import socketserver
import sys
import threading
import time
from random import Random

import pytest

from outplay import Process, PythonObject, Timing, controllable, given, goal, run
from outplay.model.kinds import specification
from outplay.model.label import Label
from outplay.model.programs.actions import observable
from outplay.model.programs.program import Model
from outplay.model.specification import Channel, Channels
from outplay.play.trace import Event
from outplay.verdict.nearest_change import explaining_race

FAST = Timing(silence=3.0, latency=1.0)


class Locks(Model):
    channel = "who"
    holder: str = ""

    @controllable(returns=("yes",), optional=True)
    @given(who=("ann", "bob", "cid"))
    def acquire(self, who, result):
        if self.holder:
            return False
        self.holder = who

    @controllable(returns=("done",))
    @given(who=("ann", "bob", "cid"))
    def release(self, who, result):
        if self.holder != who:
            return False
        self.holder = ""


class LockServer:
    """A lock that several threads wait for."""

    exclusive = True

    def __init__(self):
        self._changed, self._holders, self._closed = threading.Condition(), [], False

    def acquire(self, who):
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._holders and self.exclusive))
            self._holders.append(who)
        return "yes"

    def release(self, who):
        with self._changed:
            self._holders.remove(who)
            self._changed.notify()
        return "done"

    def close(self):
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Leaky(LockServer):
    exclusive = False


def test_calls_of_different_channels_run_side_by_side_and_may_block():
    result = run(Locks, PythonObject(LockServer), plays=2, steps=12, tester="walk", timing=Timing(1.0, 0.5))
    assert result.verdict.name == "pass", result.verdict
    channels = {event.channel for event in result.trace.events if event.kind == "input"}
    assert channels == {"ann", "bob", "cid"}


def test_an_object_with_channels_rests_once_all_calls_have_ended_unless_it_may_show_more():
    system = PythonObject(LockServer)
    system.use_channels(Channels({("?", "acquire"): 0, ("!", "acquire"): 0}))
    system.reset()
    assert system.rests()
    assert not system.quiet(), "what it calls may go on elsewhere"
    for who in ("ann", "bob"):
        system.give(Label.parse(f"?acquire {who}"))
    assert str(system.observe(5.0)) == "!acquire ann yes"
    assert not system.rests(), "bob waits"
    system.give(Label.parse("?release ann"))
    assert {str(system.observe(5.0)) for _ in range(2)} == {"!release done", "!acquire bob yes"}
    deadline = time.monotonic() + 5.0
    while not system.rests():
        assert time.monotonic() < deadline
    system.close()
    showing = PythonObject(lambda emit: LockServer())
    showing.reset()
    assert not showing.rests()
    showing.close()


def test_a_lock_that_lets_two_in_is_found():
    result = run(Locks, PythonObject(Leaky), plays=20, steps=20, tester="walk", timing=Timing(1.0, 0.5))
    assert result.verdict.name == "fail"
    assert result.verdict.event.label.gate == "acquire"


def test_calls_of_one_channel_keep_their_order():
    class Slow:
        def __init__(self):
            self.seen = []

        def put(self, who, number):
            time.sleep(Random(number).random() / 50)
            self.seen.append(number)
            return len(self.seen)

    system = PythonObject(Slow)
    system.use_channels(Channels({("?", "put"): 0, ("!", "put"): 0}))
    assert not system.synchronous
    system.reset()
    for number in range(8):
        system.give(Label.parse(f"?put {'pq'[number % 2]} {number}"))
    said = [system.observe(5.0).label.arguments for _ in range(8)]
    seen = system._life.subject.seen
    system.close()
    assert [number for number in seen if number % 2] == [1, 3, 5, 7]
    assert [number for number in seen if not number % 2] == [0, 2, 4, 6]
    assert sorted(count for _, count in said) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {who for who, _ in said} == {"p", "q"}, "the answer repeats the channel"


# Against a server with a connection for each client, by an adapter that does not synchronise.


class Board(Model):
    """Clients post, and everybody gets each post."""

    clients = ("ann", "bob")
    waiting: tuple[tuple[str, int], ...] = ()

    @controllable
    @given(who="clients", text=(1, 2, 3))
    def post(self, who, text):
        if len(self.waiting) > 4:
            return False
        self.waiting += tuple((reader, text) for reader in self.clients)

    @observable
    @given(who="clients", text=(1, 2, 3))
    def got(self, who, text):
        mine = [entry for entry in self.waiting if entry[0] == who]
        if not mine or mine[0][1] != text:
            return False
        waiting = list(self.waiting)
        waiting.remove((who, text))
        self.waiting = tuple(waiting)


class ChannelledBoard(Board):
    channel = "who"


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            with self.server.lock:
                for reader in self.server.readers:
                    self.server.out(reader, line)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    slips = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.readers, self.count = threading.Lock(), [], 0
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def process_request(self, request, address):
        self.readers.append(request)
        super().process_request(request, address)

    def out(self, reader, line):
        self.count += 1
        if not (self.slips and self.count % 7 == 0):
            reader.sendall(line)


class Client:
    """A connection for each client, each with a thread that reads it and may be slow."""

    slips = False

    def __init__(self, emit):
        self._server = Server()
        self._server.slips = self.slips
        self._links, self._emit = {}, emit
        for who in ("ann", "bob"):
            self._links[who] = socket.create_connection(self._server.server_address)
            while len(self._server.readers) < len(self._links):
                time.sleep(0.001)
            threading.Thread(target=self._read, args=(who, self._links[who]), daemon=True).start()

    def _read(self, who, link):
        chance = Random(who)
        for line in link.makefile():
            time.sleep(chance.random() / 100)
            self._emit("got", who, int(line))

    def post(self, who, text):
        self._links[who].sendall(f"{text}\n".encode())

    def close(self):
        for link in self._links.values():
            link.close()
        self._server.shutdown()
        self._server.server_close()


class Losing(Client):
    slips = True


def test_an_adapter_that_does_not_synchronise_passes_with_channels_and_its_faults_are_found():
    assert (
        run(ChannelledBoard, PythonObject(Client), plays=6, steps=15, tester="walk", timing=FAST).verdict.name == "pass"
    )
    assert (
        run(ChannelledBoard, PythonObject(Losing), plays=6, steps=15, tester="walk", timing=FAST).verdict.name == "fail"
    )


# A Fail that channels would explain says so.


def overtaken(*texts, latency=0.1):
    """Inputs and outputs, each a hundredth of a second after the one before."""
    events = [Event("reset", seen=0.0)]
    for number, text in enumerate(texts, 1):
        label, now = Label.parse(text), number / 100
        given = {"given": now} if label.is_input else {"seen": now}
        events.append(Event("input" if label.is_input else "output", label, n=number, play=1, **given))
    return explaining_race(specification(Overtaking), events, latency=latency)


class Overtaking(Model):
    """What is put first is shown first."""

    queue: tuple[str, ...] = ()

    @controllable
    @given(who=("ann", "bob"))
    def put(self, who):
        if len(self.queue) > 2:
            return False
        self.queue += (who,)

    @observable
    @given(who=("ann", "bob"))
    def shown(self, who):
        if not self.queue or self.queue[0] != who:
            return False
        self.queue = self.queue[1:]


def test_a_race_between_connections_is_told_with_the_argument_that_names_them():
    found = overtaken("?put ann", "?put bob", "!shown bob")
    assert found is not None
    assert found.text.startswith("a race between connections would explain this; declare channels")
    assert 'channel = "who"' in found.text
    assert json.dumps(found.json())


@pytest.mark.parametrize("texts", [["?put ann", "!shown bob"], ["?put ann", "!shown ann", "!shown ann"]])
def test_what_no_race_explains_is_not_called_one(texts):
    assert overtaken(*texts) is None


def test_no_race_explains_what_is_no_message():
    events = [Event("reset", seen=0.0), Event("input", Label.parse("?put ann"), given=0.1), Event("garbage", seen=0.1)]
    assert explaining_race(specification(Overtaking), events, latency=0.1) is None


def test_no_race_is_told_where_nothing_can_cross_or_channels_are_named():
    texts = ("?put ann", "?put bob", "!shown bob")
    assert overtaken(*texts, latency=0.0) is None

    class Named(Overtaking):
        @observable(channel=Channel("log"))
        def ended(self):
            return False

    events = [Event("input", Label.parse(text), given=0.0) for text in texts[:2]]
    assert explaining_race(specification(Named), events, latency=0.1) is None


SWAPPING = """
import sys
first = sys.stdin.readline()
second = sys.stdin.readline()
print("shown", second.split()[1], flush=True)
sys.stdin.read()
"""


def test_no_race_between_connections_is_told_of_a_program_that_has_one(tmp_path):
    """Its lines keep their order, so declaring channels would change nothing."""
    (tmp_path / "swapping.py").write_text(SWAPPING)

    class Both(Overtaking):
        @goal
        def both_wait(self):
            return set(self.queue) == {"ann", "bob"}

    system = Process([sys.executable, str(tmp_path / "swapping.py")])
    timing = Timing(silence=3.0, latency=0.5)
    verdict = run(Both, system, goal="both_wait", plays=1, timing=timing, shrink=0).verdict
    assert verdict.name == "fail"
    assert verdict.change is not None
    assert verdict.change.kind == "lost"
