"""Waiting for a descriptor: to have something to read, until somebody says stop; or to take a line.

A thread that only reads could not be stopped while another process holds the other end open, and its descriptor could
not be closed. `poll` knows no largest descriptor, as `select` does.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable

from outplay.errors import SystemUnready


class Readable:
    """One descriptor to wait for; `stop` ends the wait of whatever threads there are, for good."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._stopped, self._stop = os.pipe()

    def wait(self) -> bool:
        """Wait until there is something to read, or the end of it; False once stopped."""
        return self._poll(None)

    def now(self) -> bool:
        """Say whether there is something to read, or the end of it, at this moment."""
        return self._poll(0)

    def stop(self) -> None:
        """End every wait, now and later."""
        with contextlib.suppress(OSError):
            os.write(self._stop, b".")

    def close(self) -> None:
        """Give the descriptors back; nobody may be waiting any more."""
        os.close(self._stopped)
        os.close(self._stop)

    def _poll(self, timeout: float | None) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._stopped, select.POLLIN)
        ready = dict(poll.poll(timeout))
        return self._descriptor in ready and self._stopped not in ready


def hand_over(message: bytes, send: Callable[[bytes], int], descriptor: int, patience: float, who: str) -> None:
    """Send bytes to their reader; one that is gone shows that when read from, one that takes nothing is an error.

    `send` sends as much as is taken at once, to a descriptor that does not block.
    """
    left, deadline = message, time.monotonic() + patience
    while left:
        try:
            left = left[send(left) :]
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise SystemUnready(f"the {who} has taken no input for {patience:g} s") from None
            poll = select.poll()
            poll.register(descriptor, select.POLLOUT)
            poll.poll(100)
        except OSError:
            return  # it is gone; the reader says how
