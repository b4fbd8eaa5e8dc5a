"""Adapter tables as TOML, such as those for HTTP and messages: reading the document; what it means is the adapter's."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from outplay.formats.common.source import read_source

_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")
_LARGEST = 1 << 20  # bytes


def read_table(path: str | Path) -> dict[str, Any]:
    """Read the table of an adapter from a TOML file; a mistake of TOML is reported with its place."""
    source = read_source(Path(path), largest=_LARGEST)
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        what = f"{_PLACE.sub('', str(error))}; see https://toml.io for how tables are written"
        line, column = (int(place[1]), int(place[2])) if place else (1, 1)
        raise source.error(line, column, what) from None
    except RecursionError:
        raise source.error(1, 1, "it is nested too deeply; make it flatter") from None
