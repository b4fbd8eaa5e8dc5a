"""Models of the papers that several tests look at."""

from __future__ import annotations

FIGURE_6_1 = [
    ("1", "?a", "2"),
    ("1", "?b", "3"),
    ("2", "?a", "happy"),
    ("2", "!x", "happy"),
    ("2", "!y", "3"),
    ("3", "?a", "happy"),
    ("3", "!x", "sad"),
    *((state, "delta", state) for state in ("1", "happy", "sad")),
]
"""The automaton of van den Bos (2020), Figure 6.1, with the silences that are allowed."""
