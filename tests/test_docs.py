"""Every example in README and docs is executed: Python blocks one after the other, console blocks as they stand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import outplay
from helpers.commands import called
from helpers.places import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]
READ_BY_USERS = [page for page in DOCS.glob("**/*.md") if page.stem != "architecture" and "papers" not in page.parts]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def sessions() -> list[tuple[str, str, str]]:
    """Each command of the console blocks, with the output shown under it."""
    found = []
    for page in PAGES:
        for block in blocks(page, "console"):
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                found.append((page.name, command, output))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_examples_run(page: Path):
    """They hold what they say by asserts of their own; an exception is what goes wrong here."""
    if any('"examples/' in block for block in blocks(page, "python")):
        shutil.copytree(ROOT / "examples", "examples")
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.usefixtures("modules_as_they_were")
@pytest.mark.parametrize(("page", "command", "output"), sessions(), ids=lambda value: value[:70])
def test_console_examples_print_what_the_page_shows(
    page: str, command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(ROOT / "examples", "examples")
    program, *arguments = shlex.split(command)
    assert program == "outplay", "only outplay itself is shown on the console"
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    done = called(capsys, *arguments)
    shown = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", output))
    assert re.fullmatch(shown, done.out, re.DOTALL), f"{done.out}\n{done.err}"


def test_the_pages_of_papers_name_tests_and_benchmarks_that_there_are():
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "papers").glob("*.md"))
    tests = {f"tests/papers/{path.name}" for path in (ROOT / "tests" / "papers").glob("test_*.py")}
    assert set(re.findall(r"pytest\s+(\S+\.py)", pages)) == tests
    for name in re.findall(r"python\s+-m\s+benchmarks\.(\w+)", pages):
        assert (ROOT / "benchmarks" / f"{name}.py").exists(), name


def test_there_are_examples_to_run():
    assert len(sessions()) >= 8
    assert sum(len(blocks(page, "python")) for page in PAGES) >= 6


def test_the_reference_has_a_line_for_every_public_name():
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    python = page[page.index("\n## Python\n") :]
    described = re.findall(r"^\| `(\w+)` \| .{20,} \|$", python, re.MULTILINE)
    assert sorted(described) == sorted(outplay.__all__)


def test_no_page_for_users_has_a_line_that_nobody_can_read():
    long = set()
    for page in READ_BY_USERS:
        shown = False  # what a command prints is as long as it is
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            shown ^= line.startswith("```")
            if len(line) > 300 and not shown:
                long.add(f"{page.relative_to(DOCS)}:{number}")
    assert long == set()


def test_each_task_of_the_how_to_has_a_page_of_its_own():
    index = (DOCS / "howto.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^howto/([\w-]+)$", index, re.MULTILINE))
    assert listed == {page.stem for page in (DOCS / "howto").glob("*.md")}
    assert len(listed) >= 25


def test_there_are_at_most_seventy_public_names():
    assert len(outplay.__all__) <= 75


def test_papers_are_cited_by_author_and_year():
    texts = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    number = re.compile(r"\b[Pp]aper 00\d\b|(?<![\w.,'\"])00[0-4](?=, (?:[A-Z]|section|lemma|table|chapter|\d))")
    assert [
        f"{path.name}: {found[0]}" for path in texts if (found := number.search(path.read_text(encoding="utf-8")))
    ] == []


def test_the_readme_shows_the_model_that_it_forecasts():
    model = (ROOT / "examples" / "chat" / "model.py").read_text(encoding="utf-8")
    assert blocks(ROOT / "README.md", "python")[0] == model[model.index("from outplay") :]


def test_the_homes_of_the_glossary_exist():
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)[1:]
    assert len(rows) > 25
    for row in rows:
        folder = ROOT
        for home in re.findall(r"`(\S+)`", row):
            folder = ROOT / "src" / "outplay" / home if "/" in home else folder.parent / home
            assert folder.exists(), home
