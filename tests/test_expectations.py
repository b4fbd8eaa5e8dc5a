"""The table of what users expect: the commands, options and pages it names are there, and it counts right."""

from __future__ import annotations

import re

import click
import pytest

from helpers.places import ROOT
from outplay.cli import main

PAGE = (ROOT / "docs" / "expectations.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| (met|partly|not) \| ([^|]+) \|$", PAGE, re.MULTILINE)
COMMANDS = sorted(set(re.findall(r"`outplay ([^`]+)`", PAGE)))


def test_it_has_every_row_and_counts_right():
    assert len(ROWS) == 92
    told = re.search(r"expect (\d+) things\. (\d+) are met", PAGE)
    assert told
    assert (int(told[1]), int(told[2])) == (len(ROWS), sum(state == "met" for _, state, _ in ROWS))


@pytest.mark.parametrize("written", COMMANDS)
def test_a_command_that_is_named_is_there_with_its_options(written: str):
    words = written.split()
    options = [word for word in words if re.match(r"-\w|--\w", word)]
    group = main.outplay
    command = group.get_command(click.Context(group), words[0]) if words[0] in main.COMMANDS else group
    context = click.Context(command or group, help_option_names=["-h", "--help"])
    if isinstance(command, click.Group) and len(words) > 1 and words[1] in command.list_commands(context):
        command = command.get_command(context, words[1])
    assert command is not None
    known = {flag for param in command.get_params(context) for flag in (*param.opts, *param.secondary_opts)}
    assert set(options) <= known | {"--help"}, written


def test_options_of_the_plugin_that_are_named_are_there(pytestconfig: pytest.Config):
    named = set(re.findall(r"pytest (?:[^`]*? )?--outplay-(\w+)", PAGE))
    assert named
    for name in named:
        assert hasattr(pytestconfig.option, f"outplay_{name}"), name


def test_pages_that_are_named_are_there():
    pages = set(re.findall(r"\]\(([\w/-]+\.md)", PAGE))
    assert len(pages) > 5
    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []
