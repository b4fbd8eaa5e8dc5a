"""`outplay skill`: tell a coding agent how systems are tested with outplay."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.errors import FormatError
from outplay.formats.common.writing import write_whole

FOLDER = ".agents/skills"
FILE = "SKILL.md"


@click.group("skill", epilog="\b\nExamples:\n  outplay skill install\n  outplay skill install .claude/skills")
def command() -> None:
    """Install or show the skill for coding agents: how to write a model and an adapter, play, and read a Fail."""


@command.command("install", epilog="\b\nExample:\n  outplay skill install .agents/skills")
@click.argument("folder", required=False, default=FOLDER, type=click.Path(path_type=Path))
@options.json_output
def _install(folder: Path, as_json: bool) -> None:
    """Write the skill into FOLDER, the folder of skills that your agent reads [default: .agents/skills]."""
    written = install_skill(folder)
    say_json({"file": str(written)}) if as_json else say(f"installed in {written}")


@command.command("show", epilog="\b\nExample:\n  outplay skill show")
def _show() -> None:
    """Print the skill."""
    click.echo(skill_text(), nl=False)


def skill_text() -> str:
    """Return the text of the skill for coding agents."""
    return (files("outplay.scaffolding") / "skill" / FILE).read_text(encoding="utf-8")


def install_skill(folder: Path) -> Path:
    """Write the skill into a folder of skills; an older one of outplay is replaced, a file of somebody else is not.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     install_skill(Path(folder)).relative_to(folder).as_posix()
    'outplay/SKILL.md'
    """
    place = folder / "outplay" / FILE
    if place.exists() and "\nname: outplay\n" not in place.read_text(encoding="utf-8", errors="replace"):
        raise FormatError(f"{place} is there already and is not outplay's; move it, or name another folder")
    return write_whole(place, [skill_text()], folders=True)
