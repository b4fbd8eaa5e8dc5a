"""Pages made from the code, the skill for coding agents, and llms.txt: what they say exists and works."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import outplay as package
from helpers.places import ROOT
from helpers.reader import typed
from outplay.cli import main
from outplay.cli.project.skill import install_skill, skill_text


@pytest.fixture(scope="module")
def generated() -> ModuleType:
    made = importlib.util.spec_from_file_location("generated_docs", ROOT / "docs" / "generated.py")
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def test_the_page_of_commands_has_every_command_and_option_on_short_lines(generated):
    page = generated.commands_page()
    for name in main.COMMANDS:
        assert f"\n## outplay {name}\n" in page
    for option in ("--sut", "--silence", "--profile", "--trust", "--server", "--relation", "--tries"):
        assert f"`{option}" in page or f", {option}" in page
    assert max(map(len, page.splitlines())) <= 300


def test_llms_txt_names_commands_and_names_that_there_are(generated):
    text = generated.llms_text()
    assert text.startswith("# outplay\n\n> ")
    assert set(re.findall(r"^- `outplay\.(\w+)`: .{15,}", text, re.MULTILINE)) == set(package.__all__)
    assert set(re.findall(r"`outplay ([a-z]+)", text)) <= set(main.COMMANDS)
    pages = re.findall(r"\]\((\S+)\.html\)", text)
    assert len(pages) > 20
    assert [page for page in pages if not (ROOT / "docs" / f"{page}.md").exists()] == []
    assert "\n# queue_model.py\nfrom outplay import Model" in text  # the skill, which is executed below


def test_what_the_skill_says_works_from_an_empty_folder(tmp_path):
    blocks = re.findall(r"^```(python|console)\n(.*?)^```$", skill_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 6
    for language, content in blocks:
        if language == "python":
            name, _, rest = content.partition("\n")
            (tmp_path / name.removeprefix("# ")).write_text(rest)
            continue
        for command in re.findall(r"^\$ (.*)$", content, re.MULTILINE):
            said, _ = typed(command, str(tmp_path))
            assert said
            assert "Inconclusive" not in said


def test_options_that_the_skill_names_exist(generated):
    options = set(re.findall(r"--[a-z][\w-]+", skill_text()))
    assert options
    page = generated.commands_page()
    assert [option for option in options if option not in page] == []


def test_the_skill_is_installed_and_nothing_of_somebody_else_is_replaced(outplay):
    assert outplay("skill", "install").code == 0
    place = Path(".agents/skills/outplay/SKILL.md")
    assert place.read_text() == skill_text() == outplay("skill", "show").out
    place.write_text(place.read_text() + "old")
    assert outplay("skill", "install", "--json").json == {"file": str(place)}
    assert place.read_text() == skill_text()
    place.write_text("mine")
    refused = outplay("skill", "install")
    assert (refused.code, "is not outplay's" in refused.err) == (4, True)
    assert place.read_text() == "mine"
    assert install_skill(Path("elsewhere")).exists()


@pytest.fixture
def outplay(capsys):
    from helpers.commands import called

    return lambda *arguments: called(capsys, *arguments)
