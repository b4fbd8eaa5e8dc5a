"""How long a run goes on: by plays, by labels, or until nothing is left to test."""

from __future__ import annotations

from random import Random

import pytest

from helpers.seeds import seeds
from outplay import Job, Run, Simulated, automaton, run, specification, write_model
from outplay.errors import UsageError
from outplay.play.plan import plan
from outplay.play.system import VirtualClock
from outplay.play.timing import SLICES
from outplay.runs.preparing.planning import Prepared
from outplay.runs.run_budget import LABELS, RunBudget, read_duration
from outplay.runs.suite_runs.suite_making import make_suite

ECHO = automaton([("idle", "?ask", "asked"), ("asked", "!answer", "idle")])
SINK = automaton([("s", "?a", "s"), ("s", "?b", "sink"), ("sink", "?a", "sink"), ("sink", "?b", "sink")])


def spent(budget: RunBudget, rng: Random) -> tuple[int, int, int]:
    """Plays, labels, and labels that plays were charged, of plays as they come, until nothing is left."""
    plays, labels, charged = 0, 0, 0
    while budget.left:
        assert 0 < budget.steps <= budget.most_steps
        most, early = budget.steps, rng.random() < 0.5
        some = rng.randint(0, most)
        budget.played(some, early=early)
        plays, labels, charged = plays + 1, labels + some, charged + (some if early else most)
    return plays, labels, charged


@seeds(range(50))
def test_a_budget_is_spent_and_never_overdrawn(seed):
    rng = Random(seed)
    plays, labels, steps = rng.randint(1, 9), rng.randint(2, 60), rng.randint(1, 9)
    assert spent(RunBudget(steps, plays), rng)[0] == plays
    made, some, _ = spent(RunBudget(steps, labels=labels), rng)
    assert labels - 1 <= made + some <= labels
    made, some, _ = spent(RunBudget(steps, plays, labels), rng)
    assert made == plays or labels - 1 <= made + some <= labels
    made, _, charged = spent(RunBudget(steps), rng)
    assert charged + made >= LABELS


@pytest.mark.parametrize("tester", [None, "walk", "suspicion"])
@pytest.mark.parametrize("model", [ECHO, SINK])
def test_a_run_uses_the_budget_it_was_given(model, tester):
    def tally(**budget):
        return run(model, Simulated(model, Random(1)), tester=tester, **budget).tally

    assert tally(plays=7, steps=20).plays == 7
    by_labels = tally(labels=500, steps=20)
    assert 498 <= by_labels.steps + by_labels.plays <= 501  # an answer that is owed at the end comes on top
    assert tally(plays=3, labels=10_000, steps=20).plays == 3
    assert tally(plays=300, labels=100, steps=20).steps <= 100


def test_without_a_budget_a_run_ends_where_nothing_is_left_to_test_and_says_so():
    outcome = run(ECHO, Simulated(ECHO, Random(0)))
    assert outcome.tally.steps < LABELS / 2
    assert outcome.suspected.nothing_left
    assert outcome.suspected.json()["nothing_left"]
    assert "everything that can be reached was tested" in " ".join(outcome.lines())
    given = run(ECHO, Simulated(ECHO, Random(0)), labels=8_000)
    assert 7_998 <= given.tally.steps + given.tally.plays <= 8_001


def test_what_the_system_never_does_is_told_where_nothing_is_left_to_test():
    model = automaton([("a", "?go", "b"), ("b", "!x", "a"), ("b", "!y", "c"), ("c", "?go", "a")])
    outcome = run(model, Simulated(ECHO_OF_X, Random(0)))
    assert (outcome.verdict.name, outcome.suspected.nothing_left) == ("pass", True)
    seen, every = outcome.suspected.transitions
    assert seen < every
    told = f"in several tries the system did not take the other {every - seen} transitions"
    assert told in " ".join(outcome.lines())


def test_what_was_not_reached_is_left_to_test():
    model = automaton([("a", "?go", "b"), ("b", "!x", "a"), ("b", "!y", "c"), ("c", "?go", "a")])
    outcome = run(model, Simulated(ECHO_OF_X, Random(0)), plays=2)
    assert not outcome.suspected.nothing_left


ECHO_OF_X = automaton([("a", "?go", "b"), ("b", "!x", "a")])


class Slow(Simulated):
    """Every look at it takes a second of a clock that nobody else sees."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(ECHO, Random(0))
        self.wall = clock

    def observe(self, timeout):
        self.wall.sleep(1.0)
        return super().observe(timeout)


@seeds(range(40))
def test_a_time_cuts_off_plays_and_decides_no_move(seed):
    rng, wall = Random(seed), VirtualClock(100.0)
    time, steps = rng.uniform(0.5, 60.0), rng.randint(1, 30)

    def played(**budget):
        spec = specification(ECHO)
        with Run(Prepared(Job(steps=steps, **budget), Slow(wall), spec, plan(spec))) as going:
            going.source.budget.now = wall.now
            began = wall.now()
            return going.finish(), wall.now() - began

    cut, took = played(time=time)
    whole, _ = played(plays=cut.tally.plays)
    shown = [str(event) for event in cut.trace.events]
    assert cut.passed
    assert time <= took <= time + 2 * SLICES + 2  # what was begun is ended: a wait, and a last look
    assert shown == [str(event) for event in whole.trace.events][: len(shown)]
    least = rng.randint(1, 3)
    assert played(time=1_000_000.0, plays=least)[0].tally.plays == least


def test_a_suite_that_was_cut_off_does_not_pass():
    write_model("echo.aut", ECHO)
    suite = make_suite("echo.aut", "edges")
    outcome = run(suite, Simulated(ECHO, Random(0)), model=ECHO, time=1e-9)
    assert outcome.verdict.name == "inconclusive"
    assert "the time was up before" in outcome.verdict.why
    assert run(suite, Simulated(ECHO, Random(0)), model=ECHO, time="1h").passed


@pytest.mark.parametrize("text", ["", "0s", "-1", "5 minutes", "1e3", "nan", "infinity", "5d"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError, match="90s, 10m or 8h"):
        read_duration(text)
