"""What a picture consists of: nodes and edges with the meaning a reader should see, and no coordinates yet."""

from __future__ import annotations

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
    """A whole label, in the colour of its kind."""
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
    final: int | None = None
    """A node that everything shown leads to, where there is one; it is then drawn last."""
    noun: str = "nodes"
    """What the nodes are called."""
    flow: str = ""
    """`right` or `down`; by itself a picture takes the direction in which it can be shown larger."""
