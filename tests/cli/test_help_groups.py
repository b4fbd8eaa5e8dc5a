"""The help of `run` shows every option in the group it belongs to."""

from __future__ import annotations

import re
from dataclasses import fields

from helpers.places import EXAMPLES
from outplay.runs.job import FIELDS, Job
from outplay.runs.job_parts import PARTS, TITLES


def test_each_field_of_a_job_is_in_one_part():
    named = [field.name for part in PARTS for field in fields(part)]
    assert len(named) == len(set(named))
    assert set(named) == set(FIELDS)


def test_the_options_of_run_stand_in_groups(outplay):
    text = outplay("run", "--help").out
    titles = [part.title for part in PARTS]
    found = re.findall(rf"^({'|'.join(titles)}):$", text, flags=re.MULTILINE)
    assert found == titles
    sections = dict(zip(found, re.split(rf"^(?:{'|'.join(titles)}):$", text, flags=re.MULTILINE)[1:], strict=True))
    for name in ("plays", "goal", "sut", "max_states", "redact", "assumption"):
        option = f"--{name.replace('_', '-')} "
        assert [title for title, section in sections.items() if f"\n  {option}" in section] == [TITLES[name]]
    assert "--server COMMAND" in sections["System"]
    assert "--json" in sections["Output"]


def test_an_option_with_a_new_name_is_taken_by_its_old_one_too_and_shown_by_the_new_one(outplay):
    text = outplay("run", "--help").out
    assert "--extra-steps N" in text
    assert "--then-walk" not in text
    model = str(EXAMPLES / "chat" / "model.py") + ":Chat"
    played = ("run", model, "--goal", "two_pending", "--sut", f"model:{model}", "--plays", "2", "--json")
    new, old = (outplay(*played, option, "3") for option in ("--extra-steps", "--then-walk"))
    assert new.code == old.code == 0
    assert new.json["steps"] == old.json["steps"] > outplay(*played).json["steps"]
    assert Job.from_json({"then_walk": 3}) == Job(extra_steps=3)
