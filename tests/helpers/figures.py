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

FIGURE_3_1 = [
    ("1", "!x", "1"),
    ("1", "!y", "2"),
    ("1", "?a", "3"),
    ("2", "?a", "4"),
    ("2", "!x", "4"),
    ("3", "!x", "4"),
    ("4", "!y", "1"),
]
"""The running example of van den Bos (2020), chapter 3."""

EXAMPLE_3_28 = [
    *((s, "!x", t) for s, t in ("11", "22", "78")),
    ("8", "!y", "8"),
    *((s, "!z", t) for s, t in ("34", "45", "56", "63")),
    *((s, "?a", t) for s, t in ("13", "24", "57", "68")),
]
"""The automaton of van den Bos (2020), Example 3.28; 2 cannot be reached from 1."""


def splitting_family(size: int) -> list[tuple[str, str, str]]:
    """The automaton S_n of van den Bos (2020), before Lemma 3.31."""
    below = range(1, size)
    return [
        (str(size), f"!{size}", "1"),
        *((str(s), f"!{x}", str(s + 1)) for s in below for x in below if s != x),
    ]


def rooted(steps: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The steps with a state `root`, from which 1 and 2 are both reached."""
    return [*steps, ("root", "?one", "1"), ("root", "?two", "2")]
