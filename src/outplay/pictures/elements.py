"""The parts of a picture: nodes and edges with the meaning a reader should see, and no coordinates yet.

Text: how wide it is likely to be, and how to shorten it. No font is at hand, so widths err on the wide side.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from outplay.model.label import DELTA, INPUT, OUTPUT, TAU

STATE, TESTER, SYSTEM, LOST, REFUSED, GROUP = "state", "tester", "system", "lost", "refused", "group"
ROUND, DIAMOND, TILE = "round", "diamond", "tile"
TRACE, STRATEGY = "trace", "strategy"


@dataclass(frozen=True)
class LabelPart:
    """A piece of a label; the role gives its colour: input, output, silence, plain, number or step."""

    text: str
    role: str = "plain"


def label_part(label: str) -> LabelPart:
    """Return a whole label as a part of a picture, in the colour of its kind."""
    if label in (DELTA, TAU, "wait"):
        return LabelPart(label, "silence")
    return LabelPart(label, {INPUT: "input", OUTPUT: "output"}.get(label[:1], "plain"))


@dataclass(frozen=True)
class Node:
    """A state or vertex; `details` is what a reader sees on asking for more."""

    name: str
    role: str = STATE
    shape: str = ROUND
    note: str = ""
    full: str = ""
    """The whole name, where only a part of it is shown."""
    details: str = ""
    goal: bool = False
    quiet: bool = False
    """Silence is allowed here."""
    marked: bool = False
    """On the highlighted trace."""
    roomy: bool = False
    """Its name may be long, as there are few beside it."""
    opens: int | None = None
    """Of a box that stands for many: which of the pictures `inside` shows some of them."""

    @property
    def title(self) -> str:
        return self.full or self.name


@dataclass(frozen=True)
class Edge:
    """An edge; `mark` says whether it is on the highlighted trace or belongs to the strategy."""

    source: int
    target: int
    label: tuple[LabelPart, ...] = ()
    cost: str = ""
    probability: str = ""
    mark: str = ""
    steps: tuple[int, ...] = ()
    """At which steps of the trace it was taken."""
    free: bool = False
    """Counts no move: the tester only decides."""


@dataclass(frozen=True)
class Drawing:
    """A picture to be laid out; a summary has `facts` and `more` pictures below the first."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    initial: int | None = 0
    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    more: tuple[Drawing, ...] = ()
    inside: tuple[Drawing, ...] = ()
    """The content of boxes that stand for many; a page opens them on a click."""
    final: int | None = None
    """A node that everything shown leads to, where there is one; it is then drawn last."""
    noun: str = "nodes"
    """The word for the nodes."""
    held: tuple[tuple[str, str, int], ...] = ()
    """Where boxes stand for many: each state with its values and the node of its box, as far as that is useful."""
    fold: str = ""
    """The way in which many nodes are drawn as one, in words."""
    flow: str = ""
    """`right` or `down`; by itself a picture takes the direction in which it can be shown larger."""


_NARROW, _BROAD = set("iIljtf.,:;'|!()[]{} "), set("mwMW@%—…")


def width(text: str, size: float, *, mono: bool = False) -> float:
    """Estimate the width of text in a picture, in pixels at a font size.

    >>> width("abc", 10, mono=True)
    18.3
    """
    return round(size * sum(0.61 * _cells(mark) if mono else _share(mark) for mark in text), 2)


def _cells(mark: str) -> int:
    if unicodedata.combining(mark):
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1


def _share(mark: str) -> float:
    """The part of the font size a character takes up in a common sans-serif font."""
    if _cells(mark) != 1:
        return float(_cells(mark))
    if mark in _NARROW:
        return 0.4
    return 0.95 if mark in _BROAD else 0.7 if mark.isupper() else 0.62


def shorten(text: str, most: int) -> str:
    """Shorten a label of a picture by its middle, since both ends tell labels apart.

    >>> shorten("ACK+PSH(V,V,1)", 9)
    'ACK+P…,1)'
    """
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    tail = (most - 1) * 2 // 5
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def _breaks(left: str, right: str) -> bool:
    return left in " _,;|-/→." or (left.islower() and right.isupper())


def wrapped(text: str, most: int) -> tuple[str, ...]:
    """Wrap the name of a node into one line or two, at a space or a mark near its middle.

    >>> wrapped("waiting_for_answer", 12)
    ('waiting_', 'for_answer')
    >>> wrapped("clientNotRunning", 12)
    ('clientNot', 'Running')
    """
    text = " ".join(text.split())
    if len(text) <= most:
        return (text,)
    middle = len(text) / 2
    breaks = [at for at in range(3, len(text) - 2) if _breaks(text[at - 1], text[at])]
    breaks = [at for at in breaks if at <= most and len(text) - at <= most]
    if not breaks:
        return (shorten(text, most),)
    best = min(breaks, key=lambda at: abs(at - middle))
    return text[:best].rstrip(), text[best:].lstrip()
