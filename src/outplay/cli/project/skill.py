"""`outplay skill`: tell a coding agent how systems are tested with outplay."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.starting.skill_folder import install_skill, skill_text

FOLDER = ".agents/skills"


@click.group("skill", epilog="\b\nExamples:\n  outplay skill install\n  outplay skill install .claude/skills")
def command() -> None:
    """Install or show the skill for coding agents: how to write a model and an adapter, play, and read a Fail."""


@command.command("install", epilog="\b\nExample:\n  outplay skill install .agents/skills")
@click.argument("folder", required=False, default=FOLDER, type=click.Path(path_type=Path))
@options.json_output
def install(folder: Path, as_json: bool) -> None:
    """Write the skill into FOLDER, the folder of skills that your agent reads [default: .agents/skills]."""
    written = install_skill(folder)
    say_json({"file": str(written)}) if as_json else say(f"installed in {written}")


@command.command("show", epilog="\b\nExample:\n  outplay skill show")
def show() -> None:
    """Print the skill."""
    click.echo(skill_text(), nl=False)
