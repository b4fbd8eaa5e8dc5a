"""Things that show themselves: in a notebook, as a picture in a file, and in words.

How they look is for `pictures`, which knows all kinds of things and therefore comes after them. This leaf is the one
place that reaches forward: it imports `pictures` when something is to be shown, and not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class Drawn:
    """A thing with a picture."""

    def _repr_svg_(self) -> str:
        from outplay.pictures.svg import svg_of

        return svg_of(self)

    def draw(self, path: str | Path, *, title: str = "") -> Path:
        """Draw it to a file that ends in `.svg`, or in `.html` for a page to walk through; large ones as a summary."""
        from outplay.pictures.svg import drawing_of, write_drawing

        return write_drawing(Path(path), drawing_of(self, title))


class DrawnClass:
    """A class with a picture: notebooks ask classes by their class methods, and by no other."""

    @classmethod
    def _repr_svg_(cls) -> str:
        from outplay.pictures.svg import svg_of

        return svg_of(cls)


class Tabled:
    """A thing that a notebook shows as a table; of a long one the beginning."""

    def _repr_html_(self) -> str:
        from outplay.pictures.svg import html_table

        return html_table(self)


def play_picture(states: Sequence[str], labels: Sequence[str], names: Mapping[str, str] | None = None) -> str:
    """Draw a failing play as SVG: the states it went through, and its last label as what is not allowed.

    The `names` are shorter words for states.
    """
    from outplay.pictures.play_picture import play_svg

    return play_svg(states, labels, names or {})


class Renderable(Protocol):
    """A result with its own words and JSON, so that commands only print it."""

    def json(self) -> dict[str, Any]:
        """For programs."""

    def lines(self) -> Iterable[str]:
        """For people."""


@dataclass(frozen=True)
class Rendered:
    """The words and JSON of a result, as plain data."""

    facts: dict[str, Any]
    words: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        return self.facts

    def lines(self) -> tuple[str, ...]:
        return self.words
