"""Pages that are made from the code when the documentation is built: all commands and options, and llms.txt."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from pathlib import Path

import click

import outplay
from outplay.cli import main
from outplay.cli.project.skill import skill_text

DOCS = Path(__file__).parent
WIDTH = 200


def commands_page() -> str:
    """Every command with its options, as `--help` says it."""
    parts = [
        "# Commands",
        "All commands and options, as `--help` has them. What they print with `--json` is in the "
        "[reference](reference.md); environment variables and `pyproject.toml` "
        "[set defaults](howto/configuration.md).",
    ]
    for name in main.COMMANDS:
        command = main.outplay.get_command(click.Context(main.outplay), name)
        assert command is not None
        parts += _command(command, f"outplay {name}")
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, path: str) -> list[str]:
    # With the names of the help option as the program has them: a command keeps the first that it is asked with.
    context = click.Context(command, info_name=path, help_option_names=["-h", "--help"])
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"## {path}" if path.count(" ") == 1 else f"### {path}", f"`{' '.join(usage.split())}`"]
    parts.append(_wrapped(inspect.cleandoc(command.help or "")))
    options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    for option in options:
        record = option.get_help_record(context)
        if record and "--help" not in option.opts:
            words = "\n".join(textwrap.wrap(_plain(record[1]), WIDTH, subsequent_indent="  ", break_on_hyphens=False))
            parts.append(f"`{record[0]}`\n: {words}")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                parts += _command(inner, f"{path} {name}")
    return parts


def _wrapped(text: str) -> str:
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.replace("\b", "").split("\n\n"))
    return "\n\n".join(textwrap.fill(_plain(paragraph), WIDTH, break_on_hyphens=False) for paragraph in paragraphs)


def _plain(text: str) -> str:
    """Text as Markdown shows it: what stands between backticks stays, the rest has no markup."""
    pieces = re.split(
        r"(`[^`]*`)", re.sub(r"(?<![\w`-])(--[a-z][\w-]*)(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"`\1`", text)
    )
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_<\[\]{}|])", r"\\\1", piece) for piece in pieces)


def llms_text() -> str:
    """What a language model needs to know: how to test with outplay, all commands, public names and pages."""
    skill = skill_text().split("---\n", 2)[2].strip()
    lines = ["# outplay", "", "> Test systems whose answers vary, by playing them as a game.", ""]
    lines += [re.sub(r"^# ", "## ", skill, count=1), "", "## Commands", ""]
    lines += [f"- `outplay {name}`: {what}" for name, what in main.COMMANDS.items()]
    lines += ["", "## Python", ""]
    lines += [f"- `outplay.{name}`: {_first_line(name)}" for name in sorted(outplay.__all__)]
    lines += ["", "## Pages", ""]
    lines += [f"- [{_title(page)}]({page.relative_to(DOCS).with_suffix('.html').as_posix()})" for page in _pages()]
    return "\n".join(lines) + "\n"


def _first_line(name: str) -> str:
    found = getattr(outplay, name)
    own = inspect.getdoc(found) or inspect.getdoc(importlib.import_module(outplay._HOME_OF[name])) or ""
    return own.split("\n\n")[0].replace("\n", " ")


def _pages() -> list[Path]:
    return [page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts]


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
