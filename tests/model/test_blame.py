"""When the user's code raises, one line shows the user's file, line and source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outplay import Map
from outplay.errors import ModelError
from outplay.model.programs.budget import blame_user_code, blaming_user_code


def told(action) -> str:
    with pytest.raises(ModelError) as caught, blaming_user_code("running it"):
        action()
    return str(caught.value)


def test_the_line_that_raised_is_shown_with_its_source():
    def careless():
        return {}["missing"]

    line = careless.__code__.co_firstlineno + 1
    assert told(careless) == f"{__file__}:{line}: KeyError: 'missing' in `return {{}}[\"missing\"]` (while running it)"


def test_an_error_without_words_is_named_by_its_type():
    def silent():
        raise AssertionError

    assert ": AssertionError in `raise AssertionError`" in told(silent)


def test_where_a_library_raised_the_users_call_is_shown():
    def parse():
        json.loads("{")

    assert told(parse).startswith(f"{__file__}:{parse.__code__.co_firstlineno + 1}: JSONDecodeError: ")


def test_where_outplay_itself_raised_the_users_call_is_shown():
    def put():
        Map(1)  # type: ignore[call-overload]

    assert told(put).startswith(f"{__file__}:{put.__code__.co_firstlineno + 1}: TypeError: ")


def test_code_that_exists_in_no_file_is_blamed_as_far_as_known():
    def run():
        exec("1 // 0")

    assert "ZeroDivisionError" in told(run)


def test_an_error_that_never_reached_user_code_is_still_one_line():
    assert str(blame_user_code(ValueError("odd"), "asking")) == "asking: ValueError: odd"


def test_our_own_errors_and_interrupts_pass_through():
    with pytest.raises(ModelError, match=r"^as it is$"), blaming_user_code("x"):
        raise ModelError("as it is")
    with pytest.raises(KeyboardInterrupt), blaming_user_code("x"):
        raise KeyboardInterrupt


def test_a_model_installed_among_libraries_is_blamed_itself():
    file = f"{Path(json.__file__).parent}/model.py"
    namespace: dict = {}
    exec(compile("def go():\n    raise ValueError('inside')\n", file, "exec"), namespace)
    with pytest.raises(ValueError, match="inside") as caught:
        namespace["go"]()
    below_this_test = caught.value.__traceback__.tb_next
    assert str(blame_user_code(caught.value.with_traceback(below_this_test), "x")).startswith(
        f"{file}:2: ValueError: inside"
    )
