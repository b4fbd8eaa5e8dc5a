"""Random plays of random models with timers, hidden steps and a call, and by definition which of them are allowed.

Two definitions, both over every order of the events that keeps what came first for sure, with hidden steps and the
effect of the call at every place between them. In `Moments` each step has a moment of its own, and a play is allowed
where moments exist that keep all times: what a right system may do. In `Intervals` nobody knows more of a moment than
its interval, and what starts within one is overdue from the end of it, with the latency: what the contract says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from helpers.lanes import Happened, came_first
from outplay import Channel, controllable, internal, observable
from outplay.model.label import SILENCE, Label
from outplay.model.programs.program import Model

STATES, TIMED, SCALE = range(3), "xyhc", 1000
ENDLESS = 10**9
LABELS = {text[-1]: Label.parse(text) for text in ("?a", "?b", "?c", "!x", "!y")}
LABELS |= {"C": Label("!", "c", ("ok",)), "-": SILENCE}
GATES = {label.text: gate for gate, label in LABELS.items()}


@dataclass(frozen=True)
class Tables:
    """What a drawn model does: where each gate leads, and the time it takes."""

    moves: dict[tuple[int, str], int | None]
    spans: dict[str, tuple[int, int] | None]
    optional: frozenset[str]
    prompt: bool
    since: tuple[int, ...]
    channels: dict[str, str]

    def goes(self, state: int, gate: str) -> int | None:
        return self.moves[state, gate]

    def must(self, gate: str) -> bool:
        return self.spans[gate] is not None and gate not in self.optional


def drawn_tables(rng: Random) -> Tables:
    """Up to three channels; outputs, the hidden step and the answer take their time, or not."""
    names = ("1", "2", "3")[: rng.randint(1, 3)]
    times = [0, 1, 1, 2, 3]
    spans = {
        gate: tuple(sorted(rng.choice(times) * SCALE // 2 for _ in "ab")) if rng.random() < 0.7 else None
        for gate in TIMED
    }
    return Tables(
        moves={(state, gate): rng.choice([None, *STATES]) for state in STATES for gate in "abxyhc"},
        spans=spans,
        optional=frozenset(gate for gate in "xyc" if rng.random() < 0.2),
        prompt=spans["h"] is None and rng.random() < 0.3,
        since=tuple(rng.choice([0, 0, 1]) for _ in STATES),
        channels={gate: rng.choice(names) for gate in "abcxy"},
    )


def model_of(tables: Tables) -> type[Model]:
    """The model program that does what the tables say."""

    def taking(gate: str) -> dict[str, Any]:
        span = tables.spans[gate]
        return {} if span is None else {"after": tuple(time / SCALE for time in span)}

    def option(gate: str) -> dict[str, Any]:
        return {
            "channel": Channel(tables.channels[gate]),
            **({"optional": gate in tables.optional} if gate in TIMED else {}),
        }

    class Drawn(Model):
        state: int = 0

        def go(self, gate):
            target = tables.goes(self.state, gate)
            if target is None:
                return False
            self.state = target

        def counted(self):
            return tables.since[self.state]

        @controllable(**option("a"))
        def a(self):
            return self.go("a")

        @controllable(**option("b"))
        def b(self):
            return self.go("b")

        @controllable(returns=("ok",), **option("c"), **taking("c"))
        def c(self, result):
            return self.go("c")

        @observable(**option("x"), **taking("x"), **({"since": lambda model: model.counted()} if taking("x") else {}))
        def x(self):
            return self.go("x")

        @observable(**option("y"), **taking("y"))
        def y(self):
            return self.go("y")

        @internal(prompt=tables.prompt, **taking("h"))
        def h(self):
            return self.go("h")

    return Drawn


def drawn_timed_play(rng: Random, tables: Tables, latency: float, most: int) -> list[Happened]:
    """Events at random, and silence when all has arrived; an input may have been taken at a known time."""
    now, happened = 0.0, list[Happened]()
    for _ in range(rng.randint(1, most)):
        now += rng.choice([0.0, 0.25, 0.5, 0.5, 1.0])
        gate = rng.choice("aabbccxxxyyyCCC-")
        channel = "" if gate == "-" else tables.channels[gate.lower()]
        taken = now + rng.choice([0.0, latency / 2]) if gate in "abc" and rng.random() < 0.2 else None
        happened.append(Happened(LABELS[gate], now, channel, taken))
    return [*happened, Happened(SILENCE, now + latency + rng.choice([0.0, 0.5]), "")]


class Timer(NamedTuple):
    """What takes its time, from when on: an interval, or the number of the step that started it."""

    gate: str
    low: int
    high: int
    since: int


class Place(NamedTuple):
    """A state with its call and timers, entered at this time at the earliest; `limits` are those of the moments."""

    state: int
    call: str
    timers: tuple[Timer, ...]
    low: int
    limits: tuple[tuple[int, int, int], ...] = ()
    steps: int = 1


class Window(NamedTuple):
    """The time of an event at the system, from and to, and its stamp."""

    low: int
    high: int
    now: int


@dataclass
class Intervals:
    """By intervals; `latency` in thousandths of a second."""

    tables: Tables
    latency: int

    def begin(self) -> Place:
        return self.entered(Place(0, "", (), 0), 0, "", "", 0, 0)

    def pending(self, state: int, call: str) -> Iterator[tuple[str, int]]:
        for gate in "xyh":
            if self.tables.goes(state, gate) is not None and self.tables.spans[gate]:
                yield gate, self.tables.since[state] if gate == "x" else 0
        if call and self.tables.spans["c"]:
            yield "c", 0

    def entered(self, before: Place, state: int, call: str, happened: str, low: int, high: int) -> Place:
        kept = {timer.gate: timer for timer in before.timers if timer.gate != happened}
        timers = [
            kept[gate] if gate in kept and kept[gate].since == since else Timer(gate, low, high, since)
            for gate, since in self.pending(state, call)
        ]
        return replace_place(before, state, call, tuple(timers), low)

    def hidden(self, here: Place) -> Iterator[tuple[str, int, str]]:
        if (target := self.tables.goes(here.state, "h")) is not None:
            yield "h", target, here.call
        if here.call == "open" and (target := self.tables.goes(here.state, "c")) is not None:
            yield "", target, "done"

    def reached(self, start: Place, window: Window) -> list[Place]:
        found = [start]
        for here in found:
            for gate, state, call in self.hidden(here):
                timer = next((one for one in here.timers if one.gate == gate), None)
                earliest, latest = self.tables.spans[gate] if timer else (0, ENDLESS)
                low = max(here.low, timer.low + earliest) if timer else here.low
                high = max(low, min(window.high, timer.high + latest)) if timer else window.high
                after = self.entered(here, state, call, gate, low, high)
                if low <= window.high and after not in found:
                    found.append(after)
        return [here for here in found if not self.is_late(here, window)]

    def is_late(self, here: Place, window: Window) -> bool:
        return any(
            self.tables.must(one.gate) and window.now - self.latency > one.high + self.tables.spans[one.gate][1]
            for one in here.timers
        )

    def in_time(self, here: Place, gate: str, window: Window) -> bool:
        timer = next((one for one in here.timers if one.gate == gate), None)
        return timer is None or window.high >= timer.low + self.tables.spans[gate][0]

    def shown(self, here: Place, gate: str, window: Window) -> Iterator[Place]:
        """What an event leads to at once."""
        low = max(window.low, here.low)
        for state, call, happened in seen(self.tables, here, gate):
            if gate in "abc-" or self.in_time(here, happened, window):
                yield here if gate == "-" else self.entered(here, state, call, happened, low, max(low, window.high))

    def comes_to(self, here: Place, window: Window) -> bool:
        """Whether this may be the place when an event comes."""
        return True

    def window(self, move: Happened) -> Window:
        now = round(move.time * SCALE)
        if move.label == SILENCE:
            return Window(now, now, now)
        return Window(now, now + self.latency, now) if move.given else Window(now - self.latency, now, now)

    def ends(self, here: Place, now: int) -> bool:
        """Whether nothing is overdue at the end."""
        return bool(self.reached(here, Window(now, now, now)))


def replace_place(before: Place, state: int, call: str, timers: tuple[Timer, ...], low: int) -> Place:
    return before._replace(state=state, call=call, timers=timers, low=low)


def seen(tables: Tables, here: Place, gate: str) -> Iterator[tuple[int, str, str]]:
    """Where an event leads, with the gate whose timer it ends."""
    free = not here.call or tables.channels["c"] != tables.channels.get(gate)
    if gate == "-":
        due = here.call == "done" or (here.call == "open" and tables.goes(here.state, "c") is not None)
        owed = any(
            tables.goes(here.state, one) is not None and not tables.spans[one] and one not in tables.optional
            for one in "xy"
        )
        owed |= due and not tables.spans["c"] and "c" not in tables.optional
        owed |= tables.prompt and tables.goes(here.state, "h") is not None
        if not owed:
            yield here.state, here.call, ""
    elif gate == "C":
        if here.call == "done":
            yield here.state, "", "c"
        elif here.call == "open" and (target := tables.goes(here.state, "c")) is not None:
            yield target, "", "c"
    elif gate == "c":
        if not here.call:
            yield here.state, "open", "c"
    elif (gate in "xy" or free) and (target := tables.goes(here.state, gate)) is not None:
        yield target, here.call, gate


class Moments(Intervals):
    """By moments: each step has a variable, and times are limits on differences of them: (i, j, most of t_j - t_i)."""

    def entered(self, before: Place, state: int, call: str, happened: str, low: int, high: int) -> Place:
        """A step: `low` is its number; what it ends came in time, what it keeps goes on."""
        step, limits = before.steps, list(before.limits)
        after = dict(self.pending(state, call))
        for one in before.timers:
            ended = one.gate == happened or after.get(one.gate) != one.since
            if ended and self.tables.must(one.gate):
                limits.append((one.low, step, self.tables.spans[one.gate][1]))
            if one.gate == happened:
                limits.append((step, one.low, -self.tables.spans[one.gate][0]))
        limits.append((step, step - 1, 0))  # none comes before the one that is before it
        kept = {one.gate: one for one in before.timers if one.gate != happened}
        timers = tuple(
            kept[gate] if gate in kept and kept[gate].since == since else Timer(gate, step, 0, since)
            for gate, since in after.items()
        )
        return Place(state, call, timers, 0, tuple(limits), step + 1)

    def begin(self) -> Place:
        return replace(self).entered(Place(0, "", (), 0), 0, "", "", 0, 0)._replace(limits=((0, 1, 0), (1, 0, 0)))

    def reached(self, start: Place, window: Window) -> list[Place]:
        found, fresh = [start], [start]
        for _ in range(2):  # more of them between two events would take long, and add little
            fresh = [
                after
                for here in fresh
                for gate, state, call in self.hidden(here)
                if feasible(after := self.entered(here, state, call, gate, 0, 0))
            ]
            found += fresh
        return found

    def shown(self, here: Place, gate: str, window: Window) -> Iterator[Place]:
        for state, call, happened in seen(self.tables, here, gate):
            after = self.entered(here, state, call, "" if gate == "-" else happened, 0, 0)
            after = after._replace(limits=after.limits + self.within(after.steps - 1, window))
            if feasible(after):
                yield after

    @staticmethod
    def within(step: int, window: Window) -> tuple[tuple[int, int, int], ...]:
        return (0, step, window.high), (step, 0, -window.low)

    def comes_to(self, here: Place, window: Window) -> bool:
        musts = [one for one in here.timers if self.tables.must(one.gate)]
        in_time = tuple((one.low, here.steps, self.tables.spans[one.gate][1]) for one in musts)
        limits = (*here.limits, (here.steps, here.steps - 1, 0), *self.within(here.steps, window), *in_time)
        return feasible(here._replace(limits=limits, steps=here.steps + 1))

    def ends(self, here: Place, now: int) -> bool:
        for last in self.reached(here, Window(now, now, now)):
            limits = [
                (one.low, 0, self.tables.spans[one.gate][1] - (now if one.gate == "h" else now - self.latency))
                for one in last.timers
                if self.tables.must(one.gate)
            ]
            if feasible(last._replace(limits=last.limits + tuple(limits))):
                return True
        return False


def feasible(place: Place) -> bool:
    """Whether moments exist that keep all limits (Bellman-Ford: no cycle below 0)."""
    at = [0] * place.steps
    for _ in range(place.steps + 1):
        changed = False
        for one, other, most in place.limits:
            if at[one] + most < at[other]:
                at[other], changed = at[one] + most, True
        if not changed:
            return True
    return False


def is_allowed(rule: Intervals, happened: Sequence[Happened]) -> bool:
    """Whether some order of the events is allowed, with nothing overdue at the end; or leaves the specification."""
    count, latency = len(happened), rule.latency / SCALE
    before = [{n for n in range(m) if came_first(happened[n], happened[m], latency)} for m in range(count)]
    end = round(max(move.time for move in happened) * SCALE)

    def further(places: list[Place], done: frozenset[int]) -> bool:
        if len(done) == count:
            return any(rule.ends(here, end) for here in places)
        for n in range(count):
            if n in done or not before[n] <= done:
                continue
            gate, window = GATES[happened[n].label.text], rule.window(happened[n])
            ready = [here for place in places for here in rule.reached(place, window)]
            after = list(dict.fromkeys(one for here in ready for one in rule.shown(here, gate, window)))
            if happened[n].given and not after and any(rule.comes_to(here, window) for here in ready):
                return True  # it left the specification
            if after and further(after, done | {n}):
                return True
        return False

    return further([rule.begin()], frozenset())
