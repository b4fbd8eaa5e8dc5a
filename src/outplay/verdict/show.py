"""Verdicts in words: what happened, what was allowed, and how to see it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from outplay.model.programs.load import is_program_reference
from outplay.play.trace import Trace, TraceHeader
from outplay.strategy.words import counted
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
    """The events of a failing play, numbered; the last one says what was allowed instead."""
    where = zip(trace.events, path(trace, verdict), strict=True)
    # Why the last one is wrong is said beside it, so details are left out.
    moves = [(event.shown, state) for event, state in where if event.kind != "reset"]
    if len(moves) > MOST_STEPS:
        yield f"   … {len(moves) - MOST_STEPS} earlier steps, all in the trace file"
    recent = list(enumerate(moves, 1))[-MOST_STEPS:]
    width = min(max((len(event) for _, (event, _) in recent), default=0), WIDEST)
    for number, (event, state) in recent:
        wrong = f"{event}   ← {verdict.why}" if isinstance(verdict, Fail) and number == len(moves) else ""
        yield f"  {number:>3}  {wrong or f'{event:<{width}}   {state}'.rstrip()}"
    yield from explanation(verdict)


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
        named = f" --model {shlex.quote(header.model)}" if unknown else ""
        return f"outplay replay {shlex.quote(str(kept))}{named} --sut {shlex.quote(header.sut)}"
    return f"outplay.replay(model, {str(kept)!r}, {repr(header.sut) if header.sut else 'system'})"
