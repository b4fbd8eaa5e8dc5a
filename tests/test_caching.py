"""Results kept in the user's cache folder: found again, bounded, and never believed where others may have written."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest

from helpers.commands import called
from outplay import Simulated, automaton, run
from outplay.caching import Cache, entry_name, user_cache
from outplay.conformance.transition_table import table_of
from outplay.strategy.suspicion import pair_game
from outplay.strategy.suspicion.behaviour_table import answering_rows

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "off")])


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The games on pairs that were solved, where all are worth keeping."""
    found = list[int]()
    solve = pair_game.solved_pairs

    def counted(rows, *more, **further):
        found.append(len(rows.first) - 1)
        return solve(rows, *more, **further)

    monkeypatch.setattr(pair_game, "solved_pairs", counted)
    monkeypatch.setattr(pair_game, "KEPT_FROM", 1)
    return found


def only_entry(cache: Cache) -> Path:
    assert cache.folder is not None
    (found,) = cache.folder.iterdir()
    return found


def test_the_game_on_pairs_is_solved_once_and_then_found(cache: Cache, solved: list[int]):
    cold = pair_game.pair_game(answering_rows(table_of(LAMP)), cache)
    warm = pair_game.pair_game(answering_rows(table_of(LAMP)), cache)
    assert solved == [2]
    assert isinstance(cold, pair_game.Pairs)
    assert isinstance(warm, pair_game.Pairs)
    assert (cold.value == warm.value).all()
    assert warm.value.flags.writeable


def test_another_model_is_another_entry(cache: Cache, solved: list[int]):
    pair_game.pair_game(answering_rows(table_of(LAMP)), cache)
    pair_game.pair_game(answering_rows(table_of(automaton([("off", "?press", "on"), ("on", "!sound", "on")]))), cache)
    assert len(solved) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"cut off"[:3],
        pickle.dumps(print),
        np.full(4, np.nan).tobytes(),
        np.full(4, 7.0).tobytes(),
        np.zeros(5).tobytes(),
    ],
)
def test_what_an_entry_cannot_hold_is_computed_anew(cache: Cache, solved: list[int], content: bytes):
    right = pair_game.pair_game(answering_rows(table_of(LAMP)), cache)
    cache.write(only_entry(cache).name, content)
    again = pair_game.pair_game(answering_rows(table_of(LAMP)), cache)
    assert len(solved) == 2
    assert (again.value == right.value).all()


def test_a_damaged_entry_is_not_believed(cache: Cache):
    cache.write("one", b"right")
    only_entry(cache).write_bytes(only_entry(cache).read_bytes()[:-1] + b"!")
    assert cache.read("one") is None


def test_what_others_may_have_written_is_not_believed(cache: Cache, tmp_path: Path):
    cache.write("one", b"right")
    only_entry(cache).chmod(0o666)
    assert cache.read("one") is None
    cache.write("one", b"right")  # a new file takes its place
    assert cache.read("one") == b"right"
    os.replace(only_entry(cache), tmp_path / "elsewhere")
    (tmp_path / "cache" / "one").symlink_to(tmp_path / "elsewhere")
    assert cache.read("one") is None


def test_a_pipe_in_place_of_an_entry_keeps_nobody_waiting(cache: Cache):
    cache.write("one", b"right")
    only_entry(cache).unlink()
    assert cache.folder is not None
    os.mkfifo(cache.folder / "one")
    assert cache.read("one") is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path):
    cache = Cache(tmp_path / "cache", most=1_000)
    for place, name in enumerate(("old", "middle", "young")):
        cache.write(name, bytes(250))
        os.utime(tmp_path / "cache" / name, (place, place))
    assert cache.read("old") is not None  # and so it is the youngest now
    cache.write("new", bytes(400))
    assert [name for name in ("old", "middle", "young", "new") if cache.read(name)] == ["old", "new"]
    cache.write("too large", bytes(2_000))
    assert cache.read("too large") is None
    assert cache.read("new") is not None


def test_runs_at_the_same_time_see_whole_entries_or_none(cache: Cache):
    contents = [bytes([number]) * 200_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: cache.write("one", content), contents * 4))
        seen = list(pool.map(lambda _: cache.read("one"), range(16)))
    assert all(one in contents for one in seen)
    assert cache.folder is not None
    assert [path.name for path in cache.folder.iterdir()] == ["one"]


def test_names_tell_parts_apart():
    assert entry_name("a", b"1", b"2") != entry_name("a", b"12") != entry_name("b", b"12")


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "not absolute")
    monkeypatch.setenv("HOME", "nor this")
    cache = user_cache()
    cache.write("one", b"content")
    assert cache.read("one") is None
    assert not Path("nor this").exists()


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    cache = Cache(tmp_path / "file" / "cache")
    cache.write("one", b"content")
    assert cache.read("one") is None


def test_a_run_keeps_what_took_long_unless_it_is_told_not_to(
    solved: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of the user"))
    Path("lamp.aut").write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    asked = ["run", "lamp.aut", "--sut", "model:lamp.aut", "--labels", "20"]
    first = [called(capsys, *asked, "--no-cache").code for _ in range(2)]
    assert first == [0, 0]
    assert len(solved) == 2
    assert not (tmp_path / "of the user").exists()
    assert [called(capsys, *asked).code for _ in range(2)] == [0, 0]
    assert len(solved) == 3
    run(LAMP, Simulated(LAMP, Random(0)), labels=20, no_cache=True)
    assert len(solved) == 4
