from __future__ import annotations

import pytest

from outplay.errors import UsageError
from outplay.game.exploring.explore import explore
from outplay.model.automaton import automaton
from outplay.model.machine import Machine
from outplay.model.programs.actions import controllable, goal, observable
from outplay.model.programs.program import Model
from outplay.pictures.elements import DIAMOND, LOST, REFUSED, ROUND, STRATEGY, SYSTEM, TESTER, TRACE
from outplay.pictures.svg import draw, write_svg

COFFEE = Machine(("s0", "s1"), ((1, "button", "coffee", 0), (0, "coin", "beep", 1)), name="coffee")


class Doors(Model):
    opened: int = 0

    @controllable
    def push(self):
        closed, self.opened = not self.opened, 1
        return closed

    @observable
    def shut(self):
        was_open, self.opened = bool(self.opened), 0
        return was_open

    @goal
    def ajar(self):
        return self.opened == 1


def marked(drawing, mark=TRACE):
    names = [node.name for node in drawing.nodes]
    return [(names[edge.source], names[edge.target]) for edge in drawing.edges if edge.mark == mark]


def text(edge):
    return "".join(part.text for part in edge.label)


def test_an_automaton_is_drawn_state_by_state(lamp):
    drawing = draw(lamp)
    assert [node.name for node in drawing.nodes] == ["off", "on", "shining"]
    assert [(edge.source, edge.target, text(edge)) for edge in drawing.edges] == [
        (0, 1, "?press"),
        (0, 0, "delta"),
        (1, 2, "!light"),
        (2, 0, "?press"),
    ]
    assert [edge.label[0].role for edge in drawing.edges] == ["input", "silence", "output", "input"]


def test_states_that_may_be_silent_have_a_ring(lamp):
    assert [node.quiet for node in draw(lamp).nodes] == [True, False, True]


def test_where_no_state_speaks_rings_would_say_nothing():
    assert not any(node.quiet for node in draw(automaton([("a", "?x", "b")])).nodes)


def test_a_machine_shows_input_and_output_together():
    drawing = draw(COFFEE)
    assert [(edge.source, edge.target, text(edge)) for edge in drawing.edges] == [
        (0, 1, "coin/beep"),
        (1, 0, "button/coffee"),
    ]
    assert [part.role for part in drawing.edges[0].label] == ["input", "plain", "output"]


def test_a_game_shows_whose_turn_it_is(bargain):
    nodes = {node.name: node for node in draw(bargain).nodes}
    assert (nodes["start"].role, nodes["start"].shape) == (TESTER, ROUND)
    assert (nodes["asked"].role, nodes["asked"].shape) == (SYSTEM, DIAMOND)
    assert nodes["stuck"].role == LOST
    assert nodes["won"].goal
    assert nodes["won"].note == "done"


def test_costs_other_than_one_and_probabilities_are_shown(bargain):
    edges = {text(edge): edge for edge in draw(bargain).edges}
    assert edges["?beg"].cost == ""
    assert edges["wait"].cost == ""
    assert edges["wait"].free
    assert edges["!no"].probability == "1/3"
    assert {edge.cost for edge in draw(bargain).edges} == {"", "3", "1/2"}


def test_vertices_behind_a_state_show_the_choice_as_a_note():
    game = explore(Doors)
    drawing = draw(game)
    assert drawing.title == "Doors"
    assert [node.title for node in drawing.nodes] == list(game.names)
    assert all(" " not in node.name for node in drawing.nodes)
    assert "opened=0" in drawing.nodes[0].details


def test_a_strategy_marks_its_edges(bargain):
    assert marked(draw(bargain, strategy=[0, 5]), STRATEGY) == [("start", "asked"), ("retry", "start")]


def test_a_strategy_of_a_machine_counts_steps_as_the_machine_does():
    assert marked(draw(COFFEE, strategy=[0]), STRATEGY) == [("s1", "s0")]


def test_a_trace_is_followed_with_its_steps(lamp):
    drawing = draw(lamp, trace=["?press", "!light", "?press", "?press"])
    assert marked(drawing) == [("off", "on"), ("on", "shining"), ("shining", "off")]
    assert [edge.steps for edge in drawing.edges if edge.mark] == [(1, 4), (2,), (3,)]
    assert all(node.marked for node in drawing.nodes)


def test_all_runs_of_a_nondeterministic_model_that_fit_are_marked_and_no_others():
    model = automaton(
        [("a", "?x", "b"), ("a", "?x", "c"), ("a", "?x", "d"), ("b", "!y", "e"), ("c", "!y", "e"), ("d", "!z", "e")]
    )
    assert marked(draw(model, trace=["?x", "!y"])) == [("a", "b"), ("a", "c"), ("b", "e"), ("c", "e")]


def test_internal_steps_are_passed_without_reading():
    model = automaton([("a", "tau", "b"), ("b", "?x", "c"), ("c", "tau", "d")])
    assert marked(draw(model, trace=["?x"])) == [("a", "b"), ("b", "c")]


def test_silence_needs_no_edge_where_it_is_allowed():
    model = automaton([("a", "?x", "b"), ("b", "!y", "a")])
    assert marked(draw(model, trace=["delta", "?x"])) == [("a", "b")]
    assert [edge.mark for edge in draw(model, trace=["?x", "delta"]).edges] == [TRACE, "", REFUSED]


def test_a_machine_reads_two_labels_at_a_step_and_may_be_cut_off_between():
    assert marked(draw(COFFEE, trace=["?coin", "!beep", "?button", "!coffee"])) == [("s0", "s1"), ("s1", "s0")]
    assert marked(draw(COFFEE, trace=["?coin", "!beep", "?button"])) == [("s0", "s1"), ("s1", "s0")]


def test_decisions_of_a_game_are_passed_without_reading():
    drawing = draw(explore(Doors), trace=["?push", "!shut"])
    titles = [node.title for node in drawing.nodes]
    assert [(titles[e.source], titles[e.target]) for e in drawing.edges if e.mark == TRACE] == [
        ("s0", "s1"),
        ("s1", "s0"),
    ]


@pytest.mark.parametrize(
    ("model", "trace", "refused", "step"),
    [
        (automaton([("a", "?x", "b")]), ["?x", "!y", "?x"], "!y", 2),
        (COFFEE, ["?coin", "!boom"], "?coin !boom", 1),
        (COFFEE, ["?coin", "!beep", "?coin"], "?coin", 3),
    ],
)
def test_what_the_model_refuses_leads_to_a_place_of_its_own(model, trace, refused, step):
    drawing = draw(model, trace=trace)
    assert drawing.nodes[-1].role == REFUSED
    last = drawing.edges[-1]
    assert (last.mark, text(last), last.steps) == (REFUSED, refused, (step,))
    assert last.target == len(drawing.nodes) - 1


def test_other_things_cannot_be_drawn():
    with pytest.raises(UsageError, match="a str cannot be drawn"):
        draw("model")


def test_silence_that_the_model_allows_needs_no_edge_and_is_not_drawn_as_refused():
    game = explore(automaton([("idle", "?coin", "paid"), ("paid", "!cup", "idle")]))
    fine = draw(game, trace=["delta", "?coin", "!cup", "delta"])
    wrong = draw(game, trace=["delta", "?coin", "delta"])
    assert "not allowed" not in write_svg(fine)
    assert "not allowed" in write_svg(wrong)
