"""Small charts as SVG, in the colours of the page: how coverage grew, and how fast answers came."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from outplay.look.page_frame import safe

_WIDE, _TALL, _LEFT, _BELOW, _ABOVE = 640.0, 180.0, 56.0, 26.0, 14.0
_BARS = 30


class GrowthPoint(NamedTuple):
    """The coverage after a play."""

    play: int
    states: int
    transitions: int


def growth_chart(points: Sequence[GrowthPoint], totals: tuple[int, int] = (0, 0)) -> str:
    """A curve of the states and one of the transitions seen, by plays; `totals` are those of the model, if known."""
    if len(points) < 2:
        return ""
    last = points[-1]
    top = max(last.states, last.transitions, *totals, 1)
    kinds = (
        (0, "states", [point.states for point in points]),
        (1, "transitions", [point.transitions for point in points]),
    )
    parts = [*_axes(f"{last.play:,} plays", top)]
    for place, name, values in kinds:
        line = " ".join(
            f"{_across(point.play / last.play):.1f},{_up(value / top):.1f}"
            for point, value in zip(points, values, strict=True)
        )
        parts.append(f"<polyline class='curve c{place}' points='{line}'><title>{name}</title></polyline>")
        if totals[place]:
            y = _up(totals[place] / top)
            parts.append(f"<line class='mark c{place}' x1={_LEFT:.0f} x2={_WIDE:.0f} y1={y:.1f} y2={y:.1f} />")
    key = "".join(f"<span class='key c{place}'>{name}</span>" for place, name, _ in kinds)
    caption = f"{key}that may have been seen{', and all of the model (dashed)' if any(totals) else ''}"
    return f"<figure>{_svg(parts, 'states and transitions seen, by plays')}<figcaption>{caption}</figcaption></figure>"


def times_chart(seconds: Sequence[float], marks: Sequence[tuple[str, float]]) -> str:
    """A histogram of times on a logarithmic scale, with named marks such as the silence."""
    if not seconds:
        return ""
    shown = [max(second, 1e-6) for second in (*seconds, *(mark for _, mark in marks if mark > 0))]
    low, high = math.log10(min(shown)), math.log10(max(shown))
    span = max(high - low, 0.1) * 1.05
    bars = [0] * _BARS
    for second in seconds:
        bars[min(int((math.log10(max(second, 1e-6)) - low) / span * _BARS), _BARS - 1)] += 1
    top, wide = max(bars), (_WIDE - _LEFT) / _BARS
    parts = [*_axes(f"{_short(10 ** (low + span))} (logarithmic)", top, first=_short(10**low))]
    for place, count in enumerate(bars):
        if count:
            begin, end = (10 ** (low + span * edge / _BARS) for edge in (place, place + 1))
            y = _up(count / top)
            parts.append(
                f"<rect class=column x={_LEFT + place * wide:.1f} y={y:.1f} width={wide - 1:.1f} "
                f"height={_up(0) - y:.1f}><title>{count:,}: {_short(begin)} to {_short(end)}</title></rect>"
            )
    for row, (name, mark) in enumerate(marks):
        if mark > 0:
            x = _across((math.log10(mark) - low) / span)
            parts.append(f"<line class='mark c1' x1={x:.1f} x2={x:.1f} y1={_ABOVE:.0f} y2={_up(0):.0f} />")
            parts.append(
                f"<text x={x - 4:.1f} y={_ABOVE + 8 + 14 * row:.0f} text-anchor=end>{safe(name)} {_short(mark)}</text>"
            )
    middle = sorted(seconds)[len(seconds) // 2]
    caption = (
        f"{len(seconds):,} answers, half of them within {_short(middle)}, the slowest after {_short(max(seconds))}"
    )
    return f"<figure>{_svg(parts, 'times of answers')}<figcaption>{caption}</figcaption></figure>"


def _axes(right: str, top: int, first: str = "0") -> Iterator[str]:
    yield f"<line class=axis x1={_LEFT:.0f} x2={_WIDE:.0f} y1={_up(0):.0f} y2={_up(0):.0f} />"
    yield f"<text x={_LEFT - 6:.0f} y={_up(1) + 4:.0f} text-anchor=end>{top:,}</text>"
    yield f"<text x={_LEFT - 6:.0f} y={_up(0) + 4:.0f} text-anchor=end>0</text>"
    yield f"<text x={_LEFT:.0f} y={_TALL - 6:.0f}>{first}</text>"
    yield f"<text x={_WIDE:.0f} y={_TALL - 6:.0f} text-anchor=end>{right}</text>"


def _svg(parts: Sequence[str], name: str) -> str:
    box = f"0 0 {_WIDE + 8:.0f} {_TALL:.0f}"
    return f"<svg class=chart viewBox='{box}' role=img aria-label='{name}'>{''.join(parts)}</svg>"


def _across(share: float) -> float:
    return _LEFT + share * (_WIDE - _LEFT)


def _up(share: float) -> float:
    return _TALL - _BELOW - share * (_TALL - _BELOW - _ABOVE)


def _short(seconds: float) -> str:
    """A time in the unit that people would choose.

    >>> _short(0.00031), _short(0.25), _short(3)
    ('0.31 ms', '250 ms', '3 s')
    """
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
