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
from datetime import UTC, datetime, timedelta
from pathlib import Path

PATIENCE = 60.0


def certificate(path: Path) -> None:
    """Write a key and a certificate that is its own authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "outplay tests")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(1))
    made = made.not_valid_after(now + timedelta(2)).add_extension(x509.BasicConstraints(True, 0), critical=True)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    written = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(written + made.sign(key, hashes.SHA256()).public_bytes(pem))


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
