"""Models as Mermaid flowcharts, for pages that draw them; written only.

Tester's vertices are boxes, the system's are diamonds, states of automata and machines are round; goals have a thick
line. Mermaid draws at most 500 edges and 50,000 characters unless its page says otherwise: larger models are refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.names_and_numbers import written_number
from outplay.game.graph import SYSTEM, Game
from outplay.model.automaton import Automaton
from outplay.model.machine import Machine

MOST_EDGES = 500
MOST_CHARACTERS = 50_000
_UNSAFE = re.compile(r'[\x00-\x1f"#$%&*+\-.;<>@\[-`{-\x7f]')


def write(model: Automaton | Machine | Game) -> Iterable[str]:
    """Write a model as a Mermaid flowchart."""
    count, parts = _KINDS[type(model)]
    pieces = itertools.chain(["flowchart LR\n", "  start(( ))\n"], parts(model), [f"  start --> n{model.initial}\n"])
    return whole_flowchart(pieces, count(model), "write .dot and draw it with Graphviz")


def whole_flowchart(pieces: Iterable[str], edges: int, instead: str) -> list[str]:
    """Join a whole Mermaid flowchart; one that is larger than Mermaid draws is refused, with what to do instead."""
    if edges > MOST_EDGES:
        raise FormatError(f"more than the {MOST_EDGES} edges that Mermaid draws; {instead}")
    whole = list(pieces)
    length = sum(map(len, whole))
    if length > MOST_CHARACTERS:
        raise FormatError(f"{length:,} characters are more than the {MOST_CHARACTERS:,} that Mermaid reads; {instead}")
    return whole


def mermaid_text(text: str) -> str:
    """Write a text so that Mermaid shows it as it is.

    >>> mermaid_text('say "#1"')
    'say #34;#35;1#34;'
    """
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};" if found[0].isprintable() else " ", text) or " "


def _edge(start: int, end: int, label: str) -> str:
    return f'  n{start} -->|"{mermaid_text(label)}"| n{end}\n' if label else f"  n{start} --> n{end}\n"


def _automaton(model: Automaton) -> Iterator[str]:
    for state, name in enumerate(model.names):
        yield f'  n{state}("{mermaid_text(name)}")\n'
    for start, label, end in model.transitions():
        yield _edge(start, end, label.text)


def _machine(model: Machine) -> Iterator[str]:
    shows = {end: answer for _, _, answer, end in model.steps} if model.moore else {}
    for state, name in enumerate(model.names):
        text = f"{name} / {shows[state]}" if state in shows else name
        yield f'  n{state}("{mermaid_text(text)}")\n'
    for start, given, answer, end in model.steps:
        yield _edge(start, end, given if model.moore else f"{given} / {answer}")


def _game(game: Game) -> Iterator[str]:
    for vertex, name in enumerate(game.names):
        text = mermaid_text(name)
        yield f'  n{vertex}{{"{text}"}}\n' if game.owner[vertex] == SYSTEM else f'  n{vertex}["{text}"]\n'
    source, target = game.source.tolist(), game.target.tolist()
    for edge in range(game.edge_count):
        yield _edge(source[edge], target[edge], _edge_text(game, edge))
    goals = sorted({vertex for members in game.goals.values() for vertex in members.tolist()})
    if goals:
        yield f"  classDef goal stroke-width:4px\n  class {','.join(f'n{vertex}' for vertex in goals)} goal\n"


def _edge_text(game: Game, edge: int) -> str:
    cost, chance = game.cost[edge], game.probability[edge]
    parts = [game.label_of(edge)]
    if chance is not None:
        parts.append(written_number(chance))
    if cost is not None and cost != 1:
        parts.append(f"cost {written_number(cost)}")
    return ", ".join(filter(None, parts))


_KINDS: dict[type, tuple[Callable[[Any], int], Callable[[Any], Iterator[str]]]] = {
    Automaton: (lambda model: model.transition_count, _automaton),
    Machine: (lambda model: len(model.steps), _machine),
    Game: (lambda model: model.edge_count, _game),
}
"""The number of edges of a model of a kind, and its writer."""
