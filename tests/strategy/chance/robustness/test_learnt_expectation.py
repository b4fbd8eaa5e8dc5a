"""What is learnt from a run: intervals that hold as often as they say, and the best promise within them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import Plain, place_of, strategy_of
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay import GameBuilder, Simulated, automaton, explore, run
from outplay.errors import CertificateError, UsageError
from outplay.runs.job import Job
from outplay.runs.preparing.job_answer import count_answers, learnt_counts
from outplay.runs.queries.solved_job import solve_job
from outplay.runs.recorded_run import run_job
from outplay.strategy.chance.robustness.observed_chances import ObservedChances, observed_chances
from outplay.strategy.expected import expected

RETRY = str(EXAMPLES / "graphs" / "retry.json")


def labelled(plain: Plain, rng: Random) -> Plain:
    """Give every answer of the system a label, now and then one that another has."""
    edges = []
    for place, edge in enumerate(plain.edges):
        shown = rng.choice("ab") if rng.random() < 0.2 else place
        edges.append(edge._replace(label=f"!{shown}" if plain.system[edge.source] else "?"))
    return replace(plain, edges=tuple(edges))


def draw(seed: int) -> tuple[Plain, dict[tuple[int, str], int]]:
    """A game with few ways to move and to lean, and counts of answers: of some choices none."""
    rng = Random(f"learnt {seed}")
    while True:
        plain = labelled(oracle.draw(rng.random()), rng)
        counts = {
            (edge.source, edge.label): rng.choice((0, 0, 1, 2, 5, 30))
            for edge in plain.edges
            if plain.system[edge.source] and rng.random() < 0.8
        }
        rows = observed_chances(plain.game(), counts).rows
        if rows and np.prod([len(row.answers) for row in rows]) <= 24 and plain.count_strategies() <= 12:
            return plain, counts


def corners(plain: Plain, observed: ObservedChances) -> list[Plain]:
    """The game with every extreme choice of probabilities within the intervals: each order of answers to favour."""
    found = []
    for orders in product(*(permutations(range(len(row.answers))) for row in observed.rows)):
        edges = list(plain.edges)
        for row, order in zip(observed.rows, orders, strict=True):
            shares = row.worst([Fraction(place) for place in order])
            for edge in observed.game.edges_of(row.vertex):  # those that cannot be learnt have no equal part any more
                place = place_of(observed.game, edge)
                edges[place] = edges[place]._replace(chance=plain.chance_of(place))
            for answer, share in zip(row.answers, shares, strict=True):
                for edge, part in zip(answer.edges, answer.within, strict=True):
                    place = place_of(observed.game, edge)
                    edges[place] = edges[place]._replace(chance=row.mass * share * part)
        found.append(replace(plain, edges=tuple(edges)))
    return found


def worst_of(everywhere: list[Plain], strategy: dict[int, int]) -> list[Fraction | None]:
    """What a strategy costs at most from each vertex."""
    costs = [oracle.costs_of(each, strategy) for each in everywhere]
    return [None if None in column else max(column) for column in zip(*costs, strict=True)]


@seeds(range(150), quick=2)
def test_no_strategy_promises_less_and_the_promise_is_kept_at_every_corner(seed: int):
    plain, counts = draw(seed)
    game = plain.game()
    everywhere = corners(plain, observed_chances(game, counts))
    promises = [worst_of(everywhere, strategy) for strategy in plain.strategies()]
    best = [min((cost for cost in column if cost is not None), default=None) for column in zip(*promises, strict=True)]
    exactly = expected(game, "done", epsilon=0, learnt=counts)
    assert [exactly.value_of(vertex) for vertex in plain.vertices] == best
    nearly = expected(game, "done", learnt=counts)
    for vertex, cost in enumerate(best):
        low, high = nearly.interval(vertex)
        assert (cost is None and low == np.inf) or low <= cost <= high <= cost * (1 + Fraction(1, 10**5))
    for answer in (exactly, nearly):
        answer.check()
        played = worst_of(everywhere, strategy_of(answer.game, answer.bounds.choice.tolist()))
        assert all(
            cost is None or cost <= answer.value_of(at) for at, cost in enumerate(played) if best[at] is not None
        )


def test_the_checker_refuses_a_promise_that_holds_for_what_was_seen_only():
    refused = 0
    for seed in range(12):
        plain, counts = draw(seed)
        answer = expected(plain.game(), "done", epsilon=0, learnt=counts)
        if answer.value is None or answer.seen_at_worst == answer.seen.value or answer.value == answer.seen.value:
            continue
        with pytest.raises(CertificateError):
            replace(answer, promises=answer.seen.exact).check()
        refused += 1
    assert refused >= 3


def test_intervals_hold_as_often_as_they_say():
    rng, runs, held = np.random.default_rng(1), 1_000, 0
    prior = np.array([1.5, 1.0, 0.5])
    builder = GameBuilder().vertex("c", "system")
    for label, share in zip("xyz", ("1/2", "1/3", "1/6"), strict=True):
        builder.edge("c", "c", f"!{label}", probability=share)
    game = builder.build()
    for _ in range(runs):
        truth = rng.dirichlet(prior)
        seen = rng.multinomial(rng.integers(1, 60), truth)
        counts = {(0, f"!{label}"): int(count) for label, count in zip("xyz", seen, strict=True)}
        (row,) = observed_chances(game, counts).rows
        inside = [answer.least <= share <= answer.most for answer, share in zip(row.answers, truth, strict=True)]
        assert sum(answer.least for answer in row.answers) <= 1 <= sum(answer.most for answer in row.answers)
        held += all(inside)
    assert held >= runs * 0.95 - 2 * (runs * 0.05 * 0.95) ** 0.5
    assert held < runs, "intervals that never miss are too wide to mean anything"


def test_who_comes_first_is_not_learnt_where_the_tester_can_give_an_input():
    game = explore(
        automaton([("s", "?a", "t"), ("s", "!x", "s"), ("s", "!y", "t"), ("t", "!z", "s"), ("t", "!w", "s")])
    )
    state = {name: place for place, name in enumerate(game.names)}
    counts = {(state["s"], "!x"): 30, (state["s"], "!y"): 10, (state["t"], "!z"): 5}
    observed = observed_chances(game, counts)
    assert observed.seen == 45
    masses = {game.names[row.vertex]: row.mass for row in observed.rows}
    assert set(masses.values()) == {Fraction(1), Fraction(2, 3)}
    changed = observed.with_chances(observed.middle)
    for row in observed.rows:
        edges = {changed.label_of(edge): changed.probability[edge] for edge in changed.edges_of(row.vertex)}
        assert sum(edges.values()) == 1
        if row.mass != 1:
            assert edges["?a"] == Fraction(1, 3)
            assert edges["!x"] / edges["!y"] == Fraction(31, 11)


def retry(switch: str, refuse: str) -> Any:
    builder = GameBuilder().vertex("idle", "tester").vertex("asked", "system").vertex("over", "tester", goals=["done"])
    builder.edge("idle", "asked", "?ask").edge("idle", "over", "?force", cost=5)
    return (
        builder.edge("asked", "over", "!switch", probability=switch)
        .edge("asked", "idle", "!refuse", probability=refuse)
        .build()
    )


def test_a_run_teaches_what_the_model_did_not_know():
    model, truth = retry("1/2", "1/2"), retry("1/10", "9/10")
    result = run(model, Simulated(truth, Random(5)), tester="walk", plays=60, steps=20)
    counts = count_answers(result.trace, model)
    events = [str(event.label) for event in result.trace.events if event.kind == "output"]
    asked = model.vertex_numbers["asked"]
    assert {key: count for key, count in counts.items() if key[1].startswith("!")} == {
        (asked, label): events.count(label) for label in set(events)
    }
    before, answer = expected(model, "done"), expected(model, "done", learnt=counts)
    assert (model.label_of(before.chosen(0)), model.label_of(answer.chosen(0))) == ("?ask", "?force")
    assert answer.value == pytest.approx(5)
    assert answer.json()["learnt"]["answers"] == len(events)


def test_a_kept_run_is_found_by_its_id_and_its_robust_strategy_is_played():
    job = {"goal": ("failover",), "objective": "expected"}
    log = str(EXAMPLES / "graphs" / "retry_log.jsonl")
    kept = run_job(Job(RETRY, tester="walk", plays=3, sut=f"model:{RETRY}"))
    folder = kept.files.trace.parent
    for name in (str(folder), str(folder / "trace.jsonl"), folder.name, folder.name.rpartition("-")[2]):
        solved = solve_job(Job(RETRY, learnt=name, **job))
        assert solved.certificate["checked"]
        assert solved.answer.observed.seen > 0
    assert solve_job(Job(RETRY, learnt=log, **job)).answer.observed.seen == 38
    played = run_job(Job(RETRY, learnt=log, plays=2, sut=f"model:{RETRY}", **job))
    assert [str(event.label) for event in played.trace.events if event.kind == "input"] == ["?force"] * 2
    with pytest.raises(UsageError, match="--learnt needs --objective expected"):
        run_job(Job(RETRY, learnt=log, goal=("failover",), sut=f"model:{RETRY}"))


def test_a_run_that_is_not_there_is_told():
    with pytest.raises(UsageError, match="there is no such run"):
        learnt_counts("4f2a91", retry("1/2", "1/2"))
