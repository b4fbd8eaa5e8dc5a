"""The report: one self-contained HTML file with the verdict, the trace and how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from outplay.play.event import Event
from outplay.play.trace import Trace
from outplay.verdict.show import headline, replay_line
from outplay.verdict.table import Table
from outplay.verdict.verdicts import Fail, Verdict

MOST_EVENTS = 5_000

_COLOURS = "--line: #8884; --input: #2463c4; --output: #8a4baf; --bad: #c62828; --good: #2e7d32; --unsure: #b26a00;"
_RULES = """
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td.n, td.t, th.n { text-align: right; font-variant-numeric: tabular-nums; opacity: .7; width: 5rem; }
code { font: .95em ui-monospace, monospace; }
.input code { color: var(--input); }
.output code, .late code { color: var(--output); }
tr.bad { background: color-mix(in srgb, var(--bad) 14%, transparent); }
tr.bad code { color: var(--bad); font-weight: 600; }
tr.silence, tr.reset, tr.note { opacity: .75; }
"""
_STYLE = (
    f":root {{ color-scheme: light dark; {_COLOURS} }}{_RULES}"
    + """
@media (prefers-color-scheme: dark) { :root { --input: #79aaff; --output: #cf9bf0;
  --bad: #ff7b72; --good: #7ed98a; --unsure: #ffb74d; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; }
.pass { color: var(--good); }
.fail, .error { color: var(--bad); }
.inconclusive { color: var(--unsure); }
pre { padding: .8rem; border: 1px solid var(--line); border-radius: .4rem; overflow: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { opacity: .7; }
dd { margin: 0; }
"""
)


def report(trace: Trace, verdict: Verdict, *, failure: Path | None = None, findings: Sequence[str] = ()) -> str:
    """Make the page; `findings` are the lines of the forecast held against what happened, and of the audit."""
    header = trace.header
    title = headline(verdict, seed=header.seed, goal=header.goal)
    facts = {
        "model": header.model,
        "system": header.sut,
        "goal": " or ".join(header.goal) or header.options.get("suite") or "none: a random walk",
        "seed": str(header.seed),
        "started": header.started,
    }
    left = len(trace.events) - MOST_EVENTS
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>outplay: {escape(title)}</title><style>{_STYLE}</style>"
        f"<h1 class={verdict.name}>{escape(title)}</h1>{_why(verdict)}"
        f"<dl>{''.join(f'<dt>{name}<dd><code>{escape(value)}</code>' for name, value in facts.items())}</dl>"
        f"{_again(trace, failure)}{_findings(findings)}"
        f"<h2>What happened</h2>{event_table(trace, MOST_EVENTS, verdict).rows}"
        f"{f'<p>{left:,} more events are in the trace file.' if left > 0 else ''}</html>\n"
    )


def event_table(trace: Trace, most: int, verdict: Verdict | None = None) -> Table:
    """The table of the page alone, with at most so many rows."""
    rows = "".join(_row(event, verdict) for event in trace.events[:most])
    return Table(_COLOURS, _RULES, f"<table><tr><th class=n>step<th class=n>seconds<th>event<th></tr>{rows}</table>")


def told(verdict: Verdict, first: str, lines: Sequence[str]) -> str:
    """What a terminal tells of a run, as a piece of a page."""
    colour = {"pass": "#2e7d32", "inconclusive": "#b26a00"}.get(verdict.name, "#c62828")
    shown = f"<div style='color:{colour};font-weight:600'>{escape(first)}</div>"
    return f"{shown}<pre>{'<br>'.join(map(escape, lines))}</pre>"


def _why(verdict: Verdict) -> str:
    if not isinstance(verdict, Fail):
        return f"<p>{escape(verdict.why)}."
    allowed = ", ".join(f"<code>{escape(str(label))}</code>" for label in verdict.allowed) or "nothing"
    states = "".join(f"<dt>state<dd><code>{escape(state)}</code>" for state in verdict.states)
    return (
        f"<p><code>{escape(str(verdict.event.label or verdict.event.kind))}</code>: {escape(verdict.why)}.</p>"
        f"<dl><dt>allowed<dd>{allowed}{states}</dl>"
    )


def _again(trace: Trace, failure: Path | None) -> str:
    return "" if failure is None else f"<h2>See it again</h2><pre>{escape(replay_line(trace.header, failure))}</pre>"


def _findings(findings: Sequence[str]) -> str:
    """What was said before, and whether the system kept to the assumption: the word before a colon stands out."""
    if not findings:
        return ""
    parts = [line.partition(": ") for line in findings]
    lines = "".join(f"<dt>{escape(what)}<dd>{escape(text)}" for what, _, text in parts)
    return f"<h2>Forecast and actual</h2><dl>{lines}</dl>"


def _row(event: Event, verdict: Verdict | None) -> str:
    # Numbers differ where one play was cut out of many.
    bad = isinstance(verdict, Fail) and replace(event, n=0, play=0) == replace(verdict.event, n=0, play=0)
    return (
        f"<tr class='{event.kind}{' bad' if bad else ''}'><td class=n>{event.n}<td class=t>{event.time:.3f}"
        f"<td><code>{escape(str(event))}</code><td>{'not allowed' if bad else ''}</tr>"
    )
