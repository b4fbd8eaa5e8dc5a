"""Whoever calls `exit` of C meets us first, as long as we watch, and only in our own process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from outplay.cli import exit_of_c

WATCHING = """
import ctypes, os, sys
from outplay.cli import exit_of_c

def asked():
    print("asked", flush=True)
    os._exit(5)

watched = exit_of_c.watch(asked)
"""
ENDINGS = {
    "ctypes.CDLL(None).exit(0)": ("asked", 5),
    "ctypes.PyDLL(None).exit(0)": ("asked", 5),
    "assert not exit_of_c.watch(print); ctypes.CDLL(None).exit(0)": ("asked", 5),
    "sys.exit(7)": ("", 7),
    "import atexit; atexit.register(ctypes.CDLL(None).exit, 0)": ("asked", 5),
    "exit_of_c.release(); ctypes.CDLL(None).exit(0)": ("", 0),
    "os.fork() or sys.exit(6); print(os.wait()[1] >> 8)": ("6", 0),
    "os.fork() or ctypes.CDLL(None).exit(6); print(os.wait()[1] >> 8)": ("6", 0),
}
needs_asking = pytest.mark.skipif(exit_of_c.library() is None, reason="the C library here cannot be asked")


def python(program: str) -> tuple[str, int]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.strip(), done.returncode


@needs_asking
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_exit_is_asked_about_until_all_is_said(ending: str):
    assert python(WATCHING + ending) == ENDINGS[ending]


def test_who_uses_outplay_as_a_library_ends_as_he_likes():
    assert python("import outplay, outplay.cli.main, ctypes; ctypes.CDLL(None).exit(7)") == ("", 7)


@pytest.mark.parametrize("lacking", ["def __init__(self): raise AttributeError", "def takes_back(self): return False"])
def test_a_library_that_cannot_be_asked_is_left_alone(lacking: str):
    program = WATCHING.replace("watched =", f"class Poor(exit_of_c._Library):\n    {lacking}\n\n"
                               "exit_of_c._Library = Poor\nwatched =")  # fmt: skip
    assert python(program + "assert not watched; exit_of_c.release(); ctypes.CDLL(None).exit(7)") == ("", 7)
