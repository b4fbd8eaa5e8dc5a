"""A second judge, written from the contract alone: no tracker, no specification, only transitions and orders.

Of two events with stamps a ≤ b, the first came first at the system for sure where both are inputs or both outputs,
where the first is an output and the second an input, where b - a is at least the latency, or where one of them is
silence, which says that nothing is on its way. All other orders are possible. A play fails where none of them is
allowed by the automaton; an order with an input that no state specifies has left the specification, and from there all
is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from helpers.automata import Step
from outplay.model.label import Label
from outplay.play.trace import Event

Said = tuple[str, str, float]  # "in", "out", "silence" or "end"; what was said; when
LEFT = None


def worst(verdicts: Iterable[tuple[str, bool]], goal: str | None) -> str:
    """The verdict on a run of these plays, each with whether it reached the goal."""
    plays = list(verdicts)
    for name in ("fail", "error", "inconclusive"):
        if any(verdict == name for verdict, _ in plays):
            return name
    return "pass" if plays and (goal is None or any(reached for _, reached in plays)) else "inconclusive"


class ContractJudge:
    """Judges plays by the transitions `(source, label, target)` of an automaton; the first state is the initial one."""

    def __init__(self, names: Sequence[str], steps: Iterable[Step], latency: float) -> None:
        self._initial, self._latency = names[0], latency
        self._steps: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
        for source, label, target in steps:
            self._steps[source].append((label, target))

    def play(self, said: Sequence[Said], goal: str | None = None) -> tuple[str, bool]:
        """The verdict on one play, and whether it reached a goal that is a label, whatever the order was."""
        ends = set(self._orders(frozenset(range(len(said))), said, self._closed({self._initial}), False, goal))
        if not ends:
            return "fail", False
        specified = any(not left for left, _ in ends)
        return "pass" if specified else "inconclusive", all(reached for _, reached in ends)

    def _orders(
        self, rest: frozenset[int], said: Sequence[Said], states: frozenset[str] | None, reached: bool, goal: str | None
    ) -> Iterator[tuple[bool, bool]]:
        """How each order of the rest ends that is allowed: was the specification left, was the goal reached?"""
        if not rest:
            yield states is LEFT, reached
            return
        for place in sorted(rest):
            if any(self._first(said[other], said[place]) for other in rest if other < place):
                continue
            kind, label, _ = said[place]
            after = states if states is LEFT else self._after(states, kind, label)
            if after is not LEFT and not after:
                continue
            met = reached or (states is not LEFT and after is not LEFT and label == goal)
            yield from self._orders(rest - {place}, said, after, met, goal)

    def _first(self, one: Said, other: Said) -> bool:
        """Did the one that stands earlier in the trace come first for sure?"""
        crossing = one[0] == "in" and other[0] in ("out", "end")
        return not crossing or other[2] - one[2] >= self._latency

    def _after(self, states: frozenset[str], kind: str, label: str) -> frozenset[str] | None:
        if kind == "end":
            return frozenset()
        if kind == "silence":
            return self._closed(target for state in states for target in self._quiet(state))
        targets = {target for state in states for said, target in self._steps[state] if said == label}
        return LEFT if kind == "in" and not targets else self._closed(targets)

    def _quiet(self, state: str) -> list[str]:
        """Where silence leads: as the automaton says, else nowhere else where no output and no internal step is."""
        said = [target for label, target in self._steps[state] if label == "delta"]
        busy = any(label.startswith("!") or label == "tau" for label, _ in self._steps[state])
        return said or ([] if busy else [state])

    def _closed(self, states: Iterable[str]) -> frozenset[str]:
        found = set(states)
        stack = list(found)
        while stack:
            for label, target in self._steps[stack.pop()]:
                if label == "tau" and target not in found:
                    found.add(target)
                    stack.append(target)
        return frozenset(found)


def random_play(rng: Random, names: Sequence[str], steps: Sequence[Step], latency: float) -> list[Said]:
    """A play as a wire would show it: mostly right, inputs and outputs delayed by less than the latency together."""
    state, now, happened = names[0], 1.0, list[Said]()
    for _ in range(rng.randint(1, 8)):
        possible = [step for step in steps if step[0] == state]
        if rng.random() < 0.08 or not possible:
            label, target = rng.choice(["?a", "?b", "!x", "!y", "delta"]), state
        else:
            _, label, target = rng.choice(possible)
        state = target
        now += rng.choice([0.013, 0.031, 0.07]) if label != "delta" else 0.0
        there, back = rng.choice([0.0, 0.3, 0.45]) * latency, rng.choice([0.0, 0.2, 0.5]) * latency
        if label.startswith("?"):
            happened.append(("in", label, max([now - there, *_last(happened, "in")])))
        elif label.startswith("!"):
            happened.append(("out", label, max([now + back, *_last(happened, "out")])))
        elif label == "delta":
            now = max([now, *(stamp for _, _, stamp in happened)]) + latency + 0.5
            happened.append(("silence", "", now))
    if rng.random() < 0.05:
        happened.append(
            ("end", rng.choice(["crash", "closed", "garbage"]), max([now, *_last(happened, "out")]) + 0.001)
        )
    return _settled(happened)


def _last(happened: Sequence[Said], kind: str) -> list[float]:
    return [stamp for what, _, stamp in happened if what in (kind, "silence")]


def _settled(happened: list[Said]) -> list[Said]:
    """In the order of the stamps; nothing that was said before a silence is seen after it."""
    parts: list[list[Said]] = [[]]
    for said in happened:
        parts[-1].append(said)
        if said[0] == "silence":
            parts.append([])
    ordered = []
    for part in parts:
        moves = [said for said in part if said[0] in ("in", "out")]
        ordered += sorted(moves, key=lambda said: said[2]) + [said for said in part if said[0] in ("silence", "end")]
    return ordered


def events_of(said: Sequence[Said], play: int) -> list[Event]:
    """The play as outplay records it; an output after silence is late."""
    events, silent = [Event("reset", seen=0.5, play=play)], False
    for n, (kind, label, stamp) in enumerate(said, 2):
        if kind == "in":
            events.append(Event("input", Label.parse(label), given=stamp, play=play, n=n))
        elif kind == "out":
            events.append(Event("late" if silent else "output", Label.parse(label), seen=stamp, play=play, n=n))
        else:
            events.append(Event(label or "silence", seen=stamp, play=play, n=n))
        silent = kind == "silence" or (silent and kind == "out")
    return events
