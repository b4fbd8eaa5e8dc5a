"""Verdicts in words: what happened, what was allowed, and how to see it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from outplay.escaping import for_shell
from outplay.model.programs.load import is_program_reference
from outplay.play.trace import Trace, TraceHeader
from outplay.plurals import counted
from outplay.verdict.verdicts import Fail, Pass, Verdict

MOST_STEPS = 40
MOST_ALLOWED = 8
MOST_OF_STATE = 72  # characters
WIDEST = 32
_MARKS = {"pass": "✓ Pass", "fail": "✗ Fail", "inconclusive": "? Inconclusive", "error": "! Error"}


def headline(
    verdict: Verdict,
    *,
    play: int | None = None,
    plays: int | None = None,
    seed: int | None = None,
    goal: Sequence[str] = (),
) -> str:
    """The first line: the verdict and where it was found."""
    mark = _MARKS[verdict.name]
    seeded = "" if seed is None else f" (seed {seed})"
    if isinstance(verdict, Fail):
        return f"{mark}{'' if play is None else f' in play {play}'}{seeded}"
    if isinstance(verdict, Pass):
        reached = f"{' or '.join(goal)} reached in {verdict.reached}" if goal else ""
        if verdict.why != Pass.why:
            return f"{mark}: {verdict.why}{seeded}"
        conformed = "" if plays is None else f"{counted(plays, 'play')} conformed"
        return f"{mark}: {', '.join(filter(None, [conformed, reached]))}{seeded}".rstrip(": ")
    return f"{mark}: {verdict.why}{seeded}"


def steps(trace: Trace, verdict: Verdict) -> Iterator[str]:
    """The events of a failing play, its steps numbered; the last event says what was allowed instead."""
    where = zip(trace.events, step_numbers(trace), path(trace, verdict), strict=True)
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
    """For each event the number of the step in its play; nothing for what is no step, such as the reset."""
    numbers: list[str] = []
    for _, events in trace.plays():
        made = accumulate(event.is_move for event in events)
        numbers += [str(number) if event.is_move else "" for event, number in zip(events, made, strict=True)]
    return numbers


def path(trace: Trace, verdict: Verdict) -> list[str]:
    """Where the system was after each event of a failing play, as short as fits beside it; else nothing."""
    states = verdict.path if isinstance(verdict, Fail) else ()
    if len(states) != len(trace.events):
        return [""] * len(trace.events)
    return [state if len(state) <= MOST_OF_STATE else f"{state[: MOST_OF_STATE - 1]}…" for state in states]


def explanation(verdict: Verdict) -> Iterator[str]:
    """What the model would have allowed, and where it was."""
    if not isinstance(verdict, Fail):
        return
    allowed = [str(label) if str(label) != "delta" else "delta (silence)" for label in verdict.allowed]
    more = f" and {len(allowed) - MOST_ALLOWED} more" if len(allowed) > MOST_ALLOWED else ""
    yield f"       allowed: {', '.join(allowed[:MOST_ALLOWED]) or 'nothing'}{more}"
    for state in verdict.states[:3]:
        yield f"       state:   {state}"


def replay_line(header: TraceHeader, kept: Path) -> str:
    """How to see a failing play again: the command where it knows model and system by name, else the call."""
    if header.job and header.sut:
        unknown = is_program_reference(header.model) and not header.job.get("model_code")
        named = f" --model {for_shell(header.model)}" if unknown else ""
        return f"outplay replay {for_shell(str(kept))}{named} --sut {for_shell(header.sut)}"
    return f"outplay.replay(model, {str(kept)!r}, {repr(header.sut) if header.sut else 'system'})"
