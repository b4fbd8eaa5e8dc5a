"""The runner: one play of a tester against a live system, as a stream of steps.

It empties what the system has said before it gives an input, waits in short slices so that its own delays show, calls
silence only after the whole time-out, and looks once more at the end, so that a crash in answer to the last move is
seen. Once the goal is reached it goes on until the system owes nothing more. It judges nothing: it stops when that is
so, when the specification allows nothing of what was seen, when the steps are used up or the system is gone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from outplay.errors import SystemUnready
from outplay.model.label import SILENCE
from outplay.model.tracking import Tracker
from outplay.play.event import ENDS, Event
from outplay.play.following import Following, Numbering, Step
from outplay.play.plan import plan
from outplay.play.system import Called, System
from outplay.play.timing import Timing
from outplay.tester.tester import Stop, Tester, Wait

SLICES = 10  # a wait is cut into so many slices; one that overruns by a slice is our own delay
GLANCE = 1e-9  # seconds; an adapter that is asked not to wait at all may pass over what it is just reading
MOST_OWED = 100  # outputs taken after the goal; on a virtual clock those of a system that always owes more take no time


def playing(
    what: Any, system: System, *, silence: float = 1.0, latency: float = 0.1, steps: int = 100, seed: int = 0
) -> Iterator[Event]:
    """Play once: follow a strategy, or walk through a model, and show what happens as it happens.

    >>> from random import Random
    >>> from outplay import Simulated, automaton
    >>> echo = automaton([("idle", "?ask", "asked"), ("asked", "!answer", "idle")])
    >>> [str(event) for event in playing(echo, Simulated(echo, Random(1)), steps=2)]
    ['reset', '?ask', '!answer']
    """
    chosen, timing = plan(what, seed=seed), Timing(silence, latency).for_system(system)
    tracker = Tracker(chosen.specification, latency=timing.latency, silence=timing.silence, goal=chosen.goal)
    following = Following(tracker, Numbering(system.clock.now()))
    return (step.event for step in play_once(chosen.tester, system, following, timing=timing, steps=steps))


@dataclass(frozen=True)
class Afterwards:
    """Who goes on after the goal, and for how many steps."""

    tester: Tester
    steps: int


def play_once(
    tester: Tester,
    system: System,
    following: Following,
    *,
    timing: Timing,
    steps: int = 100,
    afterwards: Afterwards | None = None,
    reset: bool = True,
) -> Iterator[Step]:
    """Play once with all parts given: reset, then move and watch until the play is over.

    Without a reset the play goes on from where the system is, which has to be where it is followed from.
    """
    play = _Play(tester, system, following, timing.for_system(system), steps, afterwards)
    return play.steps() if reset else play.going_on()


class _Play:
    def __init__(
        self,
        tester: Tester,
        system: System,
        following: Following,
        timing: Timing,
        steps: int,
        afterwards: Afterwards | None,
    ) -> None:
        self.tester, self.system, self.following, self.timing = tester, system, following, timing
        self.memory = tester.start
        self.tracker = following.tracker  # what is known now; it may be settled further than the last event
        self.left, self.afterwards = steps, afterwards
        self.at_goal = False  # the tester that was to reach the goal has nothing more to decide
        self.margin = timing.silence / SLICES
        self.over = self.stopped = False
        self.awake = 0.0
        self.after_silence = False
        self.last_kind = "reset"
        if isinstance(system, Called):
            system.answer_null(self.tracker.spec.null_gates)

    def steps(self) -> Iterator[Step]:
        try:
            self.system.reset()
        except SystemUnready as error:
            yield self.followed(Event("reset", seen=self.now(), detail=str(error), failed=True))
            return
        self.awake = self.now()
        yield self.followed(Event("reset", seen=self.awake))
        yield from self.to_the_end()

    def going_on(self) -> Iterator[Step]:
        self.awake = self.now()
        self.tracker = self.following.tracker = self.tracker.started(self.following.time(self.awake))
        yield from self.to_the_end()

    def to_the_end(self) -> Iterator[Step]:
        yield from self.moves()
        self.left = MOST_OWED
        while self.undecided() and not self.over and self.left > 0:
            yield from self.let_settle()
        if not self.over and not self.tracker.reached:
            yield from self.last_look()  # in which the goal may be reached
        if not self.over and self.tracker.reached:
            yield from self.after_the_goal()
            if not self.over:
                yield from self.last_look()

    def moves(self) -> Iterator[Step]:
        while not self.finished():
            yield from self.drain()
            if self.finished():
                break
            yield from self.move()

    def finished(self) -> bool:
        return self.over or self.left <= 0 or self.stopped or (self.tracker.reached and not self.at_goal)

    def after_the_goal(self) -> Iterator[Step]:
        """Go on as was asked, then wait for what the system owes: where it may not be silent, an output has to come."""
        self.at_goal = True
        if self.afterwards:
            self.tester, self.memory = self.afterwards.tester, self.afterwards.tester.start
            self.left, self.stopped = self.afterwards.steps, False
            yield from self.moves()
        self.left = MOST_OWED
        settle = self.timing.silence if self.timing.settle is None else self.timing.settle
        deadline = self.now() + settle
        while not self.over and self.left > 0 and self.tracker.owes and self.now() < deadline:
            yield from self.watch(self.timing.silence, call_silence=True)

    def now(self) -> float:
        return self.system.clock.now()

    def followed(self, event: Event) -> Step:
        step = self.following.take(event)
        self.tracker = step.after
        if step.label is not None:
            if not self.at_goal or self.afterwards:
                self.memory = self.tester.remember(step.before, self.memory, step.label)
            self.left -= 1
            self.after_silence = event.kind in ("silence", "late")
            self.last_kind = event.kind
        return step

    def undecided(self) -> bool:
        """Whether it hangs on the order on the wire if the goal was met."""
        return self.tracker.maybe_reached and self.tracker.in_flight and not self.at_goal

    def let_settle(self) -> Iterator[Step]:
        yield from self.watch(self.timing.latency, call_silence=False)
        self.tracker = self.tracker.settled(self.following.time(self.now()))

    def move(self) -> Iterator[Step]:
        """Give an input, wait or stop, as the tester decides."""
        if self.undecided():
            yield from self.let_settle()
            return
        decision = self.tester.decide(self.tracker, self.memory)
        if isinstance(decision, Stop):
            self.stopped = True
            return
        if isinstance(decision, Wait):
            yield from self.watch(self.timing.silence, call_silence=True)
            return
        label = decision.label
        given = self.now()
        began = self.system.give(label)
        now = self.now()
        # Handing over may take a while, and what was said meanwhile may have come first.
        yield from self.delayed(now - self.awake, now)
        yield self.followed(Event("input", label, given=given, taken=now if began is None else began))

    def drain(self) -> Iterator[Step]:
        """Take what the system has said already, without waiting."""
        while not self.over and self.left > 0:
            event = yield from self.look(0.0)
            if event.kind == "silence":
                return
            yield from self.took(event)

    def watch(self, timeout: float, *, call_silence: bool) -> Iterator[Step]:
        """Wait for the next event, at most so long, in slices short enough for our own delays to show."""
        deadline = self.now() + timeout
        while True:
            # Never a mere glance: what is there when silence is called was not late.
            event = yield from self.look(min(self.margin, max(deadline - self.now(), GLANCE)))
            if event.kind != "silence":
                yield from self.took(event)
                return
            if self.awake >= deadline:
                if call_silence:
                    why = event.detail if self.tracker.owes else ""  # what may help to see why nothing came
                    yield from self.took(replace(event, label=SILENCE, seen=self.awake, detail=why))
                return

    def look(self, timeout: float) -> Generator[Step, None, Event]:
        """Observe once. That we came late to it, or that it took longer than asked, is our own delay and is noted."""
        began = self.now()
        event = self.system.observe(timeout)
        now = self.now()
        yield from self.delayed(max(began - self.awake, now - began - timeout), now)
        return event

    def delayed(self, lag: float, now: float) -> Iterator[Step]:
        """Be awake again, so much later than meant; note it where that is much."""
        self.awake = now
        if lag > self.margin:
            detail = f"{lag * 1000:.0f} ms, with a time-out of {self.timing.silence * 1000:.0f} ms"
            yield self.followed(Event("tester-late", given=now - lag, seen=now, detail=detail))

    def took(self, event: Event) -> Iterator[Step]:
        """Follow an observation; after silence with no input since, an output is late."""
        if event.kind == "output" and self.after_silence:
            event = replace(event, kind="late")
        if event.kind not in ENDS and event.label is None:
            raise SystemUnready(
                f"{type(self.system).__name__}.observe returned {event.kind!r} without a label: "
                "return an output with its label, silence, crash, closed or garbage"
            )
        step = self.followed(event)
        self.over = event.kind in ENDS or not step.after.specified
        yield step

    def last_look(self) -> Iterator[Step]:
        """See what the last move led to: an input is answered or met with silence, and a dead system is noticed."""
        answered = self.last_kind != "input"
        timeout = self.timing.latency if answered else self.timing.silence
        if timeout > 0:
            yield from self.watch(timeout, call_silence=not answered)
