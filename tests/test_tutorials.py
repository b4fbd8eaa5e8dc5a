"""The tutorials, done as a reader does them: files written, commands typed one after the other in one folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.places import ROOT
from helpers.reader import typed

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```\{code-block\} (\w+)\n(?::caption: (\S+)\n)?(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*(?:\n(?:(?!\$ ).*\n)*?END)?)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_from_an_empty_folder(page: Path, tmp_path: Path):
    folder = str(tmp_path)
    for language, name, content in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language != "console":
            (Path(folder) / name).write_text(content)
            continue
        for command, shown in COMMAND.findall(content):
            said, folder = typed(command, folder)
            wanted = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", shown.strip()))
            assert re.fullmatch(wanted, said.strip(), re.DOTALL), f"$ {command}\n{said}"


def test_every_block_of_a_tutorial_is_executed():
    assert len(PAGES) >= 4
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"^```(?:text|\{literalinclude\})", text, re.MULTILINE)  # no command: an example, or a file
        assert text.count("```") == 2 * (len(BLOCK.findall(text)) + len(shown)), page
