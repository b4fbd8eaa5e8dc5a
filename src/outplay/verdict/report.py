"""The report: one self-contained HTML file with the verdict, the trace and how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from outplay.pages.page_frame import LIGHT, coded, page, safe
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.plurals import counted
from outplay.verdict.charts import ReportDetails, report_details_html
from outplay.verdict.show import failing_path, headline, replay_line, step_numbers, studio_line
from outplay.verdict.verdicts import Fail, Verdict

MOST_EVENTS = 5_000
_MOST_ALLOWED = 4
_NO_DETAILS = ReportDetails()
_TESTERS = {
    "mix": "against what may be wrong, by turns with a walk and others",
    "suspicion": "against what may be wrong",
    "walk": "a random walk",
    "cover": "for coverage",
    "nt-plan": "paths for coverage, repeated",
    "switches": "along the switches of the model",
    "tour": "a tour of least cost",
}


class AnswerFrequency(NamedTuple):
    """The number of times that an answer came in a state, and the probability that it is held to have."""

    state: str
    label: str
    seen: int
    chance: float


@dataclass(frozen=True)
class Part:
    """A part of the page with a heading: lines of which the word before a colon stands out, and a table of answers."""

    title: str
    lines: Sequence[str] = ()
    answers: Sequence[AnswerFrequency] = ()
    folded: bool = False


def report(
    trace: Trace,
    verdict: Verdict,
    *,
    plays: int | None = None,
    failure: Path | None = None,
    parts: Sequence[Part] = (),
    shown: str = "",
    summary: Sequence[str] = (),
    details: ReportDetails = _NO_DETAILS,
) -> str:
    """Make the HTML report about this many plays; `parts` and `details` hold their results beside the verdict.

    `shown` says what was made of the failing play that is shown, `summary` what the run is worth. Of a failing run the
    play comes first; else it is what was seen, and the plays are at the end.
    """
    header = trace.header
    title = headline(verdict, plays=plays, seed=header.seed, goal=header.goal)
    facts = {
        "model": header.model,
        "system": header.sut,
        "goal": " or ".join(header.goal) or header.options.get("suite") or f"none: {_without_goal(header)}",
        "seed": str(header.seed),
        "started": header.started,
        **({"play": shown} if shown else {}),
    }
    left = len(trace.events) - MOST_EVENTS
    more = f"<p>The trace file has {counted(left, 'more event')}." if left > 0 else ""
    happened = f"<h2>What happened</h2>{_what_happened(trace, verdict, details.picture)}{more}"
    found, others = report_details_html(details), "".join(map(_part, parts))
    body = (
        f"<h1 class={verdict.name}>{safe(title)}</h1>{_sentence(trace, verdict)}{_why(verdict)}"
        f"{''.join(map(_said, summary))}"
        f"<dl>{''.join(f'<dt>{name}<dd><code>{safe(value)}</code>' for name, value in facts.items() if value)}</dl>"
        f"{_again(trace, failure)}"
        f"{''.join([happened, found, others] if isinstance(verdict, Fail) else [others, found, happened])}"
    )
    return page(f"outplay: {title}", body, "report.css", "table.css", "run_report.css", script="run_report.js")


def _said(line: str) -> str:
    """A sentence, in which labels stand between backticks."""
    return f"<p>{coded(line[:1].upper() + line[1:])}."


def _sentence(trace: Trace, verdict: Verdict) -> str:
    """One sentence that says why a play failed."""
    if not isinstance(verdict, Fail):
        return ""
    step = next((number for number in reversed(step_numbers(trace)) if number), "")
    at = f"At step {step} the system" if step else "The system"
    allowed = [str(label) for label in verdict.allowed]
    more = f" and {len(allowed) - _MOST_ALLOWED} more" if len(allowed) > _MOST_ALLOWED else ""
    instead = f"; the model allows {', '.join(allowed[:_MOST_ALLOWED])}{more}" if allowed else ""
    did = {
        "silence": "stayed silent",
        "late": f"sent {verdict.event.label}, late",
        "output": f"sent {verdict.event.label}",
    }
    text = did.get(verdict.event.kind, f"failed: {verdict.why}")
    return f"<p class=sentence>{safe(f'{at} {text}{instead}')}.</p>"


def _what_happened(trace: Trace, verdict: Verdict, picture: str) -> str:
    """The plays, folded where there are several; of a failing one the steps beside the picture."""
    numbers = {number for number, _ in trace.plays()}
    if len(numbers) < 2:
        table = event_table(trace, MOST_EVENTS, verdict)
        return f"<div class=beside><div>{table}</div><figure class=play>{picture}</figure></div>" if picture else table
    left, folds = MOST_EVENTS, ""
    for number, events in trace.plays():
        if left > 0:
            table = event_table(replace(trace, events=tuple(events)), left, verdict)
            moves = counted(sum(event.is_move for event in events), "step")
            folds += f"<details class=plays><summary>play {number:,}: {moves}</summary>{table}</details>"
        left -= len(events)
    return folds


def _without_goal(header: TraceHeader) -> str:
    """Name the tester; a job that names none is played against what may be wrong, and without a job it is a walk."""
    asked = header.job.get("tester", "suspicion" if header.job else "walk")
    tester = header.options.get("tester", asked)  # who could play: where labels cannot be listed nobody suspects
    return _TESTERS.get(tester, f"--tester {tester}" if header.job else f"by {tester}")


def event_table(trace: Trace, most: int, verdict: Verdict | None = None) -> str:
    """Write the events of a report as an HTML table of at most this many rows; several channels have a column each."""
    states = [""] * len(trace.events) if verdict is None else failing_path(trace, verdict)
    followed = list(zip(trace.events, step_numbers(trace), states, strict=True))[:most]
    channels = sorted({event.channel or "" for event in trace.events if event.label is not None})
    lanes = channels if len(channels) > 1 else [""]
    rows = "".join(_row(event, number, state, verdict, lanes) for event, number, state in followed)
    head = "".join(f"<th>{safe(lane) or 'event'}" for lane in lanes)
    return f"<table><tr><th class=t>step<th class=t>seconds{head}<th>{'state' * any(states)}</tr>{rows}</table>"


def verdict_block(verdict: Verdict, first: str, lines: Sequence[str]) -> str:
    """Write the verdict of a run as a piece of an HTML report, as the terminal shows it."""
    colour = LIGHT[{"pass": "good", "inconclusive": "unsure"}.get(verdict.name, "bad")]
    shown = f"<div style='color:{colour};font-weight:600'>{safe(first)}</div>"
    return f"{shown}<pre>{'<br>'.join(map(safe, lines))}</pre>"


def _why(verdict: Verdict) -> str:
    if not isinstance(verdict, Fail):
        return f"<p>{safe(verdict.why)}."
    allowed = ", ".join(f"<code>{safe(str(label))}</code>" for label in verdict.allowed) or "nothing"
    states = "".join(f"<dt>state<dd><code>{safe(state)}</code>" for state in verdict.states)
    change = f"<dt>change<dd>{safe(verdict.change.text)}" if verdict.change else ""
    return (
        f"<p><code>{safe(str(verdict.event.label or verdict.event.kind))}</code>: {safe(verdict.why)}.</p>"
        f"<dl><dt>allowed<dd>{allowed}{states}{change}</dl>"
    )


def _again(trace: Trace, failure: Path | None) -> str:
    if failure is None:
        return ""
    lines = [replay_line(trace.header, failure)]
    lines += [studio_line(failure)] if trace.header.job else []
    return "<h2>See it again</h2>" + "".join(f"<pre class=copied>{safe(line)}</pre>" for line in lines)


def _part(part: Part) -> str:
    if not part.lines and not part.answers:
        return ""
    pairs = [line.partition(": ") for line in part.lines]
    lines = "".join(f"<dt>{safe(what)}<dd>{safe(text)}" for what, _, text in pairs)
    list_ = f"<dl>{lines}</dl>" if lines else ""
    head, body = f"<h2>{safe(part.title)}</h2>", f"{list_}{_answers(part.answers)}"
    return f"<details><summary>{head}</summary>{body}</details>" if part.folded else f"{head}{body}"


def _answers(answers: Sequence[AnswerFrequency]) -> str:
    """A table with a bar for each answer; the state is written once."""
    if not answers:
        return ""
    rows, last = "", ""
    for one in answers:
        bar = f"<span class=bar><i style='width:{100 * one.chance:.1f}%'></i></span>{one.chance:.2f}"
        state, last = "" if one.state == last else one.state, one.state
        rows += f"<tr><td>{safe(state)}<td><code>{safe(one.label)}</code><td class=n>{one.seen:,}<td class=n>{bar}</tr>"
    return f"<table><tr><th>state<th>answer<th class=n>came<th class=n>chance</tr>{rows}</table>"


def _row(event: Event, number: str, state: str, verdict: Verdict | None, lanes: Sequence[str]) -> str:
    # Numbers differ where one play was cut out of many.
    bad = isinstance(verdict, Fail) and replace(event, n=0, play=0) == replace(verdict.event, n=0, play=0)
    place = f" id=p{event.play}s{number}" if number else ""
    lane = (event.channel or "") if len(lanes) > 1 and event.label is not None else lanes[0]
    cells = "".join(f"<td>{f'<code>{safe(str(event))}</code>' if lane == one else ''}" for one in lanes)
    return (
        f"<tr class='{event.kind}{' bad' if bad else ''}'{place}><td class=t>{number}<td class=t>{event.time:.3f}"
        f"{cells}<td>{'not allowed' if bad else safe(state)}</tr>"
    )
