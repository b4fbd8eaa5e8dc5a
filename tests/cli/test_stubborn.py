"""Ending outplay ends the system with it, however little that one wants to go, and wherever outplay was."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from helpers.commands import PROGRAM

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")

SYSTEM = """
import os, signal, sys, time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
for line in sys.stdin:
    print("echo", line.split()[1], flush=True)
time.sleep(600)
"""


def living(marker: str) -> list[int]:
    """All that live and have the marker in their command line, outplay itself too."""
    return _found(marker.encode())


def systems(marker: str) -> list[int]:
    """Those alone of which it is an argument: the system and what it has split off."""
    return _found(f"\0{marker}\0".encode())


def _found(words: bytes) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and words in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("again", [False, True])
def test_no_stubborn_system_outlives_outplay(model, ending, again):
    Path("stubborn.py").write_text(SYSTEM)
    marker = f"marker-{uuid.uuid4()}"
    sut = f"exec:{sys.executable} -I -S stubborn.py {marker}"
    command = [*PROGRAM, "run", model, "--sut", sut, "--plays", "1000", "--steps", "4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 30
        while not systems(marker):
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.01)
        time.sleep(random.Random(f"{ending} {again}").random())
        running.send_signal(ending)
        if again:
            time.sleep(0.05)
            if running.poll() is None:
                running.send_signal(ending)
        out, err = running.communicate(timeout=30)
    left = living(marker)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []
    assert running.returncode == 130, out + err
    assert "Traceback" not in err
