"""The parts that all kinds of models in DOT share: states with numbers and edges with labels, and the frame of a
file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from outplay.formats.diagrams.dot_tokens import DotDrawing, DotEdge
from outplay.formats.texts.source import Source, shown

_HOW = 'write label="?input", label="!output" or label="input/output"'


@dataclass(frozen=True)
class StateGraph:
    """A drawing without its start node: the states, where play starts, and the edges between states."""

    source: Source
    name: str
    drawing: DotDrawing
    numbers: dict[str, int]
    initial: int
    edges: list[DotEdge]

    def wrong(self, edge: DotEdge, what: str) -> NoReturn:
        """Refuse an edge."""
        raise self.source.error_at(edge.offset, what)

    def wrong_state(self, name: str, what: str) -> NoReturn:
        """Refuse a state, at the place where it is met first."""
        raise self.source.error_at(self.drawing.nodes[name].offset, what)

    def labels(self) -> dict[str, DotEdge]:
        """All label texts, blanks around them cut, with the first edge that carries each."""
        found: dict[str, DotEdge] = {}
        for edge in self.edges:
            text = edge.attributes.get("label", "").strip()
            if not text:
                self.wrong(edge, f"the edge {shown(edge.source)} -> {shown(edge.target)} has no label; {_HOW}")
            found.setdefault(text, edge)
        return found


def digraph_text(kind: str, nodes: Iterable[str], edges: Iterable[str], initial: str) -> Iterator[str]:
    """Write a whole file around its nodes and edges."""
    yield f"digraph {{\n  outplay={kind};\n"
    yield from nodes
    yield from edges
    yield f'  __start0 [label="", shape=none];\n  __start0 -> {initial};\n}}\n'


def node(identifier: str, **attributes: str | None) -> str:
    """Write a node; identifiers and values come as they are to stand in the file."""
    given = ", ".join(f"{name}={value}" for name, value in attributes.items() if value is not None)
    return f"  {identifier} [{given}];\n"
