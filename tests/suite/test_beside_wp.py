"""n-complete suites of machines beside those of the Wp-method: never larger, in inputs and resets."""

from __future__ import annotations

from random import Random

import pytest

from helpers.machines import random_machine
from helpers.places import ROOT, shared_data
from outplay.formats.registry import read_model
from outplay.model.machine import Machine
from outplay.suite.complete.n_complete import n_complete
from outplay.suite.complete.normal_form import normal_form


def wp_suite(machine: Machine, extra: int) -> list[tuple[str, ...]]:
    """The suite of AALpy's Wp-method, as it executes it."""
    automata = pytest.importorskip("aalpy.automata", reason="AALpy is not installed")
    from aalpy.oracles.WpMethodEqOracle import first_phase_it, second_phase_it

    states = [automata.MealyState(name) for name in machine.names]
    for source, given, shown, target in machine.steps:
        states[source].transitions[given], states[source].output_fun[given] = states[target], shown
    made = automata.MealyMachine(states[0], states)
    made.compute_prefixes()
    told = made.compute_characterization_set(raise_warning=False)
    cover = {state.prefix for state in made.states}
    further = {(*state.prefix, given) for state in made.states for given in machine.inputs} - cover
    first = first_phase_it(list(machine.inputs), cover, extra + 1, told)
    return list({*first, *second_phase_it(made, list(machine.inputs), further, extra + 1)})


def minimal_machine(seed: int) -> Machine:
    """A machine all of whose states can be reached and told apart."""
    rng = Random(f"wp {seed}")
    while True:
        size, inputs = rng.randint(2, 7), "abc"[: rng.randint(2, 3)]
        found = random_machine(rng, size, inputs, answers=(1,))
        if set(found.names) <= set(normal_form(found).table.names):
            return found


def symbols(traces) -> int:
    """Inputs and resets."""
    return sum(map(len, traces)) + len(traces)


def ours(machine: Machine, states: int) -> int:
    """Inputs and resets of `suite --method n-complete --machine`."""
    made = n_complete(machine, states, machine=True)
    traces = [*made.first_walks(), *made.traces()]
    return symbols([[label for label in trace if label.is_input] for trace in traces])


@pytest.mark.parametrize("seed", range(30))
def test_for_machines_no_suite_is_larger_than_that_of_the_wp_method(seed):
    machine, extra = minimal_machine(seed), int(seed % 3 == 0)
    assert ours(machine, len(machine.names) + extra) <= symbols(wp_suite(machine, extra))


LEARNED = shared_data("mealy")


@pytest.mark.skipif(not LEARNED.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "size", "theirs"),
    [
        ("TCP_Linux_Client", 1961, 2593),
        ("mosquitto__two_client_will_retain", 2035, 3374),
        pytest.param("tcp_server_ubuntu_trans", 15398, 41039, marks=pytest.mark.long),
    ],
)
def test_the_figures_of_learned_machines_in_the_documentation_are_right(name, size, theirs):
    machine = read_model(LEARNED / f"{name}.dot")
    found = ours(machine, len(machine.names)), symbols(wp_suite(machine, 0))
    assert found == (size, theirs)
    page = " ".join((ROOT / "docs" / "conformance.md").read_text(encoding="utf-8").split())
    assert f"{size:,} beside {theirs:,}" in page
