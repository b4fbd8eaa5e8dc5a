"""Each run has a folder of its own, nothing is overwritten, and a file that cannot be written costs no verdict."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from helpers.commands import PROGRAM, called
from outplay.errors import NothingToRun
from outplay.formats.trace_jsonl import read_trace
from outplay.play.trace import TraceHeader
from outplay.runs import recording
from outplay.runs.job import read_job
from outplay.runs.recording import Record
from outplay.runs.run_folders import RunFolder

LAMP = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n'
SMOKE = LAMP.replace("light", "smoke")
RUN = ("run", "lamp.aut", "--sut", "model:lamp.aut", "--plays", "3", "--steps", "6")
FAIL = ("run", "lamp.aut", "--sut", "model:smoke.aut", "--steps", "6")


@pytest.fixture
def outplay(capsys):
    Path("lamp.aut").write_text(LAMP)
    Path("smoke.aut").write_text(SMOKE)
    return lambda *arguments: called(capsys, *arguments)


def runs() -> list[Path]:
    return sorted(Path(".outplay/runs").iterdir())


def test_a_run_leaves_its_job_trace_failure_and_report_in_one_folder(outplay):
    said = outplay(*FAIL, "--json").json
    [folder] = runs()
    assert sorted(os.listdir(folder)) == ["failures", "job.json", "report.html", "trace.jsonl"]
    assert said["trace"] == str(next((folder / "failures").iterdir()))
    assert said["report"] == str(folder / "report.html")
    assert read_job(folder / "job.json").sut == "model:smoke.aut"
    assert Path(".outplay/last").resolve() == folder.resolve()


def test_nothing_is_overwritten_and_the_newest_is_linked(outplay):
    outplay(*FAIL, "--shrink", "0")
    before = {path: path.read_bytes() for path in Path(".outplay/runs").rglob("*") if path.is_file()}
    assert len(before) == 4
    said = outplay(*RUN, "--json").json
    assert all(path.read_bytes() == content for path, content in before.items())
    assert len(runs()) == 2
    assert Path(said["trace"]).samefile(".outplay/last/trace.jsonl")


def test_where_there_is_nothing_to_run_nothing_is_left(outplay):
    Path("silent.aut").write_text('des (0, 1, 2)\n(1, "?press", 1)\n')
    nothing = ("run", "silent.aut", "--sut", "model:silent.aut")
    assert outplay(*nothing, "--trace", "here.jsonl").code == 5
    assert sorted(os.listdir()) == ["lamp.aut", "silent.aut", "smoke.aut"]
    outplay(*RUN)
    outplay(*RUN)
    before = sorted(Path(".outplay").rglob("*"))
    newest = Path(".outplay/last").resolve()
    assert outplay(*nothing).code == 5
    assert sorted(Path(".outplay").rglob("*")) == before
    assert Path(".outplay/last").resolve() == newest


def test_where_two_had_nothing_to_run_the_run_before_them_is_the_last_again(outplay):
    outplay(*RUN)
    kept = Path(".outplay/last").resolve()
    for withdrawn in (RunFolder(), RunFolder()):
        withdrawn.withdraw()
    assert Path(".outplay/last").resolve() == kept
    first, second = RunFolder(), RunFolder()
    first.withdraw()
    assert Path(".outplay/last").resolve() == second.path.resolve()
    second.withdraw()
    assert Path(".outplay/last").resolve() == kept


def test_where_there_are_no_links_the_last_run_is_named_again_too(outplay, monkeypatch):
    def refused(*_):
        raise OSError("no links here")

    monkeypatch.setattr(Path, "symlink_to", refused)
    outplay(*RUN)
    named = Path(".outplay/last").read_text()
    RunFolder().withdraw()
    assert Path(".outplay/last").read_text() == named


def test_a_trace_that_could_not_be_written_is_not_removed(monkeypatch):
    def refused(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    mine = Path("mine.jsonl")
    mine.write_text("older\n")
    monkeypatch.setattr(recording, "_opened", refused)
    header = TraceHeader(model="lamp.aut", model_hash="", sut="")
    record = Record(header, trace=mine)
    record.close(NothingToRun("nothing to run"))
    assert record.lost
    assert mine.read_text() == "older\n"


@pytest.mark.promise("B6", trials=8)
def test_runs_at_the_same_time_in_one_folder_all_stay_judgeable(outplay):
    running = [
        subprocess.Popen([*PROGRAM, *RUN, "--tester", "walk", "--seed", str(seed)], stdout=subprocess.DEVNULL)
        for seed in range(8)
    ]
    assert [process.wait(timeout=120) for process in running] == [0] * 8
    assert len(runs()) == 8
    traces = [read_trace(folder / "trace.jsonl") for folder in runs()]
    assert sorted(trace.header.seed for trace in traces) == list(range(8))
    assert all(outplay("judge", "lamp.aut", folder / "trace.jsonl").code == 0 for folder in runs())
    assert Path(".outplay/last").resolve() in [folder.resolve() for folder in runs()]


def test_so_many_runs_are_kept_and_those_with_failures_longest(outplay):
    outplay(*FAIL)
    [failed] = runs()
    Path(".outplay/runs/mine").mkdir()
    for _ in range(4):
        assert outplay(*RUN, "--keep-runs", "3").code == 0
    kept = [folder for folder in runs() if folder.name != "mine"]
    assert len(kept) == 3
    assert failed in kept
    assert Path(".outplay/last").resolve() in [folder.resolve() for folder in kept]
    assert Path(".outplay/runs/mine").is_dir()


def test_a_run_that_still_goes_on_is_not_removed():
    with closing(RunFolder()) as first:
        program = "from outplay.runs.run_folders import RunFolder; RunFolder(keep=1).close()"
        subprocess.run([sys.executable, "-c", program], check=True)
        assert first.path.is_dir()
    with closing(RunFolder(keep=1)) as last:
        assert runs() == [last.path]


def test_where_there_are_no_links_a_file_names_the_newest_run(monkeypatch):
    def refused(*_):
        raise OSError("no links here")

    monkeypatch.setattr(Path, "symlink_to", refused)
    with closing(RunFolder()) as made:
        assert Path(".outplay", Path(".outplay/last").read_text().strip()) == made.path


def test_the_trace_can_be_written_elsewhere(outplay):
    assert outplay(*RUN, "--trace", "deep/t.jsonl", "--json").json["trace"] == "deep/t.jsonl"
    assert read_trace(Path("deep/t.jsonl")).events
    assert not Path(".outplay/last/trace.jsonl").exists()


@pytest.mark.promise("B6")
def test_two_runs_do_not_share_one_trace(outplay):
    import fcntl

    with Path("t.jsonl").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write("theirs")
        other.flush()
        result = outplay(*RUN, "--trace", "t.jsonl")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "another run is writing it" in result.err
    assert Path("t.jsonl").read_text() == "theirs"


@pytest.mark.promise("B6")
@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null here")
def test_any_number_of_runs_write_their_traces_to_one_device(outplay):
    import fcntl

    with Path("/dev/null").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        result = outplay(*RUN, "--trace", "/dev/null")
    assert (result.code, result.err) == (0, "")


@pytest.mark.promise("B6")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(("typed", "code", "verdict"), [(RUN, 4, "pass"), (FAIL, 1, "fail")])
def test_a_full_disk_is_one_warning_and_never_hides_a_verdict(outplay, typed, code, verdict):
    result = outplay(*typed, "--trace", "/dev/full", "--json")
    assert (result.code, result.json["verdict"]) == (code, verdict)
    assert [line for line in result.err.splitlines() if "/dev/full" in line] == [
        "outplay: the trace is not whole: /dev/full: No space left on device; make room there"
    ]


@pytest.mark.promise("B6")
@pytest.mark.parametrize(("typed", "code", "verdict"), [(RUN, 4, "✓ Pass"), (FAIL, 1, "✗ Fail")])
def test_no_place_for_records_is_one_warning_and_never_hides_a_verdict(outplay, typed, code, verdict):
    Path(".outplay").write_text("a plain file")
    result = outplay(*typed)
    assert (result.code, result.out.startswith(verdict)) == (code, True)
    assert result.err.count("\n") == 1
    assert result.err.startswith("outplay: .outplay/runs: ")
    assert "replay:" not in result.out


@pytest.mark.parametrize(("more", "told"), [((), "against what may be wrong"), (("--tester", "walk"), "a random walk")])
def test_the_report_says_who_played_without_a_goal(outplay, more, told):
    outplay(*RUN, *more)
    assert f"none: {told}" in Path(".outplay/last/report.html").read_text()


def test_a_trace_to_a_pipe_that_nobody_reads_costs_the_trace_and_no_more(outplay, monkeypatch):
    monkeypatch.setattr(recording, "PATIENCE", 0.1)
    os.mkfifo("pipe")
    done = outplay(*RUN, "--trace", "pipe")
    assert (done.code, "pipe: nobody reads this pipe" in done.err) == (4, True), done


def test_a_trace_to_a_pipe_is_read_as_it_grows(outplay):
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        assert outplay(*RUN, "--trace", "pipe").code == 0
        said, _ = reader.communicate(timeout=30)
    Path("read.jsonl").write_bytes(said)
    assert not read_trace(Path("read.jsonl")).cut


@pytest.mark.parametrize("reads", [False, True], ids=["nobody", "a reader that stops"])
def test_a_signal_is_heard_while_a_pipe_is_not_read(outplay, reads):
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK) if reads else None
    command = [*PROGRAM, *RUN[:4], "--plays", "100000", "--trace", "pipe"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        while not list(Path().glob(".outplay/runs/*/job.json")):
            assert running.poll() is None
            time.sleep(0.05)
        time.sleep(1)  # it waits for somebody who reads, or has filled the pipe
        running.terminate()
        try:
            _, err = running.communicate(timeout=30)
        finally:
            running.kill()
    if reader is not None:
        os.close(reader)
    assert running.returncode == 130, err


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"runs/\0", b"x" * 100_000])
def test_the_file_that_names_the_newest_run_may_hold_anything(outplay, content):
    Path(".outplay").mkdir()
    Path(".outplay/last").write_bytes(content)
    assert outplay(*RUN).code == 0
    Path(".outplay/last").unlink()
    Path(".outplay/last").write_bytes(content)
    Path("silent.aut").write_text('des (0, 1, 2)\n(1, "?press", 1)\n')
    assert outplay("run", "silent.aut", "--sut", "model:lamp.aut").code == 5


@pytest.mark.parametrize("part", [".outplay", ".outplay/runs"])
def test_no_run_is_written_or_removed_through_a_link(outplay, part):
    elsewhere = Path("elsewhere")
    old = elsewhere / ("runs" if part == ".outplay" else "") / "20200101-000000-abcdef"
    old.mkdir(parents=True)
    Path(part).parent.mkdir(exist_ok=True)
    Path(part).symlink_to(elsewhere.resolve())
    done = outplay(*RUN, "--keep-runs", "1")
    assert (done.code, f"{part}: a link to elsewhere" in done.err) == (4, True), done
    assert [path for path in elsewhere.rglob("*") if path.is_file()] == []
    assert old.exists()


def test_the_name_of_the_newest_run_may_link_anywhere(outplay):
    Path(".outplay").mkdir()
    Path("mine").write_text("stays")
    Path(".outplay/last").symlink_to(Path("mine").resolve())
    assert outplay(*RUN).code == 0
    assert Path("mine").read_text() == "stays"
