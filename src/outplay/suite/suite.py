"""Suites: test cases of one model, kept or made anew each time they are gone through, and what passing them means.

Test cases: acyclic automata that say what to give, what may come, and what it means. Definition (van den Bos 2020,
5.9): each state either gives one input or waits. A state that waits says what follows each output and silence; one that
gives says what follows its input and each output that may come first. The ends are called `pass`, `fail` and
`inconclusive`; whatever is seen there changes nothing, so they have no transitions. An output that a state does not
list is outside the test case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, zip_longest
from typing import Any, ClassVar

from outplay.errors import ModelError
from outplay.model.automaton import Automaton, automaton
from outplay.model.label import DELTA, INPUT, OUTPUT, Label
from outplay.plurals import counted
from outplay.renderable import Drawn, Renderable, Rendered
from outplay.tester.tester import End

END_NAMES = frozenset(end.value for end in End)


@dataclass(frozen=True)
class TestCase(Drawn):
    """A test case. Make one with `case_of`, `case_from_tester` or from a file; states are the automaton's numbers.

    >>> lamp = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    >>> lamp
    TestCase('lamp', 2 states, 2 steps)
    >>> lamp.verdict([Label.parse("?press"), Label.parse("!light")])
    <End.PASS: 'pass'>
    """

    __test__: ClassVar[bool] = False  # test runners collect classes of this name

    automaton: Automaton
    access: int | None = None
    """The number of first labels that only lead to the transition that the rest of the test is about: any other way to
    it
    does as well, and who passes takes the transition to where it should lead. None where there is no such thing."""

    @property
    def name(self) -> str:
        return self.automaton.name

    @property
    def initial(self) -> int:
        return self.automaton.initial

    @property
    def inner(self) -> list[int]:
        """The states that are no ends."""
        return [state for state in range(self.automaton.state_count) if self.end(state) is None]

    def end(self, state: int) -> End | None:
        """The end a state is, or None."""
        name = self.automaton.names[state]
        return End(name) if name in END_NAMES else None

    def given(self, state: int) -> Label | None:
        """The input given in a state; None where the test waits or has ended."""
        return next((label for label in self._moves[state] if label.is_input), None)

    def after(self, state: int, label: Label) -> int | None:
        """Return the target of a label; an end is never left. None where the test case does not say."""
        return state if self.end(state) else self._moves[state].get(label)

    def moves(self, state: int) -> dict[Label, int]:
        """All labels a state lists, with the state each leads to."""
        return self._moves[state]

    @cached_property
    def access_path(self) -> tuple[tuple[Label, int], ...]:
        """The labels that lead to where the test itself begins, each with the state after it."""
        found, state = list[tuple[Label, int]](), self.initial
        for _ in range(self.access or 0):
            label = self.asked(state)[0]
            state = self._moves[state][label]
            found.append((label, state))
        return tuple(found)

    def state_after(self, trace: Iterable[Label]) -> int | None:
        """Return the target of a trace; None where the test case does not say."""
        state: int | None = self.initial
        for label in trace:
            state = None if state is None else self.after(state, label)
        return state

    def verdict(self, trace: Iterable[Label]) -> End | None:
        """The end a trace leads to, or None."""
        state = self.state_after(trace)
        return None if state is None else self.end(state)

    def traces(self, end: End) -> Iterator[tuple[Label, ...]]:
        """All traces that lead to an end, without what is seen after it; there may be very many."""
        stack: list[tuple[int, tuple[Label, ...]]] = [(self.initial, ())]
        while stack:
            state, trace = stack.pop()
            if self.end(state) is end:
                yield trace
            stack += [(target, (*trace, label)) for label, target in self._moves[state].items()]

    @cached_property
    def depth(self) -> int:
        """The most steps a play of it takes."""
        longest, rows = [0] * self.automaton.state_count, _rows(self.automaton)
        for state in _backwards(self.automaton):
            longest[state] = max([longest[target] for target in rows[state]], default=-1) + 1
        return longest[self.initial]

    @cached_property
    def hopeful(self) -> frozenset[int]:
        """The states from which the Pass end can be reached."""
        found = set[int]()
        for state in _backwards(self.automaton):
            if self.end(state) is End.PASS or not found.isdisjoint(self._moves[state].values()):
                found.add(state)
        return frozenset(found)

    def asked(self, state: int) -> list[Label]:
        """Return what has to happen in a state for the test to come to its Pass end: its input, or what it waits
        for.
        """
        given = self.given(state)
        return [
            label
            for label, target in self._moves[state].items()
            if target in self.hopeful and (given is None or label == given)
        ]

    def leaves_a_choice(self, state: int) -> bool:
        """Say whether more than one thing may happen in a state that is no Fail."""
        return sum(1 for target in self._moves[state].values() if self.end(target) is not End.FAIL) > 1

    @cached_property
    def _moves(self) -> list[dict[Label, int]]:
        return [dict(self.automaton.moves(state)) for state in range(self.automaton.state_count)]

    def __repr__(self) -> str:
        return f"TestCase({self.name!r}, {counted(len(self.inner), 'state')}, {counted(self.depth, 'step')})"


def case_of(
    transitions: Sequence[tuple[str, str | Label, str]], *, initial: str | None = None, name: str = "test"
) -> TestCase:
    """Make a test case from named transitions; the first source is the initial state unless one is named."""
    return checked_case(automaton(transitions, initial=initial, name=name))


class CaseError(ModelError):
    """An automaton is no test case; `state` and `label` say where."""

    def __init__(self, what: str, state: str, label: Label | None = None) -> None:
        super().__init__(what)
        self.state, self.label = state, label


def checked_case(found: Automaton, *, access: int | None = None) -> TestCase:
    """Take an automaton as a test case, or say in one line why it is none."""
    for state, name in enumerate(found.names):
        _check_state(name, found.moves(state))
    _backwards(found)
    made = TestCase(found, access)
    _check_access(made)
    return made


def _check_access(case: TestCase) -> None:
    state = case.initial
    for made in range(case.access or 0):
        asked = case.asked(state)
        if len(asked) != 1:
            what = (
                f"access is {case.access}, but only {counted(made, 'label')} before there is a choice: make it {made}"
            )
            raise CaseError(what, case.automaton.names[state])
        state = case.moves(state)[asked[0]]


def _check_state(name: str, moves: list[tuple[Label, int]]) -> None:
    if name in END_NAMES:
        if moves:
            raise CaseError(f"the end {name!r} has transitions; a test is over there, remove them", name, moves[0][0])
        return
    seen, goes_on = set[str](), False
    for label, _ in moves:
        kind, text = label.kind, label.text
        if kind not in (INPUT, OUTPUT, DELTA):
            raise CaseError(f"label {text!r} is no ?input, !output or delta; write one of them", name, label)
        if text in seen:
            raise CaseError(f"state {name!r} has {text!r} twice; let it lead to one state", name, label)
        if kind != OUTPUT and goes_on:
            what = f"state {name!r} has a second way to go on, {text!r}; give one input, or wait with delta"
            raise CaseError(what, name, label)
        goes_on = goes_on or kind != OUTPUT
        seen.add(text)
    if not goes_on:
        raise CaseError(f"state {name!r} neither gives an input nor waits; add an ?input or delta", name)


def _backwards(found: Automaton) -> list[int]:
    """States in an order in which transitions only lead back; a cycle is refused."""
    rows = _rows(found)
    if all(target > state or not rows[target] for state, row in enumerate(rows) for target in row):
        # Tests that were written down are numbered as they go on, and there may be millions of them.
        return sorted(range(len(rows)), key=lambda state: -state if rows[state] else -len(rows))
    try:
        return list(TopologicalSorter(dict(enumerate(rows))).static_order())
    except CycleError as error:
        name = found.names[min(error.args[1])]
        raise CaseError(f"the test can come round to state {name!r} again; a test case has no cycles", name) from None


def _rows(found: Automaton) -> list[tuple[int, ...]]:
    """Return the targets of the transitions of each state."""
    return [found.target[begin:end] for begin, end in pairwise(found.first)]


class Stream:
    """Test cases that are made anew each time they are gone through, so that nobody keeps them.

    >>> from outplay.suite.suite import case_of
    >>> ends = Stream(lambda: (case_of([], initial="pass", name=f"{number}") for number in range(2)))
    >>> [case.name for case in ends], [case.name for case in ends]
    (['0', '1'], ['0', '1'])
    """

    def __init__(self, make: Callable[[], Iterator[TestCase]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[TestCase]:
        return self._make()


@dataclass(frozen=True, eq=False)
class Suite:
    """Test cases of one model, the method that made them, and what passing them means.

    >>> from outplay.suite.suite import case_of
    >>> lamp = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")], name="lamp")
    >>> Suite(tests=(lamp,)).size, Suite(tests=Stream(lambda: iter([lamp]))).size
    (1, None)
    """

    model: str = ""
    method: str = ""
    tests: Iterable[TestCase] = ()
    """One after the other, from the first each time they are gone through; a `Stream` where there may be many."""
    job: dict[str, Any] = field(default_factory=dict)
    """The way in which the model was read, as the JSON form of a job (runs/job.py)."""
    options: dict[str, Any] = field(default_factory=dict)
    """The options of the method, goals among them, as JSON; with the job they are enough to make the suite again."""
    guarantee: str = ""
    """The guarantee for a system that passes all tests, in words."""
    fair: bool = False
    """Whether the guarantee needs every branch of every test to be seen, or concluded not to come: fair execution
    (runs/suite_runs/ledger.py). Otherwise a test is done when it came to its Pass end once."""
    count: int | None = None
    """The number of tests of a stream, where that is known before it has been gone through."""
    labels: int | None = None
    """The number of their labels at most in all, where that is known before."""
    measure: Callable[[], tuple[int, int]] | None = None
    """Both, found out without making a test, where that takes a while."""
    remarks: Renderable | None = None
    """The remarks of the method on the suite it made; some is known only once the tests have been made."""

    def __eq__(self, other: object) -> bool:
        """Say whether both have the same tests in the same order, made in the same way."""
        if not isinstance(other, Suite):
            return False
        made = [(one.model, one.method, one.job, one.options, one.guarantee, one.fair) for one in (self, other)]
        return made[0] == made[1] and all(one == two for one, two in zip_longest(self.tests, other.tests))

    def __getstate__(self) -> dict[str, Any]:
        """The suite with all its tests, made now if they are a stream."""
        remarks = self.remarks
        kept = {**self.__dict__, "tests": tuple(self.tests), "measure": None}
        return kept | {"remarks": remarks and Rendered(remarks.json(), tuple(remarks.lines()))}

    @property
    def size(self) -> int | None:
        """Return the number of tests, where that is known."""
        return len(self.tests) if isinstance(self.tests, Sized) else self.count

    def test(self, name: str) -> TestCase | None:
        """The first test case of a name."""
        return next((test for test in self.tests if test.name == name), None)
