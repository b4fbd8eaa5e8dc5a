"""Worker slots: places for tasks, each done by one worker in its own process, behind `concurrent.futures.Executor`.

A task is a function of this package, from a text to a text, so that nothing but texts travels and nothing foreign is
unpickled. A worker that dies costs the task it was doing: the slot gets a new worker, and the task is done again, at
most `TRIES` times.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for_any
from typing import Any, TypeAlias

from outplay.cancellation import raise_if_cancelled
from outplay.errors import SystemUnready
from outplay.registries import imported

Task: TypeAlias = Callable[[str], str]
TRIES = 3
LISTENING = 0.1  # seconds until a token is looked at again
PATIENCE = 10.0  # seconds in which a worker may end what it is doing


class WorkerSlot:
    """One place for tasks, one after the other, by a worker that is replaced when it dies."""

    def __init__(self, hire: Callable[[], Executor]) -> None:
        self._hire, self._executor = hire, hire()
        self.future = Future[str]()
        """The result of the task."""
        self._asked: tuple[Task, Callable[[], str]] | None = None
        self._tries = 0

    @property
    def executor(self) -> Executor:
        """By whom tasks are done now."""
        return self._executor

    @property
    def ready(self) -> bool:
        """Say whether it has done what it was asked last."""
        return self.future.done()

    @property
    def lost(self) -> bool:
        """Say whether its worker is gone."""
        return not getattr(self._executor, "alive", True)

    @property
    def answer(self) -> str | None:
        """Return the result of the task where it is there by now; None while it is awaited, or where it was lost."""
        done = self.future.done() and not self.future.cancelled()
        return self.future.result() if done and self.future.exception() is None else None

    def submit(self, task: Task, text: Callable[[], str]) -> None:
        """Begin a task; what it is told is asked for again where it is done again."""
        self._asked, self._tries = (task, text), 0
        self._begin()

    def again(self) -> None:
        """Ask for the same task again, by what it is told now."""
        self._begin()

    def _begin(self) -> None:
        assert self._asked
        task, text = self._asked
        self._tries += 1
        try:
            self.future = self._executor.submit(task, text())
        except BrokenExecutor as error:
            self.future = Future()
            self.future.set_exception(error)

    def result(self) -> str:
        """Return the result of the task; waits for it, and listens to whoever cancels meanwhile."""
        while True:
            try:
                while not wait([self.future], timeout=LISTENING).done:
                    raise_if_cancelled()
                    if self.lost:
                        raise BrokenExecutor("its worker is gone")
                return self.future.result()
            except BrokenExecutor as error:
                if self._tries >= TRIES:
                    raise SystemUnready(
                        f"a worker has died {TRIES} times at the same task, the last time by: {error}; "
                        "look at what the system does to the process that plays against it"
                    ) from None
                self._executor.shutdown(wait=False)
                self._executor = self._hire()
                self._begin()

    def dismiss(self) -> None:
        """Ask the worker to end what it is doing."""
        dismiss = getattr(self._executor, "dismiss", None)
        dismiss() if dismiss else self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Let the worker go, at once where it was asked before and has not ended."""
        self.dismiss()
        close = getattr(self._executor, "close", None)
        if close:
            close()


def first_done(slots: Sequence[WorkerSlot]) -> WorkerSlot:
    """Wait until one of some slots has done what it was asked, or has lost its worker, and return it."""
    while True:
        raise_if_cancelled()
        done = next((slot for slot in slots if slot.ready), None) or next((slot for slot in slots if slot.lost), None)
        if done:
            return done
        wait([slot.future for slot in slots], timeout=LISTENING, return_when=FIRST_COMPLETED)


class WorkerProcess(ProcessPoolExecutor):
    """One process that does tasks; `ending` names a function, which it calls before it ends early."""

    def __init__(self, ending: str) -> None:
        super().__init__(1, mp_context=get_context("spawn"), initializer=_begin_worker, initargs=(ending,))
        self._left = list[Any]()

    def dismiss(self) -> None:
        """Send it the signal to end."""
        self._left = self._left or [*(self._processes or {}).values()]
        for process in self._left:
            with suppress(OSError, ValueError):
                process.terminate()
        self.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait until it has ended, and end it by force where it takes too long."""
        deadline = time.monotonic() + PATIENCE
        for process in self._left:
            with suppress(AssertionError, ValueError):  # it was never started, or is gone
                process.join(max(deadline - time.monotonic(), 0.0))
                if process.is_alive():
                    process.kill()


def _begin_worker(ending: str) -> None:
    """Leave signals from the keyboard to the process that began this one, and end with it."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end: Callable[[], Any] = imported(ending)

    leaving = threading.Lock()

    def leave() -> None:
        if not leaving.acquire(blocking=False):
            return  # asked again, while what runs is just being ended
        with suppress(Exception):
            end()
        os._exit(0)

    def asked(number: int = 0, frame: Any = None) -> None:
        # No daemon: this process may be about to end by itself, and would leave behind what is just being ended.
        threading.Thread(target=leave).start()

    signal.signal(signal.SIGTERM, asked)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel, asked), daemon=True).start()


def _watch(sentinel: int, asked: Callable[[], None]) -> None:
    wait_for_any([sentinel])
    asked()
