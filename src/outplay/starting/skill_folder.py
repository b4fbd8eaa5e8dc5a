"""The skill for coding agents: how a system is tested with outplay, as a folder that such agents read."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from outplay.errors import FormatError
from outplay.formats.texts.writing import write_whole

FILE = "SKILL.md"


def skill_text() -> str:
    """Return the text of the skill."""
    return (files("outplay.starting") / "skill" / FILE).read_text(encoding="utf-8")


def install_skill(folder: Path) -> Path:
    """Write the skill into a folder of skills; an older one of outplay is replaced, a file of somebody else is not.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     install_skill(Path(folder)).relative_to(folder).as_posix()
    'outplay/SKILL.md'
    """
    place = folder / "outplay" / FILE
    if place.exists() and "\nname: outplay\n" not in place.read_text(encoding="utf-8", errors="replace"):
        raise FormatError(f"{place} is there already and is not outplay's; move it, or name another folder")
    return write_whole(place, [skill_text()], folders=True)
