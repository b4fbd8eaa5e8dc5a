"""What a DOT file is made of: nodes and edges with attributes, lists of `name=value` in brackets.

Of the attributes those that are asked for are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from outplay.formats.diagrams.dot_tokens import ID, NUMERAL, Scanner, Token, attribute_text, id_of
from outplay.formats.texts.source import Source

Attributes = dict[str, str]
# The commonest attributes of large files in one go: `name=value` up to the next one or `]`.
_PLAIN_PAIR = re.compile(
    rf'[ \t]*+({ID})[ \t]*+=[ \t]*+(?:({ID}|{NUMERAL})|"([^"\\]*+)")(?:[ \t]*+[,;]|(?=[ \t]*+[\]A-Za-z_]))'
)


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


class AttributeReader(Scanner):
    """A scanner that also reads attributes, and notes in the drawing which were kept and which were dropped."""

    def __init__(self, source: Source, keep: frozenset[str]) -> None:
        super().__init__(source)
        self.keep = keep
        self.drawing = DotDrawing()

    def _attributes(self, into: Attributes) -> None:
        while self._at("["):
            self._plain_pairs(into)
            while not self._at("]"):
                name = self._name("write name=value, or ] at the end")
                self._expect("=", "write name=value")
                self._keep(into, name, self._name("write name=value"))
                if self._at(",") or self._at(";"):
                    self._next()
            self._next()

    def _plain_pairs(self, into: Attributes) -> None:
        """Step behind a bracket and read attributes as long as they are plain."""
        text, place, kept = self.source.text, self.place, self.drawing.kept
        while found := _PLAIN_PAIR.match(text, place):
            key, word, shown_text = found.groups()
            if key in self.keep:
                into[key] = word if shown_text is None else shown_text
                kept.add(key)
            else:
                self.drawing.dropped.setdefault(key, found.start(1))
            place = found.end()
        self.token = self._scan(place)

    def _keep(self, into: Attributes, name: Token, value: Token) -> None:
        key = id_of(name)
        if key in self.keep:
            into[key] = attribute_text(value)
            self.drawing.kept.add(key)
        else:
            self.drawing.dropped.setdefault(key, name.offset)
