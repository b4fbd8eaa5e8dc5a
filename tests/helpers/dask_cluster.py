"""A Dask cluster on this machine: a scheduler and workers in processes of their own, which talk by TLS."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helpers.certificates import certificate

PATIENCE = 60.0


@dataclass
class DaskCluster:
    """The address of the scheduler, what whoever connects has to configure, and the workers."""

    address: str
    configuration: dict[str, str]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill(self, worker: int) -> None:
        """Kill a worker."""
        self.workers[worker].send_signal(signal.SIGKILL)
        self.workers[worker].wait()


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int = 2) -> Iterator[DaskCluster]:
    """A cluster for as long as it is needed."""
    pem = folder / "cluster.pem"
    certificate(pem)
    configuration = {f"distributed.comm.tls.{name}": str(pem) for name in ("ca-file", "client.cert", "client.key")}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tls://127.0.0.1:{port}"
    files = ["--tls-ca-file", str(pem), "--tls-cert", str(pem), "--tls-key", str(pem)]
    begin = [sys.executable, "-m", "dask"]
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "DASK_DISTRIBUTED__ADMIN__LOG_LENGTH": "1"}
    log = open(folder / "cluster.log", "wb")  # noqa: SIM115 - for as long as the processes live
    how = {"cwd": folder, "env": quiet, "stdout": log, "stderr": log}
    started = [
        subprocess.Popen([*begin, "scheduler", "--host", address, "--no-dashboard", "--no-jupyter", *files], **how)
    ]
    try:
        _listening(port, folder / "cluster.log")
        once = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        found = [subprocess.Popen([*begin, "worker", address, *once, *files], **how) for _ in range(workers)]
        started += found
        yield DaskCluster(address, configuration, found)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
        log.close()


def _listening(port: int, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(log.read_text())
