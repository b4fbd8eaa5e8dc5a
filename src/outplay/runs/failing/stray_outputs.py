"""Leftovers: outputs of the play before that arrive in the next one, because the reset did not wait for them.

Such an output is no fault of the system. It is recognised by three things: it was seen within the silence time after
the play before ended; that play could have gone on with it; and without it everything in this play is allowed. Then the
same inputs are given again several times, each after a reset that was waited out. Where that fails, the Fail stands.
Where it does not, the verdict is an Error: the reset is incomplete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from outplay.cancellation import CancelToken
from outplay.model.label import SILENCE
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.following import Step, follow
from outplay.play.system import Quieting, Renewed, System, VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.runs.failing.attempts import Attempts
from outplay.tester.script import Script
from outplay.verdict.verdicts import Fail

TRIES = 5
MOST_OUTPUTS = 10_000  # taken while a reset is waited out
MOST_STEPS = 10_000  # of a play that is looked at; what fails later has other reasons, and memory stays bounded


def _stray(spec: Specification, last: Tracker, ended: float, events: Sequence[Event], timing: Timing) -> Event | None:
    """The output in a failing play that the play before may have sent, and without which this one is right.

    `last` is what was known at the end of the play before. The failing event itself is looked at first.

    >>> from outplay import Label, automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> on = Tracker(lamp).gave(Label.parse("?press"))
    >>> events = [Event("reset", seen=2.0), Event("output", Label.parse("!light"), seen=2.1, n=2)]
    >>> str(_stray(lamp, on, 2.0, events, Timing(silence=0.5)))
    '!light'
    >>> _stray(lamp, on, 1.0, events, Timing(silence=0.5)) is None
    True
    """
    until = ended + timing.silence + timing.latency
    for suspect in reversed(events):
        if suspect.kind not in ("output", "late") or suspect.label is None or suspect.time > until:
            continue
        if last.saw(suspect.label, suspect.time).conforms:
            rest = [event for event in events if event is not suspect]
            steps = follow(spec, rest, **timing.followed_by)
            if all(step.after.conforms and step.after.specified for step in steps):
                return suspect
    return None


@dataclass
class StrayOutputs:
    """Watches the plays of a run for outputs of the play before."""

    system: System
    timing: Timing
    token: CancelToken
    _last: Tracker | None = None
    _ended: float = 0.0
    _newest: Step | None = None
    _steps: list[Step] = field(default_factory=list)
    _play: int = 0

    @property
    def possible(self) -> bool:
        """Whether anything can be left over: not where a reset makes the system anew."""
        renewed = isinstance(self.system, Renewed) and self.system.renewed
        return not (renewed or isinstance(self.system.clock, VirtualClock))

    def take(self, step: Step) -> None:
        """See the next step of whatever play."""
        if step.event.play != self._play:
            self._last = self._newest.after if self._newest else None
            self._ended = self._newest.event.time if self._newest else 0.0
            self._play, self._steps = step.event.play, []
        self._newest = step
        if len(self._steps) < MOST_STEPS:
            self._steps.append(step)

    def note(self, spec: Specification, verdict: Fail) -> Event | None:
        """A note that takes the failing output back, where it was left over from the play before; else nothing."""
        if self._last is None or not self._last.conforms or not self.possible or len(self._steps) == MOST_STEPS:
            return None
        events = [step.event for step in self._steps if step.event.n <= verdict.event.n]
        found = _stray(spec, self._last, self._ended, events, self.timing)
        if found is None or self._fails_again(spec, events, verdict):
            return None
        after = (found.time - self._ended) * 1000
        return Event(
            "note",
            found.label,
            seen=self._steps[-1].event.time,
            failed=True,
            detail=f"the reset seems incomplete: {found.label} belongs to the play before, which had ended "
            f"{after:.0f} ms earlier; after a reset that waited for silence this play did not fail in {TRIES} tries. "
            "Let the reset drop what is on its way, or raise --settle",
        )

    def _fails_again(self, spec: Specification, events: Sequence[Event], verdict: Fail) -> bool:
        """Play it again, each time after a reset that was waited out; trouble on the way leaves the Fail as it is."""
        labels = [SILENCE if event.label is None else event.label for event in events if event.is_move]
        attempts = Attempts(spec, _WaitedOut(self.system, self.timing), self.timing, float("inf"), verdict, self.token)
        tried = (attempts.play(Script(labels), len(labels) + 1) is not None for _ in range(TRIES))
        return any(tried) or attempts.stopped


class _WaitedOut:
    """A system whose reset waits until nothing of the play before can come any more."""

    def __init__(self, system: System, timing: Timing) -> None:
        self._system, self._wait = system, timing.silence + timing.latency
        self.synchronous, self.clock = system.synchronous, system.clock
        self.one_wire = getattr(system, "one_wire", False)

    def reset(self) -> None:
        self._system.reset()
        for _ in range(MOST_OUTPUTS):
            if self._system.observe(0.0 if self.quiet() else self._wait).kind != "output":
                break
        self._system.reset()

    def give(self, label: object) -> float | None:
        return self._system.give(label)  # type: ignore[arg-type]

    def observe(self, timeout: float) -> Event:
        return self._system.observe(timeout)

    def quiet(self) -> bool:
        return isinstance(self._system, Quieting) and self._system.quiet()

    def close(self) -> None:
        """Leave it open: the run goes on with it."""
