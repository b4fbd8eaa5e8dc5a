"""Bounds on time and memory hold inside a state too: in a method, in a domain, in a value that grows."""

from __future__ import annotations

import contextlib
import gc
import itertools
import resource
import signal
import threading
import time

import pytest

from outplay import Label, Model, controllable, explore, given, goal, observable, specification
from outplay.errors import ModelError
from outplay.game.exploring.breadth_first import Limits
from outplay.model.programs import guard
from outplay.model.programs.budget import Budget, resident_memory
from outplay.model.programs.guard import Guard
from outplay.play.trace import Event
from outplay.verdict.judge import judge_play

SOON = Limits(seconds=1.0)  # long enough to meet the states before, however busy the machine
ROOM = 100  # MB
TIGHT = Limits(memory=ROOM)


@pytest.fixture(autouse=True)
def nothing_to_let_go_of():
    """What the test before has piled up would be let go of in the middle of this one, which takes seconds."""
    gc.collect()


class Counting(Model):
    """Counts to three, and what else it does is up to the tests."""

    n: int = 0
    other: bool = False

    @controllable
    def step(self):
        if self.n == 3:
            return False
        self.n += 1


class Looping(Counting):
    """Never comes back from one action in one state."""

    @observable
    def spin(self):
        while self.n == 2:
            with contextlib.suppress(Exception):
                time.sleep(0.001)
        return False


class Wasteful:
    """Takes long to be let go of."""

    def __del__(self):
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass


class Wasting(Counting):
    """Spends nearly all of its time on letting go of what it made."""

    @observable
    def spin(self):
        while self.n == 2:
            Wasteful()
            sum(range(3_000_000))
        return False


class Growing(Counting):
    """Never stops adding to what it has."""

    text: tuple = ()

    @controllable
    def grow(self):
        while self.n == 2:
            self.text = (*self.text, "x" * 10_000_000)
        return False


class Doubling(Counting):
    """Doubles in every state: few states, and much in each."""

    text: tuple = (None,)

    @controllable
    def double(self):
        self.text += self.text


class Wanting(Counting):
    """Asks for more than there is, in one piece."""

    @controllable
    def grab(self):
        if self.n == 2:
            "x" * (1 << 45)
        return False


class Endless(Counting):
    """A domain without an end, told by a function, in C."""

    def numbers(self):
        return itertools.count() if self.n == 2 else ()

    @observable
    @given(x="numbers")
    def say(self, x):
        return False


class Many(Counting):
    """A domain without an end, told by a function, in Python."""

    @observable
    @given(x=lambda self: (k for k in itertools.count() if self.n == 2 or k.bit_length() < 0) if self.n == 2 else ())
    def say(self, x):
        return False


class Product(Counting):
    """Every domain is small, and their product is not."""

    numbers = range(1000)

    @observable
    @given(a="numbers", b="numbers", c="numbers", d="numbers")
    def say(self, a, b, c, d):
        return False


@pytest.mark.parametrize(
    ("model", "option", "doing"),
    [
        (Looping, "--max-seconds", "running spin"),
        (Growing, "--max-memory", "running grow"),
        (Wanting, "--max-memory", "running grab"),
        (Endless, "--max-memory", "listing the values of say"),
        (Endless, "--max-seconds", "listing the values of say"),
        (Many, "--max-seconds", "listing the values of say"),
    ],
)
def test_exploring_stops_inside_a_state_and_keeps_what_it_has(model, option, doing):
    began, limits = time.monotonic(), TIGHT if option == "--max-memory" else SOON
    game = explore(model, limits=limits)
    bound = f"{limits.memory:,} MB of memory" if option == "--max-memory" else "1 s"
    assert game.origin.stopped.startswith(f"stopped at {bound}: raise {option} to go on (it was {doing}")
    assert game.origin.states == 3, "the states met before; the one it stopped in has no moves"
    assert list(game.edges_of(2)) == []
    assert time.monotonic() - began < 30
    assert game.origin.specification.moves(0), "the states met before can be played"


def test_a_state_that_doubles_stops_at_the_memory_and_not_far_beyond():
    before = resident_memory()
    game = explore(Doubling, limits=TIGHT)
    assert f"stopped at {ROOM} MB of memory: raise --max-memory to go on" in game.origin.stopped
    assert game.origin.states > 10
    assert resident_memory() - before < 5 * ROOM << 20


def test_what_is_wanted_in_one_piece_is_refused_and_in_play_the_line_is_named():
    spec = specification(Wanting, budget=TIGHT.budget)
    with pytest.raises(ModelError, match=r"test_budget.py:\d+: more than .* MB .*1 << 45.* \(while running grab\)"):
        spec.moves(2 if spec.moves(0) and spec.moves(1) else 0)


def test_a_domain_too_large_to_be_listed_is_told_with_its_action():
    class Large(Counting):
        @controllable
        @given(x=range(10**12))
        def pick(self, x):
            self.n = x

    with pytest.raises(
        ModelError, match=r"more than 1 s \(while listing the values of .*action 'pick'.*raise --max-seconds"
    ):
        explore(Large, limits=SOON)


def test_a_product_of_domains_is_told_with_its_size():
    with pytest.raises(ModelError, match=r"listing the 1,000,000,000,000 argument lists of say.*--max-seconds"):
        explore(Product, limits=SOON)


def test_an_iterator_without_an_end_is_no_domain():
    with pytest.raises(ModelError, match="@given x: more than 1,000,000 values"):
        given(x=itertools.count())


def test_a_goal_that_loops_is_told(monkeypatch):
    monkeypatch.setattr("outplay.model.programs.guard.FINISHING", 0.2)

    class Asking(Counting):
        @goal
        def never(self):
            while self.n == 2:
                pass
            return False

    with pytest.raises(ModelError, match=r"test_budget.py:\d+: more than 1 s in .*while asking goal 'never'"):
        explore(Asking, limits=SOON)


def test_a_model_that_loops_while_judging_is_an_error_that_names_the_action():
    spec = specification(Looping, budget=Budget(seconds=0.3))
    events = [Event("reset"), *[Event("input", Label.parse("?step"))] * 3]
    verdict = judge_play(spec, events)
    assert verdict.name == "error"
    assert "more than 0.3 s" in verdict.why
    assert "running spin" in verdict.why
    assert "test_budget.py" in verdict.why


def test_what_is_just_being_let_go_of_is_not_interrupted(monkeypatch):
    monkeypatch.setattr(guard, "GRACE", 0.1)  # Python would print what is raised there: warnings are errors here
    spec = specification(Wasting, budget=Budget(seconds=0.1))
    verdict = judge_play(spec, [Event("reset"), *[Event("input", Label.parse("?step"))] * 3])
    assert verdict.name == "error"
    assert "running spin" in verdict.why


def test_a_timer_of_somebody_else_goes_off_in_time_and_is_there_afterwards():
    rang: list[float] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rang.append(time.monotonic()))
    try:
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.3)
        with Guard(Budget()):
            time.sleep(0.2)
        assert len(rang) == 1
        assert rang[0] - began < 0.19
        time.sleep(0.4)
        assert len(rang) == 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_nothing_is_left_behind():
    handler, ceiling = signal.getsignal(signal.SIGALRM), resource.getrlimit(resource.RLIMIT_DATA)
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    explore(Counting)
    with pytest.raises(ModelError):
        explore(Product, limits=SOON)
    assert signal.getsignal(signal.SIGALRM) is handler
    assert resource.getrlimit(resource.RLIMIT_DATA) == ceiling
    assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(max(left - 2, 0), abs=3)


def test_in_another_thread_our_own_code_looks():
    found: list[str] = []

    def exploring() -> None:
        try:
            explore(Product, limits=SOON)
        except ModelError as error:
            found.append(str(error))

    thread = threading.Thread(target=exploring)
    thread.start()
    thread.join(20)
    assert "argument lists of say" in found[0]
