"""The suspicions, watched in a run: how much of them is cleared, and whether answers come as often as they may."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from outplay.errors import ModelError
from outplay.model.label import SILENCE, Label
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.runs.events import Monitor, RunEvent
from outplay.runs.monitors.learnt_answers import (
    AnswerOdds,
    LearntState,
    Races,
    learnt_races,
    learnt_states,
    odd_answers,
)
from outplay.runs.result import RunResult
from outplay.strategy.suspicion.behaviour_table import answering_rows
from outplay.strategy.suspicion.confidence_report import ClearedReport, OpenSuspicion, noticed_fault, plays_enough
from outplay.strategy.suspicion.detection_chance import OUTSIDE, Clearing
from outplay.strategy.suspicion.remaining_suspicion import PossibleOrder
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import REPLAYED
from outplay.tester.tester import Tester

Seen: TypeAlias = tuple[Tracker, Label, Tracker, bool] | None
"""A label with what was possible before and after it, and whether the tester waited for it; None: a play begins."""
MOST_BEHIND = 20_000  # labels of a run that goes on, which are followed later
AT_ONCE = 3  # of these, with the newest, whenever a label is seen
_MOST_ODD = 3
_FEW = 3  # actions or goals that are named where they are missing
LITTLE = 0.1  # a chance that a single fault would have been noticed
MOST_OF_STATE = 60  # characters


class SuspicionMonitor(Monitor):
    """Watches plays for what they clear; where input and output may have crossed, under every order that may be.

    That takes time, and decides nothing about the plays. So a run that was cut short goes on before its earlier plays
    are followed: some labels of them at a time, with the new ones, and all before anything is told of them.
    """

    def __init__(self, known: KnownBehaviour, tester: Tester, *, until: float | None = None) -> None:
        self._known, self._tester, self._until = known, tester, until
        pairs = tester.suspicions.player.pairs if tester.suspicions else None
        self.clearing, self._grown = (
            Clearing(known.table, pairs or known.pair_game(answering_rows(known.table))),
            known.grown,
        )
        self._places, self._taken = set[str](), set[tuple[str, str]]()
        self._seen = deque[Seen](maxlen=REPLAYED)
        self._behind = deque[Seen]()
        """The labels that are not followed yet."""
        self._recalls = False

    @property
    def enough(self) -> bool:
        """Whether as much is cleared as was asked for."""
        if self._until is None:
            return False
        self._catch_up()
        share = self.clearing.cleared.share
        return share is not None and share >= self._until

    def recall(self, event: RunEvent) -> None:
        self._recalls = True
        super().recall(event)
        self._recalls = False

    def begin(self) -> None:
        """A play begins; where more is known by now, what was played is followed on that again."""
        self._known.grow()
        if self._known.grown != self._grown:
            table, self._grown = self._known.table, self._known.grown
            self.clearing = Clearing(table, self._known.pair_game(answering_rows(table)))
            for seen in self._seen:
                self._follow(seen)
        if not self._known.complete:
            self._seen.append(None)
        self._take(None)

    def take(self, step: Step) -> None:
        if step.label is not None:
            before, after = self._known.own(step.before), self._known.own(step.after)
            seen = before, step.label, after, self._tester.waited
            if not self._known.complete:
                self._known.visit(before)
                self._seen.append(seen)
            self._take(seen)

    def _take(self, seen: Seen) -> None:
        """Follow a label, unless that may wait; what is known by then must be what is known now."""
        self._behind.append(seen)
        waits = self._recalls and self._known.complete
        self._catch_up(MOST_BEHIND if waits else max(len(self._behind) - AT_ONCE, 0))

    def _catch_up(self, behind: int = 0) -> None:
        """Follow the oldest labels, until so many are left."""
        while len(self._behind) > behind:
            seen = self._behind.popleft()
            if seen is not None:
                self._notice(*seen[:3])
            self._follow(seen)

    def _notice(self, before: Tracker, label: Label, after: Tracker) -> None:
        """Note where the play surely was, by names, which stay when more is known."""
        names, number = self._known.table.names, self._known.number(label)
        at, then = self._known.state(before), self._known.state(after)
        self._places |= {names[state] for state in (at, then) if state is not None}
        if at is not None and number is not None and number in self._known.table.moves(at):
            self._taken.add((names[at], label.text))

    def _follow(self, seen: Seen) -> None:
        """Follow a label where all that is possible is known, before it and after it."""
        if seen is None:
            self.clearing.begin()
            return
        before, label, after, self.clearing.waited = seen
        known, clearing, number = self._known, self.clearing, self._known.number(label)
        clearing.prune(partial(self._may_be, before))
        if not self._are_all(before, clearing.orders):
            sure = None if before.in_flight else known.state(before)
            clearing.place(OUTSIDE if sure is None else sure)
        if number is None:
            clearing.place(OUTSIDE)
        elif clearing.orders:
            may_be = partial(self._may_be, after)
            clearing.follow(number, may_be, partial(self._are_all, after))

    def _may_be(self, tracker: Tracker, order: PossibleOrder) -> bool:
        return self._known.may_be(tracker, order.state, order.behind)

    def _are_all(self, tracker: Tracker, orders: Sequence[PossibleOrder]) -> bool:
        return self._known.covers(tracker, [(order.state, order.behind) for order in orders])

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, suspected=self.report())

    def report(self) -> Suspected:
        """Report what the plays so far have cleared."""
        self._catch_up()
        clearing = self.clearing
        odd = odd_answers(self._known, clearing.learnt.seen.tolist())
        learnt = tuple(learnt_states(clearing.table, clearing.learnt))
        suspicions, nothing_left = self._tester.suspicions, self._tester.report().nothing_left
        races = learnt_races(suspicions.player.races) if suspicions else None
        cleared = clearing.cleared.report()
        return Suspected(
            cleared,
            tuple(odd),
            self._known.complete,
            learnt,
            races,
            nothing_left,
            states=(len(self._places), clearing.table.state_count),
            transitions=(len(self._taken), len(clearing.table.label)),
            least=tuple(self._least(one) for one in cleared.open[:1]),
            actions=tuple(self._actions()),
            goals=tuple(self._goals()),
        )

    def _actions(self) -> Iterator[tuple[str, int, int]]:
        """Count the transitions of each action that were seen, and all that are known."""
        table = self.clearing.table
        gates = [f"{label.kind}{label.gate}" for label in table.labels]
        of = {label.text: gate for label, gate in zip(table.labels, gates, strict=True)}
        spec, silence = self._known.behaviour.spec, str(SILENCE)
        named = [*(f"?{gate}" for gate in spec.input_gates), *(f"!{gate}" for gate in spec.output_gates)]
        every = Counter(dict.fromkeys(named, 0))
        every.update(gates[number] for number in table.label.tolist() if gates[number] != silence)
        seen = Counter(of[text] for _, text in self._taken if text in of)
        yield from ((gate, seen[gate], every[gate]) for gate in sorted(every))

    def _goals(self) -> Iterator[tuple[str, bool]]:
        """Say of each goal of the model whether a state was seen in which it surely holds."""
        behaviour, names = self._known.behaviour, self.clearing.table.names
        seen = [behaviour.members(state) for state, name in enumerate(names) if name in self._places]
        for goal in (one for one in behaviour.spec.goals if one not in behaviour.spec.locations):
            with suppress(ModelError):  # a goal that cannot be asked for in some state is not counted
                yield goal, any(all(behaviour.spec.holds(goal, one) for one in members) for members in seen)

    def _least(self, one: OpenSuspicion) -> str:
        """Describe the least tested transition, if there is one, by the values of the state."""
        table, behaviour = self.clearing.table, self._known.behaviour
        members = behaviour.members(table.names.index(one.state))
        where = behaviour.spec.describe(members[0])
        shown = where if len(where) <= MOST_OF_STATE else f"{where[: MOST_OF_STATE - 1]}…"
        if not shown.startswith("at "):
            shown = f"{'where' if '=' in shown.partition(' ')[0] else 'at'} {shown}"
        return f"`{one.label}` {shown}"


@dataclass(frozen=True)
class Suspected:
    """The suspicions and how much of them is cleared, and the answers that came more or less often than they should."""

    cleared: ClearedReport
    odd: tuple[AnswerOdds, ...] = ()
    complete: bool = True
    """Whether the model was explored as a whole; else only what is known of it was suspected."""
    learnt: tuple[LearntState, ...] = ()
    """The probability of answers, by how often they came, where several are possible."""
    races: Races | None = None
    """The times that an output forestalled an input, where the tester counts that."""
    nothing_left: bool = False
    """Whether the tester has tested everything that can be reached, and long plays after that showed nothing."""
    states: tuple[int, int] = (0, 0)
    """The number of states of the model that were seen, and of all."""
    transitions: tuple[int, int] = (0, 0)
    """The same for its transitions."""
    least: tuple[str, ...] = ()
    """The least tested transitions, in words."""
    actions: tuple[tuple[str, int, int], ...] = ()
    """The transitions of each action, by its gate with its direction: how many were seen, of how many."""
    goals: tuple[tuple[str, bool], ...] = ()
    """The goals of the model, and whether each was reached."""

    @property
    def surprise(self) -> str:
        """Explain where the system chooses otherwise than the model says; else nothing."""
        if not self.odd:
            return ""
        more = f"; {len(self.odd) - _MOST_ODD:,} more are as odd" if len(self.odd) > _MOST_ODD else ""
        named = "; ".join(map(str, self.odd[:_MOST_ODD]))
        return f"this system does not choose with the probabilities of the model: {named}{more}"

    @property
    def little(self) -> bool:
        """Whether so little was tried that a pass says hardly anything."""
        return self.cleared.share is not None and self.cleared.share < LITTLE

    def seen(self) -> str:
        """Describe how much was seen: "143 of 235 states, 256 of 421 transitions and 2 of 2 actions seen"."""
        least = "" if self.complete else "at least "
        states, transitions = (f"{seen:,} of {least}{every:,}" for seen, every in (self.states, self.transitions))
        actions = _share_of({gate: seen > 0 for gate, seen, _ in self.actions}, "actions seen", "never")
        told = f"{states} states, {transitions} transitions and {actions}"
        goals = dict(self.goals)
        return f"{told}, {_share_of(goals, 'goals reached', 'not')}" if goals else told

    def sentences(self, plays: int) -> list[str]:
        """Describe what passing this many plays is worth, and what to do about it."""
        share = self.cleared.share
        if share is None or not plays:
            return []
        chance = noticed_fault(share)
        if self.nothing_left:
            rest = self.transitions[1] - self.transitions[0]
            others = "other transition" if rest == 1 else f"other {rest:,} transitions"
            untaken = f"nothing is left to test: in several tries the system did not take the {others}"
            return [f"{chance}; {untaken if rest else 'everything that can be reached was tested'}"]
        return [f"{chance}{plays_enough(share, plays)}", *(f"least tested: {one}" for one in self.least)]

    def lines(self) -> list[str]:
        lines = self.cleared.lines()
        lines += [] if self.complete else ["known: only a part of the model was explored, and nothing else suspected"]
        lines += ["nothing is left to test: everything that can be reached was"] if self.nothing_left else []
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, Any]:
        known = {
            "complete": self.complete,
            "nothing_left": self.nothing_left,
            "odd_answers": [one.json() for one in self.odd],
        }
        races = self.races.json() if self.races else None
        learnt = {"states": [state.json() for state in self.learnt], "races": races}
        return self.cleared.json() | known | {"learnt": learnt}


def _share_of(things: Mapping[str, bool], called: str, without: str) -> str:
    """Say how many of some things were seen, and name the others where they are few.

    >>> _share_of({"?press": True, "!light": False}, "actions seen", "never")
    '1 of 2 actions seen (never: !light)'
    """
    missing = [name for name, seen in things.items() if not seen]
    named = f" ({without}: {', '.join(missing)})" if 0 < len(missing) <= _FEW else ""
    return f"{len(things) - len(missing):,} of {len(things):,} {called}{named}"
