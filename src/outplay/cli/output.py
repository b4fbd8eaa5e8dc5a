"""Writing a model or a picture of it to the file a user names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from outplay.errors import UsageError
from outplay.formats.registry import ENDINGS, Model, write_model
from outplay.pictures.drawing import draw
from outplay.pictures.html import write_html
from outplay.pictures.svg import write_svg

PICTURES = {".svg": write_svg, ".html": write_html}


def check_output(output: Path | None) -> None:
    """Complain about a name that cannot be written before the work is done, not after."""
    if output is None:
        return
    if output.suffix not in (*ENDINGS, *PICTURES):
        known = ", ".join((*ENDINGS, *PICTURES))
        raise UsageError(f"-o {output}: unknown ending; give a name that ends in one of {known}")
    if not output.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {output.parent}; make it first")


def write_output(
    output: Path, model: Model, *, title: str = "", trace: Sequence[str] = (), strategy: Collection[int] = ()
) -> None:
    """Write a model in the format its name asks for, or draw it, a trace or a strategy highlighted."""
    if output.suffix in PICTURES:
        drawing = draw(model, trace=trace, strategy=strategy, title=title)
        output.write_text(PICTURES[output.suffix](drawing), encoding="utf-8")
    else:
        write_model(output, model)
