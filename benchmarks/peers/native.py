"""C++ as a peer: compiles a program beside this file on the spot and runs it on a game graph given as arrays.

The program times itself, so neither starting it nor handing the graph over counts.
"""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

SOURCES = Path(__file__).parent
DTYPES = ("<u4", "<u4", "<i8", "u1", "u1")
FLAGS = ("-std=c++20", "-O3")
LONGEST = 300.0  # seconds


class MissingPeerError(RuntimeError):
    """Something a comparison needs is not installed: install it, or leave this peer out."""


class Win(TypedDict):
    """What the programs print: its times, the sum of the finite values modulo 2**64, their number."""

    seconds: float
    seconds_with_index: float
    checksum: int
    winnable: int


def win(
    first: ArrayLike,
    target: ArrayLike,
    cost: ArrayLike,
    owner: ArrayLike,
    goal: ArrayLike,
    *,
    program: str = "win_plain",
    rounds: int = 3,
) -> Win:
    """Solve least worst-case cost in C++; the edges of vertex v are first[v] to first[v + 1] - 1.

    `owner` is 0 for the tester and 1 for the system, `goal` is 1 for goals, costs are whole
    numbers from 0.
    """
    given = (first, target, cost, owner, goal)
    arrays = [_exact(values, dtype) for values, dtype in zip(given, DTYPES, strict=True)]
    _check(arrays)
    binary = _compiled(program)
    with TemporaryDirectory() as folder:
        path = Path(folder, "game.bin")
        _write(path, arrays)
        answer: Win = json.loads(_run(binary, path, rounds))
    return answer


class Joker(TypedDict):
    """What `joker.cpp` prints: its time, sums of jokers and moves, how many vertices have them, how many changes."""

    seconds: float
    jokers: int
    moves: int
    reached: int
    changes: int


def joker(
    first: ArrayLike, target: ArrayLike, moves: ArrayLike, owner: ArrayLike, goal: ArrayLike, *, rounds: int = 3
) -> Joker:
    """Solve least jokers, then least moves in C++; the file is that of `win` with moves in the place of costs."""
    given = (first, target, moves, owner, goal)
    arrays = [_exact(values, dtype) for values, dtype in zip(given, DTYPES, strict=True)]
    _check(arrays)
    with TemporaryDirectory() as folder:
        path = Path(folder, "game.bin")
        _write(path, arrays)
        answer: Joker = json.loads(_run(_compiled("joker"), path, rounds))
    return answer


class Pairs(TypedDict):
    """What `pairs.cpp` prints: its time, how many pairs are compatible, and the sum of the ranks of the others."""

    seconds: float
    compatible: int
    ranks: int


def pairs(first: ArrayLike, label: ArrayLike, target: ArrayLike, inputs: int, *, rounds: int = 3) -> Pairs:
    """Find compatible states in C++; the transitions of a state are in order of their labels, inputs first."""
    arrays = [_exact(values, "<u4") for values in (first, label, target)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "automaton.bin")
        with path.open("wb") as file:
            np.array([len(arrays[0]) - 1, len(arrays[2]), inputs], "<u4").tofile(file)
            for array in arrays:
                array.tofile(file)
        answer: Pairs = json.loads(_run(_compiled("pairs"), path, rounds))
    return answer


class Bounded(TypedDict):
    """What `bounded.cpp` prints: its time, the sums of probabilities and costs, the number of changes of moves."""

    seconds: float
    probability: float
    cost: float
    changes: int


def bounded(
    first: ArrayLike,
    target: ArrayLike,
    cost: ArrayLike,
    owner: ArrayLike,
    goal: ArrayLike,
    probability: ArrayLike,
    *,
    steps: int,
    tolerance: float,
    rounds: int = 3,
) -> Bounded:
    """Solve bounded reachability in C++; the file is that of `win`, and a probability for each edge behind it."""
    given = (first, target, cost, owner, goal)
    arrays = [_exact(values, dtype) for values, dtype in zip(given, DTYPES, strict=True)]
    _check(arrays)
    with TemporaryDirectory() as folder:
        path = Path(folder, "game.bin")
        _write(path, [*arrays, _exact(probability, "<f8")])
        answer: Bounded = json.loads(_run(_compiled("bounded"), path, rounds, steps, tolerance))
    return answer


class Expected(TypedDict):
    """What `expected.cpp` prints: its time, the sum of the lower bounds, and whether all bounds are narrow enough."""

    seconds: float
    sum: float
    kept: bool


def expected(
    first: ArrayLike,
    target: ArrayLike,
    cost: ArrayLike,
    probability: ArrayLike,
    owner: ArrayLike,
    goal: ArrayLike,
    *,
    epsilon: float = 1e-6,
    rounds: int = 3,
) -> Expected:
    """Find least expected costs in C++; the goal must be reached with probability 1 from everywhere."""
    given = (first, target, owner, goal)
    first, target, owner, goal = (
        _exact(values, kind) for values, kind in zip(given, ("<u4", "<u4", "u1", "u1"), strict=True)
    )
    prices, chances = np.asarray(cost, dtype="<f8"), np.asarray(probability, dtype="<f8")
    _check([first, target, prices, owner, goal])
    with TemporaryDirectory() as folder:
        path = Path(folder, "game.bin")
        with path.open("wb") as file:
            np.array([len(owner), len(target)], "<u4").tofile(file)
            for array in (first, target, prices, chances, owner, goal):
                array.tofile(file)
        answer: Expected = json.loads(_run(_compiled("expected"), path, rounds, epsilon))
    return answer


def _check(arrays: list[NDArray[Any]]) -> None:
    """Refuse what would make the program, which trusts its file, read beyond its arrays."""
    first, target, _, owner, _ = arrays
    n, m = len(owner), len(target)
    sizes = [len(array) for array in arrays]
    if sizes != [n + 1, m, m, n, n]:
        raise ValueError(f"the sizes of first, target, cost, owner and goal do not fit: {sizes}")
    if first[0] != 0 or first[-1] != m or (first[1:] < first[:-1]).any():
        raise ValueError(f"first must rise from 0 to the number of edges, {m}")
    if m and target.max() >= n:
        raise ValueError(f"an edge leads to vertex {target.max()}, but there are only {n}")


def _write(path: Path, arrays: list[NDArray[Any]]) -> None:
    """Write the graph as the programs read it: little endian, sizes first, no gaps."""
    with path.open("wb") as file:
        np.array([len(arrays[3]), len(arrays[1])], "<u4").tofile(file)
        for array in arrays:
            array.tofile(file)


def _exact(values: ArrayLike, dtype: str) -> NDArray[Any]:
    """Convert to the file's type, but never by rounding or wrapping: peers solve the same game."""
    given = np.asarray(values)
    converted = given.astype(dtype)
    if not np.array_equal(given, converted):
        raise ValueError(f"{given.dtype} values do not fit {dtype}: scale them to whole numbers")
    return converted


@cache
def _folder() -> TemporaryDirectory[str]:
    """Where programs live until Python ends: compiling takes longer than most graphs."""
    return TemporaryDirectory(prefix="peers-")


@cache
def _compiled(name: str) -> Path:
    compiler = shutil.which("g++")
    if compiler is None:
        raise MissingPeerError("g++ was not found: install it or leave the C++ peer out")
    program = Path(_folder().name, name)
    _run(compiler, *FLAGS, SOURCES / f"{name}.cpp", "-o", program)
    return program


def _run(*command: object) -> str:
    """Run to the end and return what was printed; a failure carries the program's own words."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONGEST)
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed ({done.returncode}): {done.stderr.strip()}")
    return done.stdout
