"""All methods against each other and against the definition: thousands of games, reference values, special cases.

Many small games are solved at one go, side by side; the oracle tries all strategies of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import Plain, chain, strategy_of, union
from helpers.places import shared_data
from helpers.seeds import with_long
from outplay import read_model
from outplay.errors import CertificateError
from outplay.strategy.certificate.check_chance import check_expected, check_probability
from outplay.strategy.chance.chance_answers import Expectation
from outplay.strategy.chance.reduction.compression import compress_chains, merge_parallel_edges
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.exact import exact_expected, exact_probability
from outplay.strategy.chance.valuation.linear_program import linear_program
from outplay.strategy.chance.valuation.policy_iteration import policy_iteration
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

TOGETHER = 50
METHODS = ("auto", "vi", "pi", "lp")
EXTREME = (0, Fraction(1, 10**12), 1, 3, 10**9)


@dataclass(frozen=True)
class Case:
    """Games side by side, and what the definition says about each vertex."""

    plain: object
    game: object
    costs: list
    probabilities: list

    @property
    def goals(self):
        return self.game.goals["done"]


def case(seed, together=TOGETHER, **how):
    games = [oracle.draw((seed, place), **how) for place in range(together)]
    plain, _ = union(games)
    costs = [cost for game in games for cost in oracle.least_costs(game)]
    chances = [chance for game in games for chance in oracle.greatest_probabilities(game)]
    return Case(plain, plain.game(), costs, chances)


def certificate(found, **moved):
    """What the checker is told: exact values where they are known, else the bounds; `moved` replaces a part."""
    low, high = (found.bounds.low, found.bounds.high) if found.exact is None else (found.exact, found.exact)
    low, high = moved.get("low", low), moved.get("high", high)
    return found.game, found.goal_vertices, low, high, found.bounds.choice, found.bounds.rank


def check_costs(case, **how):
    """Bounds hold, are as narrow as asked, are certified, and the strategy keeps to them."""
    found = expected(case.game, "done", **how)
    check_expected(*certificate(found), found.region.level)
    assert found.kept
    got = oracle.costs_of(case.plain, strategy_of(case.game, found.bounds.choice.tolist()))
    for vertex, wanted in enumerate(case.costs):
        low, high = found.interval(vertex)
        if wanted is None:
            assert low == high == np.inf
        else:
            assert Fraction(low) <= wanted <= got[vertex] <= Fraction(high), (vertex, how)
            assert high - low <= found.epsilon * high or found.exact is not None
    return found


def check_chances(case, **how):
    found = probability(case.game, "done", **how)
    check_probability(*certificate(found))
    assert found.kept
    got = oracle.probabilities_of(case.plain, strategy_of(case.game, found.bounds.choice.tolist()))
    for vertex, wanted in enumerate(case.probabilities):
        low, high = found.interval(vertex)
        assert Fraction(low) <= got[vertex] <= wanted <= Fraction(high), (vertex, how)
        assert high - low <= found.epsilon * high or found.exact is not None
    return found


def check_all(case, folder):
    """Enumeration = exact = linear program = policy iteration = value iteration = Storm, where that is installed."""
    if find_spec("stormpy"):
        check_storm(case, folder)
    region = almost_sure(case.game, case.goals)
    assert exact_expected(case.game, case.goals, region.level) == case.costs
    assert exact_probability(case.game, case.goals) == case.probabilities
    wanted = [np.inf if cost is None else float(cost) for cost in case.costs]
    assert policy_iteration(case.game, case.goals, region.winning) == pytest.approx(wanted, rel=1e-9)
    assert linear_program(case.game, case.goals, region.winning) == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    for method in METHODS:
        check_costs(case, method=method, epsilon=1e-6)
    check_chances(case, epsilon=1e-6)
    check_smaller(case)


def check_smaller(case):
    compressed = compress_chains(case.game, case.goals)
    for small, number in ((merge_parallel_edges(case.game), np.arange(case.game.vertex_count)), compressed):
        goals, kept = number[case.goals], np.flatnonzero(number >= 0).tolist()
        costs = exact_expected(small, goals, almost_sure(small, goals).level)
        assert costs == [case.costs[vertex] for vertex in kept]
        assert exact_probability(small, goals) == [case.probabilities[vertex] for vertex in kept]


@pytest.mark.promise("A2", trials=TOGETHER)
@pytest.mark.parametrize("number", with_long(range(40), quick=24))
def test_all_methods_agree_with_the_definition(number, tmp_path):
    check_all(case(("battery", number)), tmp_path)


@pytest.mark.promise("A2", trials=500)
@pytest.mark.long
@pytest.mark.parametrize("number", range(200))
def test_all_methods_agree_with_the_definition_on_a_hundred_thousand_games(number, tmp_path):
    for batch in range(5):
        check_all(case(("long battery", number, batch), together=100), tmp_path)


@pytest.mark.parametrize("epsilon", [0, 1e-2, 1e-4, 1e-9])
@pytest.mark.parametrize("number", range(4))
def test_every_precision_is_kept(number, epsilon):
    drawn = case(("precision", number))
    costs, chances = check_costs(drawn, epsilon=epsilon), check_chances(drawn, epsilon=epsilon)
    if epsilon == 0:
        assert (costs.exact, chances.exact) == (drawn.costs, drawn.probabilities)


@pytest.mark.parametrize("method", ["auto", "vi", "pi"])
@pytest.mark.parametrize("number", range(4))
def test_costs_of_very_different_size_are_kept_apart(number, method):
    check_costs(case(("extreme", number), costs=EXTREME), method=method, epsilon=1e-9)


@pytest.mark.parametrize("number", range(4))
def test_games_without_costs_have_none_to_pay_and_still_must_arrive(number):
    drawn = case(("free", number), costs=(0,))
    for method in METHODS:
        check_costs(drawn, method=method)


def test_a_graph_large_enough_for_compiled_kernels_is_solved_like_its_parts():
    drawn = case("compiled")
    times = 11_000 // drawn.game.edge_count + 1
    game = union([drawn.plain] * times)[0].game()
    goals, costs, chances = game.goals["done"], drawn.costs * times, drawn.probabilities * times
    region = almost_sure(game, goals)
    assert exact_expected(game, goals, region.level) == costs
    assert exact_probability(game, goals) == chances
    found, likely = expected(game, "done"), probability(game, "done")
    check_expected(*certificate(found), region.level)
    check_probability(*certificate(likely))
    for vertex, (cost, chance) in enumerate(zip(costs, chances, strict=True)):
        low, high = found.interval(vertex)
        assert (low == high == np.inf) if cost is None else (Fraction(low) <= cost <= Fraction(high))
        assert Fraction(likely.interval(vertex)[0]) <= chance <= Fraction(likely.interval(vertex)[1])


@pytest.mark.parametrize("number", range(6))
def test_a_bound_beyond_the_value_is_refused_be_it_by_the_last_bit(number):
    """Bounds as a solver gives them, one of them moved just past the truth."""
    drawn = case(("beyond", number), together=10)
    found, chances = expected(drawn.game, "done", epsilon=1e-9), probability(drawn.game, "done", epsilon=1e-9)
    refused = 0
    for vertex in set(drawn.plain.vertices) - drawn.plain.goals:
        for result, truth in ((found, drawn.costs[vertex]), (chances, drawn.probabilities[vertex])):
            if truth is not None:
                refused += refuses(result, "low", vertex, above(truth))
                refused += refuses(result, "high", vertex, -above(-truth))
    assert refused > 60


def above(value):
    """The least float above a fraction."""
    near = float(value)
    return near if Fraction(near) > value else float(np.nextafter(near, np.inf))


def refuses(result, part, vertex, new):
    column = getattr(result.bounds, part).copy()
    column[vertex] = new
    told = certificate(result, **{part: column})
    check, more = (
        (check_expected, [result.region.level]) if isinstance(result, Expectation) else (check_probability, [])
    )
    with pytest.raises(CertificateError):
        check(*told, *more)
    return True


@pytest.mark.parametrize("length", [3, 10, 20])
def test_a_long_walk_that_hardly_moves_is_bounded_from_both_sides(length):
    """Haddad and Monmege: plain iteration stops at once with a wrong value; by symmetry it is just one half."""
    plain = chain(length)
    drawn = Case(plain, plain.game(), [], oracle.greatest_probabilities(plain))
    found = check_chances(drawn, epsilon=1e-6)
    assert drawn.probabilities[plain.initial] == Fraction(1, 2)
    assert found.value == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("length", [3, 10, 20])
def test_the_cost_of_a_long_walk_is_found_by_every_method(length):
    plain = chain(length)
    both = Plain(plain.system, plain.edges, plain.goals | {0}, plain.initial)
    drawn = Case(both, both.game(), oracle.least_costs(both), [])
    for method in ("auto", "pi", "vi"):
        check_costs(drawn, method=method, epsilon=1e-6)


def drn(plain):
    """The game in Storm's format, written here and not by the package."""
    states = []
    for vertex in plain.vertices:
        actions = []
        if plain.system[vertex] and vertex not in plain.goals and plain.leaving(vertex):
            steps = oracle.steps(plain, vertex, {})
            actions.append((sum(p * cost for p, cost, _ in steps), merged(steps)))
        elif vertex not in plain.goals:
            actions = [(plain.edges[place][2], {plain.edges[place][1]: 1}) for place in plain.leaving(vertex)]
        actions = actions or [(0, {vertex: 1})]  # a dead end, or a goal, for ever
        lines = [f"state {vertex}{' init' * (vertex == plain.initial)}{' goal' * (vertex in plain.goals)}"]
        for number, (cost, targets) in enumerate(actions):
            lines += [f"\taction {number} [{cost}]", *(f"\t\t{t} : {targets[t]}" for t in sorted(targets))]
        states.append((len(actions), "\n".join(lines)))
    choices = sum(count for count, _ in states)
    head = (
        f"@type: MDP\n@parameters\n\n@reward_models\ncost\n@nr_states\n{len(states)}\n@nr_choices\n{choices}\n@model\n"
    )
    return head + "\n".join(text for _, text in states) + "\n"


def merged(steps):
    targets = {}
    for chance, _, target in steps:
        targets[target] = targets.get(target, 0) + chance
    return targets


def check_storm(drawn, folder):
    """Storm finds the same in its own exact numbers."""
    stormpy = pytest.importorskip("stormpy")
    file = folder / "game.drn"
    file.write_text(drn(drawn.plain), encoding="utf-8")
    model = stormpy.build_model_from_drn[stormpy.Rational](str(file))
    for query, wanted in (("Rmin", drawn.costs), ("Pmax", drawn.probabilities)):
        answer = stormpy.model_checking(model, stormpy.parse_properties(f'{query}=? [F "goal"]')[0])
        got = [str(answer.get_value(vertex)) for vertex in drawn.plain.vertices]
        assert [None if value == "inf" else Fraction(value) for value in got] == wanted


def test_storm_is_asked_where_it_is_installed(tmp_path):
    check_storm(case("storm"), tmp_path)


DATA = shared_data("mdp")
REFERENCE = {
    ("consensus-2-2", "finished"): Fraction(48),
    ("consensus-4-2", "finished"): Fraction(192),
    ("csma-2-2", "all_delivered"): Fraction(53954981353, 805306368),
    ("firewire-3", "done"): Fraction(553, 4),
}


@pytest.mark.skipif(not DATA.exists(), reason="no folder shared/data beside the repository")
@pytest.mark.parametrize(("name", "goal"), REFERENCE)
def test_public_models_have_their_reference_values(name, goal):
    game = read_model(DATA / f"{name}.drn")
    wanted = REFERENCE[name, goal]
    for epsilon in (1e-2, 1e-4, 1e-6, 1e-9):
        found = expected(game, goal, epsilon=epsilon)
        low, high = found.interval(game.initial)
        assert Fraction(low) <= wanted <= Fraction(high)
        assert found.kept
    assert found.value == pytest.approx(float(wanted), rel=1e-9)
    check_expected(*certificate(found), found.region.level)


LARGE = pytest.param("consensus-4-2", marks=pytest.mark.long)


@pytest.mark.skipif(not DATA.exists(), reason="no folder shared/data beside the repository")
@pytest.mark.parametrize("name", ["consensus-2-2", LARGE, "csma-2-2", "firewire-3"])
def test_public_models_have_exactly_their_reference_values(name):
    game = read_model(DATA / f"{name}.drn")
    goal = next(goal for file, goal in REFERENCE if file == name)
    found = expected(game, goal, epsilon=0)
    assert found.exact[game.initial] == REFERENCE[name, goal]
    check_expected(*certificate(found), found.region.level)


@pytest.mark.skipif(not DATA.exists(), reason="no folder shared/data beside the repository")
@pytest.mark.parametrize("method", ["pi", "lp", "vi"])
@pytest.mark.parametrize("name", ["consensus-2-2", "csma-2-2", "firewire-3"])
def test_every_method_finds_the_reference_values(name, method):
    game = read_model(DATA / f"{name}.drn")
    goal = next(goal for file, goal in REFERENCE if file == name)
    assert expected(game, goal, method=method, epsilon=1e-9).value == pytest.approx(
        float(REFERENCE[name, goal]), rel=1e-9
    )
