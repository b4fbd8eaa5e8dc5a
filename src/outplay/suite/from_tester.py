"""Testers and answers written down as test cases.

From a finite tester to its test case. Definition (van den Bos 2020, 5.19 and Theorem 5.20): the traces of the tester's
plays, each cut off where it stops, are the traces of the test case; an output that the specification does not allow
after one of them leads to `fail`. The thesis makes one state of each trace. Here traces after which the specification
and the tester's memory are the same share a state, so the test case has at most as many states as there are such pairs:
O(pairs · labels). It is unique up to this sharing, and sound.

From a solver's answer, or any strategy on a game, to a test case.

Suites that reach goals: one test case for each, by the best strategy for an objective.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.game.goals.live_goal import followed_goal
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.model.automaton import automaton
from outplay.model.label import SILENCE, Label
from outplay.model.offer import offered_labels
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.plurals import counted
from outplay.strategy.answer import Answer
from outplay.strategy.objectives import Objective
from outplay.strategy.strategy import Strategy
from outplay.suite.methods import Subject
from outplay.suite.suite import CaseError, Suite, TestCase, checked_case
from outplay.tester.follower import Follower
from outplay.tester.tester import Decision, End, Give, Stop, TraceBased

MOST_STATES = 100_000


def case_from_tester(
    tester: TraceBased,
    spec: Specification,
    *,
    outputs: Iterable[Label] | None = None,
    goal: GoalTest = no_goal,
    depth: int | None = None,
    most: int = MOST_STATES,
    name: str = "test",
    access: int | None = None,
) -> TestCase:
    """Write a tester down as a test case.

    `outputs` are all the system might show (else all the specification names); after `depth` steps the test gives up.
    `access` is how many of its first labels only lead to the transition it is about.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> from outplay.tester.tester import ByTrace, Wait
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")]))
    >>> press = Label.parse("?press")
    >>> once = ByTrace(lambda trace: [Give(press), Wait(), Stop()][len(trace)])
    >>> case = case_from_tester(once, lamp)
    >>> for source, label, target in case.automaton.transitions():
    ...     print(case.automaton.names[source], label, case.automaton.names[target])
    t0 ?press t1
    t0 !hum fail
    t0 !light fail
    t1 !hum pass
    t1 !light pass
    t1 delta fail
    """
    alphabet = sorted(
        {label for label in spec.alphabet if label.is_output} if outputs is None else set(outputs), key=str
    )
    unrolled = _Unrolling(tester, Tracker(spec, goal=goal), alphabet, depth, most)
    unrolled.unroll()
    try:
        return checked_case(automaton(unrolled.transitions, initial=unrolled.initial, name=name), access=access)
    except CaseError as error:
        what = "give a depth after which the test gives up"
        raise UsageError(f"the strategy can go round for ever, so it is no test case yet: {what} ({error})") from None


@dataclass(frozen=True)
class _Node:
    """After a trace: what may have happened, what the tester remembers, and the steps made where they are bounded."""

    tracker: Tracker
    memory: Hashable
    made: int


class _Unrolling:
    def __init__(
        self, tester: TraceBased, tracker: Tracker, alphabet: list[Label], depth: int | None, most: int
    ) -> None:
        self.tester, self.depth, self.most = tester, depth, most
        self.alphabet = alphabet
        self.numbers: dict[_Node, int] = {}
        self.decisions: list[tuple[_Node, Decision]] = []
        self.transitions: list[tuple[str, Label, str]] = []
        self.initial = self.place(_Node(tracker, tester.start, 0))

    def unroll(self) -> None:
        for number, (node, decision) in enumerate(self.decisions):  # grows on the way
            source = f"t{number}"
            for label, after in self.steps(node, decision):
                self.transitions.append((source, label, after))

    def steps(self, node: _Node, decision: Decision) -> Iterable[tuple[Label, str]]:
        """Return the list of a state of the test case."""
        tracker = node.tracker
        allowed = set(tracker.allowed())
        shown = sorted({*self.alphabet, *offered_labels(tracker.outputs(), "a test case")}, key=str)
        if isinstance(decision, Give):
            if not tracker.enabled(decision.label):
                where = " or ".join(tracker.spec.describe(state) for state in tracker.states)
                raise UsageError(f"the strategy gives {decision.label} {where}, where it is not enabled")
            yield decision.label, self.follow(node, decision.label)
        else:
            shown.append(SILENCE)
        for label in shown:
            yield label, self.follow(node, label) if label in allowed else End.FAIL.value

    def follow(self, node: _Node, label: Label) -> str:
        memory = self.tester.remember(node.tracker, node.memory, label)
        after = node.tracker.gave(label) if label.is_input else node.tracker.saw(label)
        return self.place(_Node(after, memory, node.made + (self.depth is not None)))

    def place(self, node: _Node) -> str:
        """The state of the test case for a node: an end where the tester stops."""
        number = self.numbers.get(node)
        if number is not None:
            return f"t{number}"
        decision: Any = self.tester.choose(node.tracker, node.memory)
        if not isinstance(decision, Stop) and node.made == self.depth:
            decision = Stop(End.INCONCLUSIVE)
        if isinstance(decision, Stop):
            return decision.end.value
        if len(self.decisions) >= self.most:
            raise UsageError(
                f"more than {counted(self.most, 'state')} in the test case: give a smaller depth, or raise `most`"
            )
        number = self.numbers[node] = len(self.decisions)
        self.decisions.append((node, decision))
        return f"t{number}"


def case_from_strategy(
    game: Game, strategy: Strategy, goals: tuple[str, ...], *, depth: int | None = None, name: str = "test"
) -> TestCase:
    """Write a strategy on a game down as a test case: `pass` where a goal is reached, else inconclusive."""
    spec, goal = followed_goal(game.origin.specification, goals)
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    tester = Follower(game, strategy)
    return case_from_tester(tester, spec, outputs=shown, goal=goal, depth=depth, name=name)


def case_from_answer(answer: Answer, *, depth: int | None = None, name: str | None = None) -> TestCase:
    """Write a solver's answer down as a test case.

    A sure win passes whatever the system does. With jokers the test is inconclusive where the system does not help,
    with a bound where the moves are used up. What only hopes, or trusts in chance, may go round and then takes a depth.

    >>> from outplay import GameBuilder, win
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "g", "!slow").build()
    >>> case_from_answer(win(game, "done"))
    TestCase('done', 2 states, 2 steps)
    """
    return case_from_strategy(answer.game, answer.strategy, answer.goals, depth=depth, name=name or str(answer.goal))


def reaching_suite(
    subject: Subject,
    *,
    objective: Objective,
    depth: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Suite:
    """Make a suite with one test case for each goal named, else each goal of the model, else each of its states."""
    game = subject.game(progress)
    names = tuple(dict.fromkeys(subject.goals)) or tuple(game.goals) or tuple(_states(game))
    tests = _Reaching(game, names, partial(objective.solve, **options), depth)
    guarantee = f"{game.origin.scope}each goal that can be reached is reached by `{objective.name}`"
    return Suite(tests=tests, guarantee=guarantee, remarks=tests)


class _Reaching:
    """The test cases, solved one after the other, and what turned out to be impossible."""

    def __init__(self, game: Game, names: tuple[str, ...], solve: Callable[..., Answer], depth: int | None) -> None:
        self._game, self._names, self._solve, self._depth = game, names, solve, depth
        self.impossible: list[str] = []

    def __iter__(self) -> Iterator[TestCase]:
        self.impossible.clear()
        for name in self._names:
            answer = self._solve(self._game, name)
            strategy = answer.strategy
            if strategy.hopeless(answer.game.initial, strategy.start):
                self.impossible.append(name)
            else:
                yield self._test(answer, name)

    def _test(self, answer: Answer, name: str) -> TestCase:
        try:
            return case_from_answer(answer, name=name, depth=self._depth)
        except UsageError as error:
            if self._depth is not None:
                raise
            raise UsageError(f"{name}: the way there may go round for ever ({error}); give --depth N") from None

    def json(self) -> dict[str, Any]:
        """Return what cannot be reached."""
        of_groups = {"approximate": True} if self._game.origin.approximate else {}
        return {"impossible": list(self.impossible), **of_groups}

    def lines(self) -> list[str]:
        scope, names = self._game.origin.scope, ", ".join(self.impossible)
        return [f"{scope}impossible, so without a test: {names}"] if names else []


def _states(game: Game) -> list[str]:
    """The model's own states; vertices behind a choice are none."""
    return [game.names[vertex] for vertex in range(game.vertex_count) if game.roles.role[vertex] == Role.STATE]
