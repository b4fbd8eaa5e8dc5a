"""Automata: written in lines, and drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from outplay.game.builder import GameBuilder
from outplay.game.game_specification import GameSpecification
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import Label

LABELS = ("?a", "?b", "!x", "!y")
Step = tuple[str, str, str]


def specification_of(*transitions: str, goal: Iterable[str] = ()) -> GameSpecification:
    """A specification of lines such as `s0 ?a s1`; the first state named is the initial one."""
    return specification_by([tuple(line.split()) for line in transitions], goal=goal)


def specification_by(steps: Iterable[Step], *, goal: Iterable[str] = ()) -> GameSpecification:
    """A specification of transitions that keeps all of them as edges of a game."""
    steps, wanted = list(steps), set(goal)
    builder = GameBuilder()
    for name in dict.fromkeys(state for source, _, target in steps for state in (source, target)):
        builder.vertex(name, "tester", goals=["goal"] * (name in wanted))
    for source, label, target in steps:
        builder.edge(source, target, label)
    return GameSpecification(builder.build())


def random_steps(
    seed: object,
    *,
    least: int = 1,
    most: int = 5,
    labels: Sequence[str | Label] = LABELS,
    share: float | Sequence[float] = 0.5,
    copies: int = 1,
    silence: float = 0.0,
    stays: bool = False,
    internal: float = 0.0,
    enabled: bool = False,
) -> tuple[list[str], list[Step]]:
    """The states and the transitions of a random automaton; a generator as the seed goes on from where it is.

    For each state and label there are up to `copies` transitions, each with probability `share` (one of several is
    drawn); with `enabled` every state has every input. Silence is said in a state with probability `silence`, and
    leads anywhere unless it `stays`. Internal steps lead to higher states only, so that they never go round.
    """
    rng = seed if isinstance(seed, Random) else Random(f"automaton {seed}")
    names = [f"q{number}" for number in range(rng.randint(least, most))]
    density = share if isinstance(share, float) else rng.choice(share)
    steps = []
    for number, name in enumerate(names):
        for label in map(str, labels):
            drawn = sum(rng.random() < density for _ in range(copies))
            steps += [(name, label, rng.choice(names)) for _ in range(max(drawn, enabled and label[0] == "?"))]
        if rng.random() < silence:
            steps.append((name, "delta", name if stays else rng.choice(names)))
        if names[number + 1 :] and rng.random() < internal:
            steps.append((name, "tau", rng.choice(names[number + 1 :])))
    rng.shuffle(steps)
    return names, steps


def random_specification(seed: object, *first: Step, **how) -> GameSpecification:
    """A specification of some transitions and those of `random_steps`; it starts where the first one does."""
    return specification_by([*first, *random_steps(seed, **how)[1]])


def random_automaton(seed: object, **how) -> Automaton:
    """A random automaton of `random_steps`, whose first state is the initial one."""
    names, steps = random_steps(seed, **how)
    return automaton(steps, states=names, name="drawn")
