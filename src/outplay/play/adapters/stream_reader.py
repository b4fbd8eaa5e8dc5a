"""A thread that reads a stream as it comes, and hands on each piece with the time.

Memory is bounded: where there is no room for more, the other side has to wait. Whoever waited for something in vain
looks at the stream once more itself: what was there by then is not late because a thread had not come to reading it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from outplay.play.adapters.readable import Readable

_ROOM_AFTER = 0.001  # seconds until the reader asks again whether there is room
_STUCK = 2.0  # seconds after which a thread that does not end is left to itself


class StreamReader:
    """Reads the stream with this `descriptor` until its end, or until it is closed.

    `read` returns the next bytes, none at the end. `heard` takes each piece, the empty one at the end included, with
    the time at which it was read, and returns whether to go on.
    """

    def __init__(
        self,
        descriptor: int,
        read: Callable[[], bytes],
        heard: Callable[[bytes, float], bool],
        has_room: Callable[[], bool],
    ) -> None:
        self._read, self._heard, self._has_room = read, heard, has_room
        self._readable = Readable(descriptor)
        self._reading = threading.Lock()  # held from reading bytes to having put away what they mean
        self._over = self._closing = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def look(self, enough: Callable[[], bool]) -> None:
        """Read what is there already, until there is enough."""
        with self._reading:
            while not enough() and self._step():
                pass

    def close(self) -> None:
        """Stop reading. The stream may be closed afterwards."""
        self._closing = True
        self._readable.stop()
        # Ctrl-C in the moment in which a lock is taken leaves it taken for ever, and the thread waiting for it.
        if self._thread is not threading.current_thread():
            self._thread.join(_STUCK)
        self._readable.close()

    def _work(self) -> None:
        while self._readable.wait():
            if not self._has_room():
                # Waiting for room with the lock held would keep whoever takes from looking, for ever.
                time.sleep(_ROOM_AFTER)
                if self._closing:
                    return
                continue
            with self._reading:
                self._step()
                if self._over or self._closing:
                    return

    def _step(self) -> bool:
        """Read once what is there, if anything is; return whether there was. The lock is held."""
        if self._over or self._closing or not self._readable.now():
            return False
        chunk = self._read()
        self._over = not self._heard(chunk, time.monotonic()) or not chunk
        return True
