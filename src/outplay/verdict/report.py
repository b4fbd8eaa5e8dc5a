"""The report: one self-contained HTML file with the verdict, the trace and how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from outplay.look import LIGHT, page, safe
from outplay.play.event import Event
from outplay.play.trace import Trace, TraceHeader
from outplay.verdict.show import headline, path, replay_line
from outplay.verdict.verdicts import Fail, Verdict

MOST_EVENTS = 5_000


def report(
    trace: Trace, verdict: Verdict, *, failure: Path | None = None, findings: Sequence[str] = (), shown: str = ""
) -> str:
    """Make the page; `findings` are the lines of the forecast held against what happened, and of the audit.

    `shown` says what was made of the failing play that is shown.
    """
    header = trace.header
    title = headline(verdict, seed=header.seed, goal=header.goal)
    facts = {
        "model": header.model,
        "system": header.sut,
        "goal": " or ".join(header.goal) or header.options.get("suite") or f"none: {_without_goal(header)}",
        "seed": str(header.seed),
        "started": header.started,
        **({"play": shown} if shown else {}),
    }
    left = len(trace.events) - MOST_EVENTS
    body = (
        f"<h1 class={verdict.name}>{safe(title)}</h1>{_why(verdict)}"
        f"<dl>{''.join(f'<dt>{name}<dd><code>{safe(value)}</code>' for name, value in facts.items())}</dl>"
        f"{_again(trace, failure)}{_findings(findings, 'suite' in header.options)}"
        f"<h2>What happened</h2>{event_table(trace, MOST_EVENTS, verdict)}"
        f"{f'<p>{left:,} more events are in the trace file.' if left > 0 else ''}"
    )
    return page(f"outplay: {title}", body, "report.css", "table.css")


def _without_goal(header: TraceHeader) -> str:
    """Who played; a job that names no tester is played against what may be wrong, and without a job it is a walk."""
    tester = header.job.get("tester", "suspicion" if header.job else "walk")
    named = {"walk": "a random walk", "suspicion": "against what may be wrong"}
    return named.get(tester, f"--tester {tester}")


def event_table(trace: Trace, most: int, verdict: Verdict | None = None) -> str:
    """The table of the page alone, with at most so many rows."""
    states = [""] * len(trace.events) if verdict is None else path(trace, verdict)
    followed = list(zip(trace.events, states, strict=True))[:most]
    rows = "".join(_row(event, state, verdict) for event, state in followed)
    return f"<table><tr><th class=t>step<th class=t>seconds<th>event<th>{'state' * any(states)}</tr>{rows}</table>"


def verdict_block(verdict: Verdict, first: str, lines: Sequence[str]) -> str:
    """What a terminal tells of a run, as a piece of a page."""
    colour = LIGHT[{"pass": "good", "inconclusive": "unsure"}.get(verdict.name, "bad")]
    shown = f"<div style='color:{colour};font-weight:600'>{safe(first)}</div>"
    return f"{shown}<pre>{'<br>'.join(map(safe, lines))}</pre>"


def _why(verdict: Verdict) -> str:
    if not isinstance(verdict, Fail):
        return f"<p>{safe(verdict.why)}."
    allowed = ", ".join(f"<code>{safe(str(label))}</code>" for label in verdict.allowed) or "nothing"
    states = "".join(f"<dt>state<dd><code>{safe(state)}</code>" for state in verdict.states)
    return (
        f"<p><code>{safe(str(verdict.event.label or verdict.event.kind))}</code>: {safe(verdict.why)}.</p>"
        f"<dl><dt>allowed<dd>{allowed}{states}</dl>"
    )


def _again(trace: Trace, failure: Path | None) -> str:
    return "" if failure is None else f"<h2>See it again</h2><pre>{safe(replay_line(trace.header, failure))}</pre>"


def _findings(findings: Sequence[str], suite: bool) -> str:
    """What was said before, and whether the system kept to the assumption, or what became of the tests of a suite.

    The word before a colon stands out.
    """
    if not findings:
        return ""
    parts = [line.partition(": ") for line in findings]
    lines = "".join(f"<dt>{safe(what)}<dd>{safe(text)}" for what, _, text in parts)
    title = "Branches of the tests" if suite else "Forecast and actual"
    return f"<h2>{title}</h2><dl>{lines}</dl>"


def _row(event: Event, state: str, verdict: Verdict | None) -> str:
    # Numbers differ where one play was cut out of many.
    bad = isinstance(verdict, Fail) and replace(event, n=0, play=0) == replace(verdict.event, n=0, play=0)
    return (
        f"<tr class='{event.kind}{' bad' if bad else ''}'><td class=t>{event.n}<td class=t>{event.time:.3f}"
        f"<td><code>{safe(str(event))}</code><td>{'not allowed' if bad else safe(state)}</tr>"
    )
