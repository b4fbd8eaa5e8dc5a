"""A newcomer's mistakes: each is answered in one line that names the place and the cure, and never by a traceback."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers.commands import shell

FILES = {
    "chat.py": """
from outplay import Model, controllable, goal, observable

class Chat(Model):
    clients = ("ann", "bob")
    greeting = "hi"
    posted: int = 0

    @controllable
    def post(self):
        if self.posted == 2:
            return False
        self.posted += 1

    @observable
    def deliver(self):
        if not self.posted:
            return False
        self.posted -= 1

    @goal
    def two_pending(self):
        return self.posted == 2

    @goal
    def overflow(self):
        return self.posted > 2
""",
    "two.py": "from chat import Chat\nclass A(Chat): ...\nclass B(Chat): ...\nclass Plain: ...\n",
    "none.py": "x = 1\n",
    "syntax.py": "from outplay import Model\nclass A(Model)\n    x: int = 0\n",
    "raises.py": "from outplay import Model\nraise ValueError('boom')\n",
    "exits.py": "import sys\nsys.exit(0)\n",
    "imports.py": "import outplai\n",
    "action.py": """
from outplay import Model, controllable
class A(Model):
    clients = ("ann",)
    @controllable
    def post(self):
        return self.clinets[0]
""",
    "listing.py": """
from outplay import Model, controllable
class A(Model):
    queue: tuple = ()
    @controllable
    def post(self):
        self.queue = [*self.queue, 1]
""",
    "undeclared.py": """
from outplay import Model, controllable
class A(Model):
    count: int = 0
    @controllable
    def post(self):
        self.cuont = 1
""",
    "odd.py": """
from outplay import Model, controllable
class A(Model):
    count: int = 0
    @controllable
    def post(self):
        return self.count
""",
    "unset.py": "from outplay import Model\nclass A(Model):\n    count: int\n",
    "nodomain.py": """
from outplay import Model, controllable
class A(Model):
    @controllable
    def post(self, sender): ...
""",
    "domain.py": """
from outplay import Model, controllable, given
class A(Model):
    clients = ("ann",)
    @controllable
    @given(sender="cleints")
    def post(self, sender): ...
""",
    "twice.py": """
from outplay import Model, controllable, observable
class A(Model):
    @controllable
    @observable
    def post(self): ...
""",
    "exit_inside.py": """
import sys
from outplay import Model, controllable
class A(Model):
    @controllable
    def post(self):
        sys.exit(0)
""",
    "latin.py": "",
    "notes.txt": "hello\n",
    "broken.json": '{"format": "outplay-game/1", "initial": "s0",\n "vertices": [}\n',
    "other.json": "[]\n",
    "my-server": "#!/bin/sh\ncat\n",
    "empty.jsonl": "",
    "prose.jsonl": "hello\n",
    "not_a_trace.jsonl": '{"x": 1}\n',
    "trace.jsonl": '{"format": "outplay-trace/1", "model": "chat.py:Chat", "options": {}}\n'
    '{"n": 1, "kind": "input", "label": "?post", "given": 0.1, "seen": null, "play": 1}\n',
    "lost_model.jsonl": '{"format": "outplay-trace/1", "model": "gone.py:Chat", "options": {}}\n'
    '{"n": 1, "kind": "input", "label": "?post", "given": 0.1, "seen": null, "play": 1}\n',
    "odd_goal.jsonl": '{"format": "outplay-trace/1", "model": "chat.py:Chat", "options": {}, "goal": ["two_pendin"]}\n'
    '{"n": 1, "kind": "input", "label": "?post", "given": 0.1, "seen": null, "play": 1}\n',
}


@dataclass(frozen=True)
class Mistake:
    """What was typed, how it ends and what the answer must say."""

    typed: str
    code: int
    says: tuple[str, ...]


def m(typed: str, code: int, *says: str) -> Mistake:
    return Mistake(typed, code, says)


RUN = "run chat.py:Chat --plays 1 --steps 2 --silence 0.1 --sut"
MISTAKES = [
    # naming the model
    m("explore caht.py:Chat", 4, "caht.py: no such file", "did you mean 'chat.py'?"),
    m("explore folder/chat.py:Chat", 4, "folder/chat.py: no such file"),
    m("explore chat.py:Caht", 4, "chat.py:Caht: no class 'Caht' there", "did you mean 'Chat'?"),
    m("explore two.py:Plain", 4, "two.py:Plain", "Plain is no model program", "derive it from outplay.Model"),
    m("explore two.py", 4, "several model programs", "two.py:A or two.py:B"),
    m("explore none.py", 4, "none.py: no model program there", "derives from outplay.Model"),
    m("explore none.py:A", 4, "none.py:A: no class 'A' there"),
    m("explore chat", 4, "chat: no such model", "file.py:Class"),
    m("explore sub/chat:Chat", 4, "sub/chat:Chat: no such model", "did you mean sub/chat.py:Chat?"),
    m("explore chta:Chat", 4, "no module 'chta'", "chta.py", "install"),
    m("explore sub", 4, "sub: a folder", "sub/file.py:Class"),
    m("explore .", 4, "a folder", "file.py:Class"),
    m("explore notes.txt", 4, "notes.txt: unknown kind of file", ".json"),
    m("explore missing.json", 4, "missing.json: no such file", "check the path"),
    m("explore broken.json", 4, "broken.json:2:15", "mend the JSON there"),
    m("explore other.json", 4, "other.json:1:1", "outplay-game/1"),
    m("explore sub.json", 4, "sub.json", "a folder"),
    # writing the model
    m("explore syntax.py:A", 4, "syntax.py:2:15", "expected ':'", "mend the Python there"),
    m("explore raises.py:A", 4, "raises.py:2", "ValueError: boom", "raise ValueError('boom')"),
    m("explore exits.py:A", 4, "exits.py:2", "sys.exit(0)"),
    m("explore imports.py:A", 4, "imports.py:1", "No module named 'outplai'", "install it"),
    m("explore latin.py:A", 4, "latin.py", "utf-8"),
    m("explore action.py:A", 4, "action.py:7", "clinets", "return self.clinets[0]"),
    m("explore listing.py:A", 4, "listing.py:3", "'queue' holds a list", "use a tuple"),
    m("explore undeclared.py:A", 4, "undeclared.py:3", "'cuont'", "annotate it in the class"),
    m("explore odd.py:A", 4, "odd.py:3", "returned 0", "return False where the action is not enabled"),
    m("explore unset.py:A", 4, "unset.py:2", "'count' has no initial value", "count: type = value"),
    m("explore nodomain.py:A", 4, "nodomain.py:3", "'sender' has no values", "add @given(sender=…)"),
    m("explore domain.py:A", 4, "domain.py:3", "no 'cleints'", "did you mean 'clients'?"),
    m("explore twice.py:A", 4, "'post': marked twice", "controllable or observable"),
    m("explore exit_inside.py:A", 4, "sys.exit(0)", "must not end outplay"),
    # setting constants
    m("explore chat.py:Chat --set clients", 2, "--set clients", "NAME=VALUE"),
    m("explore chat.py:Chat --set clients=ann", 2, "'ann' is no Python value", "clients = ('ann', 'bob')", "quotes"),
    m("explore chat.py:Chat --set cleints=()", 2, "no constant 'cleints'", "did you mean 'clients'?"),
    m("explore chat.py:Chat --set posted=1", 2, "no constant 'posted'", "known: clients, greeting"),
    m("explore other.json --set x=1", 2, "--set", "a file has none"),
    # goals
    m("solve chat.py:Chat --goal two_pendin", 2, "'two_pendin'", "did you mean 'two_pending'?"),
    m("solve chat.py:Chat", 2, "--goal", "overflow, two_pending"),
    m(f"{RUN} model:chat.py:Chat --goal two_pendin", 2, "'two_pendin'", "did you mean 'two_pending'?"),
    m(
        f"{RUN} model:chat.py:Chat --goal overflow",
        2,
        "goal 'overflow' holds in none of ",
        "mend the goal or the model",
    ),
    # calling commands
    m("exploer chat.py:Chat", 2, "No such command 'exploer'", "did you mean 'explore'?"),
    m("explore chat.py:Chat --sett x=1", 2, "No such option '--sett'", "--set"),
    m("explore", 2, "Missing argument 'MODEL'", "outplay explore --help"),
    m("run chat.py:Chat", 2, "Missing option '--sut'", "outplay run --help"),
    m("solve chat.py:Chat --assumption eager", 2, "'eager'", "'input-eager'"),
    # writing files
    m("explore chat.py:Chat -o game.xyz", 2, "-o game.xyz", ".json"),
    m("explore chat.py:Chat -o game", 2, "-o game", ".json"),
    m("explore chat.py:Chat -o nowhere/game.json", 2, "nowhere", "make it first"),
    m("explore chat.py:Chat -o sub.json", 4, "sub.json", "directory"),
    m(f"{RUN} model:chat.py:Chat --trace sub", 4, "sub", "directory", "check the path"),
    # systems under test
    m(f"{RUN} python3", 2, "--sut python3", "exec:COMMAND LINE", "model:FILE"),
    m(f"{RUN} exce:./server", 2, "--sut exce:./server", "exec:COMMAND LINE"),
    m(f"{RUN} exec:", 2, "names no command", "exec:./server"),
    m(f"{RUN} exec:./missing", 4, "cannot start './missing'", "no such program", "path"),
    m(f"{RUN} exec:missing-program", 4, "cannot start 'missing-program'", "no such program"),
    m(f"{RUN} exec:./my-server", 4, "cannot start './my-server'", "not executable", "chmod +x"),
    m(f"{RUN} exec:my-server", 4, "cannot start 'my-server'", "exec:./my-server"),
    m(f"{RUN} exec:./sub", 4, "cannot start './sub'", "folder"),
    m(f"{RUN} exec:'open", 2, "No closing quotation", "mend the quotes"),
    m(f"{RUN} model:caht.py:Chat", 4, "caht.py: no such file", "did you mean 'chat.py'?"),
    m(f"{RUN} model:chat.py:Caht", 4, "did you mean 'Chat'?"),
    m(f"{RUN} exec:cat --reset RESET", 2, "--reset RESET", "MESSAGE=ANSWER"),
    m(f"{RUN} model:chat.py:Chat --adversarial", 2, "--adversarial", "--goal"),
    # traces
    m("judge chat.py:Chat missing.jsonl", 4, "missing.jsonl: no such file", "check the path", "`outplay run`"),
    m("judge chat.py:Chat empty.jsonl", 4, "empty.jsonl:1:1", "empty", "header"),
    m("judge chat.py:Chat prose.jsonl", 4, "prose.jsonl:1:1", "mend the JSON"),
    m("judge chat.py:Chat not_a_trace.jsonl", 4, "not_a_trace.jsonl:1:1", "outplay-trace/2"),
    m("judge chat.py:Chat chat.py", 4, "chat.py:", "mend the JSON"),
    m("judge chat.py:Chat sub", 4, "sub", "a folder"),
    m("judge chat.py:Caht trace.jsonl", 4, "did you mean 'Chat'?"),
    m("judge chat.py:Chat odd_goal.jsonl", 2, "'two_pendin'", "did you mean 'two_pending'?"),
    m("replay missing.jsonl --sut exec:cat", 4, "missing.jsonl: no such file"),
    m("replay lost_model.jsonl --sut exec:cat", 4, "gone.py: no such file"),
    m("replay trace.jsonl", 2, "Missing option '--sut'", "write `outplay replay TRACE --sut SUT`"),
]


@pytest.fixture
def desk() -> None:
    """A folder with everything a newcomer might get wrong."""
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("latin.py").write_bytes(b"name = 'J\xf6rg'\n")
    Path("sub").mkdir()
    Path("sub.json").mkdir()
    Path("sub/chat.py").write_text(FILES["chat.py"])
    assert not os.access("my-server", os.X_OK)


def words(typed: str) -> list[str]:
    """Split at spaces alone, so that quotes reach the command as they stand."""
    return typed.split(" ")


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.typed.replace("/", "|"))
def test_a_mistake_is_answered_in_one_line_that_names_place_and_cure(outplay: Callable, mistake: Mistake):
    result = outplay(*words(mistake.typed))
    assert (result.code, result.out) == (mistake.code, "")
    assert result.err.count("\n") == 1
    assert result.err.startswith("outplay: ")
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    for part in mistake.says:
        assert part in result.err
    assert len(result.err) < 400


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    "mistake",
    [each for each in MISTAKES if " exec:" not in each.typed],
    ids=lambda each: each.typed.replace("/", "|"),
)
def test_with_json_the_answer_is_one_object_that_says_the_same(outplay: Callable, mistake: Mistake):
    result = outplay(*words(mistake.typed), "--json")
    assert result.code == mistake.code
    assert f"outplay: {result.json['error']}\n" == result.err


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    "typed", ["explore syntax.py:A", "solve chat.py:Chat --goal two_pendin", f"{RUN} exec:./missing"]
)
def test_the_same_in_a_process_of_its_own(typed: str):
    (mistake,) = [each for each in MISTAKES if each.typed == typed]
    result = shell(*words(typed))
    assert (result.code, result.out, result.err.count("\n")) == (mistake.code, "", 1)
    assert all(part in result.err for part in mistake.says)


def test_a_file_that_may_not_be_read_is_refused(outplay: Callable, desk: None):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    for name, command in (
        ("chat.py", "explore chat.py:Chat"),
        ("other.json", "explore other.json"),
        ("trace.jsonl", "judge two.py:A trace.jsonl"),
    ):
        Path(name).chmod(0)
        result = outplay(*words(command))
        Path(name).chmod(0o600)
        assert (result.code, result.err.count("\n")) == (4, 1)
        assert "Permission denied" in result.err


def test_a_program_that_dies_at_once_shows_its_last_words(outplay: Callable, desk: None):
    # It has ended long before silence is called, however slowly it starts.
    result = outplay(*words(RUN), f"exec:{sys.executable} missing-server.py", "--silence", "120")
    assert result.code in (1, 4)
    assert "can't open file" in result.out + result.err
    assert "Traceback" not in result.err


def test_a_wrong_model_in_a_trace_is_told_and_still_judged(outplay: Callable, desk: None):
    header, event = Path("trace.jsonl").read_text().splitlines()
    recorded = json.loads(header) | {"model": "old.py:Old", "model_hash": "0" * 16}
    Path("trace.jsonl").write_text(f"{json.dumps(recorded)}\n{event}\n")
    result = outplay("judge", "chat.py:Chat", "trace.jsonl")
    told, cut = result.err.splitlines()
    assert told == "outplay: the trace was recorded with old.py:Old, which is another model or has changed"
    assert "cut short" in cut
    assert result.code == 0


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("option", ["--silence", "--latency", "--settle", "--max-seconds"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_time_that_is_no_number_is_a_mistake_in_the_call(outplay, option, value):
    result = outplay("run", "chat.py:Chat", "--sut", "model:chat.py:Chat", f"{option}={value}")
    assert result.code == 2
    assert option in result.err
    assert len(result.err.splitlines()) == 1
