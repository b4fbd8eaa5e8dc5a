from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ElementTree
from collections import Counter

import numpy as np
import pytest

from helpers.pictures import drawn_automaton
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay import Model, controllable, explore, observable
from outplay.game.builder import game_from_arrays
from outplay.model.automaton import automaton
from outplay.pictures.elements import GROUP
from outplay.pictures.svg import draw, write_html, write_svg
from outplay.pictures.vertex_grouping import by_component, grouping_of
from outplay.pictures.views.summary import MOST_ARROWS, MOST_NODES
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model


def ring(count, **options):
    """A game that goes round, tester and system in turn."""
    vertices = range(count)
    return game_from_arrays(
        owner=[vertex % 2 for vertex in vertices],
        source=list(vertices),
        target=[(vertex + 1) % count for vertex in vertices],
        label=[vertex % 2 for vertex in vertices],
        labels=["?go", "!ok"],
        **options,
    )


def test_two_hundred_vertices_are_drawn_one_by_one():
    drawing = draw(ring(MOST_NODES))
    assert len(drawing.nodes) == MOST_NODES
    assert not drawing.more


def test_more_are_summed_up():
    drawing = draw(ring(MOST_NODES + 1, goals={"half": [100]}))
    assert len(drawing.nodes) < 20
    assert all(node.role == GROUP for node in drawing.nodes)
    facts = dict(drawing.facts)
    assert facts["size"].startswith("201 vertices, 201 edges")
    assert facts["turns"] == "the tester moves at 101, the system at 100"
    assert facts["goal half"] == "1 vertex"
    assert [more.title for more in drawing.more] == [
        "Around the start",
        "Before the nearest half, 100 edges from the start",
    ]


def test_so_are_few_states_with_very_many_arrows():
    count = 30
    steps = [(f"s{a}", "?x", f"s{b}") for a in range(count) for b in range(count)]
    assert count * count > MOST_ARROWS
    assert draw(automaton(steps)).facts


def test_groups_hold_everything_that_is_reached_and_count_every_edge():
    drawing = draw(ring(1000))
    assert sum(int(node.name.split()[0].replace(",", "")) for node in drawing.nodes) == 1000
    counts = ["".join(part.text for part in edge.label) for edge in drawing.edges]
    assert sum(int(text) if text.isdigit() else 1 for text in counts) == 1000


def test_components_are_shown_where_they_tell_something():
    rooms = [[(f"r{room}s{n}", "?x", f"r{room}s{(n + 1) % 60}") for n in range(60)] for room in range(5)]
    doors = [(f"r{room}s0", "!door", f"r{room + 1}s0") for room in range(4)]
    drawing = draw(automaton([step for room in rooms for step in room] + doors))
    assert [node.name for node in drawing.nodes] == ["60 states"] * 5
    assert [(edge.source, edge.target) for edge in drawing.edges if edge.source != edge.target] == [
        (room, room + 1) for room in range(4)
    ]


def test_the_trace_and_the_strategy_are_drawn_in_full():
    drawing = draw(ring(1000), trace=["?go", "!ok", "?go"], strategy=[0])
    trace, strategy, *_ = drawing.more
    assert trace.title == "The trace"
    assert [node.name for node in trace.nodes] == ["v0", "v1", "v2", "v3"]
    assert strategy.title == "The strategy (its first 60 places of 1,000)"


def test_edges_that_leave_a_picture_are_counted():
    around = draw(ring(1000)).more[0]
    assert [node.note for node in around.nodes if node.note] == ["+ 1 more"]


@pytest.mark.parametrize("seed", range(3))
def test_summaries_are_pictures_like_others(seed):
    drawing = draw(drawn_automaton(seed, 2000))
    ElementTree.fromstring(write_svg(drawing))
    page = write_html(drawing)
    assert "Around the start" in page
    assert write_html(draw(drawn_automaton(seed, 2000))) == page


@seeds(range(100))
def test_components_are_the_sets_that_reach_each_other(seed):
    rng = random.Random(seed)
    count = rng.randrange(1, 9)
    rows = [sorted(rng.sample(range(count), rng.randrange(min(3, count) + 1))) for _ in range(count)]
    first = [sum(map(len, rows[:node])) for node in range(count + 1)]
    reach = [{node} for node in range(count)]
    for _ in range(count):
        reach = [set().union(*({node}, *(reach[target] for target in rows[node]))) for node in range(count)]
    expected = {tuple(other for other in range(count) if other in reach[n] and n in reach[other]) for n in range(count)}
    of = by_component(np.array(first), np.array([target for row in rows for target in row], dtype=np.int64)).of
    assert {tuple(np.flatnonzero(of == number).tolist()) for number in set(of.tolist())} == expected


def test_a_box_opens_a_picture_of_places_in_it_nearest_to_the_start():
    drawing = draw(ring(1000))
    opening = [node for node in drawing.nodes if node.opens is not None]
    assert [node.opens for node in opening] == [*range(len(drawing.inside))]
    assert len(opening) == len(drawing.nodes)
    begins = 0
    for node, part in zip(opening, drawing.inside, strict=True):
        assert part.title.startswith(f"Inside {node.title}: ")
        assert part.nodes[0].name == f"v{begins}"
        assert all(one.opens is None for one in part.nodes)
        begins += int(node.name.split()[0].replace(",", ""))
    page, picture = write_html(drawing), write_svg(drawing)
    assert page.count("<g data-inside=") == len(opening)
    assert page.count(" data-opens=") == len(opening)
    assert "data-inside" not in picture


def chat_game():
    return load_model(Job(f"{EXAMPLES / 'chat' / 'model.py'}:Chat")).game()


def test_states_with_values_are_folded_by_the_variable_that_is_easiest_to_look_at():
    game = chat_game()
    drawing = draw(game)
    assert drawing.fold == "Folded by waiting"
    sizes = {node.name: int(node.note.split()[0]) for node in drawing.nodes if node.role == GROUP}
    waiting = Counter(game.about(vertex).partition("waiting=")[2].replace(",", ", ") for vertex in range(541))
    assert sizes == {f"waiting={value}": count for value, count in waiting.items() if count > 1}
    counts = ["".join(part.text for part in edge.label) for edge in drawing.edges]
    assert sum(int(text.replace(",", "")) if text[0].isdigit() else 1 for text in counts) == game.edge_count
    assert [more.title for more in drawing.more][-2:] == ["Folded by size of queue", "Folded by distance"]
    assert [node.name for node in drawing.more[-2].nodes] == [
        "s0",
        *(f"{n} item{'s' * (n > 1)} in queue" for n in (1, 2, 3)),
    ]


def test_a_search_finds_every_state_that_a_box_holds():
    game = chat_game()
    drawing = draw(game)
    alone = {node.title for node in drawing.nodes if node.role != GROUP}
    assert {name for name, _, _ in drawing.held} | alone == {
        str(game.names[at]) for at in np.flatnonzero(game.is_state)
    }
    for name, values, box in drawing.held:
        assert values == game.about(game.vertex_numbers[name])
        assert values.replace(",", ", ").endswith(drawing.nodes[box].name)
    page = write_html(drawing)
    assert json.loads(page.partition("id=held>")[2].partition("</script>")[0]) == [[*one] for one in drawing.held]


class Kept(Model):
    number: int = 0

    @controllable
    def more(self):
        self.number = (self.number + 1) % 3

    @controllable(returns=(0, 1, 2))
    def get(self, result):
        return result == self.number


def test_a_state_between_question_and_answer_is_in_the_box_of_its_values():
    game = explore(Kept)
    asked = [vertex for vertex in range(game.vertex_count) if "waiting for the answer" in game.about(vertex)]
    grouping = grouping_of(game, "variable:number")
    assert asked
    assert grouping
    assert [grouping.name(at) for at in range(grouping.count)] == ["number=0", "number=1", "number=2"]
    for vertex in range(game.vertex_count):
        assert game.about(vertex).startswith(grouping.name(int(grouping.of[vertex])))


def test_states_in_doubt_have_a_box_of_their_own_and_a_fold_that_leaves_nearly_all_in_one_box_is_left_out():
    bag = load_model(Job(f"{EXAMPLES / 'bag' / 'model.py'}:Bag")).game()
    grouping = grouping_of(bag, "variable:calls")
    assert grouping
    for vertex in range(bag.vertex_count):
        assert (" or " in bag.about(vertex)) == (grouping.name(int(grouping.of[vertex])) == "calls is uncertain")
    assert all("uncertain" not in node.name or int(node.note.split()[0]) < 0.9 * 208 for node in draw(bag).nodes)


class Grid(Model):
    across: int = 0
    down: int = 0

    @controllable
    def right(self):
        self.across = (self.across + 1) % 11

    @observable(optional=True)
    def lower(self):
        self.down = (self.down + 1) % 6


def test_a_model_that_fills_a_window_opens_folded_and_has_a_picture_of_all_unless_something_is_marked():
    game = explore(Grid, assumption="input-eager")
    count = game.vertex_count
    assert 100 < count <= MOST_NODES
    drawing = draw(game)
    assert drawing.fold == "Folded by across"
    assert [len(more.nodes) for more in drawing.more if more.title == f"All {count} vertices"] == [count]
    assert sum(int(node.note.split()[0]) for node in drawing.nodes) == count
    assert len(draw(game, strategy=[0]).nodes) == count
