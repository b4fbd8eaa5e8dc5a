"""Colours, light and dark: those of the report and of the pictures in the documentation.

Rules are written out twice instead of with CSS variables, which many programs that show SVG do not know.
"""

from __future__ import annotations

PICTURE = "outplay-picture"

LIGHT = {
    "paper": "#fbfaf7",
    "ink": "#222222",
    "faint": "#666666",
    "line": "#777777",
    "input": "#2463c4",
    "output": "#8a4baf",
    "good": "#2e7d32",
    "bad": "#c62828",
    "unsure": "#b26a00",
    "state_fill": "#ffffff",
    "tester_fill": "#dbe9ff",
    "system_fill": "#f1e3fb",
    "goal_fill": "#dcf3dd",
    "bad_fill": "#ffe1de",
    "group_fill": "#f0eee8",
}
DARK = {
    "paper": "#16181d",
    "ink": "#e8e8ea",
    "faint": "#a0a4ac",
    "line": "#8b909a",
    "input": "#79aaff",
    "output": "#cf9bf0",
    "good": "#7ed98a",
    "bad": "#ff7b72",
    "unsure": "#ffb74d",
    "state_fill": "#262a32",
    "tester_fill": "#1d3152",
    "system_fill": "#38264b",
    "goal_fill": "#1b3b21",
    "bad_fill": "#48201d",
    "group_fill": "#23262d",
}

_COLOURS = """
.paper {{ fill: {paper}; }}
text {{ fill: {ink}; }}
.note, .fact, .more, .plain, .silence, .number {{ fill: {faint}; }}
.label {{ stroke: {paper}; }}
.input {{ fill: {input}; }}
.output {{ fill: {output}; }}
.step {{ fill: {unsure}; }}
.line, .entry .line {{ stroke: {line}; }}
.head {{ fill: {line}; }}
.leader {{ stroke: {line}; }}
.state .shape, .state .ring {{ fill: {state_fill}; stroke: {faint}; }}
.group .shape {{ fill: {group_fill}; stroke: {faint}; }}
.tester .shape {{ fill: {tester_fill}; stroke: {input}; }}
.system .shape {{ fill: {system_fill}; stroke: {output}; }}
.lost .shape, .refused .shape {{ fill: {bad_fill}; stroke: {bad}; }}
.goal .shape {{ fill: {goal_fill}; stroke: {good}; }}
.strategy .line {{ stroke: {input}; }}
.strategy .head {{ fill: {input}; }}
.trace .line, .marked .halo {{ stroke: {unsure}; }}
.trace .head {{ fill: {unsure}; }}
.refused .line {{ stroke: {bad}; }}
.refused .head, .refused .label .input, .refused .label .output, .refused .label .plain, .refused .label .silence,
.refused .label .step {{ fill: {bad}; }}
.goal .note {{ fill: {good}; }}
"""

_FIXED = """
text { font: 13px system-ui, sans-serif; }
.name, .note { text-anchor: middle; }
.note { font-size: 11px; }
.title { font-size: 17px; font-weight: 600; }
.fact { font-size: 13px; }
.legend text { font-size: 12px; }
.label { font: 12px ui-monospace, monospace; paint-order: stroke; stroke-width: 3px;
  stroke-linejoin: round; }
.more { font-style: italic; }
.step { font-weight: 700; }
.line { fill: none; stroke-width: 1.4; }
.leader { stroke-width: 1; stroke-dasharray: 1.5 2; }
.hit { fill: none; stroke: transparent; stroke-width: 12; }
.shape { stroke-width: 2; }
.ring { stroke-width: 1; fill: none; }
.halo { fill: none; stroke-width: 7; opacity: .45; }
.goal .shape { stroke-width: 3.5; }
.free .line { stroke-dasharray: 5 4; }
.strategy .line, .trace .line, .refused .line { stroke-width: 3; stroke-dasharray: none; }
.lost .shape, .refused .shape, .refused .line { stroke-dasharray: 5 4; }
"""


def style(scope: str = f".{PICTURE}") -> str:
    """The rules of a picture, for light and dark surroundings, which touch nothing outside it."""
    light, dark = (scoped(_COLOURS.format(**palette), scope) for palette in (LIGHT, DARK))
    return f"{scoped(_FIXED, scope)}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def scoped(rules: str, scope: str) -> str:
    """Put the scope before every selector."""
    written = []
    for rule in rules.strip().split("}"):
        selectors, brace, body = rule.strip().partition("{")
        if brace:
            named = ", ".join(f"{scope} {selector.strip()}" for selector in selectors.split(","))
            written.append(f"{named} {{ {' '.join(body.split())} }}\n")
    return "".join(written)
