"""`outplay new MODEL` writes an adapter that fits the model, and tests that play it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from helpers.commands import called
from helpers.places import EXAMPLES

CHAT = f"{EXAMPLES}/chat/model.py:Chat"
WAYS = {
    "python": "python:chat_adapter.py:Adapter",
    "http": "http://h",
    "ws": "ws://h",
    "mqtt": "mqtt:h:1",
    "json": "exec:cat",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", WAYS)
def test_the_adapter_fits_the_model(capsys, kind):
    done = called(capsys, "new", CHAT, "--as", kind, "--json")
    files = json.loads(done.out)["files"]
    assert (done.code, len(files)) == (0, 2)
    table = [] if kind == "python" else ["--table", "chat.toml"]
    found = called(capsys, "verify", CHAT, WAYS[kind], *table)
    # A class cannot show which outputs it will report before they are written.
    wrong = "!deliver recipient sender text: nothing reports this output" if kind == "python" else None
    assert (found.code == 0) or (wrong and wrong in found.out and len(found.out.splitlines()) == 2), found.out
    compile(Path("test_chat.py").read_text(), "test_chat.py", "exec")


@pytest.mark.parametrize("kind", ["python", "http"])
def test_the_test_plays_the_adapter_and_tells_what_to_write(capsys, kind):
    called(capsys, "new", CHAT, "--as", kind)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_chat.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    told = "NotImplementedError: post" if kind == "python" else "nothing answers at http://127.0.0.1:8000"
    assert told in done.stdout


def test_what_is_there_is_not_replaced(capsys):
    Path("chat.toml").write_text("mine")
    done = called(capsys, "new", CHAT, "--as", "ws")
    assert done.code == 4
    assert "chat.toml is there already" in done.err
    assert Path("chat.toml").read_text() == "mine"
    assert not Path("test_chat.py").exists()
    assert called(capsys, "new", CHAT, "--as", "ws", "-o", "there").code == 0
    assert sorted(path.name for path in Path("there").iterdir()) == ["chat.toml", "test_chat.py"]
    assert 'read_table("there/chat.toml")' in Path("there/test_chat.py").read_text()


def test_a_kind_without_a_model_is_refused(capsys):
    done = called(capsys, "new", "somewhere", "--as", "ws")
    assert (done.code, "--as needs a MODEL" in done.err) == (2, True)


ASKED = """
from outplay import Model, controllable, given

class Asked(Model):
    channel = "who"
    @controllable(returns=%s)
    @given(key=("k",), who=("ann", "bob"))
    def ask(self, key, who, result):
        return True
"""


@pytest.mark.parametrize(
    ("returns", "rows"),
    [
        (
            "('yes', 'not yours')",
            [
                '{when = {status = 200}, label = "ask {who} yes"}',
                r'{when = {status = 409}, label = "ask {who} \"not yours\""}',
            ],
        ),
        ("range(9)", ['{when = {status = 200}, label = "ask {who} {json.result}"}']),
    ],
)
def test_calls_over_http_have_a_row_for_each_answer_and_clients_of_their_own(capsys, returns, rows):
    Path("asked.py").write_text(ASKED % returns)
    done = called(capsys, "new", "asked.py:Asked", "--as", "http")
    (call,) = tomllib.loads(Path("asked.toml").read_text())["inputs"].values()
    assert (call["client"], call["json"]) == ("{who}", {"key": "{key}", "who": "{who}"})
    assert "\n".join(f"  {row}," for row in rows) in Path("asked.toml").read_text()
    _, verify, _, _ = done.out.partition("next:")[2].splitlines()[0:4]
    found = called(capsys, *shlex.split(verify)[1:])
    assert (found.code, "fits" in found.out) == (0, True), found
    assert "[[reset]]" in done.out
