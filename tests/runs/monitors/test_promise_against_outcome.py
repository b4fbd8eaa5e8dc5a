"""Promise and outcome: kept promises are told with figures, broken ones are a surprise, and chance alone is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from helpers import chance as oracle
from helpers.coverage import draw_field
from helpers.games import Plain
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay import GameBuilder, Simulated, expected, run, solve
from outplay.game.graph import Game
from outplay.play.timing import Timing
from outplay.runs.job import Job
from outplay.runs.monitors.forecast_against_outcome import binomial_at_most, binomial_interval
from outplay.runs.monitors.promise_against_outcome import cost_deviation
from outplay.runs.recorded_run import run_job

QUICK = {"timing": Timing(settle=0)}


def labelled(plain: Plain) -> Plain:
    """The same with a label of its own on each edge, so that it can be played."""
    mark = ["!" if plain.system[edge.source] else "?" for edge in plain.edges]
    return replace(plain, edges=tuple(edge._replace(label=f"{mark[n]}e{n}") for n, edge in enumerate(plain.edges)))


def retry(refused: str = "1/2") -> Game:
    builder = GameBuilder().vertex("idle", "tester").vertex("asked", "system").vertex("over", "tester", goals=["done"])
    builder.edge("idle", "asked", "?ask").edge("idle", "over", "?force", cost=20)
    builder.edge("asked", "over", "!switch", cost=3, probability=1 - Fraction(refused))
    return builder.edge("asked", "idle", "!refuse", probability=refused).build()


@pytest.mark.parametrize(("refused", "surprise"), [("1/2", ""), ("9/10", "dearer than promised"), ("1/100", "cheaper")])
def test_the_mean_cost_is_held_against_the_expected_one(refused: str, surprise: str):
    answer = expected(retry(), "done")
    result = run(answer, Simulated(retry(refused), Random(3)), plays=400, steps=300, **QUICK)
    found = result.promise
    arrived = [play for play in result.played if play.arrived is not None]
    # Each question costs 1, each refusal 1 and the switch 3.
    assert found.data["mean_cost"] == pytest.approx(sum(play.arrived + 2 for play in arrived) / len(arrived))
    assert found.data["expected_cost"] == pytest.approx(float(answer.value))
    assert found.surprise.startswith(surprise) if surprise else not found.surprise
    assert found.lines()[0].startswith("promise: cost ")


@seeds(range(60), quick=10)
def test_the_variance_is_that_of_the_definition(seed: int):
    plain = oracle.draw(seed)
    answer = expected(plain.game(), "done", epsilon=0)
    if answer.value is None:
        return
    deviation, rng, chosen = cost_deviation(answer), Random(seed), answer.bounds.choice
    game, costs = answer.game, []
    for _ in range(3_000):
        vertex, cost = game.initial, Fraction(0)
        while vertex not in answer.goal_vertices.tolist():
            edges = game.edges_of(vertex)
            weights = [float(game.probability[edge] or 1) for edge in edges]
            edge = rng.choices(edges, weights)[0] if game.owner[vertex] == 1 else int(chosen[vertex])
            cost += game.cost[edge] or 0
            vertex = int(game.target[edge])
        costs.append(float(cost))
    mean = sum(costs) / len(costs)
    sampled = (sum((cost - mean) ** 2 for cost in costs) / len(costs)) ** 0.5
    assert sampled == pytest.approx(deviation, rel=0.25, abs=1e-6)


def drawn_games(count: int) -> Iterator[tuple[int, Game]]:
    made = 0
    for seed in range(10_000):
        game = labelled(oracle.draw(f"promise {seed}")).game()
        if expected(game, "done").value not in (None, 0):
            made += 1
            yield seed, game
        if made == count:
            return


def test_a_system_that_goes_by_the_model_is_never_a_surprise():
    compared = 0
    for seed, game in drawn_games(20):
        for objective in ("win", "expected", "probability", "bounded"):
            answer = solve(game, "done", objective)
            result = run(answer, Simulated(game, Random(seed)), plays=60, steps=400, **QUICK)
            if result.promise:
                compared += 1
                assert not result.promise.surprise, (seed, objective)
    assert compared > 50


def test_how_often_a_goal_is_reached_has_an_interval_and_may_be_a_surprise():
    def coin(heads: str) -> Game:
        copy = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("lost", "tester")
        copy.vertex("g", "tester", goals=["done"]).edge("s", "c", "?go")
        return (
            copy.edge("c", "g", "!yes", probability=heads)
            .edge("c", "lost", "!no", probability=1 - Fraction(heads))
            .build()
        )

    answer = solve(coin("1/4"), "done", "probability")
    fair = run(answer, Simulated(coin("1/4"), Random(1)), plays=100, **QUICK).promise
    low, high = fair.data["interval"]
    assert low < fair.data["reached"] / 100 < high
    assert not fair.surprise
    assert "less often" in run(answer, Simulated(coin("1/50"), Random(1)), plays=100, **QUICK).promise.surprise
    assert "more often" in run(answer, Simulated(coin("3/4"), Random(1)), plays=100, **QUICK).promise.surprise


def test_plays_that_were_cut_off_are_told_and_are_no_surprise():
    answer = expected(retry(), "done")
    found = run(answer, Simulated(retry("9/10"), Random(1)), plays=200, steps=4, **QUICK).promise
    assert "cut off at 4 steps" in found.happened
    assert not found.surprise


@pytest.mark.parametrize("seed", range(12))
def test_coverage_is_held_against_the_guarantee(seed: int):
    field = draw_field(f"promised {seed}", most=7)
    game = replace(field, plain=labelled(field.plain)).game()
    if not field.successors[game.initial]:
        pytest.skip("nothing can be played")
    answer = solve(game, (), "cover-nodes")
    found = run(answer, Simulated(game, Random(seed)), plays=2, steps=200, **QUICK).promise
    assert found.data["covered"] >= found.data["sure"] == answer.strategy.proven
    assert not found.surprise


def test_too_few_steps_for_what_is_sure_are_told():
    doors = str(EXAMPLES / "graphs" / "two_doors.json")
    short = run_job(Job(doors, objective="cover-nodes", sut=f"model:{doors}", plays=1, steps=1))
    assert short.promise.happened == "2 covered; plays of more than 1 step cover 1 more for sure"


def test_pieces_are_held_against_proposition_2():
    tour = str(EXAMPLES / "graphs" / "edge_tour.json")
    job = Job(tour, objective="cover-edges", sut=f"model:{tour}", plays=8)
    found = run_job(job).promise
    assert found.promised == "all 9 edges with probability 0.99 after 8 pieces"
    assert (found.data["covered"], found.data["edges"]) == (9, 9)
    assert found.data["pieces"] >= 2
    short = run_job(Job(tour, objective="cover-edges", sut=f"model:{tour}", plays=1, steps=3)).promise
    assert short.data["covered"] < 9
    assert short.happened.endswith("more plays or longer ones would cover more")


def test_the_command_tells_it_and_programs_can_read_it():
    retries = str(EXAMPLES / "graphs" / "retry.json")
    result = run_job(Job(retries, goal=("failover",), objective="expected", sut=f"model:{retries}", plays=10))
    assert result.json()["promise"]["expected_cost"] == pytest.approx(4)
    assert any(line.startswith("promise: cost 4 on average; measured ") for line in result.findings)


@pytest.mark.parametrize("trials", [1, 7, 30, 200])
def test_the_interval_of_a_share_has_tails_of_a_fortieth(trials: int):
    for count in {0, 1, trials // 3, trials}:
        low, high = binomial_interval(count, trials)
        assert low <= count / trials <= high
        if count:
            assert 1 - binomial_at_most(count - 1, trials, low) == pytest.approx(0.025, abs=1e-6)
        if count < trials:
            assert binomial_at_most(count, trials, high) == pytest.approx(0.025, abs=1e-6)
