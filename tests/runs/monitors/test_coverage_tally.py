"""What a run has seen: counted step by step, and added up over runs."""

from __future__ import annotations

from helpers.automata import specification_of
from outplay import Event, Label
from outplay.play.following import follow
from outplay.runs.monitors.coverage_tally import Tally

SPEC = specification_of("s ?a t", "t !x s", "t !y u", "u !x u")


def tally(*texts: str) -> Tally:
    """The tally of one play; an output in brackets came late."""
    events = [Event("reset")]
    for text in texts:
        kind = "input" if text[0] == "?" else "late" if text[0] == "(" else "output"
        events.append(Event(kind, Label.parse(text.strip("()"))))
    made = Tally(plays=1)
    for step in follow(SPEC, events):
        made.take(step)
    return made


def test_a_late_output_counts_as_one_and_a_step_where_it_was_made():
    seen = tally("?a", "(!y)", "!x")
    assert (seen.steps, seen.inputs, seen.outputs) == (3, 1, 2)
    assert len(seen.states) == 3
    assert {label for _, label in seen.transitions} == {"?a", "!y", "!x"}


def test_what_two_runs_have_seen_is_added_up_and_what_both_saw_counts_once():
    one, other = tally("?a", "!x", "?a"), tally("?a", "!y", "!x")
    both = one + other
    assert (both.plays, both.steps, both.inputs, both.outputs) == (2, 6, 3, 3)
    assert both.states == one.states | other.states
    assert both.transitions == one.transitions | other.transitions
    assert (len(one.transitions), len(other.transitions), len(both.transitions)) == (2, 3, 4)
