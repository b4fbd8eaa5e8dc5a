"""Progress for people: on stderr, and only where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outplay.cli.printing import terminal

EXPLORING = "exploring … {:,} states explored, {:,} known"
SETTLING = "settling … {:,} of {:,} vertices"
Show = Callable[[int, int], None]


@contextmanager
def exploring(words: str = EXPLORING) -> Iterator[Show | None]:
    """Show states explored and known while exploring, or two other numbers; nothing when stderr is piped."""
    with stages(words) as (show,):
        yield show


@contextmanager
def stages(*words: str) -> Iterator[list[Show | None]]:
    """The same for several stages that come after each other."""
    if not sys.stderr.isatty():
        yield [None] * len(words)
        return
    from rich.console import Console  # only where it is shown: importing it takes longer than most commands

    status = Console(file=terminal()).status("")

    def showing(text: str) -> Show:
        def show(done: int, known: int) -> None:
            status.update(text.format(done, known))
            status.start()  # not before: many a model needs no exploring

        return show

    try:
        yield [showing(text) for text in words]
    finally:
        status.stop()


@contextmanager
def counting(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Show a bar with the number done and the time left; nothing when stderr is piped."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=terminal()), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
