"""What a DOT file is made of, once its syntax is read: nodes and edges with the attributes that were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

Attributes = dict[str, str]


class DotEdge(NamedTuple):
    """An edge between two node ids."""

    source: str
    target: str
    attributes: Attributes
    offset: int


class DotNode(NamedTuple):
    """What all statements about a node say together; `offset` is where it is met first."""

    attributes: Attributes
    offset: int


@dataclass
class DotDrawing:
    """A DOT file: its nodes as they are met, and its edges."""

    attributes: Attributes = field(default_factory=dict)
    nodes: dict[str, DotNode] = field(default_factory=dict)
    edges: list[DotEdge] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Names of attributes that were asked for and are there, of nodes, edges or the graph."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Names of attributes that nobody asked for, and where each stands first."""
