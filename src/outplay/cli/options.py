"""Options that several commands share, each written once; those of a job become one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from outplay.campaign.job import Job
from outplay.cli import job_options, registry_options
from outplay.strategy.declared_option import flag

Command = TypeVar("Command", bound=Callable[..., Any])
READING = ("MODEL", "set", "inputs", "format", "max_bytes")
RULES = ("purpose", "final", "reset_cost")
LIMITS = ("max_states", "max_edges", "max_depth", "max_seconds", "max_memory")
READING_LIMITS = ("max_bytes", "max_seconds", "max_memory")
SYSTEM = ("sut", "isolated", "silence", "latency", "ready", "reset", "seed")

file = functools.partial(click.option, type=click.Path(path_type=Path))


json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")

trust = click.option("--trust", is_flag=True, help="Run the code that the file names, whatever it is.")

_DEFAULTS = {field.name: field.default for field in fields(Job)}


def asked(*names: str, **changed: dict[str, Any]) -> Callable[[Command], Command]:
    """Add options for fields of a job; the command gets as `asked` those that the user, or the command itself, sets.

    A name in capitals is an argument. What differs from how an option usually is, such as its default, is given by its
    name.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gathering(*args: Any, **others: Any) -> Any:
            context = click.get_current_context()
            given = {name.lower(): others.pop(name.lower()) for name in names}
            chosen = {
                name: value
                for name, value in given.items()
                if value != _DEFAULTS[name] or context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            }
            if isinstance(context.command, registry_options.OwnOptions):
                own = {str(option.name): others.pop(str(option.name)) for option in registry_options.own_options()}
                texts = tuple(f"{name}={value}" for name, value in own.items() if value is not None)
                chosen |= {"options": texts} if texts else {}
            return command(*args, asked=chosen, **others)

        wrapped: Any = gathering
        for name in reversed(names):
            wrapped = _parameter(name, changed.get(name, {}))(wrapped)
        return cast(Command, wrapped)

    return decorate


def job(*names: str, **changed: dict[str, Any]) -> Callable[[Command], Command]:
    """The same, but the command gets the `job` that is asked for, all else being as usual."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def making(*args: Any, asked: dict[str, Any], **others: Any) -> Any:
            return command(*args, job=Job(**asked), **others)

        return cast(Command, asked(*names, **changed)(making))

    return decorate


def _parameter(name: str, changed: dict[str, Any]) -> Callable[[Any], Any]:
    if name.isupper():
        return click.argument(name.lower(), **changed)
    settings = {**job_options.JOB_OPTIONS[name], **changed}
    default = {} if settings.get("required") else {"default": _DEFAULTS[name]}
    return click.option(flag(name), name, **{**default, **settings})
