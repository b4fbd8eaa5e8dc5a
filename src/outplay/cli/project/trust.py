"""`outplay trust`: let the model programs and systems run that the configuration of this folder names."""

from __future__ import annotations

from pathlib import Path

import click

from outplay.cli import options
from outplay.cli.printing import say, say_json
from outplay.runs.configuration import find_configuration
from outplay.runs.preparing.configured_code import trust_configured_code


@click.command("trust", epilog="\b\nExample:\n  outplay trust --json")
@options.json_output
def command(as_json: bool) -> None:
    """Trust the model programs and systems that [tool.outplay] in pyproject.toml names, in all its profiles.

    Other commands refuse to run them before. Once their content changes they are refused again. What is trusted is
    kept in your own data folder, not in the project.
    """
    configuration = find_configuration(Path.cwd())
    found = trust_configured_code(configuration)
    if as_json:
        say_json({"file": str(configuration.path), "trusted": [each.json() for each in found]})
        return
    say(f"trusted, as {configuration.path} names it:" if found else f"{configuration.path} names no code")
    for each in found:
        say(f"  {each}")
