"""A cluster of Dask workers: slots on other machines, each pinned to one worker as long as that lives.

Whoever reaches a Dask scheduler can run code on its workers, and on whoever connects to it. So the connection has to be
encrypted and authenticated (TLS with certificates on both sides), unless the scheduler is on this machine.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outplay.errors import SystemUnready, UsageError
from outplay.registries import imported

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 10.0  # seconds in which the scheduler and a first worker have to be there
_HERE = re.compile(r"(?:tcp://)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+")


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, address: str) -> None:
        _refuse_open(address)
        self._client = _connected(address)
        self._slots = Counter[str]()

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers that live."""
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def hire(self, ending: str, name: str) -> ClusterWorker:
        """Have a slot at the worker with the fewest; at its end the function `ending` is called with this name."""
        with suppress(TimeoutError):
            self._client.wait_for_workers(1, timeout=PATIENCE)
        living = self.workers
        if not living:
            raise SystemUnready(f"the cluster has had no worker for {PATIENCE:g} seconds; start one")
        chosen = min(living, key=lambda one: self._slots[one])
        self._slots[chosen] += 1
        return ClusterWorker(self._client, chosen, ending, name)

    def close(self) -> None:
        """Leave the cluster; nobody has to hear that results nobody waits for are lost with the connection."""
        told = logging.getLogger("tornado.application")
        silent, told.disabled = told.disabled, True
        try:
            self._client.close()
        finally:
            told.disabled = silent


class ClusterWorker(Executor):
    """One worker of a cluster, which does tasks of this package."""

    def __init__(self, client: Any, address: str, ending: str, name: str) -> None:
        self._client, self.address, self._ending, self._name = client, address, ending, name
        self._executor = client.get_executor(workers=[address], allow_other_workers=False, pure=False, retries=0)

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        if not self.alive:
            raise BrokenExecutor(f"the worker at {self.address} is gone")
        begun: Future[Any] = self._executor.submit(task, *arguments, **named)
        return begun

    @property
    def alive(self) -> bool:
        """Whether the scheduler still knows it."""
        return self.address in self._client.scheduler_info(n_workers=-1)["workers"]

    def dismiss(self) -> None:
        """Have it end the systems it plays against, also in the middle of a play."""
        if self.alive:
            with suppress(Exception):  # it has died meanwhile
                self._client.run(imported(self._ending), self._name, workers=[self.address], on_error="ignore")

    def close(self) -> None:
        """Forget what was asked of it."""
        with suppress(Exception):
            self._executor.shutdown(wait=False, cancel_futures=True)


def _refuse_open(address: str) -> None:
    """Refuse a scheduler on another machine without TLS.

    >>> _refuse_open("tls://cluster:8786")
    >>> _refuse_open("localhost:8786")
    >>> _refuse_open("tcp://cluster:8786")
    Traceback (most recent call last):
    outplay.errors.UsageError: --scheduler tcp://cluster:8786: anybody could run code there; write tls://HOST:PORT
    """
    if not address.startswith("tls://") and not _HERE.fullmatch(address):
        raise UsageError(f"--scheduler {address}: anybody could run code there; write tls://HOST:PORT")


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--scheduler needs an extra: pip install 'outplay[dist]'") from None
    for name in ("distributed", "distributed.client"):  # lost workers are told of in our own words
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        make: Any = Client
        return make(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise UsageError(
            f"--scheduler {address}: cannot connect: {error}; check the address, and for tls:// the certificates "
            "in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and …__TLS__CLIENT__KEY"
        ) from None
