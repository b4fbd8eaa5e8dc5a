"""The picture of one failing play: the states it went through, one below the other, up to what is not allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from outplay.pictures.elements import REFUSED, TRACE, Drawing, Edge, Node, label_part, shorten
from outplay.pictures.svg import write_bare_svg

_LONGEST_STATE = 60


def play_svg(states: Sequence[str], labels: Sequence[str], names: Mapping[str, str]) -> str:
    """Draw the picture of a failing play: `states` before and after each label but the last, which is not allowed.

    The `names` are shorter words for states.

    >>> play_svg(["off", "on"], ["?press", "!smoke"], {}).count('data-s=')
    2
    """
    numbers = {state: number for number, state in enumerate(dict.fromkeys(states))}
    told = [shorten(names.get(state, state), _LONGEST_STATE) for state in numbers]
    nodes = [Node(name, full=state, marked=True, roomy=True) for name, state in zip(told, numbers, strict=True)]
    refused = Node("not allowed", REFUSED, details="the model does not allow this step")
    taken = dict[tuple[int, int, str], list[int]]()
    for step, (label, (before, after)) in enumerate(zip(labels, pairwise(states), strict=False), 1):
        taken.setdefault((numbers[before], numbers[after], label), []).append(step)
    edges = [
        Edge(source, target, (label_part(label),), mark=TRACE, steps=tuple(steps))
        for (source, target, label), steps in taken.items()
    ]
    last = (label_part(labels[-1]),)
    edges.append(Edge(numbers[states[-1]], len(nodes), last, mark=REFUSED, steps=(len(labels),)))
    return write_bare_svg(Drawing((*nodes, refused), tuple(edges), title="the failing play", flow="down"))
