"""Random graphs and automata to draw."""

from __future__ import annotations

import random

from helpers.automata import random_automaton
from outplay.model.automaton import Automaton
from outplay.pictures.geometry import Box, LayoutGraph, Link, Size


def random_graph(seed: int, nodes: int | None = None) -> LayoutGraph:
    """Nodes of all shapes and sizes, some with loops, some not connected; labels of all sizes, some empty."""
    rng = random.Random(seed)
    count = nodes or rng.randrange(1, 25)
    boxes = [
        Box(
            rng.uniform(40, 140),
            rng.uniform(40, 60),
            rng.choice(["round", "diamond", "tile"]),
            Size(rng.uniform(0, 150), rng.choice([0, 15, 60])) if rng.random() < 0.3 else None,
        )
        for _ in range(count)
    ]
    pairs = {(rng.randrange(count), rng.randrange(count)) for _ in range(int(count * rng.uniform(0.5, 3)))}
    links = [Link(s, t, Size(rng.uniform(0, 180), rng.choice([0, 15, 45]))) for s, t in sorted(pairs) if s != t]
    return LayoutGraph(boxes, links, rng.randrange(count), rng.choice([None, None, rng.randrange(count)]))


def drawn_automaton(seed: int, states: int) -> Automaton:
    """An automaton with labels of all kinds, in which some states have several edges to each other and some none."""
    labels = ("?coin", "?button", "!coffee", "!tea", "delta", "tau")
    return random_automaton(seed, least=states, most=states, labels=labels, share=0.2, copies=2)
