"""Patience: what hides behind long tests is found, since hypotheses count more the longer nothing was found."""

from __future__ import annotations

from random import Random

import pytest

from helpers import faults  # noqa: F401  (puts the benchmarks on the path)
from outplay import automaton
from outplay.conformance.transition_table import table_of
from outplay.strategy.suspicion import Suspicion, hypotheses

from benchmarks.faults.systems import System  # isort: skip
from benchmarks.faults.table_changes import TableChanges  # isort: skip
from benchmarks.faults.weights import labels_of  # isort: skip

PLACES, KEYS, LIMIT = 10, 6, 3000


def lock() -> System:
    """A lock that opens after so many right keys in a row and goes back at a wrong one: until then all looks alike."""
    steps = []
    for place in range(PLACES):
        for key in range(KEYS):
            right, last = key == place % KEYS, place == PLACES - 1
            said, after = ("!open" if right and last else "!click"), ((place + 1) % PLACES if right else 0)
            steps += [(f"{place}", f"?{key}", f"{place}, {key}"), (f"{place}, {key}", said, f"{after}")]
    table = table_of(automaton(steps))
    return System("lock", table, lambda: TableChanges(table, Random(1)).of_machine())


def test_what_hides_behind_long_tests_is_found(monkeypatch: pytest.MonkeyPatch):
    system = lock()
    mutants = [one for one in system.mutants(40).by_set["development"] if "leads to" in one.what]

    def missed() -> int:
        plays = (labels_of(system, mutants, Suspicion(system.table, Random(seed)), LIMIT) for seed in range(3))
        return sum(labels >= LIMIT for found in plays for labels in found)

    patient = missed()
    monkeypatch.setattr(hypotheses, "MOST_PATIENCE", 1.0)
    assert patient < missed() / 3


def clicked(player: Suspicion) -> None:
    """A play of one question and its answer."""
    player.begin()
    player.saw(0)
    player.saw(next(number for number, label in enumerate(player.table.labels) if str(label) == "!click"))


def test_patience_grows_with_the_labels_of_all_plays_up_to_a_bound():
    player, grown = Suspicion(lock().table, Random(0)), []
    for _ in range(1000):
        clicked(player)
        grown.append(player._alive.patience)
    assert set(grown[: hypotheses.HASTY // 2]) == {1.0}
    assert grown == sorted(grown)
    assert grown[-1] == hypotheses.MOST_PATIENCE


def test_where_the_system_chooses_patience_does_not_grow():
    table = table_of(automaton([("0", "?a", "1"), ("1", "!click", "0"), ("1", "!open", "0")]))
    player = Suspicion(table, Random(0))
    for _ in range(hypotheses.HASTY):
        clicked(player)
    assert player._alive.patience == 1.0


def test_what_moves_promise_counts_as_much_as_patience_says(monkeypatch: pytest.MonkeyPatch):
    player = Suspicion(lock().table, Random(0))
    clicked(player)
    before = player._alive.promises(player.state)
    assert before.max() > 0
    monkeypatch.setattr(hypotheses, "HASTY", -hypotheses.PATIENCE_GROWS + 2)
    assert player._alive.promises(player.state) == pytest.approx(2 * before)
