"""Writing a model or a picture of it to the file a user names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from outplay.errors import UsageError
from outplay.formats.automata.aut import numbered
from outplay.formats.registry import ENDINGS, FORMATS, write_model
from outplay.game.graph import Game
from outplay.model.automaton import Automaton
from outplay.pictures.drawing import draw
from outplay.pictures.gallery import PICTURES, write_drawing
from outplay.pictures.views.views import Drawable


def check_output(output: Path | None, endings: Collection[str] = PICTURES) -> None:
    """Complain about a name that cannot be written before the work is done, not after."""
    if output is None:
        return
    if output.suffix not in endings:
        raise UsageError(f"-o {output}: give a name that ends in {' or '.join(endings)}")
    if not output.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {output.parent}; make it first")


def write_picture(output: Path, model: Drawable, *, title: str = "", trace: Sequence[str] = ()) -> None:
    """Draw a model, a trace highlighted."""
    write_drawing(output, draw(model, trace=trace, title=title))


def write_output(output: Path, game: Game, *, title: str = "", strategy: Collection[int] = ()) -> None:
    """Write a game in the format its name asks for, or draw it, a strategy highlighted."""
    if output.suffix in PICTURES:
        write_drawing(output, draw(game, strategy=strategy, title=title))
    else:
        write_model(output, game)


def write_explored(output: Path, game: Game, model: Any, *, title: str = "") -> None:
    """Write the game that was explored; in a format that holds none, the automaton or machine it came from."""
    automaton = getattr(model, "automaton", None)
    chosen = FORMATS[output.suffix.removeprefix(".")] if output.suffix in ENDINGS else None
    if chosen is None or chosen.can_hold(Game):
        write_output(output, game, title=title)
    elif chosen.can_hold(type(model)):
        write_model(output, model)
    elif automaton is not None and chosen.can_hold(Automaton):
        write_model(output, numbered(automaton))  # intermediate states have names that such files cannot keep
    else:
        write_model(output, game)
