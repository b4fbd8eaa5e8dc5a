"""Games in which time-outs bring the tester's turn say so in their file, and mean the same when they are read again."""
# an action that does not return False is enabled

from __future__ import annotations

from random import Random

import pytest

from outplay import Model, Simulated, controllable, explore, goal, observable, run, solve, specification
from outplay.errors import FormatError
from outplay.formats.games.game_json import parse_game, write
from outplay.game.assumption import Assumption

RULES = [Assumption.TIMEOUT, Assumption.TIMEOUT_ALWAYS]


class Door(Model):
    """A door that may hum at the start, and opens after one or two rings; a bell may be heard or not."""

    open: bool = False
    rung: int = 0
    hummed: bool = False

    @controllable
    def ring(self):
        if self.rung == 2 or self.open:
            return False
        self.rung += 1

    @observable
    def hum(self):
        if self.rung or self.hummed:
            return False
        self.hummed = True

    @observable(optional=True)
    def bell(self):
        if self.rung != 1 and not self.open:
            return False

    @observable
    def opens(self):
        if not self.rung or self.open:
            return False
        self.open = True

    @goal
    def inside(self):
        return self.open


def read_again(game):
    return parse_game("".join(write(game)))


@pytest.mark.parametrize("rule", RULES)
def test_a_game_read_again_allows_what_it_allowed(rule):
    made = explore(Door, assumption=rule)
    again = read_again(made)
    assert again.origin.assumption is rule
    ours, theirs = made.origin.specification, again.origin.specification
    pairs, seen = [(next(iter(ours.initial)), next(iter(theirs.initial)))], set()
    while pairs:
        one, other = pair = pairs.pop()
        if pair in seen:
            continue
        seen.add(pair)
        assert set(ours.inputs(one)) == set(theirs.inputs(other))
        assert set(ours.outputs(one)) == set(theirs.outputs(other))
        assert ours.quiet(one) == theirs.quiet(other), ours.describe(one)
        for label in [*ours.inputs(one), *ours.outputs(one)]:
            pairs.append((*ours.after(one, label), *theirs.after(other, label)))
    assert len(seen) > 5


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(25))
def test_a_game_read_again_passes_the_simulation_of_its_model(rule, seed):
    again = read_again(explore(Door, assumption=rule))
    system = Simulated(specification(Door, silence=rule.silence), Random(seed))
    assert run(again, system, plays=10, steps=8).verdict.name == "pass"
    followed = run(solve(again, "inside", objective="probability"), system, plays=10)
    assert followed.verdict.name == "pass"


@pytest.mark.parametrize("rule", list(Assumption))
def test_the_file_is_the_same_when_it_is_written_again(rule):
    text = "".join(write(explore(Door, assumption=rule)))
    assert "".join(write(parse_game(text))) == text


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ('"assumption": "timeot"', "there is no test assumption 'timeot'"),
        ('"assumption": 7', "there is no test assumption"),
    ],
)
def test_an_assumption_nobody_knows_is_refused_with_the_place(wrong, complaint):
    with pytest.raises(FormatError, match=rf"game:1:\d+: {complaint}"):
        parse_game(
            f'{{"format": "outplay-game/1", {wrong}, "initial": "s", "vertices": [{{"id": "s", "owner": "tester"}}]}}'
        )


def test_a_copy_of_no_state_is_refused():
    with pytest.raises(FormatError, match=r"name the vertex of which this is the active copy"):
        parse_game(
            '{"format": "outplay-game/1", "assumption": "timeout", "initial": "s", '
            '"vertices": [{"id": "s", "owner": "tester", "state": "t"}]}'
        )
