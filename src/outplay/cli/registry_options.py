"""Options that a registry declares, as options of the commands: those of objectives, and of whatever else has some."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import click

from outplay.campaign.job import Job
from outplay.strategy.declared_option import DeclaredOption, flag
from outplay.strategy.objectives import OBJECTIVES


class Number(click.FloatRange):
    """A number within a range, none of `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no number to compute with.", param, ctx)
        return found


def settings(option: DeclaredOption) -> dict[str, Any]:
    """How a declared option is read."""
    if option.kind is bool:
        return {"is_flag": True}
    if option.choices:
        return {"type": click.Choice(option.choices)}
    above: dict[str, Any] = {"max": option.below, "max_open": option.below is not None}
    ranges: dict[type, Any] = {int: click.IntRange(option.least, **above), float: Number(option.least, **above)}
    return {"type": ranges.get(option.kind, option.kind), "metavar": option.metavar or None}


def of_objectives(name: str) -> dict[str, Any]:
    """An option of objectives: how it is read, and which of them take it."""
    takers = {each.name: each.options[name] for each in OBJECTIVES.values() if name in each.options}
    option = next(iter(takers.values()))
    return {**settings(option), "help": f"{', '.join(takers)}: {option.help}"}


def own_options() -> list[click.Option]:
    """The options of objectives that are no fields of a job, whatever the registry holds by now."""
    names = dict.fromkeys(name for each in OBJECTIVES.values() for name in each.options if name not in FIELDS)
    return [click.Option([flag(name), name], default=None, **of_objectives(name)) for name in names]


FIELDS = {field.name for field in fields(Job)}
TOLD = tuple(dict.fromkeys(name for each in OBJECTIVES.values() for name in each.options if name in FIELDS))
"""The fields of a job that objectives take."""


def among(params: list[click.Parameter], more: Iterable[click.Parameter]) -> list[click.Parameter]:
    """The parameters of a command with more of them, before those that all commands end with."""
    place = [param.name for param in params].index("as_json")
    return [*params[:place], *more, *params[place:]]


class OwnOptions(click.Command):
    """A command that also takes what objectives of one's own have options for."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return among(super().get_params(ctx), own_options())
