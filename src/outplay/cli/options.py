"""Options that several commands share, each written once; those of a job become one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from outplay.cli import job_options, registry_options
from outplay.cli.project import completion
from outplay.registries import flag
from outplay.runs.configuration import FILE, TABLE, find_configuration, layered_settings
from outplay.runs.job import RENAMED, Job
from outplay.runs.preparing.configured_code import admitted_settings

Command = TypeVar("Command", bound=Callable[..., Any])
READING = ("MODEL", "set", "inputs", "format", "max_bytes")
RULES = ("purpose", "final", "reset_cost")
LIMITS = ("max_states", "max_edges", "max_depth", "max_seconds", "max_memory")
READING_LIMITS = ("max_bytes", "max_seconds", "max_memory")
SYSTEM = ("sut", *registry_options.SYSTEM_OPTIONS, "silence", "latency", "seed")


class RenamedOption(click.Option):
    """An option whose old names are still taken, but not shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        every = self.opts
        self.opts = every[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every


file = functools.partial(click.option, type=click.Path(path_type=Path))


json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")

trust = click.option(
    "--trust", is_flag=True, help="Run the code and start the system that the file names, whatever they are."
)

_profile = click.option(
    "--profile",
    metavar="NAME",
    shell_complete=completion.complete_profiles,
    help=f"Use the settings of this profile in {FILE}.",
)
_COMPLETED = {
    "model": completion.complete_models,
    "goal": completion.complete_goals,
    "sut": completion.complete_systems,
}

_DEFAULTS = {field.name: field.default for field in fields(Job)}


def job_field_options(*names: str, **changed: dict[str, Any]) -> Callable[[Command], Command]:
    """Add options for fields of a job to a command, which gets as `asked` those that the user or the command sets.

    A name in capitals is an argument. What differs from how an option usually is, such as its default, is given by its
    name. Where MODEL is one of them, a configuration file may set them too, and `--profile` chooses of its profiles.
    """
    configured = "MODEL" in names and "metavar" not in changed.get("MODEL", {})
    needed = configured and changed.get("MODEL", {}).get("required", True)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gathering(*args: Any, **others: Any) -> Any:
            context = click.get_current_context()
            given = {name.lower(): others.pop(name.lower()) for name in names}
            profile = others.pop("profile", None)
            chosen = {
                name: value
                for name, value in given.items()
                if value != _DEFAULTS[name] or context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            }
            if isinstance(context.command, registry_options.OwnOptions):
                own = {str(option.name): others.pop(str(option.name)) for option in context.command.own_options()}
                texts = tuple(f"{name}={value}" for name, value in own.items() if value is not None)
                chosen |= {"options": texts} if texts else {}
            if configured:
                chosen = _with_configuration(chosen, context, names, profile, others)
                if needed and not (chosen.get("model") or chosen.get("suite") or _written_down(others)):
                    how = f'name it, or write model = "…" under {TABLE} in {FILE}'
                    raise click.UsageError(f"Missing argument 'MODEL': {how}.")
            return command(*args, asked=chosen, **others)

        wrapped: Any = _profile(gathering) if configured else gathering
        for name in reversed(names):
            more = {"required": False, "default": ""} if configured and name == "MODEL" else {}
            wrapped = _parameter(name, {**changed.get(name, {}), **more})(wrapped)
        return cast(Command, wrapped)

    return decorate


def _written_down(others: dict[str, Any]) -> bool:
    """Say whether a job file or an earlier run says everything."""
    return others.get("job_file") is not None or others.get("resume") is not None


def _with_configuration(
    chosen: dict[str, Any], context: click.Context, names: tuple[str, ...], profile: str | None, others: dict[str, Any]
) -> dict[str, Any]:
    """Add the options of the configuration that the command has and the user did not give."""
    if _written_down(others):
        return chosen  # that says everything
    own = context.command.own_options() if isinstance(context.command, registry_options.OwnOptions) else []
    known = {*(name.lower() for name in names), *(["options"] if own else [])}
    taken = {str(option.name) for option in own}
    found = find_configuration(Path.cwd(), profile=profile)
    above = layered_settings(found.environment, chosen)
    asked = layered_settings({name: value for name, value in found.written.items() if name in known}, above)
    asked = {name: value for name, value in asked.items() if name in known or name in chosen}
    if "options" in asked:
        asked["options"] = tuple(text for text in asked["options"] if text.partition("=")[0] in taken)
    return asked if others.get("trust") else admitted_settings(found, asked, above)


def with_options_added(stored: Job, asked: dict[str, Any]) -> Job:
    """Add the options of this command to a stored job; of an option that registries declare the last counts."""
    return replace(stored, **asked | {"options": (*stored.options, *asked.get("options", ()))})


def whole_job_options(*names: str, **changed: dict[str, Any]) -> Callable[[Command], Command]:
    """Add options for fields of a job to a command, which gets the whole `job`, with defaults for all else."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def making(*args: Any, asked: dict[str, Any], **others: Any) -> Any:
            return command(*args, job=Job(**asked), **others)

        return cast(Command, job_field_options(*names, **changed)(making))

    return decorate


def _parameter(name: str, changed: dict[str, Any]) -> Callable[[Any], Any]:
    if name.lower() in _COMPLETED:
        changed = {"shell_complete": _COMPLETED[name.lower()], **changed}
    if name.isupper():
        return click.argument(name.lower(), **changed)
    settings = {**job_options.JOB_OPTIONS[name], **changed}
    default = {} if settings.get("required") else {"default": _DEFAULTS[name]}
    old = [flag(before) for before, now in RENAMED.items() if now == name]
    return click.option(flag(name), *old, name, cls=RenamedOption, **{**default, **settings})
