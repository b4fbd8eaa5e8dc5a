"""Every row of the contract's table of verdicts."""
# an action that does not return False is enabled

from __future__ import annotations

import pytest

from helpers.automata import specification_of
from helpers.traces import trace_of
from outplay import Model, controllable, given, goal, observable, specification
from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.verdict.judge import combine_verdicts, judge
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass

COFFEE = ("s ?coin t", "t !coffee s", "t ?coin t")


def test_what_is_allowed_is_a_pass():
    assert judge(specification_of(*COFFEE), trace_of("reset delta ?coin !coffee ?coin ?coin !coffee delta")) == Pass()


def test_a_forbidden_output_is_a_fail_that_says_what_was_allowed():
    verdict = judge(specification_of(*COFFEE), trace_of("reset ?coin !tea !coffee"))
    assert isinstance(verdict, Fail)
    assert verdict.event.n == 3
    assert verdict.allowed == (Label.parse("!coffee"),)
    assert verdict.states == ("at t",)
    assert verdict.path[:2] == ("at s", "at t")


def test_an_output_that_the_model_never_says_is_told_apart_from_one_forbidden_here():
    spec = specification_of("s ?ask t", "t !ok s")
    assert judge(spec, trace_of("reset ?ask !ok !ok")).why == "not allowed here"
    asked = trace_of("reset ?ask !ok ?ask !okk")
    assert judge(spec, asked).why == "the model never says this (did you mean '!ok'?)"
    asked = trace_of("reset ?ask !ok !listening")
    assert judge(spec, asked).why == "the model never says this (known: !ok)"
    # The first thing a system says may be that it is ready, also where an input was given before that was read.
    assert "see --ready)" in judge(spec, trace_of("reset ?ask !listening")).why
    assert "is it the line that says the system is ready? see --ready)" in judge(spec, trace_of("reset !listening")).why
    assert "--ready" not in judge(spec, trace_of("reset !ok")).why


def test_a_model_program_knows_what_it_never_says():
    verdict = judge(specification(Printer), trace_of("reset ?send !print"))
    assert verdict.why.startswith("the model never says this (did you mean '!printed'?")
    assert judge(specification(Printer), trace_of("reset !printed")).why == "not allowed here"


def test_an_output_with_a_wrong_number_of_values_says_which_the_model_has():
    class Queue(Model):
        channel = "who"

        @controllable(returns=("ok",))
        @given(who=("ann",), item=("x", "y"))
        def put(self, who, item, result): ...

        @observable
        def closed(self): ...

    def why(seen: str) -> str:
        asked = Event("input", Label.parse("?put ann x"), n=1)
        return judge(Queue, Trace(TraceHeader(), (asked, Event("output", Label.parse(seen), n=2)))).why

    assert why("!put ann x ok") == "the model never says this: !put has 2 values (who, result), this one has 3"
    assert why("!put ok") == "the model never says this: !put has 2 values (who, result), this one has 1"
    assert why("!put ann no") == "not allowed here"
    assert why("!closed ann") == "the model never says this: !closed has 0 values, this one has 1"


def test_an_allowed_output_at_the_wrong_time_is_a_fail():
    verdict = judge(specification_of(*COFFEE), trace_of("reset !coffee"))
    assert isinstance(verdict, Fail)
    assert [str(label) for label in verdict.allowed] == ["delta"]


def test_a_forbidden_silence_is_a_fail():
    verdict = judge(specification_of(*COFFEE), trace_of("reset ?coin delta"))
    assert isinstance(verdict, Fail)
    assert verdict.why == "silence is not allowed here"
    assert [str(label) for label in verdict.allowed] == ["!coffee"]


def test_silence_is_allowed_where_no_output_is():
    assert judge(specification_of(*COFFEE), trace_of("reset delta delta")) == Pass()


def test_silence_is_allowed_where_the_model_says_so_and_leads_where_it_says():
    spec = specification_of("s !x s", "s delta t", "t !y t")
    assert judge(spec, trace_of("reset !x delta !y")) == Pass()
    assert isinstance(judge(spec, trace_of("reset !x delta !x")), Fail)


class Printer(Model):
    """A printer that may say it is warm, and has to say that it has printed."""

    jobs: int = 0

    @controllable
    def send(self):
        if self.jobs:
            return False
        self.jobs = 1

    @observable
    def printed(self):
        if not self.jobs:
            return False
        self.jobs = 0

    @observable(optional=True)
    def warm(self):
        pass

    @goal
    def idle(self):
        return self.jobs == 0


def test_an_optional_output_may_come_or_stay_away():
    spec = specification(Printer)
    assert judge(spec, trace_of("reset delta !warm delta !warm !warm")) == Pass()


def test_an_optional_output_does_not_excuse_the_one_that_is_due():
    assert isinstance(judge(specification(Printer), trace_of("reset ?send !warm delta")), Fail)


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("crash", "the system crashed"),
        ("closed", "the system ended before the play did"),
        ("garbage", "the system sent something that is no message"),
    ],
)
def test_a_system_that_goes_or_talks_nonsense_is_a_fail(end, why):
    verdict = judge(specification_of(*COFFEE), trace_of(f"reset ?coin !coffee {end}"))
    assert isinstance(verdict, Fail)
    assert verdict.why == why


def test_a_crash_is_a_fail_even_where_silence_is_allowed_and_after_the_goal():
    assert isinstance(judge(specification_of("s ?a s", goal=["s"]), trace_of("reset crash", goal=("goal",))), Fail)


@pytest.mark.parametrize("failed", ["reset-failed", "note-failed"])
def test_a_system_that_is_not_ready_or_a_failure_of_our_own_is_an_error(failed):
    verdict = judge(specification_of(*COFFEE), trace_of("reset ?coin !coffee", failed))
    assert isinstance(verdict, Error)
    assert verdict.why == f"{failed.removesuffix('-failed')} failed"


def test_the_reason_of_an_error_is_told():
    events = (Event("reset", detail="no power", failed=True),)
    assert judge(specification_of(*COFFEE), Trace(TraceHeader(), events)).why == "no power"


def test_a_note_for_people_changes_nothing():
    assert judge(specification_of(*COFFEE), trace_of("note reset note ?coin note !coffee")) == Pass()


def test_a_late_output_is_judged_as_an_output_at_its_time():
    spec = specification_of("s !x t", "s delta s")
    assert judge(spec, trace_of("reset delta late!x")) == Pass()
    assert isinstance(judge(spec, trace_of("reset delta late!y")), Fail)
    after_silence = specification_of("s !x t", "s delta u")
    assert isinstance(judge(after_silence, trace_of("reset delta late!x")), Fail), (
        "it is not credited to an earlier step"
    )


# Timing that hangs on the tester's own delay.


def test_a_forbidden_silence_is_inconclusive_where_the_tester_was_late():
    verdict = judge(specification_of(*COFFEE), trace_of("reset ?coin tester-late@0.5 delta"))
    assert isinstance(verdict, Inconclusive)
    assert "the tester itself was late (500 ms)" in verdict.why


@pytest.mark.parametrize(
    "play", ["reset tester-late@0.5 ?coin delta", "reset ?coin tester-late@0.5 !coffee ?coin delta"]
)
def test_a_delay_before_the_last_move_excuses_no_silence_after_it(play):
    assert isinstance(judge(specification_of(*COFFEE), trace_of(play)), Fail)


def test_a_delay_in_one_wait_does_not_excuse_the_silence_of_the_next():
    spec = specification_of("s delta t", "s !x s", "t !x s")
    assert judge(spec, trace_of("reset delta")) == Pass()
    assert isinstance(judge(spec, trace_of("reset delta delta")), Fail)
    assert isinstance(judge(spec, trace_of("reset tester-late@0.5 delta !x delta delta")), Fail)


def test_a_forbidden_output_is_a_fail_however_late_the_tester_was():
    assert isinstance(judge(specification_of(*COFFEE), trace_of("reset ?coin tester-late@0.5 !tea")), Fail)


@pytest.mark.parametrize("end", ["crash", "closed", "garbage"])
def test_a_crash_is_a_fail_however_late_the_tester_was(end):
    assert isinstance(judge(specification_of(*COFFEE), trace_of(f"reset ?coin tester-late@0.5 {end}")), Fail)


def test_silence_called_late_does_not_make_the_answer_that_follows_it_a_fail():
    """Had the tester waited as it should, the output would have come before anything was called silence."""
    spec = specification_of("s ?a busy", "s ?a idle", "busy !x s")
    assert isinstance(judge(spec, trace_of("reset ?a delta late!x")), Fail)
    assert isinstance(judge(spec, trace_of("reset ?a tester-late@0.5 delta late!x")), Inconclusive)
    assert isinstance(judge(spec, trace_of("reset ?a tester-late@0.5 delta late!y")), Fail), "forbidden either way"


def test_an_output_that_the_tester_noticed_late_may_have_crossed_the_input():
    spec = specification_of("s ?a t", "s !x u", "u ?a v")
    assert isinstance(judge(spec, trace_of("reset ?a@0.0 !x@0.5", latency=0.1)), Fail)
    verdict = judge(spec, trace_of("reset ?a@0.0 tester-late@0.5 !x@0.5", latency=0.1))
    assert isinstance(verdict, Inconclusive)
    assert verdict.why.startswith("whether !x came in time is open, but the tester itself was late (500 ms): play")
    assert verdict.event.n == 4
    assert isinstance(judge(spec, trace_of("reset ?a@0.0 tester-late@0.5 !x@0.5 !x@0.6", latency=0.1)), Fail)


@pytest.mark.parametrize(("seen", "verdict"), [(0.9, "pass"), (1.1, "inconclusive"), (3.0, "inconclusive")])
def test_an_answer_after_the_time_for_silence_to_a_tester_that_was_stopped_is_inconclusive(seen, verdict):
    trace = trace_of(f"reset@0.0 ?coin@0.0 tester-late@0.5 !coffee@{seen}", silence=1.0)
    assert judge(specification_of(*COFFEE), trace).name == verdict
    on_time = trace_of(f"reset@0.0 ?coin@0.0 !coffee@{seen}", silence=1.0)
    assert judge(specification_of(*COFFEE), on_time) == Pass()


def test_an_answer_that_may_come_at_any_time_passes_however_long_the_tester_was_stopped():
    spec = specification_of("s ?a t", "t !x s", "t delta t")
    assert judge(spec, trace_of("reset@0.0 ?a@0.0 tester-late@2.5 !x@3.0", silence=1.0)) == Pass()


def test_silence_seen_means_that_nothing_is_on_its_way():
    trace = trace_of("reset ?coin@0.0 delta@0.05", latency=0.1)
    verdict = judge(specification_of(*COFFEE), trace)
    assert isinstance(verdict, Fail)
    assert [str(label) for label in verdict.allowed] == ["!coffee"]


# Who came first.


def test_an_output_within_the_latency_may_have_come_first():
    spec = specification_of("s ?a t", "s !x u", "u ?a v")
    assert judge(spec, trace_of("reset ?a@1.0 !x@1.09", latency=0.1)) == Pass()
    assert isinstance(judge(spec, trace_of("reset ?a@1.0 !x@1.125", latency=0.125)), Fail)
    assert isinstance(judge(spec, trace_of("reset ?a@1.0 !x@1.1")), Fail), "calls do not cross"


def test_what_no_order_allows_is_a_fail_within_the_latency_too():
    spec = specification_of("s ?a t", "s !x u", "u ?a v", "t !y s")
    verdict = judge(spec, trace_of("reset ?a@1.0 !z@1.05", latency=0.1))
    assert isinstance(verdict, Fail)
    assert {str(label) for label in verdict.allowed} >= {"!x", "!y"}, "all orders are told"


# Outside the specification.


def test_an_input_no_state_specifies_leaves_the_specification():
    verdict = judge(specification_of(*COFFEE), trace_of("reset ?button"))
    assert isinstance(verdict, Inconclusive)
    assert verdict.why.startswith("left the specification")
    assert verdict.event.n == 2


@pytest.mark.parametrize("after", ["!tea", "delta", "crash", "garbage", "note-failed"])
def test_whatever_happens_outside_the_specification_is_no_fail(after):
    assert isinstance(judge(specification_of(*COFFEE), trace_of(f"reset ?button {after}")), Inconclusive)


@pytest.mark.parametrize("end", ["crash", "closed", "garbage"])
def test_a_system_that_may_have_met_an_unspecified_input_may_do_anything_even_go(end):
    spec = specification_of("s ?a t", "s !x u")
    assert isinstance(judge(spec, trace_of(f"reset ?a@1.0 {end}@1.05", latency=0.1)), Fail)
    assert isinstance(judge(spec, trace_of(f"reset ?a@1.0 !x@1.05 {end}@1.06", latency=0.1)), Inconclusive)
    both = specification_of("s ?a t", "s !x u", "t !x t")
    assert isinstance(judge(both, trace_of(f"reset ?a@1.0 !x@1.05 {end}@1.06", latency=0.1)), Inconclusive)


def test_a_fail_before_the_specification_was_left_is_a_fail():
    assert isinstance(judge(specification_of(*COFFEE), trace_of("reset ?coin !tea ?button")), Fail)


def test_an_input_is_outside_only_where_no_state_specifies_it():
    spec = specification_of("s ?a t", "s ?a u", "t ?b t", "u !x u", "t !y t")
    assert isinstance(judge(spec, trace_of("reset ?a ?b !x")), Fail), "it was in t, or it would not have taken ?b"
    assert judge(spec, trace_of("reset ?b !z")).why.startswith("left the specification")
    assert judge(spec, trace_of("reset ?a ?b !y")) == Pass()


def test_an_input_that_crossed_an_output_is_followed_both_ways():
    spec = specification_of("s ?a t", "s !x u")
    verdict = judge(spec, trace_of("reset ?a@1.0 !x@1.05", latency=0.1))
    assert isinstance(verdict, Inconclusive), "the output was allowed, and after it nothing is said about the input"


# The goal, and many plays.


def test_with_a_goal_a_pass_needs_a_play_that_reached_it():
    spec = specification_of("s ?a t", "t !x s", goal=["t"])
    assert judge(spec, trace_of("reset ?a !x", "reset delta", goal=("goal",))) == Pass(reached=1)
    verdict = judge(spec, trace_of("reset delta", "reset delta", goal=("goal",)))
    assert isinstance(verdict, Inconclusive)
    assert verdict.why == "no play reached goal"


def test_several_goals_count_as_one_union():
    spec = specification_of("s ?a t", "t !x s", goal=["t"])
    assert judge(spec, trace_of("reset ?a !x", goal=("!nothing", "goal"))) == Pass(reached=1)
    assert judge(spec, trace_of("reset delta", goal=("goal", "!x"))).why == "no play reached goal or !x"


def test_a_goal_reached_under_some_orders_only_is_not_reached():
    spec = specification_of("s ?a t", "s !x u", "u ?a v", "t !x w", goal=["t"])
    verdict = judge(spec, trace_of("reset ?a@1.0 !x@1.05", goal=("goal",), latency=0.1))
    assert isinstance(verdict, Inconclusive)


def test_a_goal_the_model_does_not_have_is_a_mistake_in_the_call():
    with pytest.raises(UsageError, match=r"no goal, state, label or transition 'gaol'"):
        judge(specification_of("s ?a t", goal=["t"]), trace_of("reset ?a", goal=("gaol",)))


def test_nothing_played_is_inconclusive():
    verdict = judge(specification_of(*COFFEE), Trace())
    assert verdict == Inconclusive("nothing was played")


def test_each_play_starts_anew():
    spec = specification_of("s ?a t", "t ?b t")
    assert judge(spec, trace_of("reset ?a", "reset ?a")) == Pass()
    assert isinstance(judge(spec, trace_of("reset ?a ?a")), Inconclusive)


def test_a_reset_starts_anew_in_a_log_without_numbers():
    spec = specification_of("s ?a t", "t ?b t")
    assert judge(spec, trace_of("reset ?a reset ?a")) == Pass()


OUTCOMES = [Pass(), Pass(reached=2), Inconclusive("?"), Error("!"), Fail("x", Event("crash"))]


@pytest.mark.parametrize("first", OUTCOMES, ids=lambda verdict: verdict.name)
@pytest.mark.parametrize("second", OUTCOMES, ids=lambda verdict: verdict.name)
def test_the_worst_play_is_the_verdict_of_the_run(first, second):
    order = ["pass", "inconclusive", "error", "fail"]
    worst = max((first.name, second.name), key=order.index)
    assert combine_verdicts([first, second]).name == combine_verdicts([second, first]).name == worst


def test_a_goal_reached_does_not_mend_a_play_that_did_not_conform():
    """A run passes where every play conformed and one reached the goal."""
    verdict = combine_verdicts([Pass(reached=1), Inconclusive("the tester was late")], ["goal"])
    assert verdict == Inconclusive("the tester was late")
    assert combine_verdicts([Pass(), Pass(reached=1), Pass(reached=1)], ["goal"]) == Pass(reached=2)


def test_the_first_fail_is_told():
    fails = [Fail("first", Event("crash", n=3)), Fail("second", Event("crash", n=9))]
    assert combine_verdicts([Error("!"), *fails]) is fails[0]


@pytest.mark.parametrize(
    ("verdict", "code"), [(Pass(), 0), (Fail("", Event("crash")), 1), (Error(""), 4), (Inconclusive(""), 6)]
)
def test_each_verdict_has_the_exit_code_of_the_contract(verdict, code):
    assert verdict.exit_code == code


# What is no trace of a play.


@pytest.mark.parametrize(
    "odd",
    [
        Event("output"),
        Event("input"),
        Event("late"),
        Event("output", Label.parse("?coin")),
        Event("late", Label.parse("delta")),
        Event("input", Label.parse("!coffee")),
        Event("input", Label.parse("tau")),
    ],
    ids=lambda event: f"{event.kind} {event.label}",
)
def test_a_move_whose_label_does_not_fit_is_an_error_and_never_passed_over(odd):
    assert isinstance(judge(specification_of(*COFFEE), Trace(TraceHeader(), (Event("reset"), odd))), Error)


# Our own exceptions.


class Broken(Model):
    """A model whose action raises once it has been asked twice."""

    count: int = 0

    @controllable
    def ask(self):
        self.count += 1
        if self.count > 1:
            raise ZeroDivisionError("of my own making")


def test_a_model_that_raises_while_judging_is_an_error_that_names_the_place():
    verdict = judge(specification(Broken), trace_of("reset ?ask ?ask"))
    assert isinstance(verdict, Error)
    assert "ZeroDivisionError: of my own making" in verdict.why
    assert "test_judge.py:" in verdict.why


def test_a_specification_that_raises_something_else_is_an_error_too():
    spec = specification_of(*COFFEE)
    spec.after = lambda state, label: 1 / 0
    verdict = judge(spec, trace_of("reset ?coin"))
    assert isinstance(verdict, Error)
    assert verdict.why == "outplay failed: ZeroDivisionError: division by zero"
