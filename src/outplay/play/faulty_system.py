"""A system behind a network with faults: a proxy stands on the way to it, and begins to disturb when a play begins."""

from __future__ import annotations

import itertools
import ssl
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from outplay.errors import SystemUnready, UsageError
from outplay.model.label import Label
from outplay.play.adapters.tcp import host_and_port
from outplay.play.disturbances import FAULTS, RESTART, Disturbances, FaultChooser
from outplay.play.fault_proxy import Proxy
from outplay.play.framing import WIRES, wire_framing
from outplay.play.secure_link import tls_context
from outplay.play.system import Called, System, Wordy
from outplay.play.trace import Event

_SPARED = {"ws": 1, "mqtt": 1}
"""The messages that begin a connection, before which nothing can be disturbed."""


class FaultySystem:
    """A system that `make` makes for an address, with a proxy before it.

    Inputs that are called like faults (`cut`, `drop`) are faults: of the next message that the server sends.
    """

    def __init__(
        self,
        make: Callable[[str], System],
        text: str,
        disturbances: Disturbances,
        *,
        wire: str = "lines",
        seed: int = 0,
        plays: Iterator[int] | None = None,
        restart: Callable[[], None] | None = None,
        secure: ssl.SSLContext | None = None,
    ) -> None:
        self._seed, self._plays, self._restart = seed, plays or itertools.count(), restart
        self._chooser = FaultChooser(disturbances)
        if RESTART in disturbances.chances:
            self._refuse_without_server()
        target, framing = _target_of(text, secure=secure is not None), wire_framing(wire)
        spared, answering = _SPARED.get(wire, 0), wire == "http"
        self._proxy = Proxy(
            target, framing, self._chooser, spared=spared, answering=answering, restart=restart, secure=secure
        )
        try:
            self._system = make(_moved(text, self._proxy.port))
        except BaseException:
            self._proxy.close()
            raise
        self.synchronous, self.clock = self._system.synchronous, self._system.clock
        self.one_wire = getattr(self._system, "one_wire", False)

    def faults(self) -> Mapping[str, int]:
        """Return the disturbances of this play, with their counts."""
        return dict(self._chooser.happened)

    def words(self) -> str:
        told = ", ".join(f"{name} {many}×" for name, many in self.faults().items())
        own = self._system.words() if isinstance(self._system, Wordy) else ""
        return "\n".join(part for part in (own, told and f"faults in this play: {told}") if part)

    def will_call(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.will_call(gates)

    def answer_null(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.answer_null(gates)

    def reset(self) -> None:
        self._chooser.calm = True
        try:
            self._system.reset()
        except SystemUnready:
            self._raise_trouble()
            raise
        self._chooser.begin(f"{self._seed} {next(self._plays)}")

    def give(self, label: Label) -> float | None:
        if label.gate in FAULTS and not label.arguments:
            if label.gate == RESTART:
                self._refuse_without_server()
            self._chooser.armed.append(label.gate)
            return self.clock.now()
        return self._system.give(label)

    def observe(self, timeout: float) -> Event:
        event = self._system.observe(timeout)
        self._raise_trouble()
        return event

    def _raise_trouble(self) -> None:
        if trouble := self._proxy.trouble:
            raise trouble

    def _refuse_without_server(self) -> None:
        if self._restart is None:
            raise UsageError("the fault restart needs --server COMMAND: only what outplay has started can be restarted")

    def close(self) -> None:
        try:
            self._system.close()
        finally:
            self._proxy.close()


def _target_of(text: str, *, secure: bool = False) -> tuple[str, int]:
    """The address of a server in the text that names a system.

    >>> _target_of("//localhost:80/base"), _target_of("127.0.0.1:7000")
    (('localhost', 80), ('127.0.0.1', 7000))
    """
    if "//" not in text:
        return host_and_port(text)
    parts = urlsplit(text)
    if not parts.hostname:
        raise UsageError(f"--faults: there is no host in {text}")
    return parts.hostname, parts.port or (443 if secure else 80)


def _moved(text: str, port: int) -> str:
    """The same text with the address of a proxy, to which nothing is encrypted."""
    if "//" not in text:
        return f"127.0.0.1:{port}"
    parts = urlsplit(text)
    user = parts.netloc.rpartition("@")[0]
    return parts._replace(scheme="", netloc=f"{user}@127.0.0.1:{port}" if user else f"127.0.0.1:{port}").geturl()


def disturbed(
    make: Callable[..., System], text: str, *, plain: Callable[..., System] | None = None, **given: Any
) -> System:
    """Make the system that a text names, behind a proxy with network faults where the options ask for them.

    To a server with TLS the proxy encrypts, and is spoken to as the `plain` maker does.
    """
    faults, wire = given.pop("faults"), given.pop("faults_framing")
    usual, further = given.pop("wire"), {name: given.pop(name, None) for name in ("seed", "plays", "restart")}
    if faults is None:
        if wire is not None:
            raise UsageError("--faults-framing needs --faults")
        return make(text, **given)
    secure = tls_context(given.pop("ca", None)) if plain else None
    table, read_table = given.get("table"), given.get("read_table")
    if usual == "lines" and table and read_table:
        usual = read_table(table).get("framing", "lines")
    if wire is not None and wire not in WIRES:
        wire_framing(wire)
    return FaultySystem(
        lambda moved: (plain or make)(moved, **given),
        text,
        Disturbances.read(faults),
        wire=wire or usual,
        secure=secure,
        **further,
    )
