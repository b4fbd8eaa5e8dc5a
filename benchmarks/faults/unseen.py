"""Automata on which no weight was ever chosen: random ones, and some of `shared/data` that no benchmark draws from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from benchmarks.faults.systems import DATA, System
from outplay import automaton, read_model
from outplay.conformance.transition_table import table_of

INPUTS, OUTPUTS = "abc", "xyz"


def drawn(number: int) -> System:
    """A random automaton: each question has one or two answers, and each answer leads anywhere."""
    rng = Random(f"unseen {number}")
    states = [f"q{state}" for state in range(rng.randint(5, 12))]
    steps = []
    for state in states:
        for question in rng.sample(INPUTS, rng.randint(1, len(INPUTS))):
            asked = f"{state}{question}"
            steps.append((state, f"?{question}", asked))
            answers = rng.sample(OUTPUTS, rng.choice((1, 1, 2)))
            steps += [(asked, f"!{answer}", rng.choice(states)) for answer in answers]
    return System(f"random {number}", table_of(automaton(steps)), dict)


def _read(name: str) -> System:
    return System(name, table_of(read_model(next(DATA.glob(f"*/{name}.dot")))), dict)


UNSEEN: dict[str, Callable[[], System]] = {
    **{f"random-{number}": partial(drawn, number) for number in range(4)},
    "linux": partial(_read, "TCP_Linux_Client"),
    "maestro": partial(_read, "ASN_learnresult_MAESTRO_fix"),
    "download": partial(_read, "tftp_download"),
    "iolts": partial(_read, "05_iolts"),
}
"""How each is made, by a short name."""
