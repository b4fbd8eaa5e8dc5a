"""When walks are done, as GraphWalker writes it: read into goals, and walked to in the fewest steps."""

from __future__ import annotations

from itertools import combinations

import pytest

from helpers.walks import counter, document, edge, models, vertex
from outplay.errors import UsageError
from outplay.model.walk_stop import generator_goals, goal_choice, read_generators, stop_condition_goals
from outplay.suite.covering.covering_walk import covering_walks


def names(text: str) -> list[list[list[str]]]:
    found = models(counter())
    return [
        sorted(sorted(found.edges[one].id for one in goal) for goal in one.goals)
        for one in stop_condition_goals(found, text)
    ]


def test_conditions_are_sets_of_goals_any_of_which_is_enough():
    assert names("edge_coverage(100)") == [[["e0"], ["e1"], ["e2"], ["f0"], ["f1"]]]
    assert names("vertex_coverage(100)") == [[["e0", "e1"], ["e2", "f1"], ["f0"]]]
    assert names("requirement_coverage(100)") == [[["e0", "e1"], ["e1"], ["f0"]]]
    assert names("reached_vertex(v_y)") == [[["f0"]]]
    assert names("reached_shared_state(DOOR)") == [[["e2", "f1"]]]
    assert names("reached_edge(e_e2) OR reached_edge(e_f1)") == [[["e2"]], [["f1"]]]
    both = names("(reached_edge(e_e0) || reached_edge(e_e1)) && reached_vertex(v_y)")
    assert both == [[["e0"], ["f0"]], [["e1"], ["f0"]]]


def test_generators_are_read_with_their_conditions():
    found = read_generators("random(edge_coverage(100)) a_star(reached_vertex(v_A) or never())")
    assert [one[0] for one in found] == ["edge_coverage", "reached_vertex"]
    assert found[1][-3:] == ("never", "(", ")")
    assert generator_goals(models(counter())) == [goal_choice([frozenset({0}), frozenset({1}), frozenset({2})])]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("edge_coverage(50) and reached_vertex(v_y)", "stands alone"),
        ("edge_coverage(150)", "no share"),
        ("edge_coverage(half)", "no share"),
        ("time_duration(10)", "says how long to walk"),
        ("length(10)", "says how long to walk"),
        ("predefined_path()", "no goal of a walk"),
        ("reached_vertex(nowhere)", "no model has"),
        ("reached_vertex(v_y", "'\\)' is missing"),
        ("reached_vertex(v_y) v_x", "left over"),
        ("and", "is missing"),
        ("", "something is missing"),
        (" and ".join(["(reached_vertex(v_y) or reached_vertex(v_a))"] * 12), "ways to be done"),
    ],
)
def test_conditions_that_are_no_goals_are_told(text: str, word: str):
    with pytest.raises(UsageError, match=word):
        names(text)


@pytest.mark.parametrize("text", ["random", "random(edge_coverage(100)", "random edge_coverage(100)"])
def test_generators_that_are_not_understood_are_told(text: str):
    with pytest.raises(UsageError, match="the generator"):
        read_generators(text)


@pytest.mark.parametrize("share", [1, 41, 80])
def test_of_a_share_so_many_goals_are_met_in_the_fewest_steps(share: int):
    """Against the walks for every set of so many edges."""
    drawn = models(counter())
    (asked,) = stop_condition_goals(drawn, f"edge_coverage({share})")
    count = len(asked.goals)
    assert (asked.needed - 1) * 100 < share * count <= asked.needed * 100
    subsets = combinations(sorted(asked.goals, key=sorted), asked.needed)
    walks = [covering_walks(drawn, [goal_choice(chosen)]) for chosen in subsets]
    found = covering_walks(drawn, [asked])
    assert len({edge for walk in found.walks for edge in walk}) >= asked.needed
    assert (found.restarts, found.steps) == min((one.restarts, one.steps) for one in walks)


def test_a_share_may_be_joined_by_or():
    drawn = models(counter())
    found = covering_walks(drawn, stop_condition_goals(drawn, "reached_vertex(v_y) or edge_coverage(20)"))
    assert found.steps == 1


def test_walks_end_when_the_condition_holds():
    found = models(counter())
    near = covering_walks(found, stop_condition_goals(found, "reached_vertex(v_b) or reached_vertex(v_a)"))
    assert ([[found.edges[one].id for one in walk] for walk in near.walks], near.gap) == ([["e0"]], 0)
    far = covering_walks(found, stop_condition_goals(found, "reached_vertex(v_y)"))
    assert [[found.edges[one].id for one in walk] for walk in far.walks] == [["e0", "e1", "e1", "e2", "f0"]]
    assert far.lines()[0] == "5 steps do what is asked for, and no walk is shorter"


def test_what_no_walk_reaches_is_told():
    edges = [edge("start", None, "a"), edge("never", "a", "b", guard="x > 1")]
    model = models(document({"vertices": [vertex("a"), vertex("b")], "edges": edges, "actions": ["x = 0"]}))
    with pytest.raises(UsageError, match="none takes e_never"):
        covering_walks(model, stop_condition_goals(model, "reached_vertex(v_b)"))
