"""Sure win against the definition: every value, every choice, and the plays that follow from them."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from helpers import worst_case
from helpers.commands import PROGRAM
from helpers.games import HUGE, strategy_of
from helpers.seeds import with_long
from outplay import Game, GameBuilder, win
from outplay.cli.main import run_command
from outplay.errors import UsageError
from outplay.strategy.certificate.check_win import check_win
from outplay.strategy.win import NoSureWin, SureWin

GAMES = 50  # in each of the numbered batches


def batch(number, **options):
    """Most games have small costs, every fifth has costs beyond 64 bits."""
    for game in range(GAMES):
        costs = {"costs": HUGE} if game % 5 == 4 else {}
        yield worst_case.draw((number, game), **costs, **options)


@pytest.mark.parametrize("number", range(40))
def test_values_of_all_vertices_are_those_of_the_best_strategy_found_by_trying_all(number):
    for plain in batch(number):
        assert win(plain.game(), "done").solution.values() == worst_case.values_by_enumeration(plain), plain


@pytest.mark.parametrize("number", range(40))
def test_the_strategy_itself_costs_what_it_promises_from_every_winnable_vertex(number):
    for plain in batch(number):
        game = plain.game()
        solution = win(game, "done").solution
        strategy = strategy_of(game, solution.choice.tolist())
        assert worst_case.costs_of(plain, strategy) == solution.values(), plain


@pytest.mark.parametrize("number", range(20))
def test_no_strategy_with_memory_does_better_within_many_moves(number):
    for plain in batch(("memory", number)):
        assert win(plain.game(), "done").solution.values() == worst_case.values_within(plain, 24), plain


@pytest.mark.parametrize("number", range(10))
def test_games_of_a_dozen_vertices_too_large_to_try_all_strategies(number):
    for plain in batch(("larger", number), most=14, strategies=None, answers=None):
        assert win(plain.game(), "done").solution.values() == worst_case.values_within(plain, 30), plain


@pytest.mark.parametrize("number", with_long(range(40), quick=24))
def test_the_command_prints_the_values_of_the_definition_and_a_strategy_that_attains_them(number, capsys, tmp_path):
    for plain in batch(number):
        Path("game.json").write_text(plain.text())
        exact = ["--exact"] if plain.initial % 2 else []
        assert run_command(["solve", "game.json", "--objective", "win", "--json", *exact]) == 0
        answer = json.loads(capsys.readouterr().out)
        values = worst_case.values_by_enumeration(plain)
        written = [None if v is None else f"{v.numerator}/{v.denominator}" if exact else float(v) for v in values]
        assert answer["values"] == {f"v{vertex}": value for vertex, value in enumerate(written)}, plain
        assert answer["value"] == written[plain.initial]
        assert answer["initial"] == f"v{plain.initial}"
        assert answer["goal"] == ["done"]
        assert answer["objective"] == "win"
        assert answer["certificate"]["checked"] is True
        strategy = {int(name[1:]): int(move["edge"][1:]) for name, move in answer["strategy"].items()}
        assert worst_case.costs_of(plain, strategy) == values, plain
        assert ("blocking" in answer) == (answer["value"] is None)


def play(plain, strategy, system, start):
    """Play until a goal, at most as many moves as there are vertices; return what it cost, or None."""
    vertex, cost = start, Fraction(0)
    for _ in plain.vertices:
        if vertex in plain.goals:
            break
        edge = system(vertex) if plain.system[vertex] else strategy[vertex]
        assert plain.edges[edge][0] == vertex
        vertex, cost = plain.edges[edge][1], cost + plain.edges[edge][2]
    return cost if vertex in plain.goals else None


@pytest.mark.parametrize("number", range(10))
def test_followed_against_every_positional_system_it_arrives_and_the_worst_play_costs_the_value(number):
    for plain in batch(("played", number)):
        game = plain.game()
        solution = win(game, "done").solution
        strategy = strategy_of(game, solution.choice.tolist())
        systems = [system.get for system in plain.strategies(of_system=True)]
        for start, value in enumerate(solution.values()):
            if value is not None:
                costs = [play(plain, strategy, system, start) for system in systems]
                assert None not in costs, plain
                assert max(costs) == value, plain


@pytest.mark.parametrize("number", range(10))
def test_followed_against_systems_that_choose_by_chance_it_arrives_within_its_value(number):
    rng = Random(number)
    for plain in batch(("by chance", number), most=12, strategies=None, answers=None):
        game = plain.game()
        solution = win(game, "done").solution
        strategy = strategy_of(game, solution.choice.tolist())
        for start, value in enumerate(solution.values()):
            for _ in range(5 if value is not None else 0):
                cost = play(plain, strategy, lambda vertex, plain=plain: rng.choice(plain.leaving(vertex)), start)
                assert cost is not None, plain
                assert cost <= value, plain


def test_the_random_games_hold_every_difficulty_they_are_drawn_for():
    games = [plain for number in range(40) for plain in batch(number)]
    values = [worst_case.values_by_enumeration(plain) for plain in games]
    assert len(games) >= 2000
    assert max(len(plain.system) for plain in games) == 8
    difficulties = {
        "parallel edges": lambda p, v: len({(s, t) for s, t, *_ in p.edges}) < len(p.edges),
        "parallel answers": lambda p, v: any(
            p.system[s] and s not in p.goals and [e[:2] for e in p.edges].count((s, t)) > 1 for s, t, *_ in p.edges
        ),
        "zero costs": lambda p, v: any(cost == 0 for _, _, cost, *_ in p.edges),
        "fractions": lambda p, v: any(value is not None and value.denominator > 1 for value in v),
        "nothing but the goal is won": lambda p, v: all(v[u] is None for u in p.vertices if u not in p.goals),
        "something else is won": lambda p, v: any(v[u] is not None for u in p.vertices if u not in p.goals),
        "won against a choice of the system": lambda p, v: any(
            v[u] is not None and p.system[u] and u not in p.goals and len(p.leaving(u)) > 1 for u in p.vertices
        ),
        "goal at the start": lambda p, v: p.initial in p.goals,
        "goal of the system": lambda p, v: any(p.system[goal] for goal in p.goals),
        "goal with edges": lambda p, v: any(p.leaving(goal) for goal in p.goals),
        "dead end of the tester": lambda p, v: any(
            not p.leaving(u) and not p.system[u] for u in set(p.vertices) - p.goals
        ),
        "dead end of the system": lambda p, v: any(not p.leaving(u) and p.system[u] for u in set(p.vertices) - p.goals),
        "loop": lambda p, v: any(s == t for s, t, *_ in p.edges),
        "zero-cost cycle": lambda p, v: any(
            s != t and c == 0 and (t, s, 0) in [e[:3] for e in p.edges] and {s, t}.isdisjoint(p.goals)
            for s, t, c, *_ in p.edges
        ),
        "edges not sorted": lambda p, v: [e[0] for e in p.edges] != sorted(e[0] for e in p.edges),
    }
    counts = {
        name: sum(has(plain, value) for plain, value in zip(games, values, strict=True))
        for name, has in difficulties.items()
    }
    assert min(counts.values()) >= 100, counts


@pytest.mark.parametrize("number", range(20))
def test_a_blocking_set_keeps_the_play_away_from_the_goal_for_ever(number):
    blocked = 0
    for plain in batch(("blocked", number)):
        result = win(plain.game(), "done")
        if isinstance(result, SureWin):
            continue
        blocked += 1
        blocking = set(result.blocking.tolist())
        assert plain.initial in blocking
        assert blocking.isdisjoint(plain.goals)
        for vertex in blocking:
            inside = [plain.edges[edge][1] in blocking for edge in plain.leaving(vertex)]
            assert (any(inside) or not inside) if plain.system[vertex] else all(inside), plain
    assert blocked >= 5


@pytest.mark.parametrize("number", range(10))
def test_there_is_a_blocking_set_exactly_where_the_initial_vertex_is_lost(number):
    for plain in batch(("either", number)):
        result = win(plain.game(), "done")
        value = worst_case.values_by_enumeration(plain)[plain.initial]
        assert isinstance(result, SureWin if value is not None else NoSureWin), plain
        assert result.value == value


def chain(length: int, cost: object) -> Game:
    """The goal lies `length` edges of one cost ahead, tester and system by turns."""
    builder = GameBuilder()
    for vertex in range(length + 1):
        builder.vertex(f"v{vertex}", "system" if vertex % 2 else "tester")
    for vertex in range(length):
        builder.edge(f"v{vertex}", f"v{vertex + 1}", cost=cost)
    return builder.goal("done", [f"v{length}"]).build()


@pytest.mark.parametrize("excess", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("bits", [7, 8, 16, 29, 30, 31, 32, 61, 62, 63, 64])
def test_sums_around_the_widths_of_machine_numbers_are_exact(bits, excess):
    length = 9
    cost = (2**bits) // (length + 2) + excess
    assert win(chain(length, cost), "done").value == length * cost


def test_costs_whose_common_denominator_exceeds_64_bits_are_exact():
    builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("g", "tester", goals=["done"])
    first, second = Fraction(1, 2**64 - 59), Fraction(1, 2)
    game = builder.edge("s", "t", cost=first).edge("t", "g", cost=second).build()
    assert win(game, "done").value == first + second


def test_costs_of_hundreds_of_digits_are_exact_and_still_print_as_floats(capsys):
    game = chain(6, 10**299)
    assert win(game, "done").value == 6 * 10**299
    Path("game.json").write_text(
        '{"format": "outplay-game/1", "initial": "a", "vertices": [{"id": "a", "owner": "tester"},'
        ' {"id": "b", "owner": "tester", "goal": true}], "edges": [{"source": "a", "target": "b", "cost": 1e299}]}'
    )
    assert run_command(["solve", "game.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 1e299


def test_parallel_answers_count_as_often_as_they_stand():
    builder = GameBuilder().vertex("cp", "system").vertex("w", "tester").vertex("g", "tester", goals=["done"])
    builder.edge("cp", "g", cost=1).edge("cp", "g", cost=2).edge("cp", "w", cost=1).edge("w", "g", cost=5)
    assert win(builder.build(), "done").value == 6


def test_a_goal_is_worth_nothing_even_where_its_edges_cost_nothing_and_come_back():
    builder = GameBuilder().vertex("g", "system", goals=["done"]).vertex("s", "tester")
    game = builder.edge("g", "s", cost=0).edge("s", "g", cost=0).edge("g", "g", cost=0).build()
    result = win(game, "done")
    assert result.solution.values() == [0, 0]
    assert result.solution.edge(0) is None


def test_of_two_equally_cheap_ways_the_strategy_takes_one_that_arrives():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester", goals=["done"])
    builder.edge("a", "b", cost=0).edge("b", "a", cost=0).edge("b", "g", cost=0)
    result = win(builder.build(), "done")
    assert [result.game.edge_names[edge] for _, edge in result.choices()] == ["e0", "e2"]


def two_goals() -> Game:
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("left", "tester").vertex("right", "sut")
    builder.edge("s", "c", "?go").edge("c", "left", "!l", cost=2).edge("c", "right", "!r", cost=3)
    return builder.goal("west", ["left"]).goal("east", ["right"]).build()


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("west", None),
        ("east", None),
        (["west", "east"], 4),
        (["left", "east"], 4),
        ("right", None),
        ("c", 1),
        ("?go", 1),
        ("!l", None),
        (["!l", "!r"], 4),
        (["!l", "right"], 4),
        (["!l", "s"], 0),
    ],
)
def test_a_goal_is_a_named_set_a_vertex_or_the_moment_after_a_label_and_several_are_one(goal, value):
    result = win(two_goals(), goal)
    assert result.value == value
    game, solution = result.game, result.solution
    check_win(game, result.goal_vertices.tolist(), solution.values(), solution.rank.tolist(), solution.choice.tolist())


@pytest.mark.parametrize(
    ("goal", "hint"), [("wets", "did you mean 'west'?"), ("", "known:"), ("!x", "known: !l, !r"), ((), "east, west")]
)
def test_a_goal_that_is_not_there_is_a_mistake_of_the_caller_with_a_hint(goal, hint):
    with pytest.raises(UsageError, match=hint.replace("?", r"\?")):
        win(two_goals(), goal)


def test_an_answer_shows_what_it_is():
    assert repr(win(two_goals(), "c")) == "SureWin(c can be forced at cost 1, in at most 1 step)"
    assert repr(win(two_goals(), "west")) == "NoSureWin(west cannot be forced: the system can stay within 3 vertices)"
    assert win(two_goals(), "c") == win(two_goals(), "c")  # by what they say, so also after pickling
    assert win(two_goals(), "c") != win(two_goals(), "west")


def test_solving_twice_gives_the_same_bytes_and_leaves_the_game_as_it_was():
    for plain in batch("twice"):
        game = plain.game()
        once, content = win(game, "done").solution, game.content_hash
        again = win(game, "done").solution
        assert once.worth.tolist() == again.worth.tolist()
        assert once.choice.tolist() == again.choice.tolist()
        assert plain.game() == game
        assert plain.game().content_hash == content


def run_outplay(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))},
        check=False,
    )


@pytest.mark.parametrize("number", with_long(range(3), quick=1))
def test_the_command_as_its_own_process_prints_one_object_whatever_the_hash_seed(number):
    plain = worst_case.draw(("process", number), most=8)
    Path("game.json").write_text(plain.text())
    answers = []
    for hash_seed in ("1", "2"):
        ran = run_outplay("solve", "game.json", "--objective", "win", "--json", "--exact", hash_seed=hash_seed)
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr == ""
        answers.append(json.loads(ran.stdout))
        assert answers[-1].pop("seconds") >= 0
    assert answers[0] == answers[1]
    values = worst_case.values_by_enumeration(plain)
    assert list(answers[0]["values"].values()) == [v if v is None else f"{v.numerator}/{v.denominator}" for v in values]


def test_the_example_of_the_contract_cannot_be_forced(capsys):
    Path("game.json").write_text(
        """{"format": "outplay-game/1", "initial": "s0", "goals": {"done": ["s1"]},
 "vertices": [{"id": "s0", "owner": "tester", "gain": 1}, {"id": "c", "owner": "system"},
              {"id": "s1", "owner": "tester"}],
 "edges": [{"id": "e0", "source": "s0", "target": "c", "label": "?a", "cost": 1, "moves": 1},
           {"source": "c", "target": "s1", "label": "!x", "cost": "1/2", "probability": "1/3"},
           {"source": "c", "target": "s0", "label": "!y", "probability": "2/3"}]}"""
    )
    assert run_command(["solve", "game.json", "--objective", "win", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] is None
    assert answer["values"] == {"s0": None, "c": None, "s1": 0.0}
    assert answer["strategy"] == {}
    assert answer["blocking"] == ["s0", "c"]
    assert run_command(["solve", "game.json", "--goal", "c", "--goal", "!x", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] == 1.0
    assert answer["strategy"]["s0"] == {"edge": "e0", "label": "?a"}


def test_a_bad_file_ends_the_command_with_one_line_and_code_4(capsys):
    Path("game.json").write_text('{"format": "outplay-game/1",\n "vertices": [}')
    assert run_command(["solve", "game.json", "--json"]) == 4
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert "game.json:2:15: " in shown.err
    assert "game.json:2:15: " in json.loads(shown.out)["error"]
