"""Symbolic transition systems for tests: the adder of van den Bos 2020, Figure 4.1, and random small ones."""

from __future__ import annotations

from itertools import product
from random import Random

from outplay import Label, specification
from outplay.model.expressions.sorts import integer_sort
from outplay.model.expressions.term import TRUE, Term, between, variable, variables
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.symbolic_system import SymbolicSystem

X, P = variables("x p")
IN_X, OUT_X, DONE = input_gate("inX", P), output_gate("outX", P), output_gate("done")


def adder() -> SymbolicSystem:
    """Figure 4.1: numbers from 1 to 10 are added up and shown, until there are more than 15."""
    return symbolic_system("adder", "l0", {X: 0}, [
        switch("r0", "l0", IN_X, "l1", when=between(1, P, 10), do={X: X + P}),
        switch("r1", "l1", OUT_X, "l0", when=P == X),
        switch("r2", "l0", DONE, "l2", when=X > 15),
    ])  # fmt: skip


def random_system(rng: Random, *, bound: int = 2, switches: int = 6) -> SymbolicSystem:
    """A small system over integers from 0 to a bound, nondeterministic as often as not."""
    sort = integer_sort(0, bound)
    x, y, p = variable("x", sort), variable("y", sort), variable("p", sort)
    gates = [input_gate("a", p), input_gate("b"), output_gate("u", p), output_gate("v")]
    places = [f"l{number}" for number in range(rng.randint(1, 3))]
    made = []
    for number in range(rng.randint(2, switches)):
        gate = rng.choice(gates)
        names = [x, y, *gate.parameters]
        values = [*names, x + 1, y - 1, 0, x + y]
        do = {one: rng.choice(values) for one in (x, y) if rng.random() < 0.4}
        ends = rng.choice(places), rng.choice(places)
        made.append(switch(f"r{number}", ends[0], gate, ends[1], when=_guard(rng, names, bound), do=do))
    return symbolic_system("random", "l0", {x: rng.randint(0, bound), y: 0}, made, gates=gates)


def _guard(rng: Random, names: list[Term], bound: int) -> Term:
    if rng.random() < 0.25:
        return TRUE
    one, other = rng.choice(names), rng.choice([*names, rng.randint(0, bound), names[0] + 1])
    choices = [one == other, one != other, one <= other, one > other, one + names[0] > other]
    made = rng.choice(choices)
    if rng.random() < 0.3:
        made = made & _guard(rng, names, bound) if rng.random() < 0.5 else made | _guard(rng, names, bound)
    return made


def labels_of(gate):
    """All labels of a gate with few values."""
    return [Label(gate.kind, gate.name, row) for row in product(*(one.sort.values() for one in gate.parameters))]


def reachable(system):
    """All states of the interpretation, the switches that can be taken, and pairs of consecutive ones."""
    spec = specification(system)
    (start,) = spec.initial
    seen, todo, taken, pairs = {(start, None)}, [(start, None)], set(), set()
    while todo:
        state, before = todo.pop()
        for gate in system.gates:
            for label in labels_of(gate):
                for one, target in spec.taken(state, label):
                    taken.add(one.name)
                    pairs.add((before, one.name))
                    if (target, one.name) not in seen:
                        seen.add((target, one.name))
                        todo.append((target, one.name))
    return {state for state, _ in seen}, taken, pairs
