"""Tracebacks of the user's own code that show the user's line and not ours."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outplay.errors import ModelError, OutplayError
from outplay.model.programs.budget import OverBudget

_OURS = (str(Path(__file__).resolve().parents[2]), "<actions of ")  # the latter is the loop action_loop.py writes


def blame(error: BaseException, doing: str) -> ModelError:
    """Turn an exception out of user code into one line that names the place, the line of code and what went wrong."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, MemoryError):
        what = f"{what} (keep it smaller, or raise --max-memory)"
    place, line = _place(error, of_libraries=True)
    return ModelError(f"{place}: {what}{line} (while {doing})" if place else f"{doing}: {what}")


def overrun(stop: OverBudget) -> ModelError:
    """Say what passed a bound, and where."""
    place, line = _place(stop.__cause__ or stop)  # the cause is a MemoryError
    doing = f" (while {stop.doing})" if stop.doing else ""
    return ModelError(f"{place or 'the model'}: more than {stop.bound}{line}{doing}: mend it, or raise {stop.option}")


def _place(error: BaseException, *, of_libraries: bool = False) -> tuple[str, str]:
    """The place in the user's code that an exception came from, and the line there; empty where there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    # Where the user called a library that then raised, the user's own line is the one to look at.
    own = [frame for frame in frames if not frame.filename.startswith(_libraries())]
    if not (own or (of_libraries and frames)):
        return "", ""
    last = (own or frames)[-1]
    return f"{last.filename}:{last.lineno}", f" in `{last.line}`" if last.line else ""


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
    except OverBudget as stop:
        raise stop.during(doing) from None
    except Exception as error:
        raise blame(error, doing) from error
