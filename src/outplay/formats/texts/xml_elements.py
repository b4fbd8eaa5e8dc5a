"""XML read into plain elements with their places: no document types, no entities, no deep nesting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from outplay.errors import FormatError
from outplay.formats.texts.source import Source

_DEEPEST = 50
_MOST = 1_000_000  # elements


@dataclass
class Element:
    """An element: its name, attributes and children, the text directly in it, and where it starts."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def first(self, name: str) -> Element | None:
        """The first child of a name."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, *path: str) -> Iterator[Element]:
        """The elements at a path of names below this one."""
        found = [self]
        for name in path:
            found = [child for one in found for child in one.children if child.name == name]
        return iter(found)


def read_elements(source: Source, root: str) -> Element:
    """The root element of a document, which must have this name."""
    reading = _Elements(source)
    reading.read()
    if reading.root is None or reading.root.name != root:
        raise source.error(1, 1, f"no <{root}> document; give a file of that kind")
    return reading.root


class _Elements:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: list[Element] = []
        self._count = 0
        self.root: Element | None = None
        # Encoded text is read as what it was decoded to, whatever its first line says.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self) -> None:
        try:
            self._parser.Parse(self._source.text.encode("utf-8"), True)
        except expat.ExpatError as error:
            what = f"no XML: {expat.errors.messages[error.code]}; mend it there"
            raise self._source.error(error.lineno, error.offset + 1, what) from None
        except UnicodeEncodeError:
            raise self._source.error(1, 1, "holds half a character; write it whole") from None

    def _here(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def _wrong(self, what: str) -> FormatError:
        return self._source.error(*self._here(), what)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        made = Element(name, attributes, *self._here())
        self._count += 1
        if len(self._open) >= _DEEPEST or self._count > _MOST:
            raise self._wrong(f"more than {_DEEPEST} levels or {_MOST:,} elements; make it smaller")
        if self._open:
            self._open[-1].children.append(made)
        else:
            self.root = made
        self._open.append(made)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].pieces.append(text)

    def _doctype(self, *_: object) -> None:
        raise self._wrong("a document type is not read; leave <!DOCTYPE …> out")
