"""The part of a `.drn` file before `@model`: the kind of model, its sizes, its reward models."""

from __future__ import annotations

from dataclasses import dataclass, field

from outplay.errors import did_you_mean
from outplay.formats.common.names_and_numbers import whole_number
from outplay.formats.common.source import ReadLimits, Source, shown

_KINDS = {"mdp": False, "dtmc": True}
_OTHERS = {"ctmc", "ma", "pomdp", "smg", "s2pg"}
_VALUES = {"double", "rational", "parametric"}


@dataclass
class DrnHeader:
    """The content of the head of the file."""

    chain: bool | None = None
    rewards: list[str] = field(default_factory=list)
    placeholders: dict[str, str] = field(default_factory=dict)
    states: int | None = None
    choices: int | None = None
    line: int = 0
    """The line of @model."""
    states_line: int = 0
    choices_line: int = 0


def read_drn_header(source: Source, lines: list[str], limits: ReadLimits) -> DrnHeader:
    """Read the header of a `.drn` file: the lines up to `@model`."""
    header = DrnHeader()
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        place += 1
        if not line or line.startswith("//"):
            continue
        if line == "@model":
            header.line = place
            return _complete(source, header, limits)
        if line == "@placeholders":
            place = _placeholders(source, lines, place, header)
            continue
        key, _, value = line.partition(":")
        if key == "@type" or key == "@value_type":
            _kind(source, place, key, value.strip(), header)
        elif line in ("@parameters", "@reward_models", "@nr_states", "@nr_choices"):
            following = lines[place].strip() if place < len(lines) else ""
            place += 1
            _field(source, place, line, following, header)
        else:
            raise source.error(
                place, 1, f"{shown(line)} has no meaning before @model; {did_you_mean(key[:30], _FIELDS)}"
            )
    raise source.error(max(len(lines), 1), 1, "the file ends before @model; write @model and the states behind it")


_FIELDS = (
    "@type",
    "@value_type",
    "@parameters",
    "@placeholders",
    "@reward_models",
    "@nr_states",
    "@nr_choices",
    "@model",
)


def _kind(source: Source, line: int, key: str, value: str, header: DrnHeader) -> None:
    if key == "@value_type":
        if value not in _VALUES:
            raise source.error(
                line, 1, f"values of type {shown(value)}; write exact numbers, of type double or rational"
            )
        return
    if value.lower() not in _KINDS:
        known = "a model of this type is not read" if value.lower() in _OTHERS else "an unknown type of model"
        raise source.error(line, 1, f"{shown(value)}: {known}; write @type: MDP or @type: DTMC")
    header.chain = _KINDS[value.lower()]


def _field(source: Source, line: int, key: str, value: str, header: DrnHeader) -> None:
    if key == "@parameters":
        if value:
            raise source.error(line, 1, f"parameters {shown(value)}; put numbers in their place first")
    elif key == "@reward_models":
        header.rewards = value.split()
    else:
        count = whole_number(value)
        if count is None:
            raise source.error(line, 1, f"{shown(value)} is no number after {key}; write it in digits")
        if key == "@nr_states":
            header.states, header.states_line = count, line
        else:
            header.choices, header.choices_line = count, line


def _placeholders(source: Source, lines: list[str], place: int, header: DrnHeader) -> int:
    """Take the lines `$name : value` up to the next @ and return the place behind them."""
    while place < len(lines) and not lines[place].startswith("@"):
        name, colon, value = (part.strip() for part in lines[place].partition(":"))
        place += 1
        if not name and not colon:
            continue
        if not colon or name[:1] != "$":
            raise source.error(place, 1, f"{shown(name)} is no placeholder; write $name : value")
        if name in header.placeholders:
            raise source.error(place, 1, f"the placeholder {shown(name)} stands twice; keep one")
        header.placeholders[name] = value
    return place


def _complete(source: Source, header: DrnHeader, limits: ReadLimits) -> DrnHeader:
    if header.chain is None:
        raise source.error(header.line, 1, "no @type before @model; write @type: MDP")
    if not header.states:
        raise source.error(header.line, 1, "no @nr_states above 0 before @model; write @nr_states and the number below")
    limits.refuse_states(source, header.states_line, header.states)
    limits.refuse_edges(source, header.choices_line, header.choices or 0)
    return header
