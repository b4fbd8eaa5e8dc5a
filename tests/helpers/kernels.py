"""Kernels run by Python or compiled, as a test asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from outplay import compiling


def compile_from(monkeypatch: pytest.MonkeyPatch, edges: int) -> None:
    """Compile kernels for graphs of so many edges only, whatever was compiled before."""
    monkeypatch.setattr(compiling, "COMPILE_FROM_EDGES", edges)
    monkeypatch.setattr(compiling, "_found_worthwhile", set())


def each_way(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run all kernels by Python, then all of them compiled."""
    for edges in (10**9, 0):
        compile_from(monkeypatch, edges)
        yield
