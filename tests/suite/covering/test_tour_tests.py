"""Tours as suites and as plays: `suite --method tour` and `run --tester tour`."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.commands import called
from helpers.places import ROOT
from outplay import read_suite
from outplay.strategy.tours.postman_problem import NoTour
from outplay.tester.tester import End

LIFT = str(ROOT / "examples" / "tours" / "lift.efsm")
RUNNING = ROOT / "examples" / "tours" / "running.efsm"
TRAP = """digraph g { __start0 -> s0; s0 -> s0 [label="a/x"]; s0 -> s1 [label="b/x"]; s1 -> s1 [label="a/y"]; }"""


def test_a_tour_becomes_one_test_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    suite = tmp_path / "tests.json"
    done = called(capsys, "suite", RUNNING, "--method", "tour", "--strategy", "forward", "-o", suite)
    assert done.code == 0
    assert "cost 11; no test costs less; 12 goals met" in done.out
    assert "0 w=0 –a/d→ 1 w=0, 1 w=0 told from 0 w=0" in done.out
    (case,) = read_suite(suite).tests
    assert case.depth == 22
    played = called(capsys, "run", "--suite", suite, "--sut", f"model:{RUNNING}")
    assert played.code == 0


def test_an_adaptive_test_case_is_no_longer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    suite = tmp_path / "tests.json"
    done = called(capsys, "suite", RUNNING, "--method", "tour", "--strategy", "forward", "--adaptive", "-o", suite)
    assert done.code == 0
    (case,) = read_suite(suite).tests
    lengths = {len(trace) for trace in case.traces(End.PASS)}
    assert min(lengths) < max(lengths) == 22


def test_with_resets_a_tour_falls_apart_into_tests(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "trap.dot").write_text(TRAP)
    asked = ["suite", tmp_path / "trap.dot", "--method", "tour", "-o", tmp_path / "tests.json"]
    without = called(capsys, *asked, "--json").json
    assert [one["why"][:34] for one in without["missing"]] == ["no test may meet the transition: t"] * 2
    with_resets = called(capsys, *asked, "--reset-cost", "5", "--json").json
    assert (with_resets["cost"], with_resets["missing"], with_resets["labels"]) == (["8"], [], 6)


def test_a_run_along_tours_tells_what_was_planned_and_paid(capsys: pytest.CaptureFixture[str]):
    asked = ["run", RUNNING, "--tester", "tour", "--strategy", "forward", "--sut", f"model:{RUNNING}", "--plays", "10"]
    done = called(capsys, *asked)
    assert done.code == 0
    assert "tours: planned 11, where no plan promises less than 11; paid" in done.out
    assert "of 16 that the strategy wants" in done.out
    assert "changed its mind" not in done.out


def test_a_system_that_is_believed_to_be_deterministic_and_is_not_is_told(capsys: pytest.CaptureFixture[str]):
    asked = ["run", RUNNING, "--tester", "tour", "--strategy", "forward", "--sut", f"model:{RUNNING}", "--plays", "5"]
    done = called(capsys, *asked, "--deterministic")
    assert "the system changed its mind, so it is not deterministic" in done.out
    assert "paid 0" not in done.out


def test_a_run_starts_the_system_again_where_it_may(capsys: pytest.CaptureFixture[str]):
    asked = ["run", LIFT, "--tester", "tour", "--sut", f"model:{LIFT}", "--plays", "10"]
    without = called(capsys, *asked).out
    assert "surely shown: 1 of 6" in without
    assert "5 transitions no safe way leads to and back from; allow the tester to start the system again" in without
    assert "surely shown: 6 of 6" in called(capsys, *asked, "--reset-cost", "3").out


def test_an_adaptive_test_has_its_resets_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "tests.json"
    called(capsys, "suite", LIFT, "--method", "tour", "--adaptive", "--reset-cost", "3", "-o", path)
    assert '"?reset"' in path.read_text()
    done = called(capsys, "run", "--suite", path, "--sut", f"model:{LIFT}")
    assert "1 test passed" in done.out


def test_a_run_that_is_too_short_for_a_tour_says_so(capsys: pytest.CaptureFixture[str]):
    asked = ["run", RUNNING, "--tester", "tour", "--sut", f"model:{RUNNING}", "--plays", "2", "--steps", "3"]
    assert "no tour was played to its end: as planned it takes 16 labels, see --steps" in called(capsys, *asked).out


def test_a_run_gives_tours_up_that_are_too_dear(capsys: pytest.CaptureFixture[str]):
    asked = ["run", RUNNING, "--tester", "tour", "--strategy", "forward", "--sut", f"model:{RUNNING}", "--plays", "5"]
    assert "paid 4 in 5 plays" in called(capsys, *asked, "--budget", "4").out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--strategy", "foward"], "forward"),
        (["--depth", "3"], "takes no --depth"),
    ],
)
def test_mistakes_are_told(arguments: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    done = called(capsys, "suite", RUNNING, "--method", "tour", *arguments, "-o", tmp_path / "tests.json")
    assert done.code == 2
    assert complaint in done.err


def test_a_model_that_is_no_machine_has_no_tours(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lamp = ROOT / "examples" / "mp3" / "mp3.aut"
    done = called(capsys, "suite", lamp, "--method", "tour", "-o", tmp_path / "tests.json")
    assert done.code == 2
    assert "tours are walks of machines" in done.err


def test_where_time_is_up_no_tour_is_called_impossible(capsys: pytest.CaptureFixture[str], monkeypatch):
    late = NoTour((), "none was found in the time there was; give it more")
    monkeypatch.setattr("outplay.suite.covering.tour_tests.plan_tour", lambda *_, **__: late)
    done = called(capsys, "suite", RUNNING, "--method", "tour", "--count")
    assert done.code == 2
    assert "no tour found for transitions: none was found in the time there was" in done.err
    assert "there is no tour" not in done.err
