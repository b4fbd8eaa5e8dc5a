"""Linearizability: is there an order of calls, each at one moment between its question and its answer, that a model
allows?

The search goes from answer to answer (just-in-time linearization: Lowe, *Testing for linearizability*, 2017) and lets a
call take effect only when an answer needs it: the call that is answered, before it any other open ones. A configuration
is the set of open calls that have taken effect, with the state; none is followed twice (Wing and Gong 1993, with Lowe's
memory). Nor is one in which calls that need not take effect have done so in vain: whatever follows from it follows
from the one without them, in the same state. A call that cannot change the state takes effect as soon as it is allowed,
since nothing is gained by waiting. A history of n answers with at most k open calls and m states has at most
n · 2^k · m configurations; deciding is NP-complete in k.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from outplay.model.programs.call_stepper import Effect, Targets
from outplay.verdict.linearizing.schedule import Turn

Configuration = tuple[int, int]
"""The open calls that have taken effect, as bits, and the state."""
_LOOK_EVERY = 1 << 12  # configurations


class BoundPassed(Exception):
    """A bound was passed before the search had ended: what it was, and the option that raises it."""

    def __init__(self, bound: str, option: str) -> None:
        super().__init__(bound)
        self.bound, self.option = bound, option


@dataclass(frozen=True)
class SearchBounds:
    """The number of configurations that may be kept, and the time that a search may take."""

    configurations: int = 1_000_000
    seconds: float = float("inf")


@dataclass(frozen=True)
class OrderSearch:
    """The findings of a search: whether there is an order and, by the answers, all configurations it met."""

    found: bool
    met: list[dict[Configuration, list[int]]]

    @property
    def stuck(self) -> int:
        """The first answer that no order explains, where there is none."""
        return max((place for place, known in enumerate(self.met) if known), default=0)

    @property
    def configurations(self) -> int:
        """The number of configurations that were met."""
        return sum(len(bits) for known in self.met for bits in known.values())

    def before(self, place: int) -> list[Configuration]:
        """The configurations in which an answer was awaited."""
        return [(bits | more, state) for (bits, state), kept in self.met[place].items() for more in kept]


def linearize(
    turns: Sequence[Turn],
    starts: Collection[Configuration],
    after: Callable[[Effect, int], Targets],
    bounds: SearchBounds,
) -> OrderSearch:
    """Look for an order that explains all answers, depth first; a search in vain has met every configuration."""
    met: list[dict[Configuration, list[int]]] = [{} for _ in turns]
    until = time.monotonic() + bounds.seconds
    count = 0
    stack = [(0, bits, state, False) for bits, state in starts]
    while stack:
        place, bits, state, waiting = stack.pop()
        if place == len(turns):
            return OrderSearch(True, met)
        turn = turns[place]
        if waiting:  # what is answered now was tried first, and in vain: let another call take effect before
            for other in turn.others:
                if not bits & other.bit and bits & other.stands_for == other.stands_for:
                    for target in other.effect.known.get(state) or after(other.effect, state):
                        if not (other.is_optional and target == state):
                            stack.append((place, bits | other.bit, target, False))
            continue
        for bit, effect in turn.pure:
            if not bits & bit and (effect.known.get(state) or after(effect, state)):
                bits |= bit
        if not _is_new(met[place], bits, turn.optional, state):
            continue
        count += 1
        if count > bounds.configurations:
            raise BoundPassed(f"{bounds.configurations:,} configurations", "--max-states")
        if count % _LOOK_EVERY == 0 and time.monotonic() > until:
            raise BoundPassed(f"{bounds.seconds:g} s", "--max-seconds")
        if bits & turn.entry.bit:
            stack.append((place + 1, bits ^ turn.entry.bit, state, False))
            continue
        stack.append((place, bits, state, True))
        if turn.is_optional:
            stack.append((place + 1, bits, state, False))
        for target in turn.effect.known.get(state) or after(turn.effect, state):
            stack.append((place + 1, bits, target, False))
    return OrderSearch(False, met)


def _is_new(known: dict[Configuration, list[int]], bits: int, optional: int, state: int) -> bool:
    """Note a configuration, unless it was met before with no more of what need not have happened."""
    key, more = (bits & ~optional, state), bits & optional
    kept = known.get(key)
    if kept is None:
        known[key] = [more]
        return True
    if any(one & more == one for one in kept):
        return False
    kept.append(more)
    return True
