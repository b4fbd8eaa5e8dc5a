"""What the definition says of games against chance: all strategies, one after the other, in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from helpers import games
from helpers.games import Plain

Step = tuple[Fraction, Fraction, int]
draw = partial(games.draw, least=2, most=6, chances=0.7, strategies=24)
"""A game against chance with few enough strategies to try them all."""


def steps(plain: Plain, vertex: int, strategy: dict[int, int]) -> list[Step]:
    """What happens next, as (probability, cost, target); nothing at goals and dead ends."""
    if vertex in plain.goals:
        return []
    if plain.system[vertex]:
        return [(plain.chance_of(e), plain.edges[e].cost, plain.edges[e].target) for e in plain.leaving(vertex)]
    return [(Fraction(1), plain.edges[e].cost, plain.edges[e].target) for e in [strategy.get(vertex)] if e is not None]


def probabilities_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction]:
    """The probability that a strategy reaches a goal, from each vertex."""
    after = [steps(plain, vertex, strategy) for vertex in plain.vertices]
    able = set(plain.goals)
    while more := {v for v in plain.vertices if v not in able and any(target in able for _, _, target in after[v])}:
        able |= more
    rows = {}
    for vertex in able - plain.goals:
        row = {target: Fraction(0) for _, _, target in after[vertex] if target in able - plain.goals}
        for probability, _, target in after[vertex]:
            if target in row:
                row[target] += probability
        rows[vertex] = row, sum((p for p, _, target in after[vertex] if target in plain.goals), Fraction(0))
    found = solved(rows)
    return [Fraction(1) if v in plain.goals else found.get(v, Fraction(0)) for v in plain.vertices]


def costs_of(plain: Plain, strategy: dict[int, int]) -> list[Fraction | None]:
    """The expected cost of a strategy from each vertex, None where it does not arrive with probability 1."""
    sure = {vertex for vertex, chance in enumerate(probabilities_of(plain, strategy)) if chance == 1}
    rows = {}
    for vertex in sure - plain.goals:
        row: dict[int, Fraction] = {}
        paid = Fraction(0)
        for probability, cost, target in steps(plain, vertex, strategy):
            paid += probability * cost
            if target not in plain.goals:
                row[target] = row.get(target, Fraction(0)) + probability
        rows[vertex] = row, paid
    found = solved(rows)
    return [Fraction(0) if v in plain.goals else found.get(v) for v in plain.vertices]


def solved(rows: dict[int, tuple[dict[int, Fraction], Fraction]]) -> dict[int, Fraction]:
    """Solve x = row · x + right by substituting one unknown after the other."""
    done: list[tuple[int, dict[int, Fraction], Fraction]] = []
    left = dict(rows)
    while left:
        vertex, (row, right) = left.popitem()
        stays = 1 - row.get(vertex, Fraction(0))
        row = {target: weight / stays for target, weight in row.items() if target != vertex}
        right /= stays
        done.append((vertex, row, right))
        for other, (other_row, other_right) in left.items():
            if vertex in other_row:
                weight = other_row[vertex]
                merged = {target: share for target, share in other_row.items() if target != vertex}
                for target, share in row.items():
                    merged[target] = merged.get(target, Fraction(0)) + weight * share
                left[other] = merged, other_right + weight * right
    found: dict[int, Fraction] = {}
    for vertex, row, right in reversed(done):
        found[vertex] = right + sum(weight * found[target] for target, weight in row.items())
    return found


def least_costs(plain: Plain) -> list[Fraction | None]:
    """The definition: from each vertex the least expected cost over all strategies that arrive with probability 1."""
    best: list[Fraction | None] = [None] * len(plain.system)
    for strategy in plain.strategies():
        for vertex, cost in enumerate(costs_of(plain, strategy)):
            known = best[vertex]
            if cost is not None and (known is None or cost < known):
                best[vertex] = cost
    return best


def greatest_probabilities(plain: Plain) -> list[Fraction]:
    """The definition: from each vertex the greatest probability over all strategies."""
    every = [probabilities_of(plain, strategy) for strategy in plain.strategies()]
    return [max(column) for column in zip(*every, strict=True)]
