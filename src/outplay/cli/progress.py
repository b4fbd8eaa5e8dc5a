"""Progress for people: on stderr, and only where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from outplay.cli.printing import say, terminal_stream
from outplay.plurals import counted
from outplay.runs.events import CoverageChanged, Observer, PlayEnded, RunEvent
from outplay.runs.preparing.planning import Prepared

EXPLORING = "exploring … {:,} states explored, {:,} known"
SETTLING = "settling … {:,} of {:,} vertices"
Show = Callable[[int, int], None]


@contextmanager
def exploring_progress(words: str = EXPLORING) -> Iterator[Show | None]:
    """Show the progress of exploring, as states explored and known or two other numbers; nothing if stderr is piped."""
    with stage_progress(words) as (show,):
        yield show


@contextmanager
def stage_progress(*words: str) -> Iterator[list[Show | None]]:
    """Show the progress of several stages in turn; between them, how long the command has worked."""
    if not sys.stderr.isatty():
        yield [None] * len(words)
        return
    line = _Line()
    beating = Thread(target=line.beat, daemon=True)
    beating.start()
    try:
        yield [line.showing(text) for text in words]
    finally:
        line.over.set()
        beating.join()
        line.stop()


class _Line:
    """The line on a terminal that says how far a command is, begun by the first stage or after `PATIENCE` seconds."""

    PATIENCE = 1.0

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.over = Event()
        self._now, self._began, self._told = now, now(), now()
        self._status: Any = None
        self._one_at_a_time = Lock()

    def showing(self, words: str) -> Show:
        def show(done: int, known: int) -> None:
            self._told = self._now()
            self._show(words.format(done, known))

        return show

    def beat(self) -> None:
        """Say now and then that the command still works, where no stage says more."""
        while not self.over.wait(self.PATIENCE / 2):
            if self._now() - self._told >= self.PATIENCE:
                self._show(f"working … {self._now() - self._began:,.0f} s")

    def _show(self, text: str) -> None:
        from rich.console import Console  # only where it is shown: importing it takes longer than most commands

        with self._one_at_a_time:
            if self._status is None:
                self._status = Console(file=terminal_stream()).status(text)
                self._status.start()
            self._status.update(text)

    def stop(self) -> None:
        if self._status is not None:
            self._status.stop()


@contextmanager
def counting_progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar with the number done and the time left; nothing when stderr is piped."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=terminal_stream()), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


class _PlaysDone(Observer):
    """Shows how many plays have ended."""

    def __init__(self, show: Callable[[int], None]) -> None:
        self._show = show

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded):
            self._show(event.play)


class _TestsDone(Observer):
    """Shows how many tests are done, and what is open of them and of the one that is played."""

    def __init__(self, show: Show) -> None:
        self._show = show

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded):
            self._show(event.tests or 0, event.open or 0)


class _Lines(Observer):
    """Writes a line now and then, where nobody looks at a terminal: after `FIRST` seconds, then ever more seldom."""

    FIRST = 10.0
    remembers = True

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = monotonic) -> None:
        self._write, self._now = write, now
        self._began, self._next = now(), self.FIRST
        self._steps = self._failed = self._states = self._transitions = 0

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, CoverageChanged):
            self._states, self._transitions = event.states, event.transitions
        elif isinstance(event, PlayEnded):
            self._steps += event.steps
            self._failed += event.verdict.name == "fail"
            passed = self._now() - self._began
            if passed >= self._next:
                self._next = max(passed + self.FIRST, passed * 1.2)
                self._write(self._line(event, passed))

    def _line(self, event: PlayEnded, passed: float) -> str:
        tests = "" if event.tests is None else f"{counted(event.tests, 'test')}, "
        failed = f", {self._failed:,} failed" if self._failed else ""
        seen = f"{counted(self._states, 'state')} and {counted(self._transitions, 'transition')} seen"
        steps = counted(self._steps, "step")
        return f"{passed:,.0f} s: {tests}{counted(event.play, 'play')}{failed}, {steps}, {seen}"


@contextmanager
def playing_progress(prepared: Prepared, *, quiet: bool = False) -> Iterator[list[Observer]]:
    """Show the progress of the plays that were prepared: live on a terminal, else as lines now and then."""
    if not sys.stderr.isatty():
        yield [] if quiet else [_Lines(lambda line: say(line, err=True))]
        return
    if prepared.suite is None:
        with counting_progress(prepared.job.plays or 0, "playing") as show:
            yield [_PlaysDone(show)]
        return
    count = "all" if prepared.suite.size is None else f"{prepared.suite.size:,}"
    with exploring_progress(f"playing … {{:,}} of {count} tests done, {{:,}} branches open") as advance:
        yield [_TestsDone(advance)] if advance else []
