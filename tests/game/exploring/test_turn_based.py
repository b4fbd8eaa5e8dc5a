"""From transitions to a game: every layout against one built state by state, and against 004, Definition 5.12."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from helpers.seeds import seeds
from outplay.game.assumption import Assumption
from outplay.game.exact_numbers import constant_column
from outplay.game.exploring.edge_columns import weight_probabilities
from outplay.game.exploring.turn_based import (
    CHOICE,
    TIME_OUT,
    TRANSITION,
    WAIT,
    Arena,
    Unfolding,
    turn_based_arena,
    vertex_names,
)
from outplay.game.graph import SYSTEM, TESTER
from outplay.game.roles import Role

CONCURRENT = (Assumption.INPUT_EAGER, Assumption.OUTPUT_EAGER, Assumption.NONDETERMINISTIC)


class Plain:
    """A suspension automaton as lists: transitions with a direction, where silence is allowed and where it leads."""

    def __init__(self, count: int, steps: list[tuple[int, str, int]], quiet: set[int], silence: dict[int, int]) -> None:
        self.count, self.steps, self.quiet, self.silence = count, sorted(steps), quiet, silence

    def unfolding(self) -> Unfolding:
        labels = sorted({label for _, label, _ in self.steps})
        where = np.arange(self.count)
        where[list(self.silence)] = list(self.silence.values())
        return Unfolding(
            count=self.count,
            source=np.array([source for source, _, _ in self.steps], dtype=np.int64),
            target=np.array([target for _, _, target in self.steps], dtype=np.int64),
            label=np.array([labels.index(label) for _, label, _ in self.steps], dtype=np.int64),
            labels=labels,
            is_input=np.array([label[0] == "?" for _, label, _ in self.steps], dtype=bool),
            quiet=np.array([state in self.quiet for state in range(self.count)]),
            cost=constant_column(1, len(self.steps)),
            silence=where if self.silence else None,
        )

    def of(self, state: int, direction: str) -> list[int]:
        return [n for n, (source, label, _) in enumerate(self.steps) if source == state and label[0] == direction]

    def after_silence(self, state: int) -> int:
        return self.silence.get(state, state)


def a_random_automaton(seed: int, *, silence_tells: bool = False) -> Plain:
    rng = random.Random(seed)
    count = rng.randrange(1, 7)
    labels = ["?a", "?b", "!x", "!y", "!z"]
    density = rng.choice((0.15, 0.3, 0.6))
    steps = [
        (source, label, rng.randrange(count))
        for source in range(count)
        for label in labels
        for _ in range(1 + (rng.random() < 0.2))
        if rng.random() < density
    ]
    speaking = {source for source, label, _ in steps if label[0] == "!"}
    quiet = {state for state in range(count) if state not in speaking or rng.random() < 0.4}
    silence = {state: rng.randrange(count) for state in quiet if silence_tells and rng.random() < 0.5}
    return Plain(count, steps, quiet, silence)


def key(layout: Arena, vertex: int) -> tuple[Any, ...]:
    state, choice = int(layout.state[vertex]), int(layout.choice[vertex])
    words = {Role.STATE: "itself", Role.WAITING: "wait", Role.ACTIVE: "active"}
    return (state, words.get(Role(layout.role[vertex]), choice))


def found(layout: Arena) -> tuple[dict[Any, str], Counter[Any]]:
    """Vertices with their owners, and edges, as the layout has them."""
    owners = {
        key(layout, vertex): "system" if owner == SYSTEM else "tester"
        for vertex, owner in enumerate(layout.owner.tolist())
    }
    assert len(owners) == len(layout.owner)
    edges = Counter(
        (key(layout, source), key(layout, target), transition, part.kind)
        for part in layout.parts
        for source, target, transition in zip(
            part.source.tolist(), part.target.tolist(), part.transition.tolist(), strict=True
        )
    )
    return owners, edges


def expected(model: Plain, assumption: Assumption) -> tuple[dict[Any, str], Counter[Any]]:
    """The same built state by state."""
    owners: dict[Any, str] = {}
    edges: Counter[Any] = Counter()

    def step(vertex: Any, n: int) -> None:
        edges[vertex, (model.steps[n][2], "itself"), n, TRANSITION] += 1

    def speak(vertex: Any, state: int) -> None:
        owners[vertex] = "system"
        for n in model.of(state, "!"):
            step(vertex, n)
        if state in model.quiet:
            edges[vertex, (model.after_silence(state), "itself"), -1, TIME_OUT] += 1

    for state in range(model.count):
        me = (state, "itself")
        inputs, outputs, quiet = model.of(state, "?"), model.of(state, "!"), state in model.quiet
        speaks = bool(outputs) or (quiet and model.after_silence(state) != state)
        if assumption is Assumption.OUTPUT_EAGER and outputs and not quiet:
            inputs = []
        if speaks and not inputs:
            speak(me, state)
            continue
        owners[me] = "tester"
        contested = bool(outputs) and assumption in (Assumption.OUTPUT_EAGER, Assumption.NONDETERMINISTIC)
        for n in inputs:
            if contested:
                owners[state, n] = "system"
                edges[me, (state, n), n, CHOICE] += 1
                for each in (n, *outputs):
                    step((state, n), each)
            else:
                step(me, n)
        if speaks:
            edges[me, (state, "wait"), -1, WAIT] += 1
            speak((state, "wait"), state)
    return owners, edges


@pytest.mark.parametrize("assumption", [*CONCURRENT, Assumption.INPUT_FAIR])
def test_the_layout_is_the_one_built_state_by_state(assumption):
    for seed in range(150):
        model = a_random_automaton(seed, silence_tells=seed % 2 == 1)
        assert found(turn_based_arena(model.unfolding(), assumption)) == expected(model, assumption), seed


def winning(layout: Arena, goals: set[int]) -> set[int]:
    """The attractor of the turn-based game, at the vertices of states."""
    owners, edges = found(layout)
    after: dict[Any, list[Any]] = {vertex: [] for vertex in owners}
    for source, target, _, _ in edges:
        after[source].append(target)
    won = {(state, "itself") for state in goals}
    while True:
        more = {
            vertex
            for vertex in set(owners) - won
            if after[vertex] and (any if owners[vertex] == "tester" else all)(each in won for each in after[vertex])
        }
        if not more:
            return {state for state, what in won if what == "itself"}
        won |= more


def concurrent_winning(model: Plain, assumption: Assumption, goals: set[int]) -> set[int]:
    """Definition 5.12 as it stands: some choice of the tester such that all outcomes for all outputs are won."""
    won = set(goals)
    while True:
        more = set()
        for state in set(range(model.count)) - won:
            shown = [("output", model.steps[n][2]) for n in model.of(state, "!")]
            shown += [("delta", model.after_silence(state))] if state in model.quiet else []
            for given in ["theta", *(model.steps[n][2] for n in model.of(state, "?"))]:
                outcomes: list[Any] = []
                for what, where in shown:
                    if given == "theta":
                        outcomes.append(where)
                    elif what == "delta" or assumption is Assumption.INPUT_EAGER:
                        outcomes.append(given)
                    elif assumption is Assumption.OUTPUT_EAGER:
                        outcomes.append(where)
                    else:
                        outcomes += [given, where]
                if all(each in won for each in outcomes):
                    more.add(state)
        if not more:
            return won
        won |= more


@pytest.mark.parametrize("assumption", CONCURRENT)
def test_what_can_be_forced_is_what_the_definition_says_also_where_silence_tells_something(assumption):
    for seed in range(200):
        model = a_random_automaton(seed, silence_tells=True)
        model.steps = [(s, label, to) for (s, label), to in {(s, label): to for s, label, to in model.steps}.items()]
        goals = {random.Random(seed).randrange(model.count)}
        layout = turn_based_arena(model.unfolding(), assumption)
        assert winning(layout, goals) == concurrent_winning(model, assumption, goals), seed


HAPPY, SAD = 0, 4
FIGURE_6_1 = Plain(
    5,
    [
        (1, "?a", 2),
        (1, "?b", 3),
        (2, "?a", HAPPY),
        (2, "!x", HAPPY),
        (2, "!y", 3),
        (3, "?a", HAPPY),
        (3, "!x", SAD),
    ],
    {1, HAPPY, SAD},
    {},
)


def test_figure_6_1_of_the_thesis_is_won_everywhere_by_an_eager_tester_and_nowhere_otherwise():
    model = FIGURE_6_1.unfolding()
    assert winning(turn_based_arena(model, Assumption.INPUT_EAGER), {HAPPY}) == {HAPPY, 1, 2, 3}
    assert winning(turn_based_arena(model, Assumption.INPUT_FAIR), {HAPPY}) == {HAPPY, 1, 2, 3}
    assert winning(turn_based_arena(model, Assumption.OUTPUT_EAGER), {HAPPY}) == {HAPPY}
    assert winning(turn_based_arena(model, Assumption.NONDETERMINISTIC), {HAPPY}) == {HAPPY}


def test_an_output_eager_system_speaks_first_unless_it_may_be_silent():
    steps = [(0, "?a", 1), (0, "!x", 2)]
    pressing = found(turn_based_arena(Plain(3, steps, {1, 2}, {}).unfolding(), Assumption.OUTPUT_EAGER))
    assert pressing == (
        {(0, "itself"): "system", (1, "itself"): "tester", (2, "itself"): "tester"},
        Counter({((0, "itself"), (2, "itself"), 0, TRANSITION): 1}),
    )
    relaxed = turn_based_arena(Plain(3, steps, {0, 1, 2}, {}).unfolding(), Assumption.OUTPUT_EAGER)
    assert found(relaxed) == found(
        turn_based_arena(Plain(3, steps, {0, 1, 2}, {}).unfolding(), Assumption.NONDETERMINISTIC)
    )


def timed(model: Plain, *, always: bool) -> tuple[dict[Any, str], Counter[Any]]:
    """Active and passive copies, state by state (001, section 1)."""
    owners: dict[Any, str] = {}
    edges: Counter[Any] = Counter()
    for state in range(model.count):
        inputs, outputs = model.of(state, "?"), model.of(state, "!")
        owners[state, "itself"] = "system" if outputs else "tester"
        expires = bool(outputs) and (always or bool(inputs))
        if expires or (outputs and state == 0):
            owners[state, "active"] = "tester"
        active = (state, "active" if (state, "active") in owners else "itself")
        if expires:
            edges[(state, "itself"), active, -1, TIME_OUT] += 1
        for n in inputs:
            edges[active, (model.steps[n][2], "itself"), n, TRANSITION] += 1
        for n in outputs:
            edges[(state, "itself"), (model.steps[n][2], "itself"), n, TRANSITION] += 1
    return owners, edges


@pytest.mark.parametrize("assumption", [Assumption.TIMEOUT, Assumption.TIMEOUT_ALWAYS])
def test_with_time_outs_states_that_enable_outputs_have_an_active_and_a_passive_copy(assumption):
    for seed in range(150):
        model = a_random_automaton(seed)
        layout = turn_based_arena(model.unfolding(), assumption)
        assert found(layout) == timed(model, always=assumption is Assumption.TIMEOUT_ALWAYS), seed
        assert layout.owner[layout.initial] == TESTER
        assert layout.state[layout.initial] == 0
        for state, vertex in enumerate(layout.active.tolist()):
            assert layout.state[vertex] == state


def test_an_automaton_without_transitions_is_lost_at_once():
    for assumption in Assumption:
        layout = turn_based_arena(Plain(1, [], {0}, {}).unfolding(), assumption)
        assert found(layout) == ({(0, "itself"): "tester"}, Counter())


def test_vertices_are_named_by_state_and_choice():
    model = Plain(2, [(0, "?a", 1), (0, "!x", 1)], {0, 1}, {}).unfolding()
    layout = turn_based_arena(model, Assumption.NONDETERMINISTIC)
    names = vertex_names(layout.roles(model.label), model.labels, model.names)
    assert list(names) == ["s0", "s1", "s0 ?a", "s0 wait"]
    assert names[1:] == ["s1", "s0 ?a", "s0 wait"]
    assert len(names) == 4
    with pytest.raises(IndexError):
        names[4]
    timed_layout = turn_based_arena(model, Assumption.TIMEOUT)
    assert list(vertex_names(timed_layout.roles(model.label), model.labels, model.names)) == ["s0", "s1", "s0 active"]


@seeds(range(100))
def test_probabilities_are_weights_over_their_sum_at_each_system_vertex(seed):
    rng = random.Random(seed)
    vertices, edges, transitions = rng.randrange(1, 5), rng.randrange(0, 9), rng.randrange(1, 6)
    weights = [
        rng.choice([Fraction(1), Fraction(2), Fraction(1, 3), Fraction(1, 4), Fraction(7)]) for _ in range(transitions)
    ]
    source = np.sort(np.array([rng.randrange(vertices) for _ in range(edges)], dtype=np.int64))
    transition = np.array([rng.randrange(-1, transitions) for _ in range(edges)], dtype=np.int64)
    owner = np.array([rng.choice((TESTER, SYSTEM)) for _ in range(vertices)], dtype=np.uint8)
    table, row = weight_probabilities(weights, transition, source, owner)
    for edge in range(edges):
        at = int(source[edge])
        own = {e: Fraction(1) if transition[e] < 0 else Fraction(weights[transition[e]]) for e in range(edges)}
        total = sum(own[e] for e in range(edges) if source[e] == at)
        assert table[row[edge]] == (own[edge] / total if owner[at] == SYSTEM else None)


def test_every_assumption_says_whether_it_waits_for_time_outs():
    assert {each for each in Assumption if each.waits_for_timeout} == {Assumption.TIMEOUT, Assumption.TIMEOUT_ALWAYS}
