"""PostgreSQL through its own command line: transactions as a model has them, on a real server where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import pytest

from helpers.servers import eagerly, free_port, needs, questions, serving
from outplay import Process, run
from outplay.play.timing import Timing

USER = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root


def program(name: str) -> str:
    """Debian keeps the programs of the server out of the path."""
    return shutil.which(name) or next(iter(sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))), name)


pytestmark = needs(program("postgres"), program("initdb"), "psql")


def transactions(*, after_rollback: str = "0") -> dict[str, dict[str, tuple[str, ...]]]:
    """How many rows a table has outside, inside and after transactions; `after_rollback` may be said wrongly."""
    one, count = "INSERT INTO t VALUES (1);", "SELECT count(*) FROM t;"
    return {
        "empty": {count: ("0", "empty"), one: ("INSERT 0 1", "full"), "BEGIN;": ("BEGIN", "begun")},
        "begun": {count: ("0", "begun"), one: ("INSERT 0 1", "inside"), "COMMIT;": ("COMMIT", "empty")},
        "inside": {count: ("1", "inside"), "COMMIT;": ("COMMIT", "full"), "ROLLBACK;": ("ROLLBACK", "undone")},
        "undone": {count: (after_rollback, "empty")},
        "full": {count: ("1", "full"), "DELETE FROM t;": ("DELETE 1", "empty")},
    }


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="outplay-") as name:
        folder, port = Path(name), free_port()
        if USER:
            shutil.chown(folder, USER)
        how = {"user": USER, "cwd": folder, "check": True, "capture_output": True}
        make = [program("initdb"), "--no-sync", "--no-instructions", "-A", "trust", "-U", "outplay", "-D", "data"]
        subprocess.run(make, **how)
        command = [program("postgres"), "-D", "data", "-p", str(port), "-k", str(folder), "-h", "127.0.0.1", "-F"]
        with serving(command, port, folder, user=USER):
            yield port


@pytest.mark.parametrize(("after_rollback", "verdict"), [("0", "pass"), ("1", "fail")])
def test_transactions_pass_by_a_right_model_and_fail_by_a_wrong_one(port, after_rollback, verdict):
    # Each play has a session of its own, and what belongs to a session goes with it.
    Path("start.sql").write_text("SET client_min_messages = error; CREATE TEMPORARY TABLE t (n int); \\echo ready\n")
    to = ["-X", "-A", "-t", "-h", "127.0.0.1", "-p", str(port), "-U", "outplay", "-d", "postgres"]
    system = Process(["sh", "-c", f"cat start.sql - | psql {' '.join(to)}"], ready="ready", patience=30.0)
    model = questions(transactions(after_rollback=after_rollback))
    outcome = run(eagerly(model), system, plays=10, steps=60, timing=Timing(silence=30, latency=0.01))
    assert outcome.verdict.name == verdict, outcome
    if verdict == "fail":
        assert [str(event) for event in outcome.failure().events][-2:] == ["?SELECT count(*) FROM t;", "!0"]
