"""Errors, sorted by who must act. Every message names the place and says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

Kind = TypeVar("Kind")


class OutplayError(Exception):
    """Any mistake outplay can explain in one line; `exit_code` is what a command ends with."""

    exit_code = 4


class UsageError(OutplayError):
    """The command or call was asked for something that does not exist: change the call."""

    exit_code = 2


class ModelError(OutplayError):
    """The model program is wrong: change the model."""


class FormatError(OutplayError):
    """A file is not what its format asks for: change the file."""


class GameError(OutplayError):
    """The arrays or parts given do not make a game: change what is built from."""


class AdapterError(OutplayError):
    """An adapter is in trouble, not the system under test: mend the adapter. The run is an Error and no Fail."""


class SystemUnready(AdapterError):
    """The system under test cannot be started, made ready or reset: change the system or how it is called."""


class NothingToRun(OutplayError):
    """A run would have tested nothing, so that no verdict would mean anything: change the model or the suite."""

    exit_code = 5


class CertificateError(OutplayError):
    """The checker refused a solver's answer. This is a defect of outplay itself, never of the user."""

    exit_code = 3


def explained(error: Exception) -> str:
    """Explain an exception to people; what outplay cannot explain is named as a failure of its own or of the model."""
    return str(error) if isinstance(error, OutplayError) else f"outplay failed: {type(error).__name__}: {error}"


def did_you_mean(word: str, known: Iterable[str], listed: Iterable[str] = ()) -> str:
    """Return a hint naming the nearest known word, or the first few known words: of those `listed` if there are any.

    >>> did_you_mean("two_pendin", ["two_pending", "delivered"])
    "did you mean 'two_pending'?"
    >>> did_you_mean("x", [])
    'there are none'
    """
    choices = sorted(known)
    near = difflib.get_close_matches(word, choices, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    choices = sorted(listed) or choices
    if not choices:
        return "there are none"
    shown = ", ".join(choices[:8])
    return f"known: {shown}" + (", …" if len(choices) > 8 else "")


def named(name: str, known: Mapping[str, Kind], what: str) -> Kind:
    """Find one of a kind by its name, as users write it.

    >>> named("wlak", {"walk": 1, "cover": 2}, "tester")
    Traceback (most recent call last):
    outplay.errors.UsageError: there is no tester 'wlak'; did you mean 'walk'?
    """
    if name not in known:
        raise UsageError(f"there is no {what} {name!r}; {did_you_mean(name, known)}")
    return known[name]
