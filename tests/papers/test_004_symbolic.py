"""van den Bos 2020, chapter 4: Figure 4.1 and the examples about it, step by step."""

from __future__ import annotations

import re
from random import Random

import pytest

from helpers.places import EXAMPLES, shared_data
from helpers.symbolic import adder
from outplay import Label, read_model, specification
from outplay.conformance import check, minimised
from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.reading import read_term
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import INTEGER
from outplay.model.expressions.term import FALSE, variable
from outplay.model.symbolic.building import restricted
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.solving import Undecided, Unsatisfiable, new_solver
from outplay.model.symbolic.switch_coverage import SwitchPurpose, covering_paths
from outplay.model.symbolic.symbolic_state import initial_symbolic_state, path_condition, symbolic_successor
from outplay.model.tracking import Tracker
from outplay.tester import purpose_tester
from outplay.tester.purpose_tester import PurposeTester
from outplay.tester.tester import End, Give, Stop, Wait

SCOPE = {f"p@{step}": variable(f"p@{step}") for step in range(1, 6)}


@pytest.fixture
def spec() -> SymbolicSpecification:
    found = specification(adder())
    assert isinstance(found, SymbolicSpecification)
    return found


def test_example_4_4_the_system_of_figure_4_1():
    system = adder()
    assert (system.locations, system.initial) == (("l0", "l1", "l2"), "l0")
    assert (dict(system.variables), dict(system.start)) == ({"x": INTEGER}, {"x": 0})
    assert {gate.text: [one.sort for one in gate.parameters] for gate in system.gates} == {
        "?inX": [INTEGER],
        "!outX": [INTEGER],
        "!done": [],
    }
    r0, r1, r2 = system.switches
    assert (r0.source, r0.gate.text, str(r0.guard), r0.target) == ("l0", "?inX", "1 <= p and p <= 10", "l1")
    assert {name: str(term) for name, term in r0.assignment.items()} == {"x": "x + p"}
    assert (r1.source, r1.gate.text, str(r1.guard), dict(r1.assignment), r1.target) == (
        "l1",
        "!outX",
        "p = x",
        {},
        "l0",
    )
    assert (r2.source, r2.gate.text, str(r2.guard), dict(r2.assignment), r2.target) == (
        "l0",
        "!done",
        "x > 15",
        {},
        "l2",
    )


def test_example_4_9_switches_enabled_in_the_first_state(spec):
    (start,) = spec.initial
    assert start == ("l0", (0,))
    assert [(one.name, state) for one, state in spec.taken(start, Label.parse("?inX 3"))] == [("r0", ("l1", (3,)))]
    assert spec.after(start, Label.parse("?inX 3")) == [("l1", (3,))]
    assert spec.taken(start, Label.parse("!done")) == []
    assert spec.after(start, Label.parse("?inX 11")) == []
    assert spec.quiet(start)
    assert spec.after(("l0", (16,)), Label.parse("!done")) == [("l2", (16,))]
    assert not spec.quiet(("l0", (16,)))


def primed(term, length):
    """A term in the writing of the thesis: p@i is p with as many primes as switches came after it."""
    names = {}
    for name, one in free_variables(term).items():
        found = re.fullmatch(r"(.*)@([0-9]+)", name)
        if found:
            names[name] = variable(found[1] + "'" * (length - int(found[2])), one.sort)
    return substitute(term, names)


def written(condition, length):
    """A condition in the writing of the thesis, as the set of its parts; sums are put into one order there."""
    return {str(simplify(primed(part, length))) for part in condition}


def test_example_4_13_switches_enabled_in_the_first_symbolic_state():
    system = adder()
    start = initial_symbolic_state(system)
    assert str(start) == "l0, x = 0"
    after = symbolic_successor(system, start, system.switch("r0"))
    assert (after.location, str(after.terms["x"]), str(after.condition)) == ("l1", "p@1", "1 <= p@1 and p@1 <= 10")
    assert symbolic_successor(system, start, system.switch("r2")).condition is FALSE


def test_example_4_15_a_part_of_the_graph():
    system = adder()
    graph = execution_graph(system, SymbolicLimits(depth=5))
    paths = {0: ""}
    for edge in graph.all_edges():
        paths.setdefault(edge.target, f"{paths[edge.source]} {edge.switch}".strip())
    assert sorted(paths.values(), key=len)[:6] == [
        "", "r0", "r0 r1", "r0 r1 r0", "r0 r1 r0 r1", "r0 r1 r0 r1 r0",
    ]  # fmt: skip
    assert "r0 r1 r2" not in paths.values()
    assert "r0 r1 r0 r1 r2" in paths.values()
    r0, r1, r2 = system.switches
    assert written(path_condition(system, [r0, r1]), 2) == {"1 <= p' and p' <= 10", "p = p'"}
    assert written(path_condition(system, [r0, r1, r0, r1]), 4) == {
        "1 <= p''' and p''' <= 10", "p'' = p'''", "1 <= p' and p' <= 10", "p = p' + p'''",
    }  # fmt: skip
    doubtful = path_condition(system, [r0, r1, r2])
    assert written(doubtful, 3) == {"1 <= p'' and p'' <= 10", "p' = p''", "p'' > 15"}
    assert isinstance(new_solver().check(*doubtful), Unsatisfiable)


def test_example_4_17_one_purpose_covers_all_switches():
    found = covering_paths(adder())
    (purpose,) = found.purposes
    assert str(purpose) == "r0 r1 r0 r1 r2"
    assert (found.share, found.labels) == (1.0, 5)
    assert written(purpose.condition, 5) == {
        "1 <= p'''' and p'''' <= 10", "p''' = p''''", "1 <= p'' and p'' <= 10", "p' = p'' + p''''", "p'' + p'''' > 15",
    }  # fmt: skip


def test_example_4_18_the_first_two_steps_of_a_purpose(spec):
    """Iteration 0 gives 6; in iteration 1 the system shows 6, or 7, which no switch allows."""
    (purpose,) = covering_paths(adder()).purposes
    tester = PurposeTester(purpose, Random(0))
    given = tester.choose(Tracker(spec), tester.start)
    assert isinstance(given, Give)
    assert 6 <= given.label.arguments[0] <= 10  # with less than 6, 15 cannot be passed
    six = Label.parse("?inX 6")
    after = tester.remember(Tracker(spec), tester.start, six)
    assert (after.done, after.state) == (1, ("l1", (6,)))
    assert written([after.condition], 5) == written(
        [read_term("p@2 = 6 and 1 <= p@3 <= 10 and p@4 = p@3 + 6 and p@3 + 6 > 15", SCOPE)], 5
    )
    tracker = Tracker(spec).gave(six)
    assert isinstance(tester.choose(tracker, after), Wait)
    right = tester.remember(tracker, after, Label.parse("!outX 6"))
    assert (right.done, right.state, right.given_up) == (2, ("l0", (6,)), False)
    last = tester.choose(tracker.saw(Label.parse("!outX 6")), right)
    assert last == Give(Label.parse("?inX 10"))  # the only one with which more than 15 is reached; then p' is 16
    assert not tracker.saw(Label.parse("!outX 7")).conforms
    assert tester.remember(tracker, after, Label.parse("!outX 7")).given_up


def test_example_4_18_a_purpose_whose_condition_the_solver_could_not_refute(spec, monkeypatch):
    """r0 r1 r2: the solver cannot tell of the whole; the guard gives p = 8, and then it is refuted: inconclusive."""
    system = adder()
    purpose = SwitchPurpose(system, system.switches)
    find = purpose_tester.solve_condition

    def doubtful(condition, sorts, rng=None):
        return (
            Undecided("asked to")
            if len(sorts) > 1 or ("15" in str(condition) and sorts)
            else find(condition, sorts, rng)
        )

    monkeypatch.setattr(purpose_tester, "solve_condition", doubtful)
    tester = PurposeTester(purpose, Random(0))
    assert tester.choose(Tracker(spec), tester.start) == Stop(End.INCONCLUSIVE)


RESTING = (38, 156, 418)
"""States of the minimised reference that wait for an input, over the data {0}, {0, 1} and {0, 1, 2} (4.6)."""
LONG = pytest.mark.long


@pytest.mark.parametrize("largest", [0, pytest.param(1, marks=LONG), pytest.param(2, marks=LONG)])
@pytest.mark.parametrize("public", [False, True])
def test_the_reference_of_4_6_has_as_many_states_as_the_text_says(public: bool, largest: int):
    path = shared_data("brp", "BRP_reference.register.xml") if public else EXAMPLES / "brp" / "brp.sts"
    if not path.exists():
        pytest.skip("no folder shared/data beside the repository")
    small = minimised(specification(restricted(read_model(path), 0, largest)), ()).automaton
    shown = [[label.text for label, _ in small.moves(one) if not label.is_input] for one in range(small.state_count)]
    assert shown.count(["delta"]) == RESTING[largest]


@pytest.mark.parametrize(("number", "fewest"), [(1, 4), (2, 12), (3, 4)])
def test_no_trace_shows_a_public_mutant_of_4_6_in_fewer_labels(number: int, fewest: int):
    reference, mutant = (shared_data("brp", f"BRP_{name}.register.xml") for name in ("reference", f"mutant{number}"))
    if not reference.exists():
        pytest.skip("no folder shared/data beside the repository")
    spec, impl = (specification(restricted(read_model(path), 0, 0)) for path in (reference, mutant))
    found = check(spec, impl)
    assert not found.conforms
    assert len(found.counterexample) == fewest
