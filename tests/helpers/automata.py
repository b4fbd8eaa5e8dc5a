"""Automata: written in lines, and drawn at random."""

from __future__ import annotations

import random
from collections.abc import Iterable

from outplay.game.builder import GameBuilder
from outplay.game.game_specification import GameSpecification
from outplay.model.automaton import Automaton, automaton


def specification_of(*transitions: str, goal: Iterable[str] = ()) -> GameSpecification:
    """A specification of lines such as `s0 ?a s1`; the first state named is the initial one."""
    edges = [line.split() for line in transitions]
    builder = GameBuilder()
    for name in dict.fromkeys(state for source, _, target in edges for state in (source, target)):
        builder.vertex(name, "tester", goals=["goal"] * (name in goal))
    for source, label, target in edges:
        builder.edge(source, target, label)
    return GameSpecification(builder.build())


def random_automaton(seed: int, *, internal: bool = True) -> Automaton:
    """A small automaton with inputs, outputs, some explicit silence and internal steps that only go upwards."""
    rng = random.Random(seed)
    count = rng.randint(1, 6)
    labels = ["?a", "?b", "!x", "!y", "!z", "delta"]
    transitions = []
    for _ in range(rng.randint(0, 2 * count + 2)):
        source, target = rng.randrange(count), rng.randrange(count)
        label = rng.choice(labels)
        if internal and rng.random() < 0.25 and source < target:
            label = "tau"
        transitions.append((f"q{source}", label, f"q{target}"))
    return automaton(transitions, states=[f"q{number}" for number in range(count)], initial=f"q{rng.randrange(count)}")
