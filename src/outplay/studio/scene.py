"""A scene: what the page draws, as typed arrays; positions and sizes are known, and nothing is left to lay out.

A node is a vertex of the game or a group of them; an arrow stands for all edges from one node to another. The bytes are
the length of a JSON header, the header, and the arrays one after the other, each at a multiple of 4.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

TESTER, SYSTEM, LOST, GROUP = range(4)
"""Kinds of nodes."""
GOAL, INITIAL = 1, 2
"""Flags of nodes."""
FREE = 1
"""The flag of arrows that count no move."""
_TYPES = {"float32": "f4", "uint8": "u1", "uint32": "u4", "int32": "i4"}


@dataclass(frozen=True)
class Nodes:
    """The place, the size and the kind of each node; names and notes are texts beside."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    width: NDArray[np.float32]
    height: NDArray[np.float32]
    kind: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    vertex: NDArray[np.int32]
    """The vertex of the game; of a group the first of its members."""
    size: NDArray[np.uint32]
    """The number of vertices it stands for."""
    names: Sequence[str]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Arrows:
    """From where to where, for how many edges, and with which label if there is but one."""

    source: NDArray[np.uint32]
    target: NDArray[np.uint32]
    count: NDArray[np.uint32]
    label: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    labels: Sequence[str]
    drawn: Sequence[dict[str, Any]] = ()
    """For small scenes the lines and texts of each arrow, as the static pictures have them."""


@dataclass(frozen=True)
class Scene:
    """All that is drawn, and the node in which each vertex of the game is (-1 where it is not shown)."""

    nodes: Nodes
    arrows: Arrows
    node_of: NDArray[np.int32]
    facts: dict[str, Any] = field(default_factory=dict)

    def encoded(self) -> bytes:
        """The scene as bytes."""
        nodes, arrows = self.nodes, self.arrows
        arrays: dict[str, NDArray[Any]] = {
            **{name: getattr(nodes, name) for name in ("x", "y", "width", "height", "vertex", "size", "kind", "flags")},
            **{name: getattr(arrows, name) for name in ("source", "target", "count", "label")},
            "arrowFlags": arrows.flags,
            "nodeOf": self.node_of,
        }
        texts = {"names": list(nodes.names), "notes": list(nodes.notes), "labels": list(arrows.labels)}
        return pack({**self.facts, **texts, "drawn": list(arrows.drawn)}, arrays)


def pack(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """Pack a scene: put a JSON header and typed arrays into one piece of bytes.

    >>> data = pack({"a": 1}, {"x": np.array([1, 2], dtype=np.float32)})
    >>> length = struct.unpack("<I", data[:4])[0]
    >>> json.loads(data[4 : 4 + length])["arrays"], len(data) - 4 - length
    ([['x', 'float32', 2]], 8)
    """
    listed = [[name, str(array.dtype), len(array)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": listed}).encode()
    text += b" " * (-len(text) % 4)
    parts = [struct.pack("<I", len(text)), text]
    for array in arrays.values():
        data = array.astype(f"<{_TYPES[str(array.dtype)]}").tobytes()
        parts += [data, b"\0" * (-len(data) % 4)]
    return b"".join(parts)
