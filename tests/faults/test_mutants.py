"""Mutants of the benchmark of testers: one change each, and those that conform are proven to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from helpers.faults import drawn_system, machine_system, some_mutants
from helpers.places import EXAMPLES
from outplay import automaton
from outplay.conformance import check
from outplay.conformance.completion import automaton_of_table
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE

from benchmarks.faults import program_changes  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.mutants import mutant_sets  # isort: skip
from benchmarks.faults.proof import is_wrong, shortest_forbidden  # isort: skip
from benchmarks.faults.rows import Rows, Simulation  # isort: skip
from benchmarks.faults.systems import System  # isort: skip
from benchmarks.faults.table_changes import TableChanges  # isort: skip

AUTOMATON_KINDS = [
    "another output", "another target", "missing", "one more output", "doubled output", "swapped outputs",
]  # fmt: skip


def edges(system: System, rows: Rows, *, silent: bool) -> set[tuple[int, int, int]]:
    """What the states of the model do in a system, silence left out or alone."""
    delta = system.table.labels.index(SILENCE)
    states = range(system.table.state_count)
    found = {(q, label, t) for q in states for label, t in (*rows.given(q).items(), *rows.shown(q))}
    return {edge for edge in found if (edge[1] == delta) is silent}


@pytest.mark.parametrize("seed", range(40))
def test_a_mutant_of_an_automaton_differs_in_one_transition(seed: int):
    system = drawn_system(seed)
    found = some_mutants(system, each=3)
    assert {kind for kind, _ in found} <= set(AUTOMATON_KINDS)
    for kind, mutant in found:
        before, after = (edges(system, rows, silent=False) for rows in (system.right, mutant.rows))
        lost, won = before - after, after - before
        assert len(lost) <= 1, mutant.what
        assert len(won) <= 1, mutant.what
        assert lost | won, mutant.what
        assert len({state for state, _, _ in lost | won}) == 1, mutant.what
        assert bool(lost) is (kind != "one more output"), mutant.what
        assert bool(won) is (kind != "missing"), mutant.what


def test_all_kinds_of_faults_are_drawn():
    assert {kind for seed in range(40) for kind, _ in some_mutants(drawn_system(seed), 1)} == set(AUTOMATON_KINDS)


@pytest.mark.parametrize("seed", range(40))
def test_a_state_is_silent_where_it_has_no_output(seed: int):
    system = drawn_system(seed)
    for kind, mutant in some_mutants(system, each=2):
        quiet = {state for state, _, _ in edges(system, mutant.rows, silent=True)}
        speaking = {q for q, label, _ in edges(system, mutant.rows, silent=False) if label >= system.table.inputs}
        assert quiet | speaking == set(range(system.table.state_count)), (kind, mutant.what)


def test_a_mutant_of_a_machine_differs_for_one_input_of_one_state():
    system = machine_system()
    states, found = range(system.table.state_count), some_mutants(system, each=9)
    assert {kind for kind, _ in found} == {"another output", "another target", "input ignored", "doubled output"}
    for kind, mutant in found:
        given, shown = mutant.rows.given, mutant.rows.shown
        changed = [(q, a) for q in states for a, t in system.right.given(q).items() if given(q).get(a) != t]
        assert len(changed) == 1, (kind, mutant.what)
        assert all(shown(state) == system.right.shown(state) for state in states)


@pytest.mark.parametrize("seed", range(60))
def test_the_search_by_numbers_agrees_with_check(seed: int):
    system = drawn_system(seed)
    model = automaton_of_table(system.table)
    for _, mutant in [("right", system), *some_mutants(system, each=2)]:
        rows = system.right if mutant is system else mutant.rows
        found = check(model, Simulation(system.table, rows))
        length = shortest_forbidden(system.table, system.moves, rows)
        assert length == (None if found.conforms else len(found.counterexample))


def test_sets_are_disjoint_wrong_and_the_same_again():
    system = machine_system()
    sets = [system.mutants(6) for _ in range(2)]
    first, again = ({name: [one.what for one in group] for name, group in made.by_set.items()} for made in sets)
    assert first == again
    assert len(first["development"]) == len(first["counted"]) == 6
    assert not set(first["development"]) & set(first["counted"])
    model = automaton_of_table(system.table)
    for group in sets[0].by_set.values():
        assert all(is_wrong(model, system.table, system.moves, mutant.rows) for mutant in group)


def test_what_conforms_is_left_out():
    table = table_of(automaton([("s", "?a", "t"), ("t", "!x", "s"), ("t", "!y", "s")]))
    from random import Random

    missing = {"missing": TableChanges(table, Random(0)).of_automaton(tries=200)["missing"]}
    made = mutant_sets(table, missing, 3)
    assert made.equivalent == 2, "one of two outputs may be missing"
    assert made.by_set == {"development": [], "counted": []}, "?a alone makes no pair"


def test_a_change_of_a_program_is_one_change():
    tree = ast.parse((EXAMPLES / "chat" / "model.py").read_text(encoding="utf-8"))
    before, found = ast.dump(tree), list(program_changes.changes(tree, "Chat"))
    assert {"off by one", "statement missing", "guard missing", "order swapped"} <= {kind for kind, _ in found}
    for _, (what, place, node) in found[::15]:
        gone = list(ast.walk(tree))[place]
        made = program_changes.changed(tree, place, node)
        different = list(differences(tree, made))
        assert different, what
        assert all(one is gone or one in list(ast.walk(gone)) or _holds(one, gone) for one in different), what
    assert ast.dump(tree) == before, "the program itself stays as it is"


def differences(one: ast.AST, other: ast.AST) -> Iterator[ast.AST]:
    """The nodes of one tree at which another one differs: the lowest ones."""
    if type(one) is not type(other):
        yield one
        return
    for field, value in ast.iter_fields(one):
        changed = getattr(other, field)
        if isinstance(value, ast.AST):
            yield from differences(value, changed)
        elif isinstance(value, list) and len(value) == len(changed):
            for first, second in zip(value, changed, strict=True):
                yield from differences(first, second)
        elif value != changed:
            yield one


def _holds(one: ast.AST, gone: ast.AST) -> bool:
    """Whether a statement is one of a list, which has another length now."""
    return any(isinstance(value, list) and gone in value for _, value in ast.iter_fields(one))
