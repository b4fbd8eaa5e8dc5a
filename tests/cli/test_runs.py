"""The runs of a folder, listed, shown, compared and carried elsewhere by the command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from helpers.commands import PROGRAM
from outplay.model.programs.load import load_program


@pytest.fixture
def simulated(model):
    return ["run", model, "--sut", f"model:{model}", "--tester", "walk", "--plays", "3", "--steps", "8"]


def test_a_run_is_listed_and_shown_under_the_name_of_its_folder(outplay, simulated):
    assert outplay("runs", "list").out.startswith("no runs are kept here")
    assert outplay("runs", "list", "--json").json == {"runs": [], "together": []}
    first, second = outplay(*simulated, "--json").json, outplay(*simulated, "--seed", "5", "--json").json
    listed = outplay("runs", "list", "--json").json
    assert sorted(run["id"] for run in listed["runs"]) == sorted(os.listdir(".outplay/runs"))
    assert [(run["verdict"], run["plays"]) for run in listed["runs"]] == [("pass", 3)] * 2
    [together] = listed["together"]
    assert (together["runs"], together["plays"], together["most_failing"]) == (2, 6, pytest.approx(1 - 0.05 ** (1 / 6)))
    shown = outplay("runs", "show", "--json").json
    assert (shown["seed"], shown["result"]["steps"]) == (5, second["steps"])
    assert shown["result"]["coverage"] == second["coverage"]
    assert outplay("runs", "list").out.count("\n") == 5
    assert "6 plays" in outplay("runs", "show", listed["runs"][0]["id"]).out
    assert first["steps"] == listed["runs"][0]["steps"]


def test_a_failing_run_shows_its_play_and_how_it_differs_from_one_that_passed(outplay, simulated, model, system):
    outplay(*simulated)
    failing = ["run", model, "--sut", system("wrong"), "--plays", "3", "--silence", "5"]
    if outplay(*failing).code != 1:
        pytest.skip("the system of the tests has no such mode any more")
    good, bad = (run["id"] for run in outplay("runs", "list", "--json").json["runs"])
    assert "failed" in outplay("runs", "show", bad).out
    told = outplay("runs", "diff", good, bad, "--json").json
    assert told["failures"]["only_second"]
    assert "sut" in told["made"]
    assert "only the second failed so" in outplay("runs", "diff", good, bad).out


def test_runs_are_exported_and_imported_elsewhere(outplay, simulated):
    outplay(*simulated)
    ids = outplay("runs", "export", "-o", "runs.jsonl", "--json").json["runs"]
    assert outplay("runs", "import", "runs.jsonl", "--store", "other.db").out == "1 run imported\n"
    assert outplay("runs", "import", "runs.jsonl", "--json").json == {"new": [], "known": ids}
    assert outplay("runs", "show", "--store", "other.db").out == outplay("runs", "show").out


def test_nothing_to_run_is_not_kept(outplay):
    Path("silent.aut").write_text('des (0, 1, 2)\n(1, "?press", 1)\n')
    assert outplay("run", "silent.aut", "--sut", "model:silent.aut").code == 5
    assert not Path(".outplay").exists()


def test_a_foreign_store_is_one_warning_and_hides_no_verdict(outplay, simulated):
    Path(".outplay").mkdir()
    Path(".outplay/store.db").write_text("not a database, and long enough to be read as the head of one: " * 20)
    result = outplay(*simulated)
    assert (result.code, result.out.startswith("✓ Pass"), result.err.count("\n")) == (4, True, 1)
    assert result.err.startswith("outplay: .outplay/store.db: it is no store of outplay; move it away")
    listed = outplay("runs", "list")
    assert (listed.code, listed.err.count("\n")) == (4, 1)


def test_no_secret_is_in_the_store(outplay, model, system, monkeypatch):
    monkeypatch.setenv("DOOR_PASSWORD", "hunter2!hunter2")
    outplay("run", model, "--sut", f"{system('hunter2!hunter2')} --token=abcdefgh", "--plays", "1", "--silence", "5")
    kept = b"".join(path.read_bytes() for path in Path(".outplay").glob("store.db*"))
    assert b"<redacted" in kept
    assert b"hunter2!hunter2" not in kept
    assert b"abcdefgh" not in kept


@pytest.mark.promise("B6", trials=4)
def test_runs_at_the_same_time_are_all_kept_whole(outplay, simulated, model):
    load_program(model)
    running = [
        subprocess.Popen([*PROGRAM, *simulated, "--plays", "40", "--seed", str(seed)], stdout=subprocess.DEVNULL)
        for seed in range(4)
    ]
    assert [process.wait(timeout=120) for process in running] == [0] * 4
    listed = outplay("runs", "list", "--json").json
    assert [(run["verdict"], run["plays"]) for run in listed["runs"]] == [("pass", 40)] * 4
    assert listed["together"][0]["plays"] == 160
