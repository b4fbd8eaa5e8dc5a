"""Writing a model or a picture of it to the file a user names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from outplay.errors import UsageError
from outplay.formats.automata.aut import numbered
from outplay.formats.registry import FORMATS, write_model
from outplay.game.graph import Game
from outplay.model.automaton import Automaton
from outplay.pictures.svg import PICTURES, draw, write_drawing
from outplay.pictures.views.views import Drawable


def check_output_name(output: Path | None, endings: Collection[str] = PICTURES) -> None:
    """Refuse a name of an output file that cannot be written, before the work is done."""
    if output is None:
        return
    if output.suffix not in endings:
        raise UsageError(f"-o {output}: give a name that ends in {' or '.join(endings)}")
    if not output.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {output.parent}; make it first")


def write_picture(
    output: Path, model: Drawable, *, title: str, trace: Sequence[str] = (), strategy: Collection[int] = ()
) -> None:
    """Draw a model into the output file, with a trace or a strategy highlighted."""
    write_drawing(output, draw(model, trace=trace, strategy=strategy, title=title))


def explored_endings(model: Any = None) -> tuple[str, ...]:
    """Return the endings of output files for an explored model: its game, a picture, and the model itself.

    >>> explored_endings()
    ('.dot', '.drn', '.gv', '.json', '.mmd', '.npz', '.tra', '.svg', '.html')
    """
    kinds = (Game, type(model), Automaton if getattr(model, "automaton", None) is not None else Game)
    written = [f".{name}" for name, known in FORMATS.items() if any(map(known.can_hold, kinds))]
    return (*written, *PICTURES)


def write_explored(output: Path, game: Game, model: Any, *, title: str) -> None:
    """Write an explored game to the output file; in a format that holds none, the model it came from."""
    check_output_name(output, explored_endings(model))
    if output.suffix in PICTURES:
        write_picture(output, game, title=title)
        return
    chosen = FORMATS[output.suffix.removeprefix(".")]
    if chosen.can_hold(Game):
        write_model(output, game)
    elif chosen.can_hold(type(model)):
        write_model(output, model)
    else:
        write_model(output, numbered(model.automaton))  # intermediate states have names that such files cannot keep
