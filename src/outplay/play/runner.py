"""The runner: one play of a tester against a live system, as a stream of steps.

It empties what the system has said before it gives an input, waits in short slices so that its own delays show, calls
silence only after the whole time-out, and looks once more at the end, so that a crash in answer to the last move is
seen. Once the goal is reached it goes on until the system owes nothing more; a play may have an ending, in which
somebody else takes the system to a clean state. It judges nothing: it stops when that is so, when the specification
allows nothing of what was seen, when the steps are used up or the system is gone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from outplay.cancellation import NEVER, Deadline
from outplay.errors import AdapterError, SystemUnready
from outplay.play.following import Following, Numbering, Step, walk_of
from outplay.play.plan import plan
from outplay.play.system import Called, Quieting, Racing, Retries, System, Wordy
from outplay.play.timing import Timing, Watch
from outplay.play.trace import ENDS, Event
from outplay.tester.follower import Homing
from outplay.tester.tester import Stop, Tester, Wait

HANDING = 1e-3  # seconds; an input that took longer to hand over is noted as seen when that had ended
PAST_DUE = 1e-3  # seconds; after that, what is due is overdue
MOST_OWED = 100  # outputs taken after the goal; on a virtual clock those of a system that always owes more take no time


def playing(
    what: Any, system: System, *, silence: float = 1.0, latency: float = 0.1, steps: int = 100, seed: int = 0
) -> Iterator[Event]:
    """Run one play and yield its events as they happen: follow a strategy, or walk through a model.

    >>> from random import Random
    >>> from outplay import Simulated, automaton
    >>> echo = automaton([("idle", "?ask", "asked"), ("asked", "!answer", "idle")])
    >>> [str(event) for event in playing(echo, Simulated(echo, Random(1)), steps=2)]
    ['reset', '?ask', '!answer']
    """
    chosen, timing = plan(what, seed=seed), Timing(silence, latency).for_system(system)
    tracker = timing.tracker(chosen.specification, chosen.goal)
    following = Following(tracker, Numbering(system.clock.now()))
    return (step.event for step in play_once(chosen.tester, system, following, timing=timing, steps=steps))


@dataclass(frozen=True)
class Afterwards:
    """The tester that goes on after the goal, and its number of steps."""

    tester: Tester
    steps: int


@dataclass(frozen=True)
class Ending(Afterwards):
    """The tester that takes a play to a clean state at its end, and the most steps it may take."""

    tester: Homing


def play_once(
    tester: Tester,
    system: System,
    following: Following,
    *,
    timing: Timing,
    steps: int = 100,
    afterwards: Afterwards | None = None,
    reset: bool = True,
    until: Deadline = NEVER,
    ending: Ending | None = None,
    retries: Retries | None = None,
) -> Iterator[Step]:
    """Run one play with all parts given: reset, then move and watch until the play is over.

    Without a reset the play goes on from where the system is, which has to be where it is followed from. When the
    deadline has passed it ends as it does where its steps are used up.
    """
    play = _Play(tester, system, following, timing.for_system(system), steps, afterwards, until, ending, retries)
    return play.steps() if reset else play.going_on()


class _Play(Watch):
    def __init__(
        self,
        tester: Tester,
        system: System,
        following: Following,
        timing: Timing,
        steps: int,
        afterwards: Afterwards | None,
        until: Deadline,
        ending: Ending | None,
        retries: Retries | None,
    ) -> None:
        super().__init__(system, timing)
        self.tester, self.following = tester, following
        tester.begin()
        self.tracker = following.tracker  # what is known now; it may be settled further than the last event
        self.left, self.afterwards, self.until, self.ending = steps, afterwards, until, ending
        self.retries = retries or Retries()
        self.at_goal = False  # the tester that was to reach the goal has nothing more to decide
        self.over = self.stopped = False
        self.after_silence = False
        self.last_kind, self.last_time = "reset", 0.0
        if isinstance(system, Called):
            system.will_call(self.tracker.spec.input_gates)
            system.answer_null(self.tracker.spec.null_gates)
        self.walk = walk_of(system, self.tracker.spec)

    def steps(self) -> Iterator[Step]:
        try:
            told = self.retries.reset(self.system)
        except AdapterError as error:
            yield self.followed(Event("reset", seen=self.now(), detail=str(error), failed=True))
            return
        self.awake = self.now()
        yield self.followed(Event("reset", seen=self.awake, detail=told))
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
            # Steps that are used up end a play that is never done; a simulation has no timers to be waited for.
            if self.stopped and not self.tracker.reached and not isinstance(self.system, Racing):
                yield from self.wait_for_owed()
        if not self.over and self.tracker.reached:
            yield from self.after_the_goal()
            if not self.over:
                yield from self.last_look()
        if self.ending and not self.over:
            yield from self.end_in(self.ending)

    def end_in(self, ending: Ending) -> Iterator[Step]:
        """Let somebody else decide, for this many steps."""
        self.afterwards, self.at_goal = ending, True
        self.tester, self.left, self.stopped = ending.tester, ending.steps, False
        self.tester.begin()
        yield from self.moves()
        if not self.over and self.last_kind == "input":
            yield from self.last_look()

    def moves(self) -> Iterator[Step]:
        while not self.finished():
            yield from self.drain()
            if self.finished():
                break
            yield from self.move()

    def finished(self) -> bool:
        used_up = self.left <= 0 or self.until.passed
        return self.over or used_up or self.stopped or (self.tracker.reached and not self.at_goal)

    def after_the_goal(self) -> Iterator[Step]:
        """Go on as was asked, then wait for what the system owes: where it may not be silent, an output has to come."""
        self.at_goal = True
        if self.afterwards:
            self.tester = self.afterwards.tester
            self.tester.begin()
            self.left, self.stopped = self.afterwards.steps, False
            yield from self.moves()
        yield from self.wait_for_owed()

    def wait_for_owed(self) -> Iterator[Step]:
        """Wait while the system may not be silent; a wait that has begun within the time for it is ended."""
        self.left = MOST_OWED
        settle = self.timing.silence if self.timing.settle is None else self.timing.settle
        deadline = self.now() + settle
        while not self.over and self.left > 0 and self.tracker.owes and self.now() < deadline:
            yield from self.watch(self.timing.silence, call_silence=True)

    def followed(self, event: Event) -> Step:
        step = self.following.take(event)
        if isinstance(self.system, Wordy) and (event.kind in ENDS or not step.after.conforms):
            step = replace(step, event=replace(step.event, words=self.system.words()))
        self.tracker, self.last_time = step.after, event.time
        if self.walk:
            self.walk.take(step)
        if step.label is not None:
            if not self.at_goal or self.afterwards:
                self.tester.observe(step.before, step.label)
            self.left -= 1
            self.after_silence = event.kind in ("silence", "late")
            self.last_kind = event.kind
        return step

    def undecided(self) -> bool:
        """Say whether it hangs on the order on the wire if the goal was met."""
        return self.tracker.maybe_reached and self.tracker.in_flight and not self.at_goal

    def let_settle(self) -> Iterator[Step]:
        yield from self.watch(self.timing.latency, call_silence=False)
        self.tracker = self.tracker.settled(self.following.time(self.now()))

    def move(self) -> Iterator[Step]:
        """Give an input, wait or stop, as the tester decides."""
        if self.undecided():
            yield from self.let_settle()
            return
        decision = self.tester.decide(self.tracker)
        if isinstance(decision, Stop):
            self.stopped = True
            return
        if isinstance(decision, Wait):
            yield from self.watch(self.waiting(), call_silence=True)
            return
        label = decision.label
        if decision.after > 0 and (yield from self.something_comes(decision.after)):
            return
        if isinstance(self.system, Racing) and self.system.forestalls(label):
            return  # the output that came first is taken before the tester moves again
        given = self.now()
        began = self.system.give(label)
        now = self.now()
        # Handing over may take a while, and what was said meanwhile may have come first.
        yield from self.delayed(now - self.awake, now)
        handed = now if began is None and now - given > HANDING else None
        yield self.followed(Event("input", label, given=given, seen=handed, taken=began))

    def something_comes(self, after: float) -> Generator[Step, None, bool]:
        """Wait until this long after the last event, and say whether something was seen meanwhile."""
        left, pause = self.left, self.last_time + after - self.now()
        if pause > 0:
            yield from self.watch(pause, call_silence=False)
        return self.over or self.left < left

    def waiting(self) -> float:
        """Return how long to wait: for silence; and where that was seen already, until what takes its time is due."""
        due = self.tracker.due if self.after_silence else None
        left = 0.0 if due is None else due - self.following.time(self.now()) + PAST_DUE
        return max(self.timing.silence, left)

    def drain(self) -> Iterator[Step]:
        """Take what the system has said already, without waiting."""
        while not self.over and self.left > 0:
            event = yield from self.look(0.0)
            if event.kind == "silence":
                return
            yield from self.took(event)

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
        answered = self.last_kind != "input" and not self.tracker.misses
        if answered and (self.last_kind == "silence" or (isinstance(self.system, Quieting) and self.system.quiet())):
            self.awake = self.now()
            yield from self.drain()
            return
        timeout = self.timing.latency if answered else self.timing.silence
        if timeout > 0:
            yield from self.watch(timeout, call_silence=not answered)
