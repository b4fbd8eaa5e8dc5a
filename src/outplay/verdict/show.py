"""Verdicts in words for people: what happened, what was allowed, and how to see it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from outplay.escaping import for_shell
from outplay.play.trace import Trace, TraceHeader
from outplay.plurals import counted
from outplay.verdict.verdicts import Fail, Pass, Verdict

MOST_STEPS = 40
MOST_ALLOWED = 8
MOST_WORDS = 8  # lines of standard error
LONGEST_WORDS = 200  # characters of one
MOST_OF_STATE = 72  # characters
MOST_VALUES = 3  # of a variable
MOST_STATES = 3
WIDEST = 32
MARKS = {"pass": "✓ Pass", "fail": "✗ Fail", "inconclusive": "? Inconclusive", "error": "! Error"}


def headline(
    verdict: Verdict,
    *,
    play: int | None = None,
    plays: int | None = None,
    seed: int | None = None,
    goal: Sequence[str] = (),
    little: bool = False,
) -> str:
    """Return the first line about a verdict in words: the verdict and where it was found."""
    mark = MARKS[verdict.name]
    seeded = "" if seed is None else f" (seed {seed})"
    if isinstance(verdict, Fail):
        return f"{mark}{'' if play is None else f' in play {play}'}{seeded}"
    if isinstance(verdict, Pass):
        reached = f"{' or '.join(goal)} reached in {verdict.reached}" if goal else ""
        mark += ", but little was tried" * little
        if verdict.why != Pass.why:
            return f"{mark}: {verdict.why}{seeded}"
        conformed = "" if plays is None else f"{counted(plays, 'play')} conformed"
        return f"{mark}: {', '.join(filter(None, [conformed, reached]))}{seeded}".rstrip(": ")
    return f"{mark}: {verdict.why}{seeded}"


def failing_steps(trace: Trace, verdict: Verdict) -> Iterator[str]:
    """Show the events of a failing play, its steps numbered; the last event says what was allowed instead."""
    where = zip(trace.events, step_numbers(trace), failing_path(trace, verdict), strict=True)
    # Why the last one is wrong is said beside it, so details are left out.
    events = [(number, event.shown, at) for event, number, at in where if event.kind != "reset"]
    recent = events[-MOST_STEPS:]
    if earlier := sum(number != "" for number, _, _ in events[:-MOST_STEPS]):
        yield f"   … {counted(earlier, 'earlier step')}, all in the trace file"
    width = min(max((len(shown) for _, shown, _ in recent), default=0), WIDEST)
    for place, (number, shown, state) in enumerate(recent, 1):
        wrong = f"{shown}   ← {verdict.why}" if isinstance(verdict, Fail) and place == len(recent) else ""
        yield f"  {number:>3}  {wrong or f'{shown:<{width}}   {state}'.rstrip()}"
    yield from explanation(verdict)


def step_numbers(trace: Trace) -> list[str]:
    """Number the steps of each play of a trace, to show them; other events, such as the reset, get nothing."""
    numbers: list[str] = []
    for _, events in trace.plays():
        made = accumulate(event.is_move for event in events)
        numbers += [str(number) if event.is_move else "" for event, number in zip(events, made, strict=True)]
    return numbers


def failing_path(trace: Trace, verdict: Verdict) -> list[str]:
    """Show the states of the system after each event of a failing play, each shortened to fit beside it."""
    states = verdict.path if isinstance(verdict, Fail) else ()
    if len(states) != len(trace.events):
        return [""] * len(trace.events)
    told = [*states[:1], *(_changed_only(before, state) for before, state in pairwise(states))]
    return [state if len(state) <= MOST_OF_STATE else f"{state[: MOST_OF_STATE - 1]}…" for state in told]


def possible(states: Sequence[str]) -> str:
    """Write the states in which a system may be as one: of a model program, each variable with its possible values.

    >>> possible(["queue=[1] sent={} open=true", "queue=[] sent={1} open=true"])
    'queue=[1] or [] sent={1} or {} open=true'
    >>> possible(["at u", "at v"])
    'at u, or one of 1 more'
    """
    if len(states) < 2:
        return "".join(states)
    written = [_variables(state) for state in states]
    variables = [[part.partition("=") for part in parts if not part.startswith("(")] for parts in written]
    names = [[name for name, _, _ in each] for each in variables]
    if not names[0] or any(each != names[0] for each in names):
        return f"{states[0]}, or one of {len(states) - 1} more"
    values = zip(*([value for _, _, value in each] for each in variables), strict=True)
    said = [f"{name}={_or(each)}" for name, each in zip(names[0], values, strict=True)]
    notes = [parts[-1] if parts[-1].startswith("(") else "" for parts in written]
    if len(set(notes)) > 1:  # calls that have taken effect are open as well
        notes = [note.partition("; ")[0].removesuffix(")") + ")" * bool(note) for note in notes]
    return " ".join([*said, _or([note for note in notes if note]) + " or not" * ("" in notes)] if any(notes) else said)


def _or(values: Sequence[str]) -> str:
    known = sorted(set(values))
    return " or ".join(
        [*known[:MOST_VALUES], *([f"{len(known) - MOST_VALUES} more"] if len(known) > MOST_VALUES else [])]
    )


def _changed_only(before: str, now: str) -> str:
    """A state of a model program after another one: only the variables that changed; other states as they are.

    >>> _changed_only('queue=["a b"] owed=""', 'queue=["a b"] owed="x=1"')
    'owed="x=1"'
    >>> _changed_only("queue=[1] or [] open=true", "queue=[1] or [] open=false")
    'open=false'
    >>> _changed_only("s1", "s2")
    's2'
    """
    known, values = _variables(before), _variables(now)
    if not known or not values or len(known) != len(values):
        return now
    return " ".join(value for value in values if value not in known) or "unchanged"


def _variables(state: str) -> list[str]:
    """The parts `name=value` or `name=value or value` of a state, and what is said behind them; else nothing."""
    parts, depth, quoted, escaped = [""], 0, False, False
    for sign in state:
        if sign == " " and not depth and not quoted and not parts[-1].startswith("("):
            parts.append("")
            continue
        parts[-1] += sign
        escaped, was = quoted and not escaped and sign == "\\", escaped
        quoted ^= sign == '"' and not was
        depth += 0 if quoted else (sign in "[{(") - (sign in ")}]")
    found: list[str] = []
    for part in parts:
        if found and (part in ("or", "more") or found[-1].endswith(" or")):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found if all("=" in part or part.startswith("(") for part in found) else []


def explanation(verdict: Verdict) -> Iterator[str]:
    """Explain a verdict in words: what the model would have allowed, and in which states."""
    if not isinstance(verdict, Fail):
        return
    allowed = [str(label) if str(label) != "delta" else "delta (silence)" for label in verdict.allowed]
    more = f" and {len(allowed) - MOST_ALLOWED} more" if len(allowed) > MOST_ALLOWED else ""
    yield f"       allowed: {', '.join(allowed[:MOST_ALLOWED]) or 'nothing'}{more}"
    for state in verdict.states[:MOST_STATES]:
        yield f"       state:   {state}"
    if len(verdict.states) > MOST_STATES:
        yield f"                or one of {len(verdict.states) - MOST_STATES} more"
    if verdict.change:
        yield f"       change:  {verdict.change.text}"
    yield from _standard_error(verdict)


def explanation_json(verdict: Verdict) -> dict[str, Any]:
    """Return the reason for a verdict, and the change that would make a failing play allowed, for programs."""
    change = verdict.change if isinstance(verdict, Fail) else None
    return {"why": verdict.why, **({"change": change.json()} if change else {})}


def _standard_error(verdict: Fail) -> Iterator[str]:
    """The end of what the system wrote there, unless that is one line that the reason for the verdict has already."""
    written = verdict.event.words.splitlines()
    if not written or (len(written) == 1 and written[0] in verdict.why):
        return
    earlier = len(written) - MOST_WORDS
    after = f", after {counted(earlier, 'earlier line')}" if earlier > 0 else ""
    yield f"       standard error{after}:"
    for line in written[-MOST_WORDS:]:
        yield f"         {line[:LONGEST_WORDS]}"


def replay_line(header: TraceHeader, kept: Path) -> str:
    """Return the line that says how to see a failing play again: a command, or else a call."""
    if header.job and header.sut:
        told = (text.partition("=") for text in header.job.get("options", ()))
        started = {name: f" --{name} {for_shell(value)}" for name, _, value in told if name in ("server", "start")}
        return f"outplay replay {for_shell(str(kept))} --sut {for_shell(header.sut)}{''.join(started.values())}"
    return f"outplay.replay(model, {str(kept)!r}, {repr(header.sut) if header.sut else 'system'})"


def studio_line(kept: Path) -> str:
    """Return the command that shows a failing play step by step."""
    return f"outplay studio {for_shell(str(kept))}"
