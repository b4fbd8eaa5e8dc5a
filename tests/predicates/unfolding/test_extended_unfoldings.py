"""Unfoldings of extended machines are what their definition says (Kapus-Kolar 2007, 3.10), on machines drawn at random.

An extended machine is drawn as plain data, played out by hand, and all its tests up to a length are listed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import pytest

from helpers.plain_unfoldings import by_definition, edges_on_short_tours, plain_tests, sheaved
from helpers.seeds import seeds
from outplay import Machine
from outplay.formats.texts.source import Source
from outplay.formats.with_data.efsm import read
from outplay.model.extended_machine import ExtendedMachine
from outplay.predicates.strategies.recognition import any_recognition, backward_recognition, forward_recognition
from outplay.predicates.system_model import SystemModel, system_model
from outplay.predicates.unfolding.location_sheaves import MetaEdge, by_locations, metas
from outplay.predicates.unfolding.sheaf_graph import SheafEdge, SheafGraph, SheafVertex
from outplay.predicates.unfolding.unfoldings import determinized

KINDS = {
    "forward": (forward_recognition, {"past": False, "future": True, "neighbours": False}),
    "backward": (backward_recognition, {"past": True, "future": False, "neighbours": False}),
    "any": (any_recognition, {"past": True, "future": True, "neighbours": False}),
}
LENGTH = 4
VALUES = 2

Abstract: TypeAlias = frozenset[tuple[object, ...]]
"""A vertex with locations in place of states."""
Chain: TypeAlias = tuple[SheafEdge, ...]


@dataclass(frozen=True)
class Drawn:
    """A step of an extended machine with one variable w: its guard is a value or None, and so is what it assigns."""

    source: int
    given: str
    guard: int | None
    shown: str
    assigned: int | None
    target: int


def drawn_steps(rng: Random) -> list[Drawn]:
    """Steps between two locations; most can be taken with either value."""
    maybe = (None, None, *range(VALUES))
    return [
        Drawn(location, given, rng.choice(maybe), rng.choice("xyz"), rng.choice(maybe), rng.randrange(2))
        for location in range(2)
        for given in "ab"
        for _ in range(rng.choice((1, 1, 2)))
    ]


def written(steps: list[Drawn]) -> ExtendedMachine:
    """The machine as outplay reads it from a file."""
    lines = [f"variable w: 0..{VALUES - 1} = 0", "initial l0"]
    for number, one in enumerate(steps):
        when = "" if one.guard is None else f" when w = {one.guard}"
        do = "" if one.assigned is None else f" do w := {one.assigned}"
        lines.append(f"step t{number}: l{one.source} -> l{one.target} on {one.given} / {one.shown}{when}{do}")
    return read(Source("drawn.efsm", "\n".join(lines)))


def played_out(steps: list[Drawn]) -> tuple[list[tuple[int, int]], SystemModel]:
    """States are pairs of a location and a value, numbered as they are met, and the machine they make."""
    states, edges = [(0, 0)], []
    for location, value in states:  # grows on the way
        for one in steps:
            if one.source == location and one.guard in (None, value):
                target = (one.target, value if one.assigned is None else one.assigned)
                if target not in states:
                    states.append(target)
                edges.append((states.index((location, value)), one.given, one.shown, states.index(target)))
    names = tuple(f"l{location} w={value}" for location, value in states)
    return states, system_model(Machine(names, tuple(dict.fromkeys(edges))))


def abstract(vertex: SheafVertex, states: list[tuple[int, int]]) -> Abstract:
    """sa: locations for states, but the root stays what it is, since the extended machine has it for itself (3.5)."""
    return frozenset((states[one.state][0] if one.state else "root", one.past, one.future) for one in vertex)


def grouped(chains: set[Chain], states: list[tuple[int, int]]) -> dict[tuple[Abstract, ...], set[Chain]]:
    """Walks of the unfolding by the abstractions of their vertices."""
    found: dict[tuple[Abstract, ...], set[Chain]] = {}
    for chain in chains:
        vertices = [edge.source for edge in chain] + [chain[-1].target]
        found.setdefault(tuple(abstract(vertex, states) for vertex in vertices), set()).add(chain)
    return found


def sheaves(graph: SheafGraph) -> Iterator[tuple[tuple[MetaEdge, ...], set[Chain]]]:
    """The walks of a graph of meta-edges from an entry to an exit, up to the length, each with its sheaf."""
    leaving: dict[SheafVertex, list[MetaEdge]] = {}
    for edge in metas(graph):
        leaving.setdefault(edge.source, []).append(edge)
    walks = [((edge,), {(one,) for one in edge.members}) for edge in metas(graph) if graph.is_entry(edge.source)]
    for _ in range(LENGTH):
        yield from ((walk, chains) for walk, chains in walks if graph.is_exit(walk[-1].target))
        walks = [
            ((*walk, edge), longer)
            for walk, chains in walks
            for edge in leaving.get(walk[-1].target, [])
            if (longer := {(*chain, one) for chain in chains for one in edge.members if one.source == chain[-1].target})
        ]


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(100), quick=10)
def test_the_unfolding_of_an_extended_machine_is_what_defines_it(seed: int, kind: str):
    rng = Random(f"{seed} {kind}")
    steps = drawn_steps(rng)
    machine = written(steps)
    states, plain = played_out(steps)
    assert machine.machine.names == plain.names
    assert set(machine.machine.steps) == {step[:4] for step in plain.machine_steps}
    make, means = KINDS[kind]
    annotate = by_definition(plain, **means)
    tests = {tuple(sheaved(runs, annotate)) for runs in plain_tests(plain, LENGTH)}
    tested = determinized(system_model(machine.machine), make(plain))
    graph = by_locations(tested, machine.home)
    # (i) an edge between two abstractions has as its members all edges of tests with these abstractions
    wanted: dict[tuple[Abstract, Abstract], set[SheafEdge]] = {}
    for edge in {edge for chain in tests for edge in chain}:
        wanted.setdefault((abstract(edge.source, states), abstract(edge.target, states)), set()).add(edge)
    short = edges_on_short_tours(tested, LENGTH)
    found = {
        (abstract(edge.source, states), abstract(edge.target, states)): edge.members & short for edge in metas(graph)
    }
    assert {ends: members for ends, members in found.items() if members} == wanted
    # (ii) walks from an entry to an exit whose sheaf is not empty are the tests, grouped by their vertices
    by_walk: dict[tuple[Abstract, ...], set[Chain]] = {}
    for walk, chains in sheaves(graph):
        vertices = [edge.source for edge in walk] + [walk[-1].target]
        by_walk.setdefault(tuple(abstract(vertex, states) for vertex in vertices), set()).update(chains)
    assert by_walk == grouped(tests, states)


def test_what_is_drawn_is_worth_it():
    """Of the machines, enough have tests, and locations in which both values are possible, the first one too."""
    drawn = [played_out(drawn_steps(Random(f"{seed} forward"))) for seed in range(100)]
    with_tests = [states for states, model in drawn if any(plain_tests(model, LENGTH))]
    assert len(with_tests) > 60
    assert sum((0, 1) in states for states in with_tests) > 20
    assert sum({(1, 0), (1, 1)} <= set(states) for states in with_tests) > 10
