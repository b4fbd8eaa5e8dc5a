"""A run: plays of one tester against one system until a Fail, or until there have been enough.

Every event is numbered and handed on as it happens; each play is judged when it ends. A failure of our own becomes an
Error and never a Pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from outplay.errors import OutplayError
from outplay.model.specification import State
from outplay.model.tracking import Tracker
from outplay.model.wrapping import own_state
from outplay.play.event import Event
from outplay.play.plan import Plan, plan
from outplay.play.runner import Timing, play_once
from outplay.play.system import System
from outplay.play.tester import Tester
from outplay.play.trace import Header, Trace
from outplay.verdict.judge import combine, judge_play
from outplay.verdict.verdicts import Error, Fail, Pass, Verdict

Watcher = Callable[[Event], None]


@dataclass
class Tally:
    """What a run has seen so far."""

    plays: int = 0
    steps: int = 0
    inputs: int = 0
    outputs: int = 0
    states: set[State] = field(default_factory=set)
    transitions: set[tuple[State, str]] = field(default_factory=set)

    def count(self, event: Event, tracker: Tracker) -> None:
        """Count an event; the tracker stands before it."""
        if not event.is_move or event.label is None:
            return
        self.steps += 1
        self.inputs += event.kind == "input"
        self.outputs += event.kind in ("output", "late")
        states = [own_state(tracker.spec, state) for state in tracker.states]
        self.states.update(states)
        self.transitions.update((state, event.label.text) for state in states)


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    verdict: Verdict
    trace: Trace
    tally: Tally
    failing_play: int | None = None

    def failure(self) -> Trace | None:
        """The failing play alone, cut at the event that failed."""
        if self.failing_play is None or not isinstance(self.verdict, Fail):
            return None
        return self.trace.play(self.failing_play, until=self.verdict.event.n)


def run(
    what: Any,
    system: System,
    *,
    header: Header | None = None,
    timing: Timing | None = None,
    plays: int = 100,
    steps: int = 100,
    keep_going: bool = False,
    watch: Watcher = lambda event: None,
) -> Outcome:
    """Play a strategy or a model (see `outplay.play.plan`) up to `plays` times, stopping at the first Fail.

    >>> from random import Random
    >>> from outplay import Model, Simulated, observable, run, specification
    >>> class Clock(Model):
    ...     even: bool = True
    ...     @observable
    ...     def tick(self):
    ...         self.even = not self.even
    >>> outcome = run(Clock, Simulated(specification(Clock), Random(0)), plays=3, steps=10)
    >>> outcome.verdict.name, outcome.tally.plays, outcome.tally.outputs
    ('pass', 3, 30)
    """
    chosen = plan(what, seed=header.seed if header else 0)
    spec = chosen.specification
    header = header or Header(model=spec.name, model_hash=spec.fingerprint, goal=chosen.goals)
    playing = Playing(system, timing or Timing(), steps, watch)
    try:
        for _ in range(plays):
            verdict = playing.play(chosen)
            if not isinstance(verdict, Pass) and not goes_on(verdict, keep_going):
                break
    finally:
        playing.close()
    return playing.outcome(header, chosen.goals)


class Playing:
    """One play after another against one system, judged as they end; what they saw is kept together."""

    def __init__(self, system: System, timing: Timing, steps: int, watch: Watcher) -> None:
        self.system, self.timing, self.steps, self._watch = system, timing.for_system(system), steps, watch
        self.tally, self.verdicts = Tally(), list[Verdict]()
        self.events: list[Event] = []
        self.failing: int | None = None
        self._began = system.clock.now()

    def play(self, chosen: Plan) -> Verdict:
        """Play once and judge it."""
        number = self.tally.plays + 1
        follow = partial(Tracker, chosen.specification, goal=chosen.goal)
        played: list[Event] = []
        for event in _one_play(_Counting(chosen.tester, self.tally), follow, self.system, self.timing, self.steps):
            numbered = _numbered(event, number, len(self.events) + len(played) + 1, self._began)
            played.append(numbered)
            self._watch(numbered)
        self.events += played
        self.tally.plays = number
        verdict = judge_play(chosen.specification, played, goal=chosen.goal, latency=self.timing.latency)
        self.verdicts.append(verdict)
        if self.failing is None and isinstance(verdict, Fail):
            self.failing = number
        return verdict

    def close(self) -> None:
        """End the system; that it cannot be ended is an Error, which outweighs a Pass and hides no Fail."""
        try:
            self.system.close()
        except Exception as error:
            self.verdicts.append(Error(f"the system could not be ended: {type(error).__name__}: {error}"))

    def outcome(self, header: Header, goals: tuple[str, ...]) -> Outcome:
        """What all plays together came to."""
        return Outcome(combine(self.verdicts, goals), Trace(header, tuple(self.events)), self.tally, self.failing)


def goes_on(verdict: Verdict, keep_going: bool) -> bool:
    """Say whether there is a point in another play after this verdict."""
    return verdict.name == "inconclusive" or (keep_going and verdict.name == "fail")


def _one_play(
    tester: Tester, following: Callable[..., Tracker], system: System, timing: Timing, steps: int
) -> Iterator[Event]:
    """The events of a play; an exception of our own or the model's ends it with a note that says so."""
    try:
        tracker = following(latency=timing.latency)  # asks the model already: does the initial state meet the goal?
        yield from play_once(tester, system, tracker, timing=timing, steps=steps)
    except OutplayError as error:
        yield Event("note", seen=system.clock.now(), detail=str(error), failed=True)
    except Exception as error:
        yield Event(
            "note", seen=system.clock.now(), detail=f"outplay failed: {type(error).__name__}: {error}", failed=True
        )


class _Counting:
    """A tester that counts what another tester notices."""

    def __init__(self, tester: Tester, tally: Tally) -> None:
        self._tester, self._tally = tester, tally
        self.begin, self.choose, self.done = tester.begin, tester.choose, tester.done

    def notice(self, event: Event, tracker: Tracker) -> None:
        self._tally.count(event, tracker)
        self._tester.notice(event, tracker)


def _numbered(event: Event, play: int, n: int, began: float) -> Event:
    return replace(
        event,
        play=play,
        n=n,
        given=_since(began, event.given),
        seen=_since(began, event.seen),
    )


def _since(began: float, time: float | None) -> float | None:
    """Microseconds, as in a trace file, so that what was judged live and what is read again are the same."""
    return None if time is None else round(time - began, 6)
