from __future__ import annotations

from random import Random

from helpers.automata import specification_of
from helpers.systems import Scripted
from outplay import explore, run, win
from outplay.model.label import SILENCE, Label
from outplay.model.programs.load import load_program
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.tracking import Tracker
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import PATIENCE, plan
from outplay.play.trace import Event
from outplay.tester.script import Script
from outplay.tester.tester import Give, Stop, Wait, Walker

A, B = map(Label.parse, ("?a", "?b"))


class TestWalker:
    def test_it_gives_only_inputs_enabled_in_all_states(self):
        spec = specification_of("s ?a t", "s ?a u", "t ?b t", "u ?b u", "u ?a u")
        tracker = Tracker(spec).gave(A)
        chosen = {Walker(Random(seed)).decide(tracker) for seed in range(50)}
        assert Give(A) not in chosen
        assert Give(B) in chosen

    def test_it_prefers_inputs_it_has_not_given_here(self):
        tracker = Tracker(specification_of("s ?a s", "s ?b s"))
        walker = Walker(Random(0))
        walker.observe(tracker, A)
        assert walker.decide(tracker) == Give(B)

    def test_it_waits_where_it_can_give_nothing(self):
        assert Walker(Random(0)).decide(Tracker(specification_of("s !x s"))) == Wait()

    def test_it_does_not_wait_twice_where_nothing_can_come(self):
        tracker, walker = Tracker(specification_of("s ?a s")), Walker(Random(0))
        walker.observe(tracker, SILENCE)
        walker.observe(tracker, A)
        assert {walker.decide(tracker) for _ in range(50)} == {Give(A)}

    def test_it_is_done_at_a_dead_end_once_silence_was_seen_there(self):
        tracker, walker = Tracker(specification_of("s ?a dead")).gave(A), Walker(Random(0))
        assert walker.decide(tracker) == Wait()
        walker.observe(tracker, SILENCE)
        assert isinstance(walker.decide(tracker), Stop)

    def test_it_sees_all_transitions_of_a_small_model_in_a_few_plays(self):
        spec = specification_of("s ?a t", "s ?b u", "t !x s", "t !y s", "u !x u", "u ?a s")
        for seed in range(20):
            outcome = run(plan(spec, seed=seed), Simulated(spec, Random(seed)), plays=10, steps=30)
            assert len(outcome.tally.transitions) == 7, f"seed {seed}"  # the six, and silence in s


class TestFollower:
    def test_it_reaches_what_can_be_forced_in_every_play(self, chat):
        program = load_program(f"{chat / 'model.py'}:Chat", ())
        strategy = win(explore(program, assumption="input-eager"), "two_pending")
        # Under input-eager the system waits for the tester, as this one is made to do.
        system = Simulated(ProgramSpecification(program), Random(1))
        observe = system.observe
        system.observe = lambda timeout: Event("silence", seen=0.0) if timeout <= 0 else observe(timeout)
        outcome = run(strategy, system, plays=20, steps=50)
        assert (outcome.verdict.name, outcome.verdict.reached) == ("pass", 20)

    def test_it_hopes_where_nothing_can_be_forced(self):
        game = specification_of("s ?a t", "t !x good", "t !y s", goal=["good"]).game
        # Every vertex is the tester's in this little game, so what the system says is only hoped for.
        spec = specification_of("s ?a t", "t !x good", "t !y s")
        outcome = run(win(game, "goal"), Simulated(spec, Random(3)), plays=10, steps=40)
        assert outcome.verdict.name == "pass"
        assert outcome.verdict.reached >= 5

    def test_it_gives_up_after_some_silences_in_a_row(self):
        result = win(specification_of("s !x good", "s delta s", goal=["good"]).game, "goal")
        outcome = run(result, Scripted(), plays=1)
        assert [event.kind for event in outcome.trace.events].count("silence") == PATIENCE
        assert outcome.verdict.name == "inconclusive"

    def test_a_goal_out_of_reach_ends_the_play_at_once(self):
        result = win(specification_of("s ?a s", "good ?a good", goal=["good"]).game, "goal")
        outcome = run(result, Scripted(), plays=3)
        assert outcome.tally.steps == 0
        assert outcome.verdict.why == "no play reached goal"


def decided(recorded: str, seen: str):
    """What a script of a record decides after some labels."""
    script = Script(map(Label.parse, recorded.split()))
    memory = script.start
    for text in seen.split():
        memory = script.remember(None, memory, Label.parse(text))
    return script.choose(None, memory)


class TestScript:
    def test_it_gives_the_inputs_again_at_their_places(self):
        assert decided("?a !x delta ?b", "") == Give(A)
        assert decided("?a !x delta ?b", "?a") == Wait()
        assert decided("?a !x delta ?b", "?a !x delta") == Give(B)
        assert isinstance(decided("?a !x delta ?b", "?a !x delta ?b"), Stop)

    def test_an_output_that_comes_early_is_not_waited_for_again(self):
        assert decided("?a ?b !x", "?a !x") == Give(B)
        assert isinstance(decided("?a ?b !x", "?a !x ?b"), Stop)

    def test_one_that_the_record_does_not_have_changes_nothing(self):
        assert decided("?a ?b !x", "?a !y") == Give(B)
        assert decided("?a ?b !x", "?a !y ?b") == Wait()

    def test_another_output_than_recorded_takes_its_place(self):
        assert decided("!x ?a", "!y") == Give(A)


def test_what_was_seen_in_one_play_is_known_in_the_next():
    spec = specification_of("s ?a t", "s ?b u", "t !x s", "u !y s")
    chosen = plan(spec, seed=1)
    run(chosen, Simulated(spec, Random(1)), plays=1, steps=2)
    before = len(chosen.tester.seen)
    run(chosen, Simulated(spec, Random(1)), plays=5, steps=4)
    assert before < len(chosen.tester.seen) == 5  # all four, and silence in s
