"""Kernels run plain and compiled: named tuples go in and come out, and a kernel may call functions of its own file."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from outplay import compiling
from outplay.strategy.chance.reduction import _reachability


class Pair(NamedTuple):
    """Two columns."""

    left: Any
    right: Any


def add(pair: Pair, place: int, more: float) -> float:
    pair.right[place] += more * pair.left[place]
    return more * pair.left[place]


def accumulate(pair: Pair, more: float) -> float:
    total = 0.0
    for place in range(len(pair.left)):
        total += add(pair, place, more)
    return total


@pytest.mark.parametrize("way", [compiling.interpreted, compiling.compiled])
def test_a_kernel_writes_into_the_arrays_of_a_named_tuple_and_calls_its_helpers(way):
    pair = Pair(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert way(accumulate)(pair, 2.0) == 12.0
    assert pair.right.tolist() == [2.0, 4.0, 6.0]


def test_small_graphs_are_run_plain_until_they_have_come_to_one_large_graph_and_numba_is_there(monkeypatch):
    compiling.compiled(accumulate)(Pair(np.ones(1), np.ones(1)), 1.0)
    monkeypatch.setattr(compiling, "_so_far", type(compiling._so_far)())
    monkeypatch.setattr(compiling, "_found_worthwhile", set())
    large = compiling.COMPILE_FROM_EDGES
    assert compiling.best_for(accumulate, large - 1).__wrapped__ is accumulate
    assert compiling.best_for(accumulate, 1) is compiling.compiled(accumulate)
    assert compiling.best_for(accumulate, large) is compiling.compiled(accumulate)


def test_small_graphs_never_load_numba(monkeypatch):
    monkeypatch.setattr(compiling, "_so_far", type(compiling._so_far)())
    monkeypatch.setattr(compiling, "_found_worthwhile", set())
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    for _ in range(5):
        assert compiling.best_for(_reachability.arrive, compiling.COMPILE_FROM_EDGES - 1).__wrapped__


RUN = """
import numpy as np
from outplay.compiling import compiled
from outplay.game._kernels import reach
met, stack = np.zeros(2, dtype=bool), np.zeros(2, dtype=np.uint32)
compiled(reach)(np.array([0, 1, 1], dtype=np.uint32), np.array([1], dtype=np.uint32), 0, met, stack)
print(met.all())
"""


def compile_once(kept: Path | None) -> None:
    told = {"NUMBA_CACHE_DIR": str(kept)} if kept else {}
    done = subprocess.run([sys.executable, "-P", "-c", RUN], env={**os.environ, **told}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_what_was_compiled_is_kept(tmp_path):
    found = []
    for _ in range(2):
        compile_once(tmp_path)
        found.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")})
    assert len(found[0]) == 2
    assert found[0] == found[1]


def test_what_another_version_has_compiled_is_compiled_anew(tmp_path):
    kept = tmp_path / "kept"
    for _ in range(2):
        compile_once(kept)
        (index,) = kept.rglob("*.reach-*.nbi")
        index.write_bytes(_with_a_lost_type(index))
    assert len(list(kept.rglob("*.nbc"))) >= 1


def _with_a_lost_type(index: Path) -> bytes:
    with index.open("rb") as file:
        version = pickle.load(file)
    return pickle.dumps(version) + b"coutplay.no_such_room\nGone\n."


class Opened:
    """Opens a file where it is read again."""

    def __reduce__(self) -> Any:
        return open, ("pwned", "w")


@pytest.mark.promise("C1")
def test_compiled_code_that_lies_in_a_folder_is_not_run_there(tmp_path, monkeypatch):
    """numba would read its settings, and by them the folder of what was compiled before, from where it is started."""
    pytest.importorskip("yaml", reason="without it numba reads no settings")
    monkeypatch.chdir(tmp_path)
    compile_once(tmp_path / "kept")
    for path in Path("kept").rglob("*.nb*"):
        path.write_bytes(pickle.dumps(Opened()))
    Path(".numba_config.yaml").write_text("cache_dir: kept\n")
    compile_once(None)
    assert not Path("pwned").exists()


def test_a_signal_is_heard_while_work_outside_of_python_goes_on():
    release = threading.Event()

    def signalled() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        release.wait(30)

    with pytest.raises(KeyboardInterrupt):
        compiling.interruptible(signalled)
    working = [thread for thread in threading.enumerate() if thread.name == compiling.WORKING]
    assert working  # it was not waited for
    release.set()
    for thread in working:
        thread.join()


def test_what_fails_in_a_thread_fails_here():
    with pytest.raises(ZeroDivisionError):
        compiling.interruptible(lambda: 1 // 0)


def test_large_graphs_are_worked_on_in_a_thread_of_their_own(monkeypatch):
    names = []
    monkeypatch.setattr(compiling, "compiled", lambda kernel: kernel)
    large = compiling.best_for(lambda: names.append(threading.current_thread().name), compiling.HEARD_FROM_EDGES)
    large()
    assert names == [compiling.WORKING]
