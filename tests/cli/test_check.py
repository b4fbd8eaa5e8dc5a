"""`outplay check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.places import EXAMPLES

SPEC, EAGER = EXAMPLES / "mp3" / "mp3.aut", EXAMPLES / "mp3" / "eager.aut"


def test_a_difference_is_shown_with_what_was_allowed_and_ends_with_one(outplay):
    found = outplay("check", SPEC, EAGER)
    assert found.code == 1
    assert found.out.splitlines()[1:] == [
        "    1  ?play",
        "    2  ?repeat",
        "    3  ?quit",
        "    4  !song   ← not allowed here",
        "       allowed: delta (silence)",
        "       state:   at idle_repeat",
    ]


@pytest.mark.parametrize("relation", ["ioco", "uioco", "alternating"])
def test_the_keys_are_those_of_the_contract(outplay, relation):
    found = outplay("check", SPEC, EAGER, "--relation", relation, "--json")
    assert (found.code, found.err) == (1, "")
    assert found.json == {
        "conforms": False,
        "relation": relation,
        "counterexample": ["?play", "?repeat", "?quit", "!song"],
        "allowed": ["delta"],
        "refused": None,
    }


def test_what_conforms_ends_with_nought(outplay, model):
    found = outplay("check", model, model, "--json")
    assert (found.code, found.json["conforms"], found.json["counterexample"]) == (0, True, None)
    assert outplay("check", model, model).out.startswith(f"✓ {model} conforms to {model} (ioco; ")


def test_an_input_that_is_not_taken_is_warned_of(outplay):
    Path("deaf.aut").write_text("des (0, 1, 1)\n(0, ?play, 0)\n")
    Path("spec.aut").write_text('des (0, 2, 1)\n(0, ?play, 0)\n(0, "?stop it", 0)\n')
    found = outplay("check", "spec.aut", "deaf.aut")
    assert (found.code, "deaf.aut does not take ?stop it after nothing" in found.err) == (0, True)
    played = outplay("check", "spec.aut", "deaf.aut", "--relation", "alternating")
    assert (played.code, "?stop it   ← not taken here" in played.out, played.err) == (1, True, "")


def test_for_programs_an_input_that_is_not_taken_is_refused_and_no_output_that_is_not_allowed(outplay):
    Path("deaf.aut").write_text("des (0, 2, 1)\n(0, ?other, 0)\n(0, ?play, 0)\n")
    Path("spec.aut").write_text('des (0, 2, 2)\n(0, ?play, 1)\n(1, "?stop it", 0)\n')
    found = outplay("check", "spec.aut", "deaf.aut", "--relation", "alternating", "--json")
    refused = {"counterexample": None, "allowed": None, "refused": ["?play", "?stop it"]}
    assert (found.code, found.json) == (1, {"conforms": False, "relation": "alternating", **refused})


def test_the_counterexample_is_drawn_on_the_specification(outplay, model):
    assert outplay("check", SPEC, EAGER, "-o", "difference.svg").code == 1
    assert "!song" in Path("difference.svg").read_text()
    assert outplay("check", model, model, "-o", "same.html").code == 0
    assert Path("same.html").exists()
    assert outplay("check", SPEC, EAGER, "-o", "difference.aut").code == 2


def test_changes_are_told_as_goals_that_a_run_can_reach(outplay):
    found = outplay("check", SPEC, EAGER, "--changes", "--json")
    assert found.code == 0
    changes = found.json["changes"]
    assert [change["trace"] for change in changes[:3]] == [["?quit"], ["?quit_repeat"], ["?play", "!end_of_list"]]
    song = next(change for change in changes if change["goal"] == "last_song --!song-->")
    assert (song["kind"], song["trace"]) == ("new", ["?play", "?repeat", "?quit", "!song"])
    for change in changes:
        version = EAGER if change["kind"] == "new" else SPEC
        if change["goal"] is not None:
            solved = outplay("solve", version, "--goal", change["goal"], "--objective", "joker", "--json")
            assert solved.json["value"] is not None, change
    assert (
        "lost: !end_of_list after ?play   (--goal 'playing --!end_of_list-->')"
        in outplay("check", SPEC, EAGER, "--changes").out.splitlines()
    )
    assert outplay("check", SPEC, SPEC, "--changes").out == "nothing changed: both do the same\n"


def test_states_of_a_model_program_can_be_asked_for(outplay, model):
    Path("more.py").write_text(Path("echo.py").read_text().replace("class Echo", "class More"))
    assert outplay("check", model, "more.py:More", "--changes", "--json").json == {"changes": []}


def test_a_limit_and_a_missing_file_are_mistakes_and_no_answer(outplay, model):
    assert outplay("check", model, model, "--max-states", "1").code == 4
    assert outplay("check", SPEC, "nothing.aut").code == 4
    assert outplay("check", SPEC).code == 2


def test_a_file_that_is_named_like_a_program_is_read_as_the_format_that_is_said(outplay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("other.aut", "spec:v2"):
        Path(name).write_text('des (0, 2, 2)\n(0, "get", 1)\n(1, "got", 0)\n', encoding="utf-8")
    assert outplay("check", "spec:v2", "other.aut", "--format", "aut", "--inputs", "get").code == 0
    assert outplay("check", "other.aut", "spec:v2", "--format", "aut", "--inputs", "get").code == 0
