"""Layers: every node at its distance from the initial one, and links cut into pieces that join neighbouring layers.

The first step of the layered method (Sugiyama, Tagawa, Toda, *Methods for visual understanding of hierarchical system
structures*, IEEE Trans. SMC 11(2), 1981), with two changes for automata and games. Layers are distances from the start,
so a reader can count moves; what leads back stays a back edge. And labels are cells of their own in layers between
those of the nodes (as in Gansner, Koutsofios, North, Vo, *A technique for drawing directed graphs*, IEEE Trans. Softw.
Eng. 19(3), 1993, section 5.3), so that text gets its room before anything is drawn.

Nodes lie in even layers, labels in odd ones. A link that passes layers gets a dummy cell in each; links to the same
target share their dummies, so thirty ways back to the start become one line that others join: O(layers × targets).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from outplay.pictures.layered.geometry import LayoutGraph
from outplay.searching import nearest_first

NODE, LABEL, TURN, DUMMY = "node", "label", "turn", "dummy"


@dataclass
class Cells:
    """Nodes, labels and dummies with their layers; `chains` leads each link from its source to its target."""

    layer: list[int] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    """The node or link a cell belongs to; for a dummy the target it leads to."""
    chains: list[list[int]] = field(default_factory=list)
    pieces: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of cells in neighbouring layers, the lower layer first, each pair once."""

    def add(self, kind: str, layer: int, owner: int) -> int:
        self.kind.append(kind)
        self.layer.append(layer)
        self.owner.append(owner)
        return len(self.kind) - 1

    @property
    def depth(self) -> int:
        return max(self.layer, default=-1) + 1


def distances(count: int, edges: Iterable[tuple[int, int]], initial: int) -> list[int]:
    """Layer every node: its distance from the initial one; parts that are not reached start again from layer 0.

    >>> distances(4, [(0, 1), (1, 0), (3, 2)], 0)
    [0, 1, 1, 0]
    """
    after: list[list[int]] = [[] for _ in range(count)]
    entered = [False] * count
    for source, target in edges:
        after[source].append(target)
        entered[target] = entered[target] or source != target
    layer = [-1] * count
    orphans = [node for node in range(count) if not entered[node]]
    for root in [initial, *orphans, *range(count)]:
        if root < count and layer[root] < 0:
            met = nearest_first([root], lambda node: (target for target in after[node] if layer[target] < 0))
            for node, before in met.items():
                layer[node] = layer[before] + 1  # a root is met from itself, in layer -1
    return layer


def cells_of(graph: LayoutGraph) -> Cells:
    """Make the cells: nodes first, in their order, then labels and dummies."""
    cells = Cells()
    for node, layer in enumerate(_layers(graph)):
        cells.add(NODE, 2 * layer, node)
    shared: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, int]] = set()
    for number, link in enumerate(graph.links):
        start, end = cells.layer[link.source], cells.layer[link.target]
        # Of two links to and fro within a layer, the second goes round on the other side.
        other_side = start == end > 0 and (link.target, link.source) in seen
        seen.add((link.source, link.target))
        step = -1 if end < start or other_side else 1
        kind = TURN if start == end else LABEL
        chain = [link.source, cells.add(kind, start + step, number)]
        for layer in range(start + 2 * step, end, step) if start != end else ():
            if (link.target, layer) not in shared:
                shared[link.target, layer] = cells.add(DUMMY, layer, link.target)
            chain.append(shared[link.target, layer])
        cells.chains.append([*chain, link.target])
    cells.pieces = _pieces(cells)
    return cells


def _layers(graph: LayoutGraph) -> list[int]:
    ends = [(link.source, link.target) for link in graph.links]
    if graph.final is None:
        return distances(len(graph.boxes), ends, graph.initial)
    away = distances(len(graph.boxes), [(target, source) for source, target in ends], graph.final)
    return [max(away) - far for far in away]


def _pieces(cells: Cells) -> list[tuple[int, int]]:
    found: dict[tuple[int, int], None] = {}
    for chain in cells.chains:
        for one, other in pairwise(chain):
            found[(one, other) if cells.layer[one] < cells.layer[other] else (other, one)] = None
    return list(found)
