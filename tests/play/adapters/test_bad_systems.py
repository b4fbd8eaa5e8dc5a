"""Systems that crash, hang, flood, stutter and talk nonsense, at every point of a play: the verdict is never wrong.

What is wrong in them is a Fail, what is only slow is none; nothing is left running, and nothing of ours is raised.
"""

from __future__ import annotations

import os
import signal
import uuid
from pathlib import Path

import pytest

from helpers.killing import marked
from outplay import Model, controllable, explore, given, goal, observable, run, win
from outplay.play.adapters.process import Process
from outplay.play.timing import Timing

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")

MANY = int(os.environ.get("OUTPLAY_PLAYS", 10_000))  # plays by `make test-long`
ROUNDS = 4
SOON, LATE = 0.15, 30.0  # seconds of silence: where it is waited for, and where nothing waits so long
HELD = 1.0  # that a process is dead whose output is held open is seen after a tenth of it


class Echo(Model):
    """Says back what it was told, at once, so many times."""

    told: str = ""
    answered: int = 0

    @controllable
    @given(word=("a", "b"))
    def say(self, word):
        if self.told or self.answered == ROUNDS:
            return False
        self.told = word

    @observable
    @given(word=lambda self: [self.told])
    def echo(self, word):
        if not self.told:
            return False
        self.told, self.answered = "", self.answered + 1

    @goal
    def done(self):
        return self.answered == ROUNDS


SYSTEM = r"""
point=$1; before=$2; instead=$3; after=$4; count=0
while read said word; do
  count=$((count + 1))
  if [ $count = $point ]; then
    eval "$before"
    if [ -n "$instead" ]; then eval "$instead"; else echo "echo $word"; fi
    eval "$after"
  else
    echo "echo $word"
  fi
done
"""
# What a system does before, instead of and after an answer, and what its plays come to.
FAULTS = {
    "exits": ("exit 3", "", "", {"fail"}),
    "ends": ("exit 0", "", "", {"fail"}),
    "is killed": ("kill -9 $$", "", "", {"fail"}),
    "faults": ("kill -SEGV $$", "", "", {"fail"}),
    "dies half way": ("", "printf 'echo '; kill -9 $$", "", {"fail"}),
    "dies and leaves a child with the pipe": ("setsid sleep 100 & exit 3", "", "", {"fail"}),
    "hangs": ("", "sleep 100", "", {"fail", "inconclusive"}),
    "hangs half way": ("", "printf 'echo '; sleep 100", "", {"fail", "inconclusive"}),
    "stops reading": ("", "exec <&-; sleep 100", "", {"fail", "inconclusive"}),
    "floods": ("yes 'echo c' | head -20000", "", "", {"fail"}),
    "floods with what was right once": ("", "yes \"echo $word\" | head -20000", "", {"fail"}),
    "floods without an end of line": ("", "yes | tr -d '\\n' | head -c 3000000", "", {"fail"}),
    "talks nonsense": ("", "printf '\\377\\376\\n'", "", {"fail"}),
    "says something else": ("", "echo 'echo c'", "", {"fail"}),
    "answers twice": ("", "echo \"echo $word\"; echo \"echo $word\"", "", {"fail"}),
    "stutters": ("", "for part in e ch 'o ' $word '\\n'; do sleep 0.002; printf \"$part\"; done", "", {"pass"}),
    "is slow": ("sleep 0.03", "", "", {"pass"}),
    "grumbles": ("echo grumble >&2", "", "", {"pass"}),
    "leaves a child": ("setsid sleep 100 >/dev/null 2>&1 &", "", "", {"pass"}),
    "does nothing wrong": ("", "", "", {"pass"}),
}  # fmt: skip


TOO_MUCH = ("answers twice", "floods with what was right once")


def played(fault: str, point: int, plays: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The verdicts on so many plays against a system with this fault at this point."""
    before, instead, after, _ = FAULTS[fault]
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    Path("system.sh").write_text(SYSTEM)
    descriptors = len(os.listdir("/proc/self/fd"))
    system = Process(["sh", "system.sh", str(point), before, instead, after])
    waits = SOON if "inconclusive" in FAULTS[fault][3] else HELD if "with the pipe" in fault else LATE
    # What comes too much after the last answer must be waited for as long as it may take on a busy machine.
    latency = 5.0 if point == ROUNDS and fault in TOO_MUCH else 0.05
    timing = Timing(silence=waits, latency=latency, settle=0.0)
    outcome = run(win(GAME, "done"), system, plays=plays, keep_going=True, timing=timing)
    left = marked(mark)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert left == {}, "an orphan"
    assert len(os.listdir("/proc/self/fd")) <= descriptors, "what earlier tests left may be gone by now"
    assert outcome.tally.plays == plays
    return [play.verdict.name for play in outcome.played]


def promised(trials: int) -> list[object]:
    """Each fault as a trial of what is promised about such systems."""
    kinds = {
        "B2": ("hang", "stop", "stutter", "slow"),
        "B4": ("flood", "nonsense", "half way"),
        "B1": ("exit", "d", "kill"),
    }
    named = [next((kind for kind, words in kinds.items() if any(w in fault for w in words)), "B1") for fault in FAULTS]
    marks = [pytest.mark.promise(kind, trials=trials) for kind in named]
    return [pytest.param(fault, marks=mark) for fault, mark in zip(FAULTS, marks, strict=True)]


GAME = explore(Echo, assumption="input-eager")


@pytest.mark.parametrize("fault", promised(2))
def test_a_system_with_a_fault_gets_the_right_verdict(fault, monkeypatch):
    found = played(fault, 2, 2, monkeypatch)
    assert set(found) <= FAULTS[fault][3], found


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("fault", promised(MANY // len(FAULTS) // ROUNDS * ROUNDS))
def test_no_verdict_is_wrong_in_ten_thousand_plays(fault, monkeypatch):
    plays = MANY // len(FAULTS) // ROUNDS
    for point in range(1, ROUNDS + 1):
        found = played(fault, point, plays, monkeypatch)
        assert set(found) <= FAULTS[fault][3], (point, found)
        assert len(found) == plays
