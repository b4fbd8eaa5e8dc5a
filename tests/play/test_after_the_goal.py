"""After the goal: a play goes on until nothing is owed, and what is forbidden there is a Fail."""
# an action that does not return False is enabled

from __future__ import annotations

from random import Random

import pytest

from helpers.automata import random_steps, specification_by, specification_of
from helpers.seeds import seeds
from helpers.systems import Scripted
from outplay import Model, controllable, goal, observable, run, solve, specification
from outplay.game.exploring.explore import explore
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import Plan, case_plan, plan
from outplay.play.timing import Timing
from outplay.suite.suite import Suite, case_of
from outplay.verdict.judge import judge

LOCK = specification_of("free ?lock wanted", "wanted !locked held", "held !freed free", goal=["held"])
CASE = case_of([("t0", "?lock", "t1"), ("t1", "!locked", "pass"), ("t1", "delta", "fail")], name="lock")


def labels(outcome):
    return [str(event) for event in outcome.trace.events if event.is_move]


def towards_the_goal(spec):
    return plan(solve(spec.game, "goal", objective="expected"))


def lock(answers, chosen=None, *, plays=1, **timing):
    return run(
        chosen or towards_the_goal(LOCK), Scripted(answers={"lock": answers}), plays=plays, timing=Timing(**timing)
    )


@pytest.mark.parametrize("chosen", [None, case_plan(CASE, LOCK)], ids=["goal", "test case"])
def test_a_lock_that_is_never_freed_fails_after_the_goal(chosen):
    kept = lock([(0.1, "locked")], chosen)
    assert kept.verdict.name == "fail"
    assert kept.verdict.why == "silence is not allowed here (after the goal was reached)"
    assert labels(kept) == ["?lock", "!locked", "delta"]
    freed = lock([(0.1, "locked"), (1.0, "freed")], chosen)
    assert freed.verdict.name == "pass"
    assert labels(freed) == ["?lock", "!locked", "!freed"]


def test_a_suite_fails_where_a_lock_is_never_freed():
    made = run(Suite(tests=(CASE,)), Scripted(answers={"lock": [(0.1, "locked")]}), model=LOCK)
    assert [result.verdict.name for result in made.tests] == ["fail"]


def test_what_is_forbidden_after_the_goal_is_a_fail():
    assert lock([(0.1, "locked"), (0.3, "broken")]).verdict.name == "fail"
    assert lock([(0.1, "locked"), (0.3, "crash")]).verdict.name == "fail"


def test_a_system_that_owes_nothing_is_not_waited_for():
    spec = specification_of("s ?a t", "t !x u", "u ?a u", goal=["u"])
    system = Scripted(answers={"a": [(0.1, "x")]})
    outcome = run(towards_the_goal(spec), system, plays=1)
    assert (outcome.verdict.name, labels(outcome)) == ("pass", ["?a", "!x"])
    assert system.clock.now() == pytest.approx(0.1)


def test_the_wait_after_the_goal_can_be_left_out():
    assert lock([(0.1, "locked")], settle=0.0).verdict.name == "pass"


def test_silence_is_called_after_the_silence_time_only_however_long_a_play_may_settle():
    for settle in (0.01, 1.0, 30.0):
        slow = lock([(0.1, "locked"), (2.0, "freed")], silence=2.0, settle=settle)
        assert slow.verdict.name == "pass", settle
        assert lock([(0.1, "locked")], silence=2.0, settle=settle).verdict.name == "fail"


def ticking():
    return specification_of("s ?go t", "t !tick t", goal=["t"])


@pytest.mark.parametrize("settle", [None, 0.0, 0.5, 3.0])
def test_a_model_that_always_owes_more_ends_with_the_time_to_settle_and_passes(settle):
    system = Scripted(answers={"go": [(n / 10, "tick") for n in range(1, 200)]})
    outcome = run(towards_the_goal(ticking()), system, plays=1, timing=Timing(settle=settle))
    assert outcome.verdict.name == "pass"
    ticks = 10 if settle is None else settle * 10
    assert len(labels(outcome)) - 1 == pytest.approx(ticks, abs=1.1)


def test_a_simulated_model_that_always_owes_more_comes_to_an_end():
    outcome = run(towards_the_goal(ticking()), Simulated(ticking(), Random(1)), plays=3)
    assert outcome.verdict.name == "pass"
    assert outcome.tally.steps < 400


def test_a_play_that_used_up_its_steps_to_reach_the_goal_settles_too():
    system = Scripted(answers={"lock": [(0.1, "locked")]})
    assert run(towards_the_goal(LOCK), system, plays=1, steps=2).verdict.name == "fail"


class Broker(Model):
    """A broker that takes messages and delivers each of them."""

    waiting: int = 0
    took: int = 0

    @controllable
    def post(self):
        if self.took == 2:
            return False
        self.took += 1
        self.waiting += 1

    @observable
    def deliver(self):
        if not self.waiting:
            return False
        self.waiting -= 1

    @goal
    def two_pending(self):
        return self.waiting == 2


def broker_plan():
    return plan(solve(explore(Broker, assumption="input-eager"), "two_pending"))


class Delivering(Scripted):
    """Delivers so many messages once it has got two."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def give(self, label):
        super().give(label)
        if len(self.given) == 2:
            self._say([(0.5 + n / 5, "deliver") for n in range(self.count)])


@pytest.mark.parametrize(("delivered", "verdict"), [(2, "pass"), (1, "fail"), (0, "fail")])
def test_a_broker_that_lost_a_message_fails(delivered, verdict):
    outcome = run(broker_plan(), Delivering(delivered), plays=1)
    assert outcome.verdict.name == verdict
    assert outcome.played[0].arrived == 2, "it reached its goal all the same"


def test_the_verdict_is_that_of_the_written_trace():
    outcome = lock([(0.1, "locked")])
    assert judge(LOCK, outcome.trace) == outcome.verdict


@seeds(range(150))
def test_a_system_that_does_what_the_model_allows_never_fails_after_the_goal(seed):
    _, steps = random_steps(seed, least=2, most=5, share=(0.4, 0.6), silence=0.3, stays=True)
    rng = Random(seed)
    spec = specification_by(steps, goal=[rng.choice(steps)[2]])
    walk = plan(spec, seed=seed)
    chosen = Plan(walk.specification, walk.tester, lambda before, label, after: spec.holds("goal", after), ("goal",))
    outcome = run(chosen, Simulated(spec, rng), plays=4, steps=6, extra_steps=rng.choice([0, 5]))
    assert outcome.verdict.name in ("pass", "inconclusive"), outcome


def test_a_play_may_walk_on_after_the_goal():
    spec = specification_of("s ?a t", "t !x u", "u ?a u", "u ?b v", "v !y u", goal=["u"])
    plainly = run(towards_the_goal(spec), Simulated(spec, Random(1)), plays=1)
    assert labels(plainly) == ["?a", "!x"]
    walked = run(towards_the_goal(spec), Simulated(spec, Random(1)), plays=1, extra_steps=30)
    assert walked.verdict.name == "pass"
    assert 32 <= len(labels(walked)) <= 33
    assert "?b" in labels(walked)


def test_a_fault_behind_the_goal_is_found_by_walking_on():
    right = specification_of("s ?a t", "t !x u", "u ?b v", "v !y u", goal=["u"])
    wrong = specification_of("s ?a t", "t !x u", "u ?b v", "v !z u", goal=["u"])
    chosen = towards_the_goal(right)
    assert run(chosen, Simulated(wrong, Random(1)), plays=5).verdict.name == "pass"
    assert run(chosen, Simulated(wrong, Random(1)), plays=5, extra_steps=4).verdict.name == "fail"


def test_walking_on_is_the_same_for_the_same_seed():
    def once():
        return labels(run(broker_plan(), Simulated(specification(Broker), Random(3)), plays=5, extra_steps=9))

    assert once() == once()


PING = specification_of("s ?ping t", "t !pong u", "u !done s", goal=["t"])
PING_CASE = case_of([("t0", "?ping", "pass"), ("t0", "!pong", "fail"), ("t0", "!done", "fail")], name="ping")


@pytest.mark.parametrize("latency", [0.0, 0.1])
@pytest.mark.parametrize("synchronous", [False, True])
def test_a_test_that_ends_with_an_input_waits_for_what_is_owed_while_the_input_is_on_its_way(latency, synchronous):
    def verdict(*answers):
        system = Scripted(answers={"ping": list(answers)}, synchronous=synchronous)
        return run(Suite(tests=(PING_CASE,)), system, model=PING, timing=Timing(latency=latency)).verdict.name

    assert verdict((0.01, "pong")) == "fail", "what is owed does not come"
    assert verdict((0.01, "pong"), (0.02, "done")) == "pass"


@pytest.mark.parametrize("latency", [0.0, 0.1])
def test_a_goal_that_used_up_all_steps_is_gone_on_from_while_the_input_is_on_its_way(latency):
    system = Scripted(answers={"ping": [(0.01, "pong"), (0.02, "done")]}, synchronous=False)
    timing = Timing(latency=latency)
    outcome = run(towards_the_goal(PING), system, plays=1, steps=1, extra_steps=12, timing=timing)
    assert outcome.verdict.name == "pass"
    assert labels(outcome).count("?ping") > 2


@pytest.mark.parametrize("latency", [0.0, 0.1])
def test_a_goal_that_is_reached_in_the_last_look_is_gone_on_from(latency):
    spec = specification_of("s ?a t", "t !x u", "u !y v", "v ?a t", goal=["u"])

    def played(*answers, extra_steps=0):
        system = Scripted(answers={"a": list(answers)}, synchronous=False)
        timing = Timing(latency=latency)
        return run(towards_the_goal(spec), system, plays=1, steps=1, extra_steps=extra_steps, timing=timing)

    assert played((0.2, "x")).verdict.name == "fail", "what is owed after the goal does not come"
    outcome = played((0.2, "x"), (0.3, "y"), extra_steps=6)
    assert outcome.verdict.name == "pass"
    assert labels(outcome).count("?a") > 1
