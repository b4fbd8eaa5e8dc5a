"""When the user's own code raises, show the user's line and not ours."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outplay.errors import ModelError, OutplayError

_OURS = str(Path(__file__).resolve().parent.parent)


def blame(error: BaseException, doing: str) -> ModelError:
    """Turn an exception out of user code into one line that names the place, the line of code and what went wrong."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if not frames:
        return ModelError(f"{doing}: {what}")
    last = frames[-1]
    line = f" in `{last.line}`" if last.line else ""
    return ModelError(f"{last.filename}:{last.lineno}: {what}{line} (while {doing})")


@contextmanager
def blaming(doing: str) -> Iterator[None]:
    """Turn whatever user code raises inside into a ModelError."""
    try:
        yield
    except (OutplayError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise blame(error, doing) from error
