"""Small charts, on two logarithmic axes or two linear ones, written as SVG by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Points = Sequence[tuple[float, float]]
COLOURS = ("#0b6", "#06c", "#c30", "#a4a", "#b80", "#555", "#000")
_WIDE, _HIGH, _LEFT, _TOP = 300, 220, 52, 34
_AROUND = 28


@dataclass(frozen=True)
class Scale:
    """One axis: where a value lies on it, from 0 to 1, and the values that are written at it."""

    place: Callable[[float], float]
    ticks: Mapping[float, str]


def write_panels(
    path: Path, panels: Mapping[str, Mapping[str, Points]], across: str, up: str, *, logarithmic: bool = True
) -> None:
    """Write one chart for each panel, side by side two in a row, with one legend.

    Logarithmic axes are the same for all panels, linear ones each as long as it takes.
    """
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    shared = _scales(panels.values(), logarithmic)
    parts = []
    for place, (title, lines) in enumerate(panels.items()):
        x = (place % 2) * (_WIDE + _LEFT + _AROUND) + _LEFT
        y = (place // 2) * (_HIGH + _TOP + _AROUND) + _TOP
        scales = shared if logarithmic else _scales([lines], logarithmic)
        parts.append(f'<g transform="translate({x} {y})">{_panel(title, lines, scales, colours, dots=logarithmic)}</g>')
    rows = (len(panels) + 1) // 2
    width, bottom = 2 * (_WIDE + _LEFT + _AROUND), rows * (_HIGH + _TOP + _AROUND)
    legend = [
        f'<text x="{_LEFT + 100 * place}" y="{bottom + 20}" fill="{colours[name]}">— {name}</text>'
        for place, name in enumerate(names)
    ]
    legend.append(f'<text x="{_LEFT}" y="{bottom + 38}">across: {across}; up: {up}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 48}" font-family="sans-serif"'
    body = "\n".join([f'{head} font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>', *parts, *legend])
    path.write_text(f"{body}\n</svg>\n", encoding="utf-8")


def _scales(panels: Iterable[Mapping[str, Points]], logarithmic: bool) -> list[Scale]:
    every = [point for lines in panels for points in lines.values() for point in points]
    make = _logarithmic if logarithmic else _linear
    return [make([point[axis] for point in every]) for axis in (0, 1)]


def _logarithmic(values: Sequence[float]) -> Scale:
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    ticks = {10.0**power: f"1e{power}" for power in range(low, high + 1)}
    return Scale(lambda value: (math.log10(value) - low) / (high - low), ticks)


def _linear(values: Sequence[float]) -> Scale:
    high = max(values)
    step = 10.0 ** math.floor(math.log10(high))
    step = next(step * share for share in (0.2, 0.5, 1.0, 2.0) if high / (step * share) <= 5)
    return Scale(lambda value: value / high, {step * n: f"{step * n:g}" for n in range(int(high / step) + 1)})


def _panel(
    title: str, lines: Mapping[str, Points], scales: Sequence[Scale], colours: Mapping[str, str], *, dots: bool
) -> str:
    def place(value: float, axis: int) -> float:
        share = scales[axis].place(value)
        return round(share * _WIDE if axis == 0 else (1 - share) * _HIGH, 1)

    parts = [f'<rect width="{_WIDE}" height="{_HIGH}" fill="none" stroke="#999"/>', f'<text y="-8">{title}</text>']
    for value, text in scales[0].ticks.items():
        x = place(value, 0)
        parts.append(f'<path d="M{x} 0V{_HIGH}" stroke="#eee"/>')
        parts.append(f'<text x="{x}" y="{_HIGH + 14}" text-anchor="middle">{text}</text>')
    for value, text in scales[1].ticks.items():
        y = place(value, 1)
        parts.append(f'<path d="M0 {y}H{_WIDE}" stroke="#eee"/>')
        parts.append(f'<text x="-6" y="{y + 4}" text-anchor="end">{text}</text>')
    for name, points in lines.items():
        spots = [(place(x, 0), place(y, 1)) for x, y in points]
        track = " ".join(f"{x},{y}" for x, y in spots)
        parts.append(f'<polyline points="{track}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colours[name]}"/>' for x, y in spots if dots]
    return "".join(parts)
