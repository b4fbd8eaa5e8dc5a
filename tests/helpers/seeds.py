"""Many drawn instances in few tests: pytest takes longer to handle a test than most properties take to be tried."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest

A_TEST = 20


def seeds(
    drawn: Sequence[int], *, a_test: int = A_TEST, quick: int | None = None
) -> Callable[[Callable[..., None]], Any]:
    """Try a property, a function of `seed`, with all of these, so many in a test; a failure names its seed.

    With `quick`, all but the first so many are left to the long tests.
    """
    first, rest = (drawn, drawn[:0]) if quick is None else (drawn[:quick], drawn[quick:])
    quickly = _batches(first, a_test)
    batches = with_long([*quickly, *_batches(rest, a_test)], quick=len(quickly))

    def decorate(tried: Callable[..., None]) -> Any:
        @functools.wraps(tried)
        def all_of(seeds: Sequence[int], **others: Any) -> None:
            skipped = [reason for seed in seeds if (reason := _skipped(tried, seed, others)) is not None]
            if len(skipped) == len(seeds):
                pytest.skip(skipped[0])

        asked = inspect.signature(tried)
        renamed = [it.replace(name="seeds") if it.name == "seed" else it for it in asked.parameters.values()]
        all_of.__signature__ = asked.replace(parameters=renamed)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("seeds", batches, ids=_name)(all_of)

    return decorate


def with_long(drawn: Sequence[Any], *, quick: int) -> list[Any]:
    """What to parametrize by: all but the first so many are left to the long tests."""
    return [*drawn[:quick], *(pytest.param(one, marks=pytest.mark.long) for one in drawn[quick:])]


def _batches(drawn: Sequence[int], a_test: int) -> list[Sequence[int]]:
    return [drawn[first : first + a_test] for first in range(0, len(drawn), a_test)]


def _skipped(tried: Callable[..., None], seed: int, others: dict[str, Any]) -> str | None:
    """Why a seed was skipped, or None."""
    try:
        tried(seed=seed, **others)
    except pytest.skip.Exception as skip:
        return str(skip)
    except BaseException as error:
        error.add_note(f"with seed {seed}")
        raise
    return None


def _name(batch: Sequence[int]) -> str:
    return f"{batch[0]}-{batch[-1]}"
