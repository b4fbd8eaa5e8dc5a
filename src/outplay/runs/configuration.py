"""Settings of a project: `[tool.outplay]` in pyproject.toml, its profiles, and `OUTPLAY_*` in the environment.

    [tool.outplay]
    model = "chat.py:Chat"              # fields of a job, named like the options of the command line
    system = "exec:python3 server.py"   # or sut
    silence = 0.3

    [tool.outplay.profiles.night]
    time = "8h"

A setting is a default: the command line is above the environment, that above the profile, and that above the table.
What belongs to a model, a system, a goal or a budget goes when a higher layer names another one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from outplay.errors import FormatError, OutplayError, UsageError, did_you_mean, named
from outplay.formats.table_toml import read_table
from outplay.play.adapters.adapters import ADAPTERS, SERVER
from outplay.runs.job import FIELDS, READING, Job, job_field_type
from outplay.runs.run_budget import read_duration
from outplay.strategy.objectives import OBJECTIVES

FILE, TABLE, PREFIX = "pyproject.toml", "[tool.outplay]", "OUTPLAY_"
CI = "ci"
"""The profile that is chosen where the environment variable CI is set."""
Settings: TypeAlias = dict[str, Any]
"""Values of fields of a job, by name."""
_OTHER_NAMES = {"system": "sut"}
_BUDGET = frozenset({"plays", "labels", "time"})
_MODEL = frozenset({*READING[: READING.index("assumption")], "assumption"}) - {"max_bytes"}
_AIM = frozenset({*FIELDS[FIELDS.index("goal") : FIELDS.index("suite")]}) - {"options"} | {
    *("purpose", "final", "extra_steps", "end_in", "join", "chance", "confidence", "adversarial", "exhaustive")
}
_SHRINK = 5.0  # seconds, in a test; a run on the command line takes more
_OF_TESTS = ("silence", "confirm", "latency", "settle", "plays", "labels", "time", "steps", "seed", "shrink", "redact")
_OTHERS = ("DEBUG", "PROFILE")  # of the environment


@dataclass(frozen=True)
class Configuration:
    """The settings found for a folder, layer by layer."""

    path: Path | None = None
    """The file of the project; None where there is none."""
    table: Settings = field(default_factory=dict)
    profiles: Mapping[str, Settings] = field(default_factory=dict)
    profile: str | None = None
    """The profile that was chosen."""
    environment: Settings = field(default_factory=dict)

    @property
    def written(self) -> Settings:
        """The settings that the file makes, those of the profile included."""
        return layered_settings(self.table, self.profiles[self.profile] if self.profile else {})

    @property
    def settings(self) -> Settings:
        """All settings."""
        return layered_settings(self.written, self.environment)

    def alternatives(self) -> list[Settings]:
        """The settings of the file with each profile, and with none."""
        return [self.table, *(layered_settings(self.table, more) for more in self.profiles.values())]


def layered_settings(lower: Settings, upper: Settings) -> Settings:
    """Put settings of a project above others.

    >>> layered_settings({"model": "a.aut", "goal": ("g",), "plays": 5}, {"time": 60.0})
    {'model': 'a.aut', 'goal': ('g',), 'time': 60.0}
    >>> layered_settings({"model": "a.aut", "goal": ("g",), "plays": 5}, {"model": "b.aut"})
    {'plays': 5, 'model': 'b.aut'}
    """
    gone = _untaken(upper["sut"]) if "sut" in upper and upper["sut"] != lower.get("sut") else set()
    if "model" in upper and upper["model"] != lower.get("model"):
        gone |= _MODEL | _AIM
    if "suite" in upper:
        gone |= _MODEL | _AIM | _BUDGET
    if upper.keys() & {"goal", "objective", "tester", "purpose"}:
        gone |= _AIM
    if upper.keys() & _BUDGET:
        gone |= _BUDGET
    kept = {name: value for name, value in lower.items() if name not in {*gone, *upper, "options"}}
    own = [text for text in lower.get("options", ()) if text.partition("=")[0] not in gone]
    options = (*own, *upper.get("options", ()))
    return {**kept, **upper, "options": options} if options else {**kept, **upper}


def _untaken(sut: str) -> set[str]:
    """Return the options of a file's system that another system, named instead, does not take."""
    kind = sut.partition(":")[0]
    taken = set(ADAPTERS[kind].options) if kind in ADAPTERS else set[str]()
    if "{port" not in sut:
        taken -= {name for name in taken if name.startswith(SERVER)}
    return {name for each in ADAPTERS.values() for name in each.options} - taken


def find_configuration(
    folder: Path, environment: Mapping[str, str] = os.environ, *, profile: str | None = None
) -> Configuration:
    """Find the configuration of a folder: those of the nearest pyproject.toml and the environment."""
    found = _nearest(folder.absolute())
    path, document = found or (None, {})
    entries = dict(document)
    named_profiles, chosen = entries.pop("profiles", {}), entries.pop("profile", None)
    if not isinstance(named_profiles, dict) or not all(isinstance(each, dict) for each in named_profiles.values()):
        raise FormatError(f"{path}: profiles are tables; write [tool.outplay.profiles.{CI}]")
    profiles = {name: _settings(path, each, f"profiles.{name}", folder) for name, each in named_profiles.items()}
    in_ci = CI if environment.get("CI") and CI in profiles else None
    name = profile or environment.get(f"{PREFIX}PROFILE") or in_ci or chosen
    if name is not None:
        if not profiles:
            raise UsageError(
                f"there is no profile {name!r}; make one as [tool.outplay.profiles.{name}] in pyproject.toml"
            )
        named(str(name), profiles, "profile")
    return Configuration(path, _settings(path, entries, "", folder), profiles, name, _from_environment(environment))


def options_of_test(folder: Path, profile: str | None, named: Settings) -> Settings:
    """Return the options that a test names, above those its project configures for times, budgets and chance.

    A failing play of a test is made short, unless somebody says otherwise.
    """
    taken = {*_OF_TESTS} - ({"silence", "confirm", "latency", "settle"} if "timing" in named else set())
    found = find_configuration(folder, profile=profile).settings
    return layered_settings(
        {"shrink": _SHRINK, **{name: value for name, value in found.items() if name in taken}}, named
    )


def _nearest(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    for above in (folder, *folder.parents):
        path = above / FILE
        if path.is_file():
            tools = read_table(path).get("tool", {})
            if isinstance(tools, dict) and "outplay" in tools:
                if not isinstance(tools["outplay"], dict):
                    raise FormatError(f"{path}: outplay is no table; write {TABLE}")
                return path, tools["outplay"]
    return None


def _settings(path: Path | None, entries: Mapping[str, Any], part: str, folder: Path) -> Settings:
    """The settings of one table of the file, with its paths as seen from a folder."""
    made: Settings = {}
    for key, value in entries.items():
        try:
            made = layered_settings(made, _setting(key, value))
        except OutplayError as error:
            raise FormatError(f"{_place(path, part, key)}: {error}") from None
    base = path.parent if path else folder
    return {name: _moved(name, value, base, folder) for name, value in made.items()}


def _setting(key: str, value: Any) -> Settings:
    name = _OTHER_NAMES.get(key, key.replace("-", "_"))
    own = {option: each.options[option] for each in _registered() for option in each.options if option not in FIELDS}
    if name in own:
        own[name].refuse_other(name, value)
        return {"options": (f"{name}={str(value).lower() if isinstance(value, bool) else value}",)}
    if name not in FIELDS or name in ("suite", "options"):
        raise FormatError(f"there is no setting {key!r}; {did_you_mean(key, _known())}")
    kind = job_field_type(name)
    if name == "set" and isinstance(value, dict):
        value = [f"{constant}={content!r}" for constant, content in value.items()]
    elif kind == "tuple[str, ...]" and isinstance(value, str):
        value = [value]
    elif name == "time" and isinstance(value, str):
        value = read_duration(value)
    return {name: getattr(Job.from_json({name: value}), name)}


def _registered() -> list[Any]:
    return [*ADAPTERS.values(), *OBJECTIVES.values()]


def _known() -> list[str]:
    declared = {option for each in _registered() for option in each.options}
    return sorted({*FIELDS, *declared, *_OTHER_NAMES, "profile", "profiles"} - {"suite", "options"})


def _place(path: Path | None, part: str, key: str) -> str:
    """Return the place of a key of a table: the decoder keeps no places."""
    lines = path.read_text(encoding="utf-8").splitlines() if path else []
    header = f"[tool.outplay.{part}]" if part else TABLE
    inside = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("["):
            inside = line.strip().startswith(header)
        elif inside and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""", line):
            return f"{path}:{number}"
    return f"{path}: {header}"


def _from_environment(environment: Mapping[str, str]) -> Settings:
    """The settings that environment variables make; a name that is nearly one of a setting is refused."""
    made: Settings = {}
    for variable, text in environment.items():
        name = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or variable.removeprefix(PREFIX) in _OTHERS or not text:
            continue
        known = name in _known()
        if not known and "did you mean" not in did_you_mean(name, _known()):
            continue  # a variable of somebody else
        try:
            made = layered_settings(made, _setting(name, _read(name, text) if known else text))
        except OutplayError as error:
            raise FormatError(f"{variable}={text}: {error}") from None
    return made


def _read(name: str, text: str) -> Any:
    """The value that a text stands for: as JSON where the field is no text."""
    own = next((each.options[name] for each in _registered() if name in each.options), None)
    if own is not None and name not in FIELDS:
        return own.read(name, text)
    kind = job_field_type(_OTHER_NAMES.get(name, name)).removesuffix(" | None")
    if kind == "str" or name == "time" or (kind == "tuple[str, ...]" and not text.startswith("[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text  # the complaint says what it should be


def _moved(name: str, value: Any, base: Path, folder: Path) -> Any:
    """A setting with its paths, which the file means as seen from its own folder, as seen from another."""
    if base == folder.absolute():
        return value
    if name in ("model", "purpose"):
        return _path(value, base, folder)
    if name == "sut" and value.startswith("model:"):
        return f"model:{_path(value.removeprefix('model:'), base, folder)}"
    if name == "options":
        return tuple(
            f"table={_path(text.removeprefix('table='), base, folder)}" if text.startswith("table=") else text
            for text in value
        )
    return value


def _path(text: str, base: Path, folder: Path) -> str:
    head, colon, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    return f"{os.path.relpath(base / head, folder)}{colon}{name}" if (base / head).exists() else text
