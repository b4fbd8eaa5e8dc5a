"""Workers in this process: a task is done at once when it is submitted, so that tests need not wait for processes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class InlineExecutor(Executor):
    """Does each task where it is submitted."""

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(task(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)
        return future
