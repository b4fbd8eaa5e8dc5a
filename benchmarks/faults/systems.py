"""The systems that are tested: each a model, its table, and where its mutants come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.faults import program_changes, small_data
from benchmarks.faults.mutants import MOST_TRIES, Candidates, MutantSets, Verdict, anew, mutant_sets
from benchmarks.faults.rows import Rows, lists_of, of_lists
from benchmarks.faults.table_changes import TableChanges
from outplay import read_model
from outplay.conformance import minimised
from outplay.conformance.completion import automaton_of_table
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.model.programs.load import load_program

HERE = Path(__file__).resolve().parent
CHAT = HERE.parents[1] / "examples" / "chat" / "model.py"
DATA = HERE.parents[2] / "shared" / "data"
SEED = "faults drawn after the tester was done"


@dataclass(frozen=True, eq=False)
class System:
    """A model as a table, how its systems take inputs, and what may be wrong with them."""

    name: str
    table: TransitionTable
    candidates: Callable[[], Candidates]
    races: bool = False
    """Where an output is possible, it comes before an input half of the time, and the input is then not taken."""
    machine: Path | None = None
    """The file of a machine with one answer to each question; some test nothing else, and its mutants go together."""
    tries: int = MOST_TRIES
    """Candidates that are tried for two mutants of a kind; fewer where it takes long to prove that one is wrong."""
    fewest: int = 0
    """Mutants that are played at least, where that is more than asked for."""

    @cached_property
    def model(self) -> Any:
        """The table as a model that outplay itself plays."""
        return automaton_of_table(self.table)

    @cached_property
    def moves(self) -> list[dict[int, int]]:
        """Where labels lead, a row for each state."""
        return [self.table.moves(state) for state in range(self.table.state_count)]

    @cached_property
    def right(self) -> Rows:
        """The system that does all that the model allows."""
        return of_lists(*lists_of(self.table))

    def mutants(self, count: int, verdicts: Verdict = anew) -> MutantSets:
        return mutant_sets(self.table, self.candidates(), count, verdicts, self.tries)


def machine(name: str, file: str, drawing: str = SEED) -> System:
    """A machine with many mutants, which are played beside each other."""
    path = DATA / "mealy" / f"{file}.dot"
    table = table_of(read_model(path))
    rng = Random(f"{drawing} {name}")
    return System(name, table, lambda: TableChanges(table, rng).of_machine(), machine=path, fewest=200)


def _automaton(name: str, file: str, drawing: str = SEED) -> System:
    table = table_of(read_model(DATA / "iolts" / f"{file}.dot"))
    return System(name, table, lambda: TableChanges(table, Random(f"{drawing} {name}")).of_automaton())


def _many(system: System, count: int) -> System:
    """A system with more mutants, of which the first are the same: among few, some that take long decide the mean."""
    return replace(system, name=f"{system.name}, {count} mutants", fewest=count)


def _program(
    name: str, path: Path, model: str, drawing: str = SEED, *, races: bool = False, tries: int = MOST_TRIES
) -> System:
    """A model program; its mutants are programs too."""
    table = table_of(load_program(f"{path}:{model}"))
    rng = Random(f"{drawing} {name}")
    return System(name, table, lambda: program_changes.candidates(path, model, table.labels, rng), races, tries=tries)


def _chat(drawing: str = SEED, *, races: bool) -> System:
    return _program("chat with races" if races else "chat", CHAT, "Chat", drawing, races=races)


def _chat_states(drawing: str = SEED) -> System:
    """The chat with faults that no program has: of one of its states alone."""
    table = table_of(load_program(f"{CHAT}:Chat"))
    rng = Random(f"{drawing} chat states")
    return System("chat, one state", table, lambda: TableChanges(table, rng).of_automaton())


def _retransmission(drawing: str = SEED) -> System:
    """The register automaton over two data; states that no test tells apart, such as by an old register, are one."""
    system = read_model(DATA / "brp" / "BRP_reference.register.xml")
    inputs, outputs = range(2), range(5)
    table = table_of(minimised(small_data.SmallData(system, inputs, outputs)).automaton)
    rng = Random(f"{drawing} BRP")
    return System("BRP", table, lambda: small_data.candidates(system, table.labels, inputs, outputs, rng))


SYSTEMS: dict[str, Callable[..., System]] = {
    "brp": _retransmission,
    "chat": partial(_chat, races=False),
    "chat-races": partial(_chat, races=True),
    "chat-states": _chat_states,
    "alarm": partial(_automaton, "car alarm", "00_car_alarm"),
    "alarm-many": lambda drawing=SEED: _many(SYSTEMS["alarm"](drawing), 200),
    "tftp": partial(_automaton, "TFTP", "tftp_upload"),
    "tcp": partial(machine, "TCP server", "tcp_server_ubuntu_trans"),
    "ssh": partial(machine, "SSH server", "OpenSSH"),
    "mqtt": partial(machine, "MQTT broker", "mosquitto__two_client_will_retain"),
    "m76": partial(machine, "m76", "m76"),
    "store": partial(_program, "store", HERE / "store.py", "Store", tries=12),
    "lock": partial(_program, "lock", HERE / "lock.py", "Lock", races=True),
}
"""How each system is made, by a short name; from another text than `SEED` other mutants are drawn."""
