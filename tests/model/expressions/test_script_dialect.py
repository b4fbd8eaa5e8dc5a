"""Guards and actions as GraphWalker writes them."""

from __future__ import annotations

import pytest

from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.reading import ExpressionError
from outplay.model.expressions.script_dialect import read_script_actions, read_script_guard
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT

SORTS = {"numOfPets": INTEGER, "rememberMe": BOOLEAN, "validLogin": BOOLEAN, "global.who": TEXT, "x": INTEGER}
VALUES = {"numOfPets": 2, "rememberMe": True, "validLogin": False, "global.who": "ann", "x": -7}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("numOfPets>0", True),
        ("!rememberMe||!validLogin", True),
        ("rememberMe&&validLogin", False),
        ('global.who == "ann" && numOfPets === 2;', True),
        ("!validLogin == rememberMe", True),
        ("x % 3 == -1", True),
        ("x % -3 == -1", True),
        ("numOfPets !== 2 || (x + 1) * 2 <= -12", True),
        ("true", True),
    ],
)
def test_a_guard_means_what_it_means_in_the_script(text, holds):
    assert evaluate(read_script_guard(text, SORTS), VALUES) is holds


def test_actions_happen_one_after_the_other():
    made, sorts = read_script_actions("numOfPets++; x = numOfPets * 2; x -= 1; var y = x; y *= 3; --x;", SORTS)
    values = {name: evaluate(term, VALUES) for name, term in made.items()}
    assert values == {"numOfPets": 3, "x": 4, "y": 15}
    assert sorts["y"] == INTEGER
    assert read_script_actions(" ; validLogin=true;;rememberMe=!rememberMe", SORTS)[0].keys() == {
        "validLogin",
        "rememberMe",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fresh++", "fresh has no value yet"),
        ("x = true", "x is of sort integer, but true is of sort boolean"),
        ("x == 1", "'==' after x; write x = …"),
        ("x = 1 x = 2", "put a semicolon between them"),
        ("alert(1)", "'(' after alert; write alert = …"),
        ("x = Math.random()", "no name 'Math.random'"),
        ("x = x / 2", "'/' after an action"),
        ("++", "the end is no name of a variable"),
    ],
)
def test_what_is_no_action_is_refused(text, message):
    with pytest.raises(ExpressionError) as error:
        read_script_actions(text, SORTS)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["x", "x = 1", "x == 1 ? 1 : 2", "x and 1", ""])
def test_what_is_no_guard_is_refused(text):
    with pytest.raises(ExpressionError):
        read_script_guard(text, SORTS)
