"""The parts of DOT files: tokens, attributes, nodes and edges, and the text that each is written as.

Comments and lines that start with # lie between tokens. Each token is found by one match of a pattern that never goes
back, so scanning takes O(length of the text). HTML texts are refused. Only attributes that are asked for are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from outplay.errors import FormatError
from outplay.formats.common.source import Source, shown

# Letters, _ and all beyond ASCII, said by what they are not: this many characters in a class take long to compile.
ID = r"[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*+"
_DIGITS = r"-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)"
NUMERAL = rf"{_DIGITS}(?![^\x00-\-/-@\[-^`{{-\x7f])"
_BETWEEN = r"(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*.*?\*/|^\#[^\n]*+)*+"
_TOKEN = re.compile(
    rf"{_BETWEEN}(?:(?P<word>{ID})|(?P<mark>->|--|[\[\]{{}};,=:+])"
    rf'|"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<numeral>{NUMERAL})|(?P<end>\Z))',
    re.DOTALL | re.MULTILINE,
)
_SKIP = re.compile(_BETWEEN, re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(rf"{ID}|{_DIGITS}")
START = re.compile(r"__start[0-9]*")
_HOW = 'write label="?input", label="!output" or label="input/output"'
KEYWORDS = frozenset({"node", "edge", "graph", "digraph", "subgraph", "strict"})
_IN_ID = re.compile(r'\\(["\\]|\r?\n)')
_IN_TEXT = re.compile(r'\\(["\\nlr]|\r?\n)')


class Token(NamedTuple):
    """A word, numeral, quoted text or mark, and where it starts; quoted texts as they stand between the quotes."""

    kind: str
    value: str
    offset: int

    @property
    def word(self) -> str:
        """The keyword it may be, which can be written in any case; "" for what is no word."""
        return self.value.lower() if self.kind == "word" else ""


def dot_id(text: str) -> str:
    """Write an id of a DOT file, in quotes where it needs them."""
    if _PLAIN.fullmatch(text) and text.lower() not in KEYWORDS:
        return text
    return '"' + _escaped(text) + '"'


def dot_text(text: str) -> str:
    """Write the value of an attribute of a DOT file that is shown as text."""
    return '"' + _escaped(text).replace("\n", "\\n") + '"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def id_of_token(token: Token) -> str:
    """Return the id that a token of a DOT file stands for."""
    if token.kind != "text" or "\\" not in token.value:
        return token.value
    return _IN_ID.sub(lambda found: "" if "\n" in found[1] else found[1], token.value)


def _attribute_text(token: Token) -> str:
    """The text of an attribute; line breaks of all three alignments are the same."""
    if token.kind != "text" or "\\" not in token.value:
        return token.value
    return _IN_TEXT.sub(lambda found: "" if "\n" in found[1] else "\n" if found[1] in "nlr" else found[1], token.value)


class Scanner:
    """Takes tokens one by one; `token` is the next one, and `place` is behind it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.place = 0
        self.token = self._scan(0)

    def _scan(self, place: int) -> Token:
        found = _TOKEN.match(self.source.text, place)
        if not found:
            raise self._unreadable(place)
        self.place = found.end()
        kind = found.lastgroup or "end"
        return Token(kind, found[kind], found.start(kind))

    def _unreadable(self, place: int) -> FormatError:
        skipped = _SKIP.match(self.source.text, place)
        offset = skipped.end() if skipped else place
        start = self.source.text[offset : offset + 2]
        if start == "/*":
            what = "a comment is opened and never closed; write */"
        elif start[0] == '"':
            what = 'a quote is opened and never closed; write "'
        elif start[0] == "<":
            what = "HTML text is not read; write it in quotes"
        elif start[0] in "-.0123456789":
            what = "an id that starts like a number; put it in quotes"
        else:
            what = f"{start[0]!r} has no meaning here; put ids and labels in quotes"
        return self.source.error_at(offset, what)

    def _next(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.token = self._scan(self.place)
        return token

    def _wrong(self, token: Token, expected: str) -> FormatError:
        if token.kind == "end":
            return self.source.error_at(token.offset, f"the file ends too early; {expected}")
        word = f'"{token.value}"' if token.kind == "text" else token.value
        return self.source.error_at(token.offset, f"{shown(word)} has no meaning here; {expected}")

    def _expect(self, mark: str, expected: str) -> Token:
        token = self._next()
        if token.kind != "mark" or token.value != mark:
            raise self._wrong(token, expected)
        return token

    def _at(self, mark: str) -> bool:
        return self.token.value == mark and self.token.kind == "mark"

    def _name(self, expected: str) -> Token:
        """Take an id; quoted texts may be joined by +."""
        token = self._next()
        if token.kind in ("mark", "end"):
            raise self._wrong(token, expected)
        if token.kind != "text" or not self._at("+"):
            return token
        pieces = [token.value]
        while self._at("+"):
            self._next()
            piece = self._next()
            if piece.kind != "text":
                raise self._wrong(piece, "write a quoted text after +")
            pieces.append(piece.value)
        return Token("text", "".join(pieces), token.offset)


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
    """A node, gathered from all statements about it; `offset` is where it is met first."""

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


def state_graph(source: Source, drawing: DotDrawing, name: str) -> StateGraph:
    """Number the states of a DOT drawing, and find the initial one."""
    starts = {one for one in drawing.nodes if START.fullmatch(one)}
    states = [one for one in drawing.nodes if one not in starts]
    if not states:
        raise source.error(1, 1, "a graph without states; write at least one node")
    edges, initial = drawing.edges, states[0]
    if starts:
        edges = [edge for edge in edges if edge.source not in starts]
        initial = _initial(source, drawing, starts, initial)
    numbers = {state: number for number, state in enumerate(states)}
    return StateGraph(source, name, drawing, numbers, numbers[initial], edges)


def _initial(source: Source, drawing: DotDrawing, starts: set[str], otherwise: str) -> str:
    found = None
    for edge in drawing.edges:
        if edge.target in starts:
            what = f"an edge to {edge.target}, which only shows where play starts; point it to a state"
            raise source.error_at(edge.offset, what)
        if edge.source in starts:
            if found is not None:
                what = f"a second initial state {shown(edge.target)}; keep one edge from {edge.source}"
                raise source.error_at(edge.offset, what)
            found = edge.target
    return otherwise if found is None else found


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
        key = id_of_token(name)
        if key in self.keep:
            into[key] = _attribute_text(value)
            self.drawing.kept.add(key)
        else:
            self.drawing.dropped.setdefault(key, name.offset)


def digraph_text(kind: str, nodes: Iterable[str], edges: Iterable[str], initial: str) -> Iterator[str]:
    """Write a whole DOT file around its nodes and edges."""
    yield f"digraph {{\n  outplay={kind};\n"
    yield from nodes
    yield from edges
    yield f'  __start0 [label="", shape=none];\n  __start0 -> {initial};\n}}\n'


def dot_node(identifier: str, **attributes: str | None) -> str:
    """Write a node of a DOT file; identifiers and values come as they are to stand in the file."""
    given = ", ".join(f"{name}={value}" for name, value in attributes.items() if value is not None)
    return f"  {identifier} [{given}];\n"
