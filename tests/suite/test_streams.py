"""A suite is a stream from generator to file to runner: a thousand times more tests take no more memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest

from outplay.errors import FormatError
from outplay.formats.common.writing import write_whole
from outplay.formats.suites.suite_json import dump_suite, read_suite
from outplay.runs.job import suite_job
from outplay.suite.suite import Stream, Suite, case_of


def many(count: int) -> Suite:
    """A suite of so many different tests, each made when it is asked for."""

    def made():
        for number in range(count):
            rows = [("t0", f"?a {number % 50}", "t1"), ("t1", "!x", "pass"), ("t1", "delta", "fail")]
            yield case_of(rows, name=f"test {number}")

    return Suite("lamp.aut", "by hand", Stream(made), guarantee="nothing", count=count)


def peak(what) -> int:
    """The most memory that something takes beyond what was there, in bytes."""
    tracemalloc.start()
    try:
        what()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def written_and_read(path: Path, count: int) -> None:
    write_whole(path, dump_suite(many(count)))
    suite = read_suite(path)
    assert suite.size == count
    assert sum(test.depth for test in suite.tests) == 2 * count
    assert suite_job(str(path)).model == "lamp.aut"


def test_writing_and_reading_need_no_memory_for_the_tests(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr("outplay.formats.common.source._AT_ONCE", 1024)  # so that few tests are many bits already
    written_and_read(tmp_path / "warm.json", 50)
    few = peak(lambda: written_and_read(tmp_path / "few.json", 100))
    lots = peak(lambda: written_and_read(tmp_path / "lots.json", 700))
    assert lots < few + 300 * 600, "test cases are kept, which take thousands of bytes each"


def memory_of(code: str) -> int:
    """The most memory that a process of its own takes to run some code, in bytes."""
    told = f"{code}\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    run = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True)
    return 1024 * int(run.stdout.split()[-1])


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_million_tests_are_made_written_and_read_in_the_memory_of_a_thousand(tmp_path):
    steps = [*((0, f"?a{number}", 0) for number in range(9)), (0, "?b", 1), (1, "!x", 0)]
    rows = "".join(f'({source}, "{label}", {target})\n' for source, label, target in steps)
    (tmp_path / "model.aut").write_text(f"des (0, {len(steps)}, 2)\n{rows}")
    write = """
from outplay.runs.suite_runs.suite_making import make_suite
from outplay.formats.suites.suite_json import dump_suite
from outplay.formats.common.writing import write_whole
suite = make_suite({model!r}, "n-complete", states={states})
write_whole({path!r}, dump_suite(suite))
"""
    read = "from outplay.formats.suites.suite_json import read_suite\nassert read_suite({path!r}).size == {count}"
    taken = []
    for states, count in ((4, 1_222), (7, 1_257_642)):
        said = {"model": str(tmp_path / "model.aut"), "path": str(tmp_path / "suite.json"), "states": states}
        taken.append([memory_of(code.format(**said, count=count)) for code in (write, read)])
    assert (tmp_path / "suite.json").stat().st_size > 64 << 20  # larger than any file that is read whole
    (written, known), (written_many, known_many) = taken
    assert written_many - written < 20 << 20
    assert known_many - known < 40 << 20  # eight bytes for each name, sorted


def test_the_tests_are_made_anew_each_time_and_only_as_far_as_they_are_asked_for():
    made = []

    def cases():
        for number in range(5):
            made.append(number)
            yield case_of([], initial="pass", name=str(number))

    suite = Suite(tests=Stream(cases))
    assert [test.name for test in islice(suite.tests, 2)] == ["0", "1"]
    assert suite.test("1").name == "1"
    assert made == [0, 1, 0, 1]
    assert suite.size is None


def test_a_suite_keeps_its_guarantee_in_its_file(tmp_path):
    write_whole(tmp_path / "s.json", dump_suite(many(2)))
    read = read_suite(tmp_path / "s.json")
    assert (read.guarantee, read.method, read.size) == ("nothing", "by hand", 2)


def test_a_stream_that_breaks_off_leaves_no_file(tmp_path):
    def broken():
        yield case_of([], initial="pass", name="one")
        raise FormatError("no more")

    with pytest.raises(FormatError, match="no more"):
        write_whole(tmp_path / "s.json", dump_suite(Suite(tests=Stream(broken))))
    assert list(tmp_path.iterdir()) == []


def test_a_second_test_of_a_name_is_found_however_far_it_is_from_the_first(tmp_path):
    path = tmp_path / "s.json"
    write_whole(path, dump_suite(many(500)))
    text = path.read_text()
    path.write_text(text.replace('"test 499"', '"test 3"'))
    line = text[: text.index('"test 499"')].count("\n") + 1
    with pytest.raises(FormatError, match=rf"s\.json:{line}:3: a second test called 'test 3'; rename one"):
        read_suite(path)


def test_bytes_that_are_no_text_are_told_at_their_place_in_a_file_of_many_bits(tmp_path):
    path = tmp_path / "s.json"
    write_whole(path, dump_suite(many(1500)))
    content = path.read_bytes()
    assert len(content) > 2 << 16
    place = content.index(b"test 1400")
    path.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
    line = content.count(b"\n", 0, place) + 1
    column = place - content.rfind(b"\n", 0, place)
    with pytest.raises(FormatError, match=rf"s\.json:{line}:{column}: not UTF-8"):
        read_suite(path)
