"""When the user's own code raises, show the user's line and not ours."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outplay.errors import ModelError, OutplayError

_OURS = (str(Path(__file__).resolve().parent.parent), "<actions of ")  # the latter is the loop action_loop.py writes


def blame(error: BaseException, doing: str) -> ModelError:
    """Turn an exception out of user code into one line that names the place, the line of code and what went wrong."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    # Where the user called a library that then raised, the user's own line is the one to look at.
    own = [frame for frame in frames if not frame.filename.startswith(_libraries())]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if not frames:
        return ModelError(f"{doing}: {what}")
    last = (own or frames)[-1]
    line = f" in `{last.line}`" if last.line else ""
    return ModelError(f"{last.filename}:{last.lineno}: {what}{line} (while {doing})")


def is_ours(error: BaseException) -> bool:
    """Say whether an exception arose in our own code and not in the user's."""
    return traceback.extract_tb(error.__traceback__)[-1].filename.startswith(_OURS)


def _libraries() -> tuple[str, ...]:
    return "<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@contextmanager
def blaming(doing: str) -> Iterator[None]:
    """Turn whatever user code raises inside into a ModelError."""
    try:
        yield
    except (OutplayError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise blame(error, doing) from error
