"""Options that registries declare, as options of the commands: those of objectives and of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Protocol

import click

from outplay.play.adapters.adapters import ADAPTERS
from outplay.registries import DeclaredOption, flag
from outplay.runs.job import Job
from outplay.runs.job_parts import PARTS, TITLES, AimPart, BudgetPart, ModelPart, OutputPart, SystemPart
from outplay.runs.preparing.testers import TESTERS
from outplay.strategy.objectives import OBJECTIVES


class Declaring(Protocol):
    """An entry of a registry that declares options."""

    @property
    def name(self) -> str: ...

    @property
    def options(self) -> Mapping[str, DeclaredOption]: ...


Registry = Mapping[str, Declaring]


class Number(click.FloatRange):
    """A number within a range, none of `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number; write one such as 0.5.", param, ctx)
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no number to compute with.", param, ctx)
        return found


def click_settings(option: DeclaredOption) -> dict[str, Any]:
    """Return the settings by which click reads an option that a registry declares."""
    if option.kind is bool:
        return {"is_flag": True}
    if option.choices:
        return {"type": click.Choice(option.choices)}
    above: dict[str, Any] = {"max": option.below, "max_open": option.below is not None}
    ranges: dict[type, Any] = {int: click.IntRange(option.least, **above), float: Number(option.least, **above)}
    return {"type": ranges.get(option.kind, option.kind), "metavar": option.metavar or None}


def declared_option(name: str, *registries: Registry) -> dict[str, Any]:
    """Return the settings of a command's option that registries declare, and who takes it."""
    takers = {each.name: each.options[name] for each in _all_of(registries) if name in each.options}
    option = next(iter(takers.values()))
    return {**click_settings(option), "help": f"{', '.join(takers)}: {option.help}"}


def own_registry_options(*registries: Registry) -> list[click.Option]:
    """Return the options that registries declare and that are no fields of a job."""
    names = dict.fromkeys(name for each in _all_of(registries) for name in each.options if name not in FIELDS)
    return [click.Option([flag(name), name], default=None, **declared_option(name, *registries)) for name in names]


def _all_of(registries: Iterable[Registry]) -> Iterator[Declaring]:
    return (each for registry in registries for each in registry.values())


def _told(registry: Registry) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in registry.values() for name in each.options if name in FIELDS))


FIELDS = {field.name for field in fields(Job)}
OBJECTIVE_OPTIONS, SYSTEM_OPTIONS = _told(OBJECTIVES), _told(ADAPTERS)
"""The fields of a job that objectives take, and those that systems take."""


def with_registry_options(params: list[click.Parameter], more: Iterable[click.Parameter]) -> list[click.Parameter]:
    """Return the parameters of a command with options of registries, before those that all commands end with."""
    place = [param.name for param in params].index("as_json")
    return [*params[:place], *more, *params[place:]]


class GroupedOptions(click.Command):
    """A command that shows its options by the parts of a job they belong to."""

    groups: Mapping[str, str] = {}
    """The titles for options that are no fields of a job, by name; `Output` for others."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {part.title: [] for part in PARTS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                name = str(param.name)
                sections[TITLES.get(name) or self.groups.get(name, OutputPart.title)].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class OwnOptions(click.Command):
    """A command that also takes what objectives of one's own have options for."""

    registries: tuple[Registry, ...] = (OBJECTIVES,)

    def own_options(self) -> list[click.Option]:
        """Those options, by now."""
        return own_registry_options(*self.registries)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return with_registry_options(super().get_params(ctx), self.own_options())


class SystemOptions(OwnOptions):
    """A command that plays against a system: it tells which kinds there are, and takes their options."""

    registries: tuple[Registry, ...] = (ADAPTERS,)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Systems"):
            formatter.write_dl([(adapter.form, adapter.summary) for adapter in ADAPTERS.values()])
        super().format_epilog(ctx, formatter)


class PlayOptions(GroupedOptions, SystemOptions):
    """A command that plays for an objective against a system, and takes the options of both."""

    registries = (OBJECTIVES, ADAPTERS)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Testers"):
            formatter.write_dl([(kind.name, kind.summary) for kind in TESTERS.values()])
        super().format_epilog(ctx, formatter)

    @property
    def groups(self) -> Mapping[str, str]:  # type: ignore[override]  # as the registries are by now
        systems = {name: SystemPart.title for each in ADAPTERS.values() for name in each.options}
        aims = {name: AimPart.title for each in OBJECTIVES.values() for name in each.options}
        return {**systems, **aims, "job_file": ModelPart.title, "trust": ModelPart.title, "scheduler": BudgetPart.title}
