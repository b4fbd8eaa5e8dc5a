"""Choosing weights: they are set by name, wherever they are used."""

from __future__ import annotations

import pytest

from helpers import faults  # noqa: F401  (puts the benchmarks on the path)
from outplay.strategy.suspicion import hypotheses, suspects

from benchmarks.faults.weights import changed  # isort: skip


def test_weights_are_set_wherever_they_are_used():
    kept = suspects.LOST
    try:
        changed("suspects.LOST=0.25")
        assert suspects.LOST == hypotheses.LOST == 0.25
    finally:
        changed(f"suspects.LOST={kept}")


def test_a_weight_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"no weight suspects\.LEFT"):
        changed("suspects.LEFT=1")
