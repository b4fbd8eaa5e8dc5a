"""The shortest walks over all edges of GraphWalker models, held against a search through spots and edges taken."""

from __future__ import annotations

import heapq
from random import Random

import pytest

from helpers.places import EXAMPLES, shared_data
from helpers.walks import counter, document, edge, models, vertex
from outplay.errors import UsageError
from outplay.formats.registry import read_model
from outplay.model.walk_models import WalkModels
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.suite.covering.covering_walk import covering_walks
from outplay.suite.methods import method_named


def draw(seed: int) -> WalkModels:
    """A small model with a counter that is kept below 3, and guards on it."""
    rng = Random(f"walks {seed}")
    count = rng.randint(1, 3)
    edges = [edge("start", None, "n0")]
    for number in range(rng.randint(1, 6)):
        more: dict[str, object] = {}
        if rng.random() < 0.4:
            more["guard"] = rng.choice(["x > 0", "x == 0", "x < 2", "x == 5"])
        if rng.random() < 0.5:
            more["actions"] = [rng.choice(["x = 0", "x = 1", "x = 2"])]
        edges.append(edge(f"e{number}", f"n{rng.randrange(count)}", f"n{rng.randrange(count)}", **more))
    vertices = [vertex(f"n{number}") for number in range(count)]
    return models(document({"vertices": vertices, "edges": edges, "startElementId": "start", "actions": ["x = 0"]}))


def searched(found: WalkModels) -> tuple[tuple[int, int], int]:
    """The least restarts and then steps that take all edges that any walk takes, and how many these are."""
    met, stack = {found.initial}, [found.initial]
    takeable = set()
    while stack:
        for taken, after in found.steps(stack.pop()):
            takeable.add(taken)
            if after not in met:
                met.add(after)
                stack.append(after)
    numbers = {spot: number for number, spot in enumerate(met)}
    spots = {number: spot for spot, number in numbers.items()}
    first = numbers[found.initial]
    queue, done = [((0, 0), first, 0)], set()
    wanted = sum(1 << one for one in takeable)
    while queue:
        cost, number, taken = heapq.heappop(queue)
        if taken == wanted:
            return cost, len(takeable)
        if (number, taken) in done:
            continue
        done.add((number, taken))
        heapq.heappush(queue, ((cost[0] + 1, cost[1]), first, taken))
        for one, after in found.steps(spots[number]):
            heapq.heappush(queue, ((cost[0], cost[1] + 1), numbers[after], taken | 1 << one))
    raise AssertionError("some edge cannot be taken")


@pytest.mark.parametrize("tenth", [0, *(pytest.param(tenth, marks=pytest.mark.long) for tenth in range(1, 10))])
def test_the_walks_can_be_executed_and_none_are_shorter(tenth: int):
    for seed in range(25 * tenth, 25 * tenth + 25):
        model = draw(seed)
        found, (least, takeable) = covering_walks(model), searched(model)
        assert found.complete
        assert ((found.restarts, found.steps), found.bound) == (least, least), seed
        assert found.gap == 0
        taken = set()
        for walk in found.walks:
            spot = model.initial
            for one in walk:
                spot = dict(model.steps(spot))[one]
                taken.add(one)
        assert len(taken) == takeable == len(model.edges) - len(found.out_of_reach)


def test_what_counts_without_end_ends_with_a_walk_that_is_proven_by_the_models_without_data():
    edges = [edge("start", None, "a"), edge("more", "a", "a", actions=["x++"]), edge("out", "a", "b", guard="x > 1")]
    model = models(document({"vertices": [vertex("a"), vertex("b")], "edges": edges, "actions": ["x = 0"]}))
    found = covering_walks(model, most=200)
    assert not found.complete
    assert ((found.restarts, found.steps), found.bound, float(found.gap)) == ((0, 4), (0, 3), 0.25)
    assert found.lines() == ["4 steps take all 3 edges of the models, at least 3 are needed"]


def test_an_edge_whose_guard_never_holds_is_told():
    edges = [edge("start", None, "a"), edge("never", "a", "a", guard="x > 1")]
    model = models(document({"vertices": [vertex("a")], "edges": edges, "actions": ["x = 0"]}))
    found = covering_walks(model)
    assert found.out_of_reach == (1,)
    assert found.lines()[1] == "never taken, whatever is walked: e_never"


def test_requirements_are_reported():
    found = covering_walks(models(counter()))
    assert found.requirements == {"R1": True, "R3": True, "R2": True}
    assert found.json()["walks"] == [["e_e0", "e_e1", "e_e1", "e_e2", "e_f0", "e_f1"]]
    assert "3 of 3 requirements are met" in found.lines()


def test_walks_start_again_where_no_way_leads_back():
    edges = [edge("start", None, "a"), edge("left", "a", "b"), edge("right", "a", "c")]
    model = models(document({"vertices": [vertex("a"), vertex("b"), vertex("c")], "edges": edges}))
    found = covering_walks(model)
    assert (len(found.walks), found.steps, found.bound) == (2, 4, (1, 4))
    assert "starting 2 times" in found.lines()[0]


@pytest.mark.skipif(not shared_data("graphwalker").exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "steps"),
    [("Login", 9), ("SharedState", 4), ("petClinic", 26), pytest.param("SuperLarge", 1820, marks=pytest.mark.long)],
)
def test_models_of_others_are_walked_in_the_fewest_steps(name: str, steps: int):
    found = covering_walks(read_model(shared_data("graphwalker", f"{name}.json")))
    assert (found.steps, found.bound, found.out_of_reach) == (steps, (0, steps), ())


def test_it_is_a_method_of_suites(tmp_path):
    path = tmp_path / "count.json"
    path.write_text(counter())
    suite = method_named("walk").make(load_model(Job(model=str(path))))
    assert [test.depth for test in suite.tests] == [6]
    with pytest.raises(UsageError, match="--method edges"):
        method_named("walk").make(load_model(Job(model=str(EXAMPLES / "graphs" / "two_doors.json"))))
