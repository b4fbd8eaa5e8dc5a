"""The syntax of DOT files, read as plain nodes and edges: attributes merged, defaults applied, subgraphs flat.

The grammar is Graphviz's (https://graphviz.org/doc/info/lang.html) for directed graphs, without HTML texts. Statements
are read one after the other with a stack of open subgraphs, so that no nesting of the file is one of the reader. Only
attributes that are asked for are kept. Groups on either side of an arrow stand for all pairs: together they may mean
no more than a few edges for each character of the file, so everything is O(length of the text).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from outplay.formats.common.source import ReadLimits, Source, shown
from outplay.formats.diagrams.dot_parts import (
    ID,
    KEYWORDS,
    NUMERAL,
    AttributeReader,
    Attributes,
    DotDrawing,
    DotEdge,
    DotNode,
    Token,
    id_of_token,
)
from outplay.plurals import counted

# The commonest pieces of large files in one go: `a -> b [label="x"];` and `a -> b [`.
_LABELLED_EDGE = re.compile(
    rf"""\s*+({ID}|{NUMERAL})[ \t]*+->[ \t]*+({ID}|{NUMERAL})[ \t]*+\[[ \t]*+label[ \t]*+=[ \t]*+"""
    r""""([^"\\]*+)"[ \t]*+\][ \t]*+;"""
)
_PLAIN_EDGE = re.compile(rf"({ID}|{NUMERAL})[ \t]*+->[ \t]*+({ID}|{NUMERAL})[ \t]*+\[")
_MEANT_PER_CHARACTER = 4  # edges of groups
_MEANT_ANYWAY = 10_000


@dataclass
class _Frame:
    """An open subgraph: its defaults, where its members start, and the chain of the statement it stands in."""

    nodes: Attributes
    edges: Attributes
    members: int
    name: str = ""
    chain: list[Sequence[str]] = field(default_factory=list)
    chain_start: int = 0


def parse_dot(source: Source, *, keep: Collection[str], limits: ReadLimits) -> DotDrawing:
    """Parse a directed graph in DOT, keeping the named attributes."""
    return _Parser(source, frozenset(keep), limits).run()


class _Parser(AttributeReader):
    def __init__(self, source: Source, keep: frozenset[str], limits: ReadLimits) -> None:
        super().__init__(source, keep)
        self.limits = limits
        self.frames = [_Frame({}, {}, 0)]
        self.members: list[str] = []
        self.subgraphs: set[str] = set()
        self.meant = 0
        self.most_meant = max(_MEANT_ANYWAY, _MEANT_PER_CHARACTER * len(source.text))
        self.strict = False

    def run(self) -> DotDrawing:
        self._open()
        while self.frames:
            self._statement()
        if self.token.kind != "end":
            raise self._wrong(self.token, "a file holds one graph; put the second into its own file")
        if self.strict:
            self._refuse_parallel()
        return self.drawing

    def _open(self) -> None:
        token = self._next()
        if token.word == "strict":
            self.strict = True
            token = self._next()
        if token.word == "graph":
            raise self.source.error_at(token.offset, "an undirected graph; write digraph and arrows ->")
        if token.word != "digraph":
            raise self._wrong(token, "start with digraph {")
        if not self._at("{"):
            self._name("start with digraph {")
        self._expect("{", "write { after digraph")

    def _statement(self) -> None:
        frame = self.frames[-1]
        token = self.token
        if token.kind == "mark" and token.value == ";":
            self._next()
            return
        if token.kind == "mark" and token.value == "}":
            self._close()
            return
        if token.word in ("node", "edge", "graph"):
            self._defaults(frame, token.word)
            return
        if self._labelled_edges() or self._plain_edge():
            return
        frame.chain, frame.chain_start = [], token.offset
        operand = self._operand()
        if operand is not None:
            self._after(operand)

    def _operand(self) -> Sequence[str] | None:
        """Read a node, as a statement or as one end of an arrow; None when something else was read or opened."""
        frame, token = self.frames[-1], self.token
        if self._at("{") or token.word == "subgraph":
            self._open_subgraph()
            return None
        if token.word in KEYWORDS:
            raise self._wrong(token, "put a node of that name in quotes")
        token = self._name("write a node after the arrow" if frame.chain else "write a node, an edge a -> b, or }")
        if self._at("=") and not frame.chain:
            self._next()
            value = self._name("write name=value")
            self._keep(self.drawing.attributes if len(self.frames) == 1 else {}, token, value)
            return None
        name = id_of_token(token)
        self._mention(name, token.offset)
        if self._at(":"):
            self._skip_port()
        return (name,)

    def _skip_port(self) -> None:
        for _ in range(2):
            if self._at(":"):
                self._next()
                self._name("write a port after :")

    def _after(self, operand: Sequence[str]) -> None:
        """Go on behind an operand: arrows with what they lead to, then the attributes and the end of the statement."""
        frame = self.frames[-1]
        frame.chain.append(operand)
        while self._at("->"):
            self._next()
            target = self._operand()
            if target is None:
                return  # a subgraph, which goes on here when it is closed
            frame.chain.append(target)
        if self._at("--"):
            raise self.source.error_at(self.token.offset, "an undirected edge; write an arrow ->")
        if len(frame.chain) > 1:
            self._add_edges(frame)
        elif self._at("["):
            if not operand:
                raise self._wrong(self.token, "a group has no attributes of its own; write them inside")
            self._attributes(self.drawing.nodes[operand[0]].attributes)

    def _open_subgraph(self) -> None:
        token = self._next()
        name = ""
        if token.kind == "word":
            if not self._at("{"):
                name = id_of_token(self._name("write { after subgraph"))
            self._expect("{", "write { after subgraph")
        if len(self.frames) > self.limits.depth:
            what = f"subgraphs nested deeper than {self.limits.depth}; write them beside each other"
            raise self.source.error_at(token.offset, what)
        outer = self.frames[-1]
        self.frames.append(_Frame(outer.nodes, outer.edges, len(self.members), name))

    def _close(self) -> None:
        token = self._next()
        frame = self.frames.pop()
        if not self.frames:
            return
        group: Sequence[str] = ()
        if self.frames[-1].chain or self._at("->"):
            if frame.name in self.subgraphs:
                what = f"subgraph {shown(frame.name)} is opened twice; an arrow needs all its nodes in one place"
                raise self.source.error_at(token.offset, what)
            group = list(dict.fromkeys(self.members[frame.members :]))
            self.members[frame.members :] = group
            self._count_meant(len(group), token.offset)
        if frame.name:
            self.subgraphs.add(frame.name)
        self._after(group)

    def _labelled_edges(self) -> bool:
        """Read edges with a label and nothing else, one after the other, as nearly all lines of large files are."""
        place, text, defaults = self.token.offset, self.source.text, self.frames[-1].edges
        while "label" in self.keep and (found := _LABELLED_EDGE.match(text, place)):
            start, end, label = found.groups()
            if start.lower() in KEYWORDS or end.lower() in KEYWORDS:
                break
            self._mention(start, found.start(1))
            self._mention(end, found.start(2))
            self._add_edge(start, end, {**defaults, "label": label}, found.start(1))
            place = found.end()
        if place == self.token.offset:
            return False
        self.drawing.kept.add("label")
        self.token = self._scan(place)
        return True

    def _plain_edge(self) -> bool:
        """Read an edge between two nodes without ports, as nearly all lines of large files are."""
        found = _PLAIN_EDGE.match(self.source.text, self.token.offset)
        if not found:
            return False
        start, end = found.groups()
        if start.lower() in KEYWORDS or end.lower() in KEYWORDS:
            return False
        offset, attributes = self.token.offset, dict(self.frames[-1].edges)
        self._mention(start, offset)
        self._mention(end, found.start(2))
        self.token, self.place = Token("mark", "[", found.end() - 1), found.end()
        self._attributes(attributes)
        self._add_edge(start, end, attributes, offset)
        return True

    # Nodes and edges

    def _mention(self, name: str, offset: int) -> None:
        if name not in self.drawing.nodes:
            self.drawing.nodes[name] = DotNode(dict(self.frames[-1].nodes), offset)
            if len(self.drawing.nodes) > self.limits.states:
                what = f"more than {counted(self.limits.states, 'node')}; raise --max-states or make the model smaller"
                raise self.source.error_at(offset, what)
        if len(self.frames) > 1:
            self.members.append(name)

    def _add_edges(self, frame: _Frame) -> None:
        attributes = dict(frame.edges)
        if self._at("["):
            self._attributes(attributes)
        chain, offset = frame.chain, frame.chain_start
        for sources, targets in pairwise(chain):
            if len(sources) == len(targets) == 1:
                self._add_edge(sources[0], targets[0], attributes, offset)
                continue
            self._count_meant(len(sources) * len(targets), offset)
            for start in sources:
                for end in targets:
                    self._add_edge(start, end, attributes, offset)

    def _add_edge(self, start: str, end: str, attributes: Attributes, offset: int) -> None:
        edges = self.drawing.edges
        if len(edges) >= self.limits.edges:
            what = f"more than {counted(self.limits.edges, 'edge')}; raise --max-edges or make the model smaller"
            raise self.source.error_at(offset, what)
        edges.append(DotEdge(start, end, attributes, offset))

    def _count_meant(self, count: int, offset: int) -> None:
        self.meant += count
        if self.meant > self.most_meant:
            what = (
                f"groups in braces mean {self.meant:,} edges, "
                f"more than {self.most_meant:,} in a file of this size; write the edges one by one"
            )
            raise self.source.error_at(offset, what)

    def _defaults(self, frame: _Frame, keyword: str) -> None:
        self._next()
        if not self._at("["):
            raise self._wrong(self.token, f"write {keyword} [name=value], or put a node of that name in quotes")
        if keyword == "graph":
            self._attributes(self.drawing.attributes if len(self.frames) == 1 else {})
        elif keyword == "node":
            frame.nodes = dict(frame.nodes)
            self._attributes(frame.nodes)
        else:
            frame.edges = dict(frame.edges)
            self._attributes(frame.edges)

    def _refuse_parallel(self) -> None:
        seen: set[tuple[str, str]] = set()
        for edge in self.drawing.edges:
            if (edge.source, edge.target) in seen:
                what = f"a second edge {shown(edge.source)} -> {shown(edge.target)} in a strict graph; drop strict"
                raise self.source.error_at(edge.offset, what)
            seen.add((edge.source, edge.target))
