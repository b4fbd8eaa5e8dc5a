"""Progress for people: on stderr, and only where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outplay.cli.printing import terminal


@contextmanager
def exploring(
    words: str = "exploring … {:,} states explored, {:,} known",
) -> Iterator[Callable[[int, int], None] | None]:
    """Show states explored and known while exploring, or two other numbers; nothing when stderr is piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # only where it is shown: importing it takes longer than most commands

    status = Console(file=terminal()).status(words.partition("{")[0])

    def show(expanded: int, known: int) -> None:
        status.start()  # not before: many a model needs no exploring
        status.update(words.format(expanded, known))

    try:
        yield show
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
