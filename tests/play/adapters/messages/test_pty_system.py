"""Interactive programs at a terminal: a Python prompt is played, right and with a planted fault."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outplay import Label, Model, controllable, given, observable, run
from outplay.errors import FormatError, SystemUnready, UsageError
from outplay.play.adapters.adapters import adapter_of
from outplay.play.adapters.messages.pty_system import Screen
from outplay.play.system import System
from outplay.play.timing import Timing

PATIENCE = 60.0
TABLE: dict[str, Any] = {
    "terminal": {"prompts": [">>> ", "... "]},
    "begin": [{"body": "kept = []", "when": {"body": ">>> "}}],
    "inputs": {
        "add n": {"body": "kept.append({n})"},
        "all": {"body": "kept"},
        "interrupt": {"keys": "\u0003"},
        "type text": {"body": "{text}"},
    },
    "outputs": [
        {"when": {"body": [">>> ", "... "]}},
        {"when": {"body": "KeyboardInterrupt"}, "label": "interrupted"},
        {"label": "said {body}"},
    ],
}
PYTHON = f"{sys.executable} -q -I"


@pytest.fixture
def system() -> Iterator[Callable[..., System]]:
    made: list[System] = []

    def make(command: str = PYTHON, **changed: Any) -> System:
        made.append(adapter_of("pty:").system(command, table="t", read_table=lambda name: {**TABLE, **changed}))
        made[-1].reset()
        return made[-1]

    yield make
    for each in made:
        each.close()


def give(system: System, *labels: str) -> None:
    for label in labels:
        system.give(Label.parse(f"?{label}"))


def test_what_is_typed_is_answered(system):
    repl = system()
    give(repl, "add 1", "add 2", "all")
    assert str(repl.observe(PATIENCE)) == '!said "[1, 2]"'
    give(repl, r'type "import os; os.isatty(0)"')
    assert str(repl.observe(PATIENCE)) == "!said True"
    give(repl, "interrupt")
    seen = str(repl.observe(PATIENCE))
    if seen.startswith('!said "Traceback'):  # it was interrupted before it was at its prompt again
        seen = next(text for text in iter(lambda: str(repl.observe(PATIENCE)), "silence") if "said" not in text)
    assert seen == "!interrupted"
    repl.reset()
    give(repl, "all")
    assert str(repl.observe(PATIENCE)) == '!said "[]"'


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("raise SystemExit(3)", "crash: exit status 3"),
        ("raise SystemExit", "closed: "),
        ("import os; os.kill(os.getpid(), 9)", "crash: "),
    ],
)
def test_its_end_is_seen(system, typed, seen):
    repl = system()
    give(repl, f'type "{typed}"')
    for _ in range(600):  # in slices, as the runner waits
        if (event := repl.observe(0.1)).kind != "silence":
            break
    assert str(event).startswith(seen), event


def test_a_line_that_does_not_end_is_garbage(system):
    flood = system(
        "sh -c 'read line; while :; do printf %08192d 1; done'", begin=[], outputs=[{"label": "said {body}"}]
    )
    give(flood, "type go")
    for _ in range(600):
        if (event := flood.observe(0.1)).kind != "silence":
            break
    assert str(event).startswith("garbage: a line of more than 1048576 bytes: b'0000"), event


def test_many_plays_leave_nothing_behind(system):
    cat = system("cat", begin=[])
    cat.reset()
    before = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(15):
        give(cat, "all")
        assert str(cat.observe(PATIENCE)) == "!said kept"
        cat.reset()
    assert threading.active_count() <= before[0] + 1
    assert len(list(Path("/proc/self/fd").iterdir())) <= before[1] + 2


def test_colours_echoes_and_prompts_are_read_as_a_person_does():
    screen = Screen((b"$ ",))
    whole = b"\x1b[?2004h$ \x1b[31mred\x1b[0m $ blue\r\n\x1b]0;title\x07$ next\r\nhalf \x1b["
    shown = ["$ ", "red $ blue", "$ ", "next"]
    assert [each.content.decode() for each in screen.heard(whole)] == shown
    for size in (1, 2, 3):
        screen, found = Screen((b"$ ",)), []
        for at in range(0, len(whole), size):
            found += [each.content.decode() for each in screen.heard(whole[at : at + size])]
        assert found == shown
    screen = Screen((), typed=None)
    assert [each.content for each in screen.heard(b"a\na\n")] == [b"a", b"a"]


def test_what_the_program_repeats_is_left_out(system):
    loud = "import sys\nfor line in sys.stdin: print(line.strip()); print(len(line) - 1, flush=True)"
    repl = system(f"{sys.executable} -c {shlex.quote(loud)}", terminal={"echo": True}, begin=[])
    give(repl, "type abc", "type 3")
    assert [str(repl.observe(PATIENCE)) for _ in range(2)] == ['!said "3"', '!said "1"']


def test_mistakes_are_told():
    with pytest.raises(FormatError, match="prompts should be a list of texts"):
        adapter_of("pty:").system("cat", table="t", read_table=lambda _: {**TABLE, "terminal": {"prompts": ">"}})
    with pytest.raises(UsageError, match="needs --table FILE"):
        adapter_of("pty:").system("cat", read_table=dict)
    with pytest.raises(SystemUnready, match="no such program"):
        adapter_of("pty:").system("no-such-program-here", table="t", read_table=lambda _: TABLE)
    silent = adapter_of("pty:").system("false", table="t", read_table=lambda _: {**TABLE, "begin": []})
    silent.reset()

    def watch() -> None:
        for _ in range(60):
            silent.observe(1.0)

    with pytest.raises(SystemUnready, match="it ended before it was ready"):
        watch()
    silent.close()


class Kept(Model):
    """The prompt knows what it was told, in its order."""

    kept: tuple[int, ...] = ()
    asked: bool = False

    @controllable
    @given(n=(1, 2, 3))
    def add(self, n):
        if self.asked or len(self.kept) > 2:
            return False
        self.kept += (n,)

    @controllable
    def all(self):
        if self.asked:
            return False
        self.asked = True

    @observable
    @given(text="shown")
    def said(self, text):
        if not self.asked:
            return False
        self.asked = False

    def shown(self):
        return [str(list(self.kept))]


@pytest.mark.parametrize(("fault", "verdict"), [("", "pass"), ("lambda value: print(sorted(value))", "fail")])
def test_a_python_prompt_passes_and_its_fault_is_found(system, fault, verdict):
    begin = [*TABLE["begin"], {"body": f"import sys; sys.displayhook = {fault}", "when": {"body": ">>> "}}]
    repl = system(begin=begin if fault else TABLE["begin"])
    outcome = run(Kept, repl, plays=2, steps=14, seed=2, timing=Timing(silence=1.0, latency=0.5))
    assert outcome.verdict.name == verdict, outcome
