"""Connections with TLS: who is trusted, and a socket that one thread may read while another one writes."""

from __future__ import annotations

import functools
import select
import socket
import ssl
import threading
import time
from typing import TypeAlias

from outplay.errors import SystemUnready, UsageError

_CHUNK = 65536


class _Handshaking(ssl.SSLSocket):
    """Closes itself where the other side is not trusted, which libraries forget."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


@functools.cache
def tls_context(ca: str | None = None) -> ssl.SSLContext:
    """Make the TLS context that checks certificates: by the authorities of this machine, and those in a file."""
    context = ssl.create_default_context()
    context.sslsocket_class = _Handshaking
    if ca is not None:
        try:
            context.load_verify_locations(ca)
        except OSError as error:  # what ssl raises is one
            why = error.strerror or error
            raise UsageError(f"--ca {ca}: no certificates in PEM can be read there ({why})") from None
    return context


class SecureLink:
    """A connection with TLS to a host; `OSError` where the host is not trusted.

    OpenSSL does not let two threads into one connection, so each read or write that waits for nothing takes a lock.
    """

    def __init__(self, plain: socket.socket, context: ssl.SSLContext, host: str) -> None:
        self._timeout = plain.gettimeout()
        self._link = context.wrap_socket(plain, server_hostname=host)
        self._link.settimeout(0)
        self._using = threading.Lock()

    def fileno(self) -> int:
        return self._link.fileno()

    def gettimeout(self) -> float | None:
        return self._timeout

    def settimeout(self, seconds: float | None) -> None:
        self._timeout = seconds

    def setsockopt(self, level: int, name: int, value: int | bytes) -> None:
        self._link.setsockopt(level, name, value)

    def come(self) -> bytes | None:
        """Return what has come, without waiting: nothing at the end, None where it means nothing yet."""
        try:
            with self._using:
                chunk = self._link.recv(_CHUNK)
                while more := self._link.pending():
                    chunk += self._link.recv(more)
                return chunk
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None

    def recv(self, size: int) -> bytes:
        deadline = self._deadline()
        while (chunk := self.come()) is None:
            self._wait(select.POLLIN, deadline)
        return chunk

    def sendall(self, content: bytes) -> None:
        deadline, left = self._deadline(), memoryview(content)
        while left:
            try:
                with self._using:
                    left = left[self._link.send(left) :]
            except ssl.SSLWantWriteError:
                self._wait(select.POLLOUT, deadline)
            except ssl.SSLWantReadError:
                self._wait(select.POLLIN, deadline)

    def send(self, content: bytes) -> int:
        self.sendall(content)
        return len(content)

    def shutdown(self, how: int) -> None:
        with self._using:
            self._link.shutdown(how)

    def close(self) -> None:
        with self._using:
            self._link.close()

    def _deadline(self) -> float | None:
        return None if self._timeout is None else time.monotonic() + self._timeout

    def _wait(self, what: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(self._link.fileno(), what)
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0) * 1000
        if not poll.poll(left):
            raise TimeoutError("timed out")


def insecure_error(where: str, error: Exception) -> SystemUnready:
    """Return the error for a server whose TLS connection is not trusted, with what to do."""
    help = "; --ca FILE names the authority that signed its certificate" if "CERTIFICATE_VERIFY" in str(error) else ""
    return SystemUnready(f"no secure connection to {where}: {error}{help}")


Link: TypeAlias = "socket.socket | SecureLink"


def receive_available(link: Link) -> bytes | None:
    """Return what has come on a connection with TLS: nothing at its end, None where it means nothing yet."""
    return link.come() if isinstance(link, SecureLink) else link.recv(_CHUNK)
