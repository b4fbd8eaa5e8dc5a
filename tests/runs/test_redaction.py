"""No file of a run holds a secret, and replaying asks for it again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from helpers.commands import called
from helpers.echo import MODEL
from outplay import NotPassed, Timing, run
from outplay.model.programs.load import load_program
from outplay.redaction import redaction

SYSTEM = """
import os, sys
print("ready", flush=True)
sys.stdin.readline()
sys.exit(f"no such user: {os.environ['DB_PASSWORD']}")
"""


@pytest.fixture
def outplay(capsys, monkeypatch):
    Path("echo.py").write_text(MODEL)
    Path("system.py").write_text(SYSTEM)
    monkeypatch.setenv("DB_PASSWORD", "hunter2!hunter2")
    return lambda *arguments: called(capsys, *arguments)


@pytest.mark.promise("C2")
def test_no_file_of_a_run_holds_a_secret_and_replay_asks_for_it(outplay):
    sut = f"exec:{sys.executable} system.py --token abc123 --door=open-sesame --port 80"
    result = outplay(
        "run",
        "echo.py:Echo",
        "--sut",
        sut,
        "--ready",
        "ready",
        "--redact",
        "door",
        "--silence",
        "2",
        "--tester",
        "walk",
    )
    assert result.code == 1, result
    files = [path for path in Path(".outplay/runs").rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"job.json", "trace.jsonl", "report.html"}
    for text in [result.out, result.err, *(path.read_text() for path in files)]:
        assert not any(secret in text for secret in ("hunter2", "abc123", "open-sesame"))
    assert "no such user: <redacted DB_PASSWORD>" in Path(".outplay/last/trace.jsonl").read_text()
    assert "--port 80" in Path(".outplay/last/job.json").read_text()
    (line,) = [line for line in result.out.splitlines() if line.startswith("  replay: ")]
    refused = outplay(*shlex.split(line)[2:])
    assert (refused.code, "give --sut again" in refused.err) == (2, True)
    [failure] = Path(".outplay/last/failures").iterdir()
    assert outplay("replay", failure, "--sut", sut, "--tries", "2").code == 1


@pytest.mark.promise("C2")
def test_a_run_from_python_redacts_and_shrinks_as_the_command_does(outplay):
    Path("system.py").write_text(
        "import sys\n"
        "print('ready --token abc123', file=sys.stderr)\n"
        "for count, line in enumerate(sys.stdin):\n"
        "    if count == 4: sys.exit('gone with --token abc123 and --door=open-sesame')\n"
        "    print('echo', line.split()[1], flush=True)\n"
    )
    sut = f"exec:{sys.executable} system.py --token abc123 --door=open-sesame"
    timing = Timing(silence=1.0, latency=0.01)
    outcome = run(load_program("echo.py:Echo"), sut, tester="walk", steps=40, timing=timing, redact=["door"], shrink=1)
    assert outcome.verdict.name == "fail"
    assert outcome.shrunk is not None
    with pytest.raises(NotPassed) as raised:
        outcome.check()
    files = [path.read_text() for path in Path(".outplay/runs").rglob("*") if path.is_file()]
    assert files
    for text in [str(raised.value), str(outcome), *files]:
        assert "abc123" not in text
        assert "open-sesame" not in text
    assert "gone with --token <redacted> and --door=<redacted>" in str(raised.value)
    assert run(load_program("echo.py:Echo"), sut, tester="walk", steps=40, timing=timing, shrink=0).shrunk is None


@pytest.mark.parametrize("text", ["monkey=3", "exec:./server --keyboard x", "a token passed", "tcp:h:1", "RESET=OK"])
def test_what_is_no_secret_stays(text):
    assert redaction((), {"USER": "ann", "TOKEN": "abc", "SECRET": ""})(text) == text


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "text",
    ["x --password s3cr3t", "x --password=s3cr3t", "API_KEY=s3cr3t x", "http://u:s3cr3t@h", "--auth 's3cr3t'"],
)
def test_what_looks_like_a_secret_goes(text):
    assert "s3cr3t" not in redaction((), {})(text)


def test_where_things_lie_is_no_secret(tmp_path):
    place = str(tmp_path)
    redact = redaction((), {"PWD": place, "OLDPWD": place, "TOKEN_FILE": place, "DB_PWD": "s3cr3t"})
    assert redact(f"model:{place}/model.py s3cr3t") == f"model:{place}/model.py <redacted DB_PWD>"


LEAKY = """
import os, sys
print("starting with", sys.argv[1:], file=sys.stderr)
print("ready", flush=True)
for count, line in enumerate(sys.stdin):
    word = line.split()[1]
    if count == 3:
        print("password", os.environ["DB_PASSWORD"], file=sys.stderr, flush=True)
        word = sys.argv[2] if sys.argv[1] == "--token" else sys.argv[2].partition(":")[2].rpartition("@")[0]
        print("echo", word, flush=True)
    print("echo", word, flush=True)
"""


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("option", "secret"), [("--token open-sesame!", "open-sesame!"), ("--url http:open-sesame!@host", "")]
)
def test_a_secret_that_the_system_says_in_an_answer_is_in_no_file(outplay, option, secret):
    Path("system.py").write_text(LEAKY)
    sut = f"exec:{sys.executable} system.py {option}".replace("http:", "http://ann:")
    secret = secret or "open-sesame!"
    result = outplay(
        "run", "echo.py:Echo", "--sut", sut, "--ready", "ready", "--silence", "1", "--tester", "walk", "--shrink", "1"
    )
    assert result.code == 1, result
    files = [path for path in Path(".outplay/runs").rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"job.json", "trace.jsonl", "report.html"}
    for text in [result.out, result.err, *(path.read_text() for path in files)]:
        assert secret not in text
        assert "hunter2" not in text
    assert '"!echo <redacted>"' in Path(".outplay/last/trace.jsonl").read_text()
    judged = outplay("judge", "echo.py:Echo", ".outplay/last/trace.jsonl")
    assert (judged.code, "a secret was left out" in judged.out) == (4, True), judged
    [failure] = [path for path in files if path.parent.name == "failures" and ".long" not in path.name]
    again = outplay("replay", failure, "--sut", sut, "--tries", "2")
    assert (again.code, secret in again.out + again.err) == (1, False), again
