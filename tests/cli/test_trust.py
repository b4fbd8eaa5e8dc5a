"""A file that names code has it run only where the code is known, named by the user, or trusted."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.preparing.configured_code import refuse_unnamed_system

EVIL = "from pathlib import Path\nPath('pwned').write_text('')\n"
ADD = "if you trust it add"


@pytest.fixture
def failure(outplay, model, system) -> tuple[str, str]:
    """A failing play of the echo model, and the system that failed."""
    bad = system("wrong")
    said = outplay("run", model, "--sut", bad, "--silence", "0.3", "--ready", "ready", "--json").json
    assert said["verdict"] == "fail", said
    return said["trace"], bad


def renamed(trace: str, **changed: object) -> str:
    """The trace with another model or job in its header."""
    header, *rest = Path(trace).read_text().splitlines()
    told = json.loads(header)
    told["job"] |= changed
    told |= {name: value for name, value in changed.items() if name in told}
    Path("sent.jsonl").write_text("\n".join([json.dumps(told), *rest]) + "\n")
    return "sent.jsonl"


def test_what_was_run_here_is_replayed_here_without_options(outplay, failure):
    trace, bad = failure
    assert outplay("replay", trace, "--sut", bad, "--tries", "5").code == 1


@pytest.mark.parametrize("reference", ["evil.py:Evil", "evil:Evil", "pack.evil:Evil"])
def test_code_that_only_a_trace_names_is_not_run(outplay, failure, reference):
    Path("pack").mkdir()
    for place in ("evil.py", "pack/__init__.py", "pack/evil.py"):
        Path(place).write_text(EVIL)
    result = outplay("replay", renamed(failure[0], model=reference), "--sut", failure[1])
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"{ADD} --model {reference}, or --trust" in result.err
    assert not Path("pwned").exists()
    outplay("replay", "sent.jsonl", "--sut", failure[1], "--trust")
    assert Path("pwned").exists()


def test_a_model_that_has_changed_is_named_again(outplay, failure, model):
    with Path("echo.py").open("a") as stream:
        stream.write("\n# harmless\n")
    refused = outplay("replay", failure[0], "--sut", failure[1])
    assert (refused.code, "has changed since" in refused.err) == (2, True)
    for more in (("--model", model), ("--trust",)):
        assert outplay("replay", failure[0], "--sut", failure[1], "--tries", "5", *more).code == 1


def test_a_model_outside_this_folder_that_was_run_is_replayed_by_the_printed_line(outplay, monkeypatch):
    model = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
    sut = f"model:{EXAMPLES / 'chat' / 'entering.py'}:Entering"
    said = outplay("run", model, "--sut", sut, "--plays", "3")
    assert said.code == 1, said
    (line,) = [line for line in said.out.splitlines() if line.startswith("  replay: ")]
    words = shlex.split(line)
    assert outplay(*words[2:]).code == 1
    monkeypatch.setenv("XDG_DATA_HOME", str(Path("of somebody else").absolute()))
    refused = outplay(*words[2:])
    assert (refused.code, f"you have never run; {ADD} --model {model}, or --trust" in refused.err) == (2, True)


def test_a_suite_brings_its_model_only_where_it_is_known(outplay, model):
    assert (
        outplay("suite", model, "--method", "joker", "--goal", "answered", "-o", "tests.json", "--depth", "4").code == 0
    )
    play = ("run", "--suite", "tests.json", "--sut", f"model:{model}")
    assert outplay(*play).code == 0
    Path("evil.py").write_text(EVIL)
    Path("tests.json").write_text(Path("tests.json").read_text().replace(model, "evil.py:Evil"))
    refused = outplay(*play)
    assert (refused.code, f"{ADD} evil.py:Evil, or --trust" in refused.err) == (2, True)
    assert not Path("pwned").exists()
    assert outplay("run", model, *play[1:]).code == 0


def test_a_suite_names_no_system(outplay, model):
    outplay("suite", model, "--method", "joker", "--goal", "answered", "-o", "tests.json", "--depth", "4")
    told = json.loads(Path("tests.json").read_text())
    told["job"]["sut"] = "exec:touch pwned"
    Path("tests.json").write_text(json.dumps(told))
    assert "Missing option '--sut'" in outplay("run", "--suite", "tests.json").err
    assert not Path("pwned").exists()


def test_a_job_file_starts_a_system_only_where_it_is_trusted(outplay, model):
    job = {"format": "outplay-job/1", "job": {"sut": "exec:touch pwned", "plays": 1}}
    Path("job.json").write_text(json.dumps(job))
    refused = outplay("run", model, "--job", "job.json")
    assert (refused.code, "add it with --sut, or --trust" in refused.err) == (2, True)
    assert not Path("pwned").exists()
    outplay("run", model, "--job", "job.json", "--trust", "--silence", "0.1")
    assert Path("pwned").exists()


def test_the_job_that_a_run_keeps_is_done_again(outplay, model):
    first = outplay("run", model, "--sut", f"model:{model}", "--plays", "2", "--json").json
    again = outplay("run", "--job", ".outplay/last/job.json", "--json").json
    assert (again["verdict"], again["plays"]) == ("pass", first["plays"])


@pytest.mark.parametrize(
    "sut", ["model:evil.py:Evil", "model:evil:Evil", "exec:./evil", "python:evil:Evil", "tcp:localhost:7000", "new:x"]
)
def test_a_system_that_only_the_file_names_is_refused(sut):
    with pytest.raises(UsageError, match="if you trust it add it with --sut, or --trust"):
        refuse_unnamed_system(Job("chat.py:Chat", sut=sut), "trace.jsonl")


@pytest.mark.parametrize("sut", ["model:chat.py:Chat", "model:other.aut", ""])
def test_a_simulation_of_the_model_itself_or_of_a_file_is_no_further_code(sut):
    refuse_unnamed_system(Job("chat.py:Chat", sut=sut), "trace.jsonl")
