"""Suites for deterministic machines beside AALpy's W- and Wp-method: how large, and how soon they find a fault.

    python -m benchmarks.faults_suites [MUTANTS] [SEEDS]

Machines come from `shared/data` beside the repository. A suite's size is its inputs and its resets, one for each test;
waiting for silence gives no input, and AALpy does not wait. AALpy's tests are those it would play, each once; *without
prefixes* those that others begin with are left out too, as ours are. Ours are those of `suite --method distinguish` and
of `suite --method n-complete --machine`.

Mutants have one output or one target changed, at random; those that `check` proves to be equivalent are left out. Each
is given to our suites in their order, to AALpy's random Wp-method (as it comes, with more tests than are ever needed)
and to its random walk, each with SEEDS seeds. Counted are inputs and resets until a wrong output is seen; what is not
seen within 10,000 counts as 10,000.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from benchmarks.page import table, write_section
from outplay import automaton, read_model
from outplay.conformance import check
from outplay.model.kinds import specification
from outplay.suite.complete.n_complete import n_complete
from outplay.suite.identifying import identifying_test
from outplay.suite.identifying_plans import ExpectedTraces, identifying_plans, plans_without_prefixes

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "mealy"
SIZED = ("TCP_Linux_Client", "tcp_server_ubuntu_trans", "mosquitto__two_client_will_retain", "OpenSSH",
         "ASN_learnresult_MAESTRO_fix", "m54", "m106", "m172")  # fmt: skip
FAULTY = ("TCP_Linux_Client", "tcp_server_ubuntu_trans", "mosquitto__two_client_will_retain")
BUDGET = 10_000
Word = tuple[str, ...]
Machine = dict[str, dict[str, tuple[str, str]]]
"""For each state and input the output and the next state; the first state is the initial one."""


SIZES = """\
Inputs and resets of `suite --method distinguish`, of `suite --method n-complete --machine` and of AALpy's methods, for
systems with as many states as the machine; W and Wp as AALpy plays them, and Wp without the tests that others begin
with, which ours leave out too. Ratios are to Wp.
"""
FOUND = f"""\
Inputs and resets until a wrong output is seen; a mutant has one output or one target changed, and what is not found
within {BUDGET:,} counts as that. *distinguish* and *n-complete* play the suites of these methods in their order, the
others are AALpy's, each with several seeds. Ratios are to the better of AALpy's two.
"""


def main(mutants: int, seeds: int) -> None:
    if importlib.util.find_spec("aalpy") is None or not DATA.exists():
        print("AALpy or the folder shared/data is not here: nothing to compare with")
        return
    head = ("machine", "states", "inputs", "Wp: tests", "size", "without prefixes", "W: size", "distinguish: tests",
            "size", "ratio", "n-complete: tests", "size", "ratio")  # fmt: skip
    write_section("Whole suites for deterministic machines", SIZES + "\n" + table(head, map(sizes, SIZED)))
    head = ("machine", "mutants", "tester", "median", "mean", "most", "undetected", "ratio of means")
    rows = [row for name in FAULTY for row in detection(name, mutants, seeds)]
    write_section("Labels until a fault is found", FOUND + "\n" + table(head, rows))


def complete(name: str) -> list[Word]:
    """The inputs of the tests of `suite --method n-complete --machine`, in their order."""
    made = n_complete(read_model(DATA / f"{name}.dot"), machine=True)
    labels = chain(made.first_walks(), made.traces(made.first_walks()))
    return [tuple(label.message for label in trace if label.is_input) for trace in labels]


def distinguishing(name: str) -> list[Word]:
    """The inputs of the tests of `suite --method distinguish`, in their order."""
    test = identifying_test(specification(read_model(DATA / f"{name}.dot")))
    known = test.states.table
    expected = ExpectedTraces(known)
    plans = plans_without_prefixes(known, identifying_plans(test))
    return [tuple(known.labels[n].message for n in expected.trace(plan)[0] if n < known.inputs) for plan in plans]


OURS = {"distinguish": distinguishing, "n-complete": complete}


def aalpy_machine(name: str) -> Any:
    from aalpy.utils import load_automaton_from_file

    machine = load_automaton_from_file(str(DATA / f"{name}.dot"), "mealy", compute_prefixes=True)
    for state in machine.states:  # AALpy keeps the blank before the slash
        state.transitions = {given.strip(): after for given, after in state.transitions.items()}
        state.output_fun = {given.strip(): str(shown).strip() for given, shown in state.output_fun.items()}
        state.prefix = tuple(given.strip() for given in state.prefix)
    return machine


def w_suites(machine: Any) -> tuple[set[Word], set[Word]]:
    """What AALpy's W- and Wp-method play where the system has as many states as the machine."""
    from aalpy.oracles.WpMethodEqOracle import first_phase_it, second_phase_it

    alphabet, apart = machine.get_input_alphabet(), machine.compute_characterization_set()
    transitions = {(*state.prefix, given) for state in machine.states for given in alphabet}
    states = {state.prefix for state in machine.states}
    first = first_phase_it(alphabet, states, 1, apart)
    second = second_phase_it(machine, alphabet, transitions - states, 1)
    return {(*way, *one) for way in transitions for one in apart}, set(chain(first, second))


def size(words: Sequence[Word] | set[Word]) -> int:
    return sum(map(len, words)) + len(words)


def without_beginnings(words: set[Word]) -> set[Word]:
    order = sorted(words)
    return words - {one for one, after in pairwise(order) if after[: len(one)] == one}


def sizes(name: str) -> tuple[object, ...]:
    machine = aalpy_machine(name)
    w, wp = w_suites(machine)
    theirs = f"{len(wp):,}", f"{size(wp):,}", f"{size(without_beginnings(wp)):,}", f"{size(w):,}"
    ours = [(f"{len(one):,}", f"{size(one):,}", f"{size(one) / size(wp):.2f}") for make in OURS.values()
            for one in [make(name)]]  # fmt: skip
    return name, len(machine.states), len(machine.get_input_alphabet()), *theirs, *chain(*ours)


def as_table(machine: Any) -> Machine:
    initial = machine.initial_state
    order = [initial, *(state for state in machine.states if state is not initial)]
    return {
        state.state_id: {a: (state.output_fun[a], after.state_id) for a, after in state.transitions.items()}
        for state in order
    }


def as_automaton(machine: Machine) -> Any:
    """The machine as an automaton, for `check`."""
    steps = []
    for state, row in machine.items():
        for given, (shown, target) in row.items():
            middle = f"{target} with {shown}"
            steps += [(state, f'?"{given}"', middle), (middle, f'!"{shown}"', target)]
    return automaton(dict.fromkeys(steps), initial=next(iter(machine)))


def mutants_of(machine: Machine, count: int, seed: str) -> Iterator[Machine]:
    """Machines with one output or one target changed, in turn, that are not equivalent."""
    rng, spec = random.Random(seed), as_automaton(machine)
    outputs = sorted({shown for row in machine.values() for shown, _ in row.values()})
    made = 0
    while made < count:
        state = rng.choice(list(machine))
        given = rng.choice(list(machine[state]))
        shown, target = machine[state][given]
        if made % 2:
            shown = rng.choice([one for one in outputs if one != shown])
        else:
            target = rng.choice([one for one in machine if one != target])
        changed = {one: dict(row) for one, row in machine.items()}
        changed[state][given] = shown, target
        if not check(spec, as_automaton(changed)).conforms:
            made += 1
            yield changed


class Spent(Exception):
    """No more labels are left."""


class Counted:
    """A system for AALpy that counts inputs and resets."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.spent, self.num_queries, self.num_steps = machine, 0, 0, 0

    def pre(self) -> None:
        self.state = next(iter(self.machine))
        self._spend()

    def post(self) -> None:
        """Nothing to be done."""

    def step(self, given: str) -> str:
        self._spend()
        shown, self.state = self.machine[self.state][given]
        return shown

    def _spend(self) -> None:
        self.spent += 1
        if self.spent > BUDGET:
            raise Spent


def until_found(words: Sequence[Word], machine: Machine, mutant: Machine) -> int | None:
    """How much of a suite is played until a wrong output is seen."""
    spent = 0
    for word in words:
        spent += 1
        at = there = next(iter(machine))
        for given in word:
            spent += 1
            (shown, at), (seen, there) = machine[at][given], mutant[there][given]
            if shown != seen:
                return spent if spent <= BUDGET else None
    return None


def by_oracle(oracle: Any, hypothesis: Any, system: Counted) -> int | None:
    try:
        found = oracle.find_cex(hypothesis)
    except Spent:
        return None
    return system.spent if found is not None else None


def detection(name: str, count: int, seeds: int) -> Iterator[tuple[object, ...]]:
    from aalpy.oracles import RandomWalkEqOracle, RandomWpMethodEqOracle

    hypothesis, suites = aalpy_machine(name), {tester: make(name) for tester, make in OURS.items()}
    machine, alphabet = as_table(hypothesis), hypothesis.get_input_alphabet()
    found: dict[str, list[int | None]] = {tester: [] for tester in (*OURS, "random Wp", "random walk")}
    for number, mutant in enumerate(mutants_of(machine, count, f"mutants of {name}")):
        for tester, words in suites.items():
            found[tester].append(until_found(words, machine, mutant))
        for seed in range(seeds):
            random.seed(f"{name} {number} {seed}")  # AALpy draws from the one generator of Python
            system = Counted(mutant)
            wp = RandomWpMethodEqOracle(alphabet, system, num_tests=BUDGET)
            found["random Wp"].append(by_oracle(wp, hypothesis, system))
            system = Counted(mutant)
            walk = RandomWalkEqOracle(alphabet, system, num_steps=BUDGET)
            found["random walk"].append(by_oracle(walk, hypothesis, system))
    counted = {tester: [BUDGET if one is None else one for one in spent] for tester, spent in found.items()}
    best = min(statistics.mean(spent) for tester, spent in counted.items() if tester not in OURS)
    for tester, spent in counted.items():
        mean, lost = statistics.mean(spent), sum(one is None for one in found[tester])
        middle, most = statistics.median(spent), max(spent)
        counts = f"{middle:,.0f}", f"{mean:,.0f}", f"{most:,}", f"{lost} of {len(spent)}"
        yield name, count, tester, *counts, f"{mean / best:.2f}"


if __name__ == "__main__":
    main(*(int(given) for given in (sys.argv[1:] + ["60", "5"][len(sys.argv) - 1 :])))
