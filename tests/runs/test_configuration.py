"""Settings of a project: which file counts, which layer, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from outplay.errors import FormatError, UsageError
from outplay.runs.configuration import Configuration, find_configuration, layered_settings


def found(text: str, folder: str = ".", profile: str | None = None, **environment: str) -> Configuration:
    Path("pyproject.toml").write_text(text)
    return find_configuration(Path(folder), environment, profile=profile)


def settings(text: str, **more: Any) -> dict[str, Any]:
    return found(text, **more).settings


def test_settings_are_named_like_the_options_and_have_their_types():
    text = (
        '[tool.outplay]\nmodel = "chat.py:Chat"\nsystem = "tcp:localhost:7000"\nsilence = 1\ntime = "10m"\n'
        'goal = "two"\nkeep-going = true\nserver = "./server {port}"\nserver-per-play = true\n'
        'set = {texts = ["a", "b"]}\n'
    )
    assert settings(text) == {
        "model": "chat.py:Chat",
        "sut": "tcp:localhost:7000",
        "silence": 1.0,
        "time": 600.0,
        "goal": ("two",),
        "keep_going": True,
        "options": ("server=./server {port}", "server_per_play=true"),
        "set": ("texts=['a', 'b']",),
    }


def test_without_a_table_there_are_no_settings():
    assert find_configuration(Path(), {}) == Configuration()
    assert found("[tool.ruff]\nline-length = 100\n") == Configuration()


def test_the_nearest_file_with_a_table_counts_also_from_folders_below():
    Path("low/lower").mkdir(parents=True)
    Path("low/pyproject.toml").write_text("[tool.ruff]\n")
    assert settings("[tool.outplay]\nplays = 3\n", folder="low/lower") == {"plays": 3}
    Path("low/pyproject.toml").write_text("[tool.outplay]\nplays = 4\n")
    assert settings("[tool.outplay]\nplays = 3\n", folder="low/lower") == {"plays": 4}


def test_paths_are_meant_as_seen_from_the_file():
    Path("low").mkdir()
    for name in ("chat.py", "table.toml"):
        Path(name).touch()
    text = '[tool.outplay]\nmodel = "chat.py:Chat"\nsystem = "http://localhost:80"\ntable = "table.toml"\n'
    made = settings(text, folder="low")
    assert (made["model"], made["options"]) == ("../chat.py:Chat", ("table=../table.toml",))
    simulated = settings('[tool.outplay]\nmodel = "chat.py:Chat"\nsystem = "model:chat.py:Chat"\n', folder="low")
    assert simulated["sut"] == "model:../chat.py:Chat"


PROFILES = """
[tool.outplay]
plays = 3
silence = 0.5
profile = "laptop"
[tool.outplay.profiles.laptop]
silence = 0.1
[tool.outplay.profiles.ci]
plays = 50
[tool.outplay.profiles.night]
time = "8h"
"""


@pytest.mark.parametrize(
    ("more", "made"),
    [
        ({}, {"plays": 3, "silence": 0.1}),
        ({"CI": "true"}, {"plays": 50, "silence": 0.5}),
        ({"profile": "night"}, {"time": 28800.0, "silence": 0.5}),
        ({"CI": "true", "OUTPLAY_PROFILE": "night"}, {"time": 28800.0, "silence": 0.5}),
        ({"OUTPLAY_PROFILE": "night", "profile": "ci"}, {"plays": 50, "silence": 0.5}),
        ({"OUTPLAY_SILENCE": "2"}, {"plays": 3, "silence": 2.0}),
        ({"OUTPLAY_TIME": "90s"}, {"time": 90.0, "silence": 0.1}),
        ({"OUTPLAY_GOAL": '["a", "b"]'}, {"plays": 3, "silence": 0.1, "goal": ("a", "b")}),
        ({"OUTPLAY_GOAL": "a & b", "HOME": "/"}, {"plays": 3, "silence": 0.1, "goal": ("a & b",)}),
        ({"OUTPLAY_KEEP_GOING": "true"}, {"plays": 3, "silence": 0.1, "keep_going": True}),
        ({"OUTPLAY_DATABASE_ADDRESS": "100"}, {"plays": 3, "silence": 0.1}),  # somebody else's
    ],
)
def test_the_environment_is_above_the_profile_and_that_above_the_table(more, made):
    assert settings(PROFILES, **more) == made


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("plas = 3", ":2: there is no setting 'plas'; did you mean 'plays'?"),
        ('plays = "3"', ":2: plays is '3' and should be a whole number"),
        ("plays = 0", "plays is 0 and is at least 1"),
        ("plays = true", "plays is True and should be a whole number"),
        ('time = "soon"', "'soon' is not a time: write seconds"),
        ("server_per_play = 3", "--server-per-play 3: it should be true or false"),
        ("remembered_only = false", "there is no setting 'remembered_only'"),
        ("profiles = 3", "profiles are tables; write [tool.outplay.profiles.ci]"),
        ('profile = "night"', "there is no profile 'night'; make one as [tool.outplay.profiles.night] in "),
        ("[tool.outplay.profiles.ci]\nplas = 3", ":3: there is no setting 'plas'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, complaint):
    with pytest.raises((FormatError, UsageError)) as told:
        found(f"[tool.outplay]\n{text}\n")
    assert complaint in str(told.value)


@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        ("OUTPLAY_PLAY", "3", "OUTPLAY_PLAY=3: there is no setting 'play'; did you mean 'plays'?"),
        ("OUTPLAY_PLAYS", "x", "OUTPLAY_PLAYS=x: plays is 'x' and should be a whole number"),
        ("OUTPLAY_SILENCE", "-1", "OUTPLAY_SILENCE=-1: silence is -1.0 and is at least 0"),
    ],
)
def test_what_is_wrong_with_a_variable_is_said_with_its_name(variable, text, complaint):
    with pytest.raises(FormatError) as told:
        find_configuration(Path(), {variable: text})
    assert str(told.value) == complaint


def test_what_belongs_to_a_system_or_a_model_goes_when_another_one_is_named():
    lower = {"model": "a.aut", "goal": ("g",), "sut": "tcp:h:{port}", "ready": "up", "options": ("server=s", "order=x")}
    without = {"model": "a.aut", "goal": ("g",), "options": ("order=x",)}
    assert layered_settings(lower, {"sut": "model:a.aut"}) == {**without, "sut": "model:a.aut"}
    assert layered_settings(lower, {"sut": "tcp:h:7000"}) == {**without, "ready": "up", "sut": "tcp:h:7000"}
    assert layered_settings(lower, {"sut": "tcp:g:{port}"}) == {**lower, "sut": "tcp:g:{port}"}
    assert layered_settings(lower, {"sut": lower["sut"]}) == lower
    assert layered_settings(lower, {"goal": ("h",)})["goal"] == ("h",)
    assert "goal" not in layered_settings(lower, {"tester": "walk"})
    assert layered_settings(lower, {"suite": "t.json"}).keys() == lower.keys() - {"model", "goal"} | {"suite"}
    assert layered_settings({"set": ("a=1",), "plays": 3}, {"model": "b.aut"}) == {"plays": 3, "model": "b.aut"}
