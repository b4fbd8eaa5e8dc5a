"""The kinds of systems that can be played against, and who connects to each: `exec:./server`, `tcp:localhost:7000`.

One registry, from which the commands, jobs and Python draw. A new adapter is a file, and a line here, which also says
what the adapter can be told: `run` and `replay` have an option for each, and a job keeps it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from outplay.errors import UsageError
from outplay.play.system import System
from outplay.registries import DeclaredOption, imported


@dataclass(frozen=True)
class Adapter:
    """One kind of system: how it is named, who makes it, and what that can be told besides its name."""

    name: str
    """The word before the colon: `exec`."""
    place: str
    """The part after it, in capitals as in the help: `COMMAND LINE`."""
    summary: str
    """The kind of system: `a program`."""
    make: str | Callable[..., System]
    """Makes the system from the text after the colon and the options. As module:function it is loaded when it is first
    used, so that no adapter waits for another."""
    options: Mapping[str, DeclaredOption] = field(default_factory=dict)
    """The options that users may give it, on the command line, in a job or in Python."""
    also: tuple[str, ...] = ()
    """The values that programs give it: the `seed` and test `assumption` of the run, and functions `read_model` and
    `read_table`, from a name to what it names."""
    contacted: bool = False
    """Whether it is somewhere already and only contacted, and does not run code of its own."""
    misfits: str | Callable[..., Any] | None = None
    """Tells what does not fit a model, from the text after the colon, the gates of the model and the options."""
    wire: str = ""
    """The framing of messages on the wire, for those that disturb it."""
    plain: str = ""
    """The adapter for the same without TLS, where this one has it."""
    extra: str = ""
    """The extra of the package that has the libraries it needs."""

    @property
    def form(self) -> str:
        """The written form: `exec:COMMAND LINE`."""
        return f"{self.name}:{self.place}"

    def system(self, text: str, **given: Any) -> System:
        """Make the system that the text after the colon names; nothing is started or contacted before its reset."""
        usual = {name: option.default for name, option in self.options.items()}
        told, make = {**usual, **given}, self._maker()
        if FAULTS in self.options:
            behind_faults: Callable[..., System] = imported("outplay.play.faulty_system:disturbed")
            seed = given.get("seed", 0)
            make = partial(behind_faults, make, plain=ADAPTERS[self.plain]._maker() if self.plain else None)
            told |= {"wire": self.wire, "seed": seed, "plays": itertools.count()}
        if SERVER not in self.options:
            return make(text, **told)
        behind: Callable[..., System] = imported("outplay.play.adapters.served_system:served")
        return behind(make, text, **told)

    def _maker(self) -> Callable[..., System]:
        try:
            return imported(self.make)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            need = f"{self.name}: needs the library {error.name}; pip install 'outplay[{self.extra}]'"
            raise UsageError(need) from None


SERVER = "server"
"""The option that names a server to start, which is code: no file may say it for the user."""
START = "start"
"""The option that names a program to start for each play, which is code as well."""
SERVER_LOG = "server_log"
"""The option that names a file to write on: a stranger could name one that runs later."""
FAULTS = "faults"
"""The option that has the network disturbed."""
_SERVED = {
    SERVER: DeclaredOption(
        "start this server first; {port}, here and in --sut, is a free port, {folder} a new folder.",
        str,
        metavar="COMMAND",
    ),
    "server_ready": DeclaredOption(
        "when the server is ready: an address that answers, or text in its log  [default: it listens at {port}].",
        str,
        metavar="TEXT",
    ),
    "server_per_play": DeclaredOption("start the server anew for each play.", bool, False),
    SERVER_LOG: DeclaredOption("keep what the server writes.", str, metavar="FILE"),
}
_REACHED = _SERVED | {
    FAULTS: DeclaredOption(
        "disturb the network by chance: drop, duplicate, delay=50ms, reorder, cut=2%, restart; or model, for the "
        "faults that the model gives.",
        str,
        metavar="LIST",
    ),
    "faults_framing": DeclaredOption(
        "the framing of messages on that network: lines, length4 …, resp, mqtt, http, ws  [default: by the kind of "
        "system].",
        str,
        metavar="NAME",
    ),
}
_SECURE = {
    "ca": DeclaredOption(
        "trust the authorities whose certificates are in this file (PEM), beside those of this machine.",
        str,
        metavar="FILE",
    )
}
_LINES = {
    "ready": DeclaredOption("a line the system sends when it is ready.", str, metavar="LINE"),
    "reset": DeclaredOption(
        "reset by a message and its answer instead of starting anew.", str, metavar="MESSAGE=ANSWER"
    ),
}
_PROBED = {
    "probe": DeclaredOption(
        "prove silence at once: the system answers MESSAGE with ANSWER, after all outputs that are due.",
        str,
        metavar="MESSAGE=ANSWER",
    )
}
_TABLE = {
    "table": DeclaredOption(
        "a file that says what to send for each input, and which messages are outputs.", str, metavar="FILE"
    )
}
_STARTED = {
    START: DeclaredOption(
        "start this program for each play; {port} in it is the port where we listen.", str, metavar="COMMAND"
    )
}
_REORDER = "delay labels at random, by less than this there and back together; see --latency."
_BUILT_IN = (
    Adapter(
        "exec",
        "COMMAND LINE",
        "a program that reads and writes lines, or messages by a --table",
        "outplay.play.adapters.process:process_from_text",
        _LINES | _PROBED | _TABLE,
        also=("read_table",),
        misfits="outplay.play.adapters.messages.framed:framed_misfits",
    ),
    Adapter(
        "tcp",
        "HOST:PORT",
        "a server that reads and writes lines, or messages by a --table",
        "outplay.play.adapters.tcp:tcp_from_text",
        _LINES | _PROBED | _TABLE | _REACHED,
        also=("read_table", "seed"),
        contacted=True,
        misfits="outplay.play.adapters.messages.framed:framed_misfits",
        wire="lines",
    ),
    Adapter(
        "pty",
        "COMMAND LINE",
        "an interactive program at a terminal, by a --table of what is typed",
        "outplay.play.adapters.messages.pty_system:terminal_from_text",
        _TABLE,
        also=("read_table",),
        misfits="outplay.play.adapters.messages.pty_system:terminal_misfits",
    ),
    Adapter(
        "listen",
        "HOST:PORT",
        "a program that connects to us and reads and writes lines, or messages by a --table",
        "outplay.play.adapters.listening:listening_from_text",
        _LINES | _TABLE | _STARTED,
        also=("read_table",),
        misfits="outplay.play.adapters.messages.framed:framed_misfits",
    ),
    Adapter(
        "http",
        "URL",
        "a server that is called by a --table of routes",
        "outplay.play.adapters.http_system:http_from_text",
        _TABLE | _REACHED,
        also=("read_table", "seed"),
        contacted=True,
        extra="http",
        misfits="outplay.play.adapters.adapter_check:http_misfits",
        wire="http",
    ),
    Adapter(
        "https",
        "URL",
        "the same, encrypted",
        "outplay.play.adapters.http_system:https_from_text",
        _TABLE | _REACHED | _SECURE,
        also=("read_table", "seed"),
        contacted=True,
        extra="http",
        misfits="outplay.play.adapters.adapter_check:http_misfits",
        wire="http",
        plain="http",
    ),
    Adapter(
        "ws",
        "URL",
        "a server behind WebSockets, by a --table of messages",
        "outplay.play.adapters.messages.websocket:websocket_from_text",
        _TABLE | _REACHED,
        also=("read_table", "seed"),
        contacted=True,
        extra="ws",
        misfits="outplay.play.adapters.messages.websocket:websocket_misfits",
        wire="ws",
    ),
    Adapter(
        "wss",
        "URL",
        "the same, encrypted",
        "outplay.play.adapters.messages.websocket:secure_websocket_from_text",
        _TABLE | _REACHED | _SECURE,
        also=("read_table", "seed"),
        contacted=True,
        extra="ws",
        misfits="outplay.play.adapters.messages.websocket:websocket_misfits",
        wire="ws",
        plain="ws",
    ),
    Adapter(
        "mqtt",
        "HOST:PORT",
        "a message broker, by a --table",
        "outplay.play.adapters.messages.mqtt:mqtt_from_text",
        _TABLE | _REACHED,
        also=("read_table", "seed"),
        contacted=True,
        extra="mqtt",
        misfits="outplay.play.adapters.messages.mqtt:mqtt_misfits",
        wire="mqtt",
    ),
    Adapter(
        "mqtts",
        "HOST:PORT",
        "the same, encrypted",
        "outplay.play.adapters.messages.mqtt:secure_mqtt_from_text",
        _TABLE | _REACHED | _SECURE,
        also=("read_table", "seed"),
        contacted=True,
        extra="mqtt",
        misfits="outplay.play.adapters.messages.mqtt:mqtt_misfits",
        wire="mqtt",
        plain="mqtt",
    ),
    Adapter(
        "python",
        "MODULE:CLASS",
        "an object whose methods are called",
        "outplay.play.adapters.python_object:object_from_text",
        {
            "isolated": DeclaredOption(
                "run the object in a process of its own, so that nothing it does can end outplay.", bool, False
            )
        },
        misfits="outplay.play.adapters.adapter_check:object_misfits",
    ),
    Adapter(
        "model",
        "FILE",
        "a simulation of a model",
        "outplay.play.adapters.simulated:simulated_from_text",
        {"reorder": DeclaredOption(_REORDER, float, least=0, metavar="SECONDS")},
        also=("seed", "assumption", "read_model"),
    ),
)
ADAPTERS: dict[str, Adapter] = {adapter.name: adapter for adapter in _BUILT_IN}
"""All adapters by name; put one of your own beside them and every command knows it."""


def adapter_of(sut: str) -> Adapter:
    """Find the adapter for a system in the registry of adapters, by how the system is named.

    >>> adapter_of("tcp:localhost:7000").name
    'tcp'
    >>> adapter_of("./server")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    outplay.errors.UsageError: --sut ./server: write exec:COMMAND LINE, tcp:HOST:PORT, ...
    """
    adapter = ADAPTERS.get(sut.partition(":")[0])
    if adapter:
        return adapter
    *known, last = (each.form for each in ADAPTERS.values())
    where = f"--sut {sut}" if sut else "name the system under test with --sut"
    raise UsageError(f"{where}: write {', '.join(known)} or {last} (`outplay run --help` explains them)")
