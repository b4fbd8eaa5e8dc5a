"""What is cleared where input and output cross: only what could not have been shown so, whatever the order was."""

from __future__ import annotations

from random import Random

import pytest
from benchmarks.faults.rows import Simulation, lists_of, of_lists
from benchmarks.faults.wire import LATENCY, SILENCE, Wire

from helpers.question_answer import deterministic
from helpers.seeds import seeds
from outplay import Timing, automaton, run, specification
from outplay.conformance.completion import automaton_of_table
from outplay.conformance.transition_table import table_of
from outplay.model.label import SILENCE as QUIET
from outplay.model.specification import BaseSpecification
from outplay.play.following import follow
from outplay.play.plan import Plan
from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor
from outplay.strategy.suspicion.remaining_suspicion import owing
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.tester import Walker


def talkative(rng: Random, states: int):
    """Each state takes all inputs, and some say something now and then: input and output cross."""
    steps = [(f"{q}", label, f"{rng.randrange(states)}") for q in range(states) for label in ("?a", "?b", "?c")]
    speaking = [q for q in range(states) if rng.random() < 0.6]
    steps += [(f"{q}", rng.choice(["!x", "!y"]), f"{rng.randrange(states)}") for q in speaking]
    return table_of(automaton(steps, initial="0"))


def forgetful(rng: Random, states: int):
    """As the talkative ones, but not all inputs are taken everywhere: in some orders the model is left."""
    table = talkative(rng, states)
    moves = [
        (q, table.labels[label], after) for q in range(table.state_count) for label, after in table.moves(q).items()
    ]
    kept = [one for one in moves if one[1] != QUIET and (one[1].is_output or rng.random() < 0.7)]
    return table_of(automaton([(f"{q}", str(label), f"{after}") for q, label, after in [*kept, moves[0]]], initial="0"))


def right(table):
    return Simulation(table, of_lists(*lists_of(table)))


class Waiting(Walker):
    """A walk of which it is taken that it waits for all that it sees."""

    waited = True


class Noting(SuspicionMonitor):
    """Keeps how many events of each play all orders were followed that may be."""

    def begin(self):
        super().begin()
        self.followed, self._lost = [*getattr(self, "followed", ()), 0], False

    def take(self, step):
        super().take(step)
        self._lost |= not self.clearing.orders
        self.followed[-1] += not self._lost


def watched(table, seed, plays=4, steps=25):
    """A run of a walk against the right system on a wire, and who watched it."""
    spec = specification(automaton_of_table(table))
    known, walker = KnownBehaviour(spec), Waiting(Random(seed))
    monitor = Noting(known, walker)
    wire = Wire(right(known.table), Random(seed))
    timing = Timing(SILENCE, LATENCY)
    outcome = run(Plan(spec, walker), wire, timing=timing, plays=plays, steps=steps, observers=[monitor])
    assert outcome.verdict.name in ("pass", "inconclusive")
    return monitor, outcome


class WithHistory(BaseSpecification):
    """A system whose states remember what happened: a tracker of it holds every order apart."""

    def __init__(self, system):
        self.system, self.name, self.fingerprint = system, "history", ""
        self.initial = ((0, ()),)

    def inputs(self, state):
        return [label for label in self.system.inputs(state[0]) if self.system.given(state[0], label)]

    def outputs(self, state):
        return self.system.outputs(state[0])

    def quiet(self, state):
        return self.system.quiet(state[0])

    def after(self, state, label):
        at, history = state
        if label.is_input and not self.system.given(at, label):
            return []
        return [(target, (*history, (at, label))) for target in self.system.after(at, label)]


def orders_of(table, events):
    """What may have been allowed at each answer, and every order that explains the play as a list of (state, label)."""
    allowed, tracker = [], None
    for step in follow(WithHistory(right(table)), events, latency=LATENCY, silence=SILENCE):
        if step.label is not None and not step.label.is_input:
            allowed.append({str(label) for label in step.before.allowed()})
        tracker = step.after
    return allowed, [None if p.left else state[1] for p in tracker.possible for state in p.states]


def shown_at(table, clearing, order, allowed, step, suspect) -> set[tuple[int, int]]:
    """By which answers, and where, a system in which a step leads astray would have shown what no order allows."""
    numbers = {label: number for number, label in enumerate(table.labels)}
    edges = [int(table.first[q]) + list(table.moves(q)).index(numbers[label]) for q, label in order]
    taken = zip([None, *edges], edges, order, strict=False)
    places = [
        place for place, (before, edge, (q, _)) in enumerate(taken, 1) if clearing.steps.number(before, edge, q) == step
    ]
    found = (strays(table, numbers, order, place, allowed, suspect) for place in places)
    return {answer for answer in found if answer is not None}


def strays(table, numbers, order, after, allowed, system) -> tuple[int, int] | None:
    """By which answer a system shows that it was in another state after some labels, and where it is then."""
    seen = sum(not label.is_input for _, label in order[:after])
    for q, label in order[after:]:
        if system == q:
            return None
        moves = table.moves(system)
        if label.is_input:
            system = moves.get(numbers[label], system)
            continue
        (answer,) = [one for one in moves if one >= table.inputs]
        if str(table.labels[answer]) not in allowed[seen]:
            return seen, system
        if answer != numbers[label]:
            return None
        system, seen = moves[answer], seen + 1
    return None


def suspicions(clearing):
    """All that can be suspected, with how much is left of it."""
    left, owes = clearing.so_far().left, owing(clearing.table)
    for unit, step in enumerate(clearing.outstanding.step.tolist()):
        for slot, suspect in enumerate(clearing.outstanding.suspect[unit].tolist()):
            target = clearing.steps.target[step]
            at_once = owes[suspect] and not owes[target]  # gives itself away, so it is no suspect
            if clearing.pairs.apart[target, suspect] > 0 and not at_once:
                yield step, suspect, left[unit, slot]


def told_by(monitor, outcome):
    """For each suspicion what is left of it, and for each play what each order shows of it while all are followed."""
    clearing = monitor.clearing
    played = zip(monitor.followed, outcome.trace.plays(), strict=True)
    plays = [orders_of(clearing.table, events[:followed]) for followed, (_, events) in played]
    for step, suspect, left in suspicions(clearing):
        yield (
            left,
            [
                [shown_at(clearing.table, clearing, one, allowed, step, suspect) for one in orders]
                for allowed, orders in plays
            ],
        )


@seeds(range(150), quick=20, a_test=20)
def test_what_is_ruled_out_would_have_shown_in_every_order(seed):
    rng = Random(seed)
    table = (deterministic, talkative, forgetful)[seed % 3](rng, rng.randint(2, 4))
    monitor, outcome = watched(table, seed, plays=6, steps=6)
    for left, told in told_by(monitor, outcome):
        assert left > 1e-3 or any(map(all, told))
        assert left == 1 or any(map(any, told))


@pytest.mark.parametrize("most", [1, 2, 12])
@seeds(range(150), quick=20, a_test=20)
def test_what_every_order_has_shown_is_ruled_out_even_where_orders_are_lost_later_or_not_sure_yet(
    seed, most, monkeypatch
):
    monkeypatch.setattr("outplay.strategy.suspicion.detection_chance.MOST_ORDERS", most)
    rng = Random(seed)
    monitor, outcome = watched((talkative, forgetful)[seed % 2](rng, rng.randint(2, 4)), seed, plays=6, steps=6)
    for left, told in told_by(monitor, outcome):
        assert left <= 1e-3 or not any(set.intersection(*orders) for orders in told)


def test_something_crosses_and_something_is_ruled_out_all_the_same():
    cleared = crossed = 0
    for seed in range(12):
        table = talkative(Random(seed), 4)
        monitor, outcome = watched(table, seed)
        table = monitor.clearing.table
        cleared += int(monitor.clearing.outstanding.possible.sum() - (monitor.clearing.outstanding.left > 1e-6).sum())
        plays = [events for _, events in outcome.trace.plays()]
        steps = [step for events in plays for step in follow(right(table), events, latency=LATENCY)]
        crossed += sum(len(step.after.states) > 1 for step in steps)
    assert crossed > 50
    assert cleared > 50


def test_questions_that_are_answered_before_the_next_are_cleared_over_a_wire_too():
    monitor, _ = watched(deterministic(Random(3), 3), 3, plays=10)
    told = monitor.report().cleared
    assert told.given == told.answers
    assert told.astray <= 0.3 * told.targets
