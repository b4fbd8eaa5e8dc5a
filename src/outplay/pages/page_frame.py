"""The one look of pages and pictures: colours, light and dark, style sheets, scripts, and the frame of a page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from outplay.escaping import escaped_lines

_COLOURS = {
    "paper": ("#fbfaf7", "#16181d"),
    "ink": ("#222222", "#e8e8ea"),
    "faint": ("#666666", "#a0a4ac"),
    "line": ("#777777", "#8b909a"),
    "input": ("#2463c4", "#79aaff"),
    "output": ("#8a4baf", "#cf9bf0"),
    "good": ("#2e7d32", "#7ed98a"),
    "bad": ("#c62828", "#ff7b72"),
    "unsure": ("#b26a00", "#ffb74d"),
    "state_fill": ("#ffffff", "#262a32"),
    "tester_fill": ("#dbe9ff", "#1d3152"),
    "system_fill": ("#f1e3fb", "#38264b"),
    "goal_fill": ("#dcf3dd", "#1b3b21"),
    "bad_fill": ("#ffe1de", "#48201d"),
    "group_fill": ("#f0eee8", "#23262d"),
}
_CODE = re.compile("`([^`]*)`")
LIGHT, DARK = ({name: pair[place] for name, pair in _COLOURS.items()} for place in (0, 1))


def safe(text: str) -> str:
    r"""Make text safe for pages and pictures: no markup, and nothing that XML may not hold or that turns it around.

    >>> safe('<a & "b">\x00\u202e')
    '&lt;a &amp; &quot;b&quot;&gt;\\u0000\\u202e'
    """
    return html.escape(escaped_lines(text))


def coded(text: str) -> str:
    """A sentence as HTML, in which what stands between backticks is set off as code.

    >>> coded("`a < b` never holds")
    '<code>a &lt; b</code> never holds'
    """
    return _CODE.sub(r"<code>\1</code>", safe(text))


@cache
def page_sheet(name: str) -> str:
    """Return a style sheet or a script of a page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def colour_variables(palette: Mapping[str, str]) -> str:
    """Return the colours of pages by name, as a style sheet; `rule` is for lines between things."""
    return " ".join(f"--{name}: {colour};" for name, colour in {**palette, "rule": "#8884"}.items())


def page(title: str, body: str, *sheets: str, script: str = "") -> str:
    """Write a whole page that needs no other file."""
    style = "".join(map(page_sheet, sheets))
    code = f"<script>\n{page_sheet(script)}</script>" if script else ""
    return (
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>\n"
        f"<title>{safe(title)}</title>\n<style>\n:root {{ color-scheme: light dark; {colour_variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {colour_variables(DARK)} }} }}\n{style}</style>\n"
        f"{body}{code}</html>\n"
    )


def scoped_style(rules: str, scope: str) -> str:
    """Put a scope before every selector of a page's style sheet."""
    written = []
    for rule in rules.strip().split("}"):
        selectors, brace, body = rule.strip().partition("{")
        if brace:
            named = ", ".join(f"{scope} {selector.strip()}" for selector in selectors.split(","))
            written.append(f"{named} {{ {' '.join(body.split())} }}\n")
    return "".join(written)
