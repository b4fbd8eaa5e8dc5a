"""The audit of the test assumption: how often input and output met, who was first, and whether the rule held.

A forecast rests on a rule about who moves when both want to (van den Bos 2020, chapter 5). A trace shows whether the
system kept to it. They *meet* where an input is given although an output is possible in the same state, or where an
output comes although the tester was about to give an input. The input was first if only that order explains what is
seen next, the output if only the other does; within the latency both may, and then nobody knows. What contradicts the
rule: input-eager       an output was first; output-eager      an input was first in a state in which the system must
speak; timeout           an output came after a time-out, before the tester moved; nondeterministic  nothing;
input-fair: nothing that ends, so the longest row of outputs that came first is told. A pure function of specification,
trace and rule: any log can be audited again.
"""

from __future__ import annotations

from dataclasses import dataclass

from outplay.game.assumption import Assumption, named_assumption
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.following import Step, follow
from outplay.play.trace import Event, Trace
from outplay.plurals import counted, times
from outplay.tester.tester import Give, TraceBased

MOST_MEETINGS = 100  # told one by one
INPUT, OUTPUT, UNKNOWN = "input", "output", "unknown"
_FALLS = {
    Assumption.INPUT_EAGER: "whatever is forced, and every bound on moves, cost and probability, falls "
    "where an input has to be taken first",
    Assumption.OUTPUT_EAGER: "what is forced stays forced; the help needed and the probabilities fall",
    Assumption.TIMEOUT: "whatever is forced, and every bound, falls where a time-out has to bring the tester's turn",
}
_FALLS[Assumption.TIMEOUT_ALWAYS] = _FALLS[Assumption.TIMEOUT]


@dataclass(frozen=True)
class Meeting:
    """Input and output met: in which play, at which event, who was first, and whether that breaks the rule."""

    play: int
    n: int
    label: Label
    first: str
    broke: bool = False


@dataclass(frozen=True)
class Audit:
    """The findings of a trace about a test assumption."""

    assumption: Assumption
    input_first: int = 0
    output_first: int = 0
    unknown: int = 0
    broken: int = 0
    """The number of times that the system did what the assumption rules out."""
    example: Meeting | None = None
    """The first time it did."""
    longest_row: int = 0
    """The most outputs in a row that each came before an input the tester was about to give."""
    meetings: tuple[Meeting, ...] = ()
    """The first of them, one by one."""

    @property
    def met(self) -> int:
        """Count the meetings of input and output."""
        return self.input_first + self.output_first + self.unknown

    def with_play(self, play: PlayAudit) -> Audit:
        """Add a play that was followed; what went wrong in its audit is raised here."""
        meetings = play.meetings()
        first = [meeting.first for meeting in meetings]
        broke = [meeting for meeting in meetings if meeting.broke]
        return Audit(
            self.assumption,
            self.input_first + first.count(INPUT),
            self.output_first + first.count(OUTPUT),
            self.unknown + first.count(UNKNOWN),
            self.broken + len(broke),
            self.example or next(iter(broke), None),
            max(self.longest_row, play.longest),
            (*self.meetings, *meetings)[:MOST_MEETINGS],
        )

    @property
    def held(self) -> bool:
        return self.broken == 0

    def lines(self) -> list[str]:
        rule = self.assumption.value
        if not self.met:
            return [f"assumption {rule}: not put to the test, input and output never met"]
        unsure = f", unknown in {self.unknown}" if self.unknown else ""
        who = f"the input was first in {self.input_first}, the output in {self.output_first}{unsure}"
        met = f"input and output met {times(self.met)}: {who}"
        if self.assumption is Assumption.INPUT_FAIR:
            longest = counted(self.longest_row, "output")
            return [f"assumption {rule}: {met}; at most {longest} in a row came before an input"]
        example = self.example
        if example is None:
            return [f"assumption {rule}: held; {met}"]
        where = f"first in play {example.play}, at event {example.n} ({example.label})"
        return [
            f"assumption {rule}: broken {times(self.broken)}, {where}; {met}",
            f"consequence: {_FALLS[self.assumption]}",
        ]

    def json(self) -> dict[str, object]:
        return {
            "assumption": self.assumption.value,
            "met": self.met,
            "input_first": self.input_first,
            "output_first": self.output_first,
            "unknown": self.unknown,
            "broken": self.broken,
            "held": self.held,
        }


def audit(
    spec: Specification, trace: Trace, assumption: Assumption | str = "", *, tester: TraceBased | None = None
) -> Audit:
    """Audit a trace; the assumption and the latency are those of its header unless another is given.

    With the tester that played, outputs that came while it was about to give an input are seen as well; it is asked
    again move by move, so it must be one that follows a strategy and not one that walks by chance.

    >>> from outplay import Label, automaton, Event
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> spec = SuspensionAutomaton(automaton([("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s")]))
    >>> given, seen = Event("input", Label.parse("?a"), given=1.0), Event("output", Label.parse("!y"), seen=2.0)
    >>> audit(spec, Trace(events=(Event("reset"), given, seen)), "input-eager").lines()
    ['assumption input-eager: held; input and output met once: the input was first in 1, the output in 0']
    """
    rule = named_assumption(assumption or trace.header.options.get("assumption") or Assumption.NONDETERMINISTIC.value)
    (followed, goal), found = followed_goal(spec, trace.header.goal), Audit(rule)
    for _, events in trace.plays():
        play = PlayAudit(rule, tester)
        for step in follow(followed, events, goal=goal, **trace.header.followed_by):
            play.take(step)
        found = found.with_play(play)
    return found


@dataclass(frozen=True)
class _Open:
    """An input that met an output and is not settled: the how-manieth input of the play, and could silence be?"""

    number: int
    event: Event
    label: Label
    must_speak: bool


class PlayAudit:
    """Audits one play step by step, and keeps what is open until the next observation settles it.

    A model or tester that raises when it is asked ends the audit and not the play.
    """

    def __init__(self, rule: Assumption, tester: TraceBased | None = None) -> None:
        self.rule, self.tester = rule, tester
        self.memory = tester.start if tester else None
        self.longest = self._row = self._given = 0
        self._settled: list[Meeting] = []
        self._open: list[_Open] = []
        self._synchronous = self._over = False
        self._problem: Exception | None = None

    def take(self, step: Step) -> None:
        """Audit the next step; after one that is not allowed or not specified there is nothing to say."""
        if step.label is None or self._over:
            return
        try:
            self._moved(step, step.label)
        except Exception as error:
            self._over, self._problem = True, error

    def _moved(self, step: Step, label: Label) -> None:
        self._synchronous = not step.before.latency
        if step.event.kind == "input":
            self._input(step, label)
        else:
            self._seen(step, label)
        if self.tester and not step.before.reached:
            self.memory = self.tester.remember(step.before, self.memory, label)
        self._over = not step.after.specified

    def meetings(self) -> list[Meeting]:
        """All meetings; an input that nothing followed has arrived for sure only where nothing can cross."""
        if self._problem:
            raise self._problem
        first = INPUT if self._synchronous else UNKNOWN
        return [*self._settled, *(self._meeting(left, first) for left in self._open)]

    def _input(self, step: Step, label: Label) -> None:
        spec, states = step.before.spec, step.before.states
        if any(spec.outputs(state) for state in states):
            must = all(not spec.quiet(state) for state in states)
            self._open.append(_Open(self._given, step.event, label, must))
        self._row = 0
        self._given += 1

    def _seen(self, step: Step, label: Label) -> None:
        self._settled += [self._meeting(left, self._first(left, step.before, label)) for left in self._open]
        self._open = []
        if label != SILENCE:
            self._overtaken(step, label)

    def _first(self, left: _Open, before: Tracker, label: Label) -> str:
        """Return who was first, from what is seen next: which order explains it? Inputs arrive in turn."""
        outstanding = self._given - left.number
        orders = {OUTPUT if unarrived >= outstanding else INPUT for unarrived in before.unarrived_at(label)}
        return orders.pop() if len(orders) == 1 else UNKNOWN

    def _meeting(self, left: _Open, first: str) -> Meeting:
        broke = {
            Assumption.INPUT_EAGER: first == OUTPUT,
            Assumption.OUTPUT_EAGER: first == INPUT and left.must_speak,
        }.get(self.rule, False)
        return Meeting(left.event.play, left.event.n, left.label, first, broke)

    def _overtaken(self, step: Step, label: Label) -> None:
        """An output where the tester was about to give an input, or after a time-out that was to bring its turn."""
        event, before = step.event, step.before
        late = self.rule.waits_for_timeout and event.kind == "late"
        asked = self.tester is not None and not before.reached  # after the goal it has nothing more to decide
        meant = asked and self.tester and isinstance(self.tester.choose(before, self.memory), Give)
        possible = any(before.spec.after(state, label) for state in before.states)
        if late or (meant and possible):
            broke = late or self.rule is Assumption.INPUT_EAGER
            self._settled.append(Meeting(event.play, event.n, label, OUTPUT, broke))
            self._row += 1
            self.longest = max(self.longest, self._row)
