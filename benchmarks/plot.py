"""Small charts on two logarithmic axes, written as SVG by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

Points = Sequence[tuple[float, float]]
COLOURS = ("#0b6", "#06c", "#c30", "#a4a", "#b80", "#555")
_WIDE, _HIGH, _LEFT, _TOP = 300, 220, 52, 34
_AROUND = 28


def write_panels(path: Path, panels: Mapping[str, Mapping[str, Points]], across: str, up: str) -> None:
    """Write one chart for each panel, side by side two in a row, all on the same axes, with one legend."""
    every = [point for lines in panels.values() for points in lines.values() for point in points]
    spans = [_decades([point[axis] for point in every]) for axis in (0, 1)]
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    parts = []
    for place, (title, lines) in enumerate(panels.items()):
        x = (place % 2) * (_WIDE + _LEFT + _AROUND) + _LEFT
        y = (place // 2) * (_HIGH + _TOP + _AROUND) + _TOP
        parts.append(f'<g transform="translate({x} {y})">{_panel(title, lines, spans, colours)}</g>')
    rows = (len(panels) + 1) // 2
    width, bottom = 2 * (_WIDE + _LEFT + _AROUND), rows * (_HIGH + _TOP + _AROUND)
    legend = [
        f'<text x="{_LEFT + 110 * place}" y="{bottom + 20}" fill="{colours[name]}">— {name}</text>'
        for place, name in enumerate(names)
    ]
    legend.append(f'<text x="{_LEFT}" y="{bottom + 38}">across: {across}; up: {up}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 48}" font-family="sans-serif"'
    body = "\n".join([f'{head} font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>', *parts, *legend])
    path.write_text(f"{body}\n</svg>\n", encoding="utf-8")


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _panel(
    title: str, lines: Mapping[str, Points], spans: Sequence[tuple[int, int]], colours: Mapping[str, str]
) -> str:
    def place(value: float, axis: int) -> float:
        low, high = spans[axis]
        share = (math.log10(value) - low) / (high - low)
        return round(share * _WIDE if axis == 0 else (1 - share) * _HIGH, 1)

    parts = [f'<rect width="{_WIDE}" height="{_HIGH}" fill="none" stroke="#999"/>', f'<text y="-8">{title}</text>']
    for power in range(spans[0][0], spans[0][1] + 1):
        x = place(10.0**power, 0)
        parts.append(f'<path d="M{x} 0V{_HIGH}" stroke="#eee"/>')
        parts.append(f'<text x="{x}" y="{_HIGH + 14}" text-anchor="middle">1e{power}</text>')
    for power in range(spans[1][0], spans[1][1] + 1):
        y = place(10.0**power, 1)
        parts.append(f'<path d="M0 {y}H{_WIDE}" stroke="#eee"/>')
        parts.append(f'<text x="-6" y="{y + 4}" text-anchor="end">1e{power}</text>')
    for name, points in lines.items():
        spots = [(place(x, 0), place(y, 1)) for x, y in points]
        track = " ".join(f"{x},{y}" for x, y in spots)
        parts.append(f'<polyline points="{track}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colours[name]}"/>' for x, y in spots]
    return "".join(parts)
