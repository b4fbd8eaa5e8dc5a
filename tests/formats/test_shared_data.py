"""Public model files load, are written and read again equal; the test prints what was found and how long it took."""

from __future__ import annotations

import time

import pytest

from helpers.places import shared_data
from outplay import Game
from outplay.formats.registry import read_model, write_model
from outplay.model.automaton import Automaton
from outplay.model.machine import Machine

DATA = shared_data()
FOLDERS = ("mealy", "onfsm", "iolts", "ioco-pairs", "lts", "lattest", "mdp", "esm")
FILES = [
    path
    for folder in FOLDERS
    for path in sorted((DATA / folder).glob("*"))
    if path.suffix in (".aut", ".csv", ".dot", ".drn", ".fsm")
]
pytestmark = pytest.mark.skipif(not FILES, reason="no folder shared/data beside the repository")
SLOWEST = 5.0  # seconds of this process alone, so that others on the machine do not count; a hang, not a measure

# states, inputs, outputs, transitions, counted without our readers
SIZES = {
    "mealy/ASN_learnresult_MAESTRO_fix.dot": (6, 14, 10, 84),
    "mealy/OpenSSH.dot": (31, 22, 19, 682),
    "mealy/TCP_Linux_Client.dot": (15, 10, 11, 150),
    "mealy/car_alarm.dot": (6, 2, 2, 12),
    "mealy/coffee_mealy.dot": (2, 2, 3, 4),
    "mealy/m54.dot": (27, 10, 18, 270),
    "mealy/m76.dot": (210, 26, 34, 5460),
    "mealy/m106.dot": (79, 83, 25, 6557),
    "mealy/m172.dot": (113, 98, 29, 11074),
    "mealy/mosquitto__two_client_will_retain.dot": (18, 9, 21, 162),
    "mealy/tcp_server_ubuntu_trans.dot": (57, 12, 9, 684),
    "onfsm/onfsm_4.dot": (4, 1, 4, 6),
    "iolts/00_car_alarm.dot": (18, 4, 9, 27),
    "iolts/tftp_upload.dot": (14, 2, 3, 22),
    "ioco-pairs/13_ioco_S.dot": (5, 1, 2, 11),
    "lattest/spec.aut": (8, 3, 2, 11),
    "lts/abp.aut": (74, 0, 0, 92),
    "lts/vasy_5_9.csv": (5486, 0, 0, 9392),
    "esm/Mealy_3410_esm.fsm": (3410, 78, 151, 3410 * 78),
}
# states, choices, transitions: the table beside the files
PROCESSES = {
    "consensus-2-2.drn": (272, 400, 492, "finished"),
    "consensus-4-2.drn": (22656, 60544, 75232, "finished"),
    "csma-2-2.drn": (1038, 1054, 1282, "all_delivered"),
    "firewire-3.drn": (4093, 5515, 5581, "done"),
}


def sizes(model):
    if isinstance(model, Machine):
        return len(model.names), len(model.inputs), len(model.outputs), len(model.steps)
    if isinstance(model, Game):
        states = int((model.owner == 0).sum())
        choices = int((model.moves == 0).sum())
        return states, choices, 0, model.edge_count - choices
    inputs = sum(label.is_input for label in model.used_labels)
    outputs = sum(label.is_output for label in model.used_labels)
    return model.state_count, inputs, outputs, model.transition_count


def called(path):
    return f"{path.parent.name}/{path.name}"


@pytest.fixture(scope="module")
def table(request):
    """Collects a line for each file and prints them at the end, past the capturing of output."""
    lines = []
    yield lines
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{'file':45} {'kind':9} {'states':>7} {'inputs':>7} {'outputs':>7} {'transit.':>8} {'load ms':>8}")
        for name, kind, (states, inputs, outputs, transitions), seconds in lines:
            print(f"{name:45} {kind:9} {states:7} {inputs:7} {outputs:7} {transitions:8} {seconds * 1000:8.1f}")


@pytest.mark.xdist_group("shared data")
@pytest.mark.parametrize("path", FILES, ids=called)
def test_a_public_file_loads_and_is_written_and_read_again_equal(path, table):
    start = time.process_time()
    model = read_model(path, name="m")
    seconds = time.process_time() - start
    table.append((called(path), type(model).__name__, sizes(model), seconds))
    assert seconds < SLOWEST
    write_model(f"again{path.suffix}", model)
    assert read_model(f"again{path.suffix}", name="m") == model
    if called(path) in SIZES:
        assert sizes(model) == SIZES[called(path)]


def test_machines_are_found_to_be_what_they_are():
    kinds = {"mealy": Machine, "onfsm": Machine, "iolts": Automaton, "ioco-pairs": Automaton}
    for path in FILES:
        if path.parent.name in kinds:
            model = read_model(path)
            assert isinstance(model, kinds[path.parent.name]), path
            if isinstance(model, Machine):
                assert model.moore == (path.name == "car_alarm.dot"), path
                assert model.deterministic == (
                    path.parent.name == "mealy" or path.name in ("onfsm_0.dot", "onfsm_3.dot")
                )
            else:
                assert model.directed(), path


@pytest.mark.parametrize("name", PROCESSES)
def test_processes_have_the_sizes_of_the_table_beside_them(name):
    game = read_model(DATA / "mdp" / name)
    *counts, goal = PROCESSES[name]
    states, choices, _, transitions = sizes(game)
    assert [states, choices, transitions] == counts
    assert game.names[game.initial] == "0"
    assert list(game.goals) == [goal]
    assert int(game.owner.sum()) == choices


@pytest.mark.parametrize("name", [name for name in SIZES if name.endswith(".dot")][:6])
def test_what_comes_from_a_collection_can_be_written_to_other_formats(name):
    model = read_model(DATA / name, name="m")
    write_model("m.gv", model)
    assert read_model("m.gv", name="m") == model
    if len(model.steps) <= 500:
        write_model("m.mmd", model)
    write_model("m.fsm", model)
    assert set(read_model("m.fsm", name="m").steps) == set(model.steps)
