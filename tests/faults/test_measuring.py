"""A comparison of testers: what was kept is not played again, and the section says what was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from helpers.faults import machine_system

from benchmarks.faults import measuring  # isort: skip  (helpers.faults puts it on the path)
from benchmarks.faults.playing import Found  # isort: skip
from benchmarks.faults.section import beside, section  # isort: skip


def test_what_was_kept_is_not_played_again(tmp_path: Path, monkeypatch):
    system, kept = machine_system(), tmp_path / "kept"
    mutants = system.mutants(2, measuring.Verdicts(kept, "machine")).by_set["development"]
    jobs = list(measuring.jobs_of(system, "development", mutants, {"greedy": 5, "walk": 2}))
    assert sorted({(job.tester, len(job.seeds)) for job in jobs}) == [
        ("greedy", 1), ("greedy", 4), ("possible", 1), ("walk", 2),
    ]  # fmt: skip
    first = measuring.measured(jobs, 1, kept)
    counts = {key: [len(plays) for plays in by_mutant.values()] for key, by_mutant in first.found.items()}
    assert counts == {("machine", "greedy"): [5, 5], ("machine", "walk"): [2, 2]}
    monkeypatch.setattr(measuring, "_run", lambda place: pytest_fail(place))
    again = measuring.measured(jobs, 1, kept)
    assert again == first
    proofs = measuring.Verdicts(kept, "machine")
    assert proofs(mutants[0].what, lambda: pytest_fail(0)) is True


def pytest_fail(place: int) -> None:
    raise AssertionError(f"job {place} is played again")


def test_the_section_counts_what_was_not_found_as_the_limit_and_keeps_the_best_walk():
    system = machine_system()
    found = {
        ("machine", "outplay run"): {0: [Found(4)], 1: [Found(6)]},
        ("machine", "uniform 0.0"): {0: [Found(None)], 1: [Found(10)]},
        ("machine", "uniform 0.1"): {0: [Found(20)], 1: [Found(40)]},
        ("machine", "walk"): {0: [Found(1)], 1: [Found(1)]},
    }
    testers = [name for _, name in found]
    text = section([system], testers, measuring.Results(found, {"machine": [3.0, 5.0]}), {"machine": 7})
    rows = [[cell.strip() for cell in line.split("|")[4:10]] for line in text.splitlines() if line.startswith("| ")][2:]
    assert [row[:2] + row[3:6] for row in rows] == [
        ["outplay run", "2", "5.0", "0.0%", "0.17"],
        ["uniform 0.1", "2", "30.0", "0.0%", "1.00"],
        ["walk", "2", "1.0", "0.0%", "0.03"],
        ["possible", "", "4.0", "", "0.13"],
    ]
    assert "machine yes (5.0, half of the best peer is 15.0)" in text


def test_mutants_that_a_peer_finds_more_often_are_counted():
    found = {
        ("machine", "outplay run"): {
            0: [Found(4), Found(None)],
            1: [Found(6), Found(6)],
            2: [Found(None), Found(None)],
        },
        ("machine", "greedy"): {0: [Found(90), Found(90)], 1: [Found(9), Found(9)], 2: [Found(None), Found(None)]},
        ("machine", "walk"): {0: [Found(1), Found(1)], 1: [Found(1), Found(1)], 2: [Found(1), Found(1)]},
    }
    results = measuring.Results(found, {"machine": [3.0] * 3})
    text = section([machine_system()], [name for _, name in found], results, {"machine": 0})
    assert "1 mutants missed in more plays than by a peer)" in text, "walk is ours too, and no peer"


def test_systems_that_were_not_played_stay_on_the_page_as_they_are():
    def told(name: str, labels: int) -> str:
        system = replace(machine_system(), name=name)
        found = {(name, "outplay run"): {0: [Found(labels)]}, (name, "greedy"): {0: [Found(20)]}}
        results = measuring.Results(found, {name: [3.0]}, {name: 2.0})
        return section([system], ["outplay run", "greedy"], results, {name: 7})

    both = beside(told("one", 4), told("other, of two", 6))
    assert beside(both, "") == both
    anew = beside(both, told("one", 9))
    assert anew == beside(told("one", 9), told("other, of two", 6))
    assert "one yes (9.0, half of the best peer is 10.0); other, of two yes (6.0," in anew
    ours_alone = "\n".join(line for line in told("one", 9).splitlines() if "greedy" not in line)
    assert beside(both, ours_alone) == anew
