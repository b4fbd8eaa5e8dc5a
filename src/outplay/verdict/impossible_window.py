"""The shortest part of a history that no order explains.

It is about the first answer up to which the history has no order, and its call: the window are the calls that overlap
with that call, seen from all states that are possible when it is asked. Of these a call is left out where it makes no
difference: without it, or with it and whatever answer, there is no order either.

A window in words: the calls of each client as bars on a line of their own, in the order of time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outplay.model.label import write_argument
from outplay.model.programs.call_stepper import CallStepper
from outplay.play.history import RecordedCall
from outplay.plurals import counted
from outplay.verdict.linearize import (
    BoundPassed,
    Configuration,
    OrderSearch,
    ScheduledCall,
    SearchBounds,
    Turn,
    answer_turns,
    linearize,
)

_TRIES = SearchBounds(5_000)  # of each of the searches that make a window smaller
_MOST_CALLS = 100  # that are tried to be left out


@dataclass(frozen=True)
class Window:
    """Calls that no order explains, in the order of their questions, and the states they could begin in."""

    wrong: RecordedCall
    calls: tuple[RecordedCall, ...]
    states: tuple[str, ...]

    @property
    def labels(self) -> list[str]:
        """Questions and answers in the order of their time."""
        events = [(call.asked, call.question.text) for call in self.calls]
        events += [(call.answered, call.answer.text) for call in self.calls if call.answered and call.answer]
        return [text for _, text in sorted(events, key=lambda event: event[0])]


def impossible_window(
    calls: Sequence[ScheduledCall], turns: Sequence[Turn], search: OrderSearch, model: CallStepper
) -> Window:
    """Find the shortest window of a history that no order explains, after a search that found no order."""
    last = search.stuck
    wrong = turns[last].entry
    first = next(place for place, turn in enumerate(turns) if _end(turn.entry) > wrong.call.asked)
    around = [
        one
        for one in calls
        if one.call.asked < _end(wrong) and (one.call.answered is None or one.call.answered > wrong.call.asked)
    ]
    starts = _starts(search.before(first), [one for one in around if one.call.asked >= wrong.call.asked])
    needed = _needed(around, wrong, starts, model)
    states = dict.fromkeys(model.describe(state) for state in sorted({state for _, state in starts}))
    return Window(wrong.call, tuple(one.call for one in needed), tuple(states))


def _starts(met: Sequence[Configuration], later: Sequence[ScheduledCall]) -> list[Configuration]:
    """The configurations in which no later call has taken effect; one that changes nothing might as well not have."""
    pure = sum(one.bit for one in later if one.effect.is_pure)
    others = sum(one.bit for one in later if not one.effect.is_pure)
    return list(dict.fromkeys((bits & ~pure, state) for bits, state in met if not bits & others))


def _needed(
    around: Sequence[ScheduledCall], wrong: ScheduledCall, starts: Sequence[Configuration], model: CallStepper
) -> list[ScheduledCall]:
    """The calls of a window that make a difference: all others are tried to be left out, in halves and ever less."""
    loose: set[ScheduledCall] = set()
    left = [one for one in around if one is not wrong][:_MOST_CALLS]
    size = len(left)
    while size:
        for place in range(0, len(left), size):
            tried = loose.union(left[place : place + size])
            if not _has_order(around, wrong, tried, starts, model):
                loose = tried
        left = [one for one in left if one not in loose]
        size = min(size // 2, len(left))
    return [one for one in around if one not in loose]


def _has_order(
    around: Sequence[ScheduledCall],
    wrong: ScheduledCall,
    loose: set[ScheduledCall],
    starts: Sequence[Configuration],
    model: CallStepper,
) -> bool:
    """Say whether the window up to the wrong answer has an order; where that takes too long, it may have."""
    turns = answer_turns(around, loose=loose)
    upto = next(place for place, turn in enumerate(turns) if turn.entry is wrong)
    try:
        return linearize(turns[: upto + 1], starts, model.after, _TRIES).found
    except BoundPassed:
        return True


def _end(entry: ScheduledCall) -> int:
    assert entry.call.answered is not None
    return entry.call.answered


MOST_CALLS = 12
WIDEST = 28  # characters of a call
MOST_STATES = 3
_WIDEST_LANES = 110


def window_lines(window: Window) -> Iterator[str]:
    """Draw an impossible window as text: the states it begins in, and its calls client by client."""
    yield f"  before: {' | '.join(window.states[:MOST_STATES])}{_more(len(window.states) - MOST_STATES)}"
    shown = window.calls
    if len(shown) > MOST_CALLS:
        last = [call for call in shown if call is not window.wrong][1 - MOST_CALLS :]
        shown = tuple(call for call in window.calls if call is window.wrong or call in last)
    clients = list(dict.fromkeys(call.client for call in shown))
    width = min(max(map(len, clients)), WIDEST)
    bars = _bars(shown)
    if max(map(len, bars.values())) <= _WIDEST_LANES:
        for client in clients:
            mark = "  ← fits nowhere" if client == window.wrong.client else ""
            yield f"  {_clipped(client):<{width}}  {bars[client]}{mark}"
    else:
        for call in shown:
            mark = "  ← fits nowhere" if call is window.wrong else ""
            yield f"  {_clipped(call.client):<{width}}  line {call.line}: {_words(call)}{mark}"
    if len(window.calls) > len(shown):
        yield f"  and {counted(len(window.calls) - len(shown), 'earlier call')}"


def _more(count: int) -> str:
    return f" | {counted(count, 'other state')}" if count > 0 else ""


def _bars(calls: Sequence[RecordedCall]) -> dict[str, str]:
    """A line for each client: `├write 4 → ok┤`, and `├write 4 …` where nobody knows how it ended."""
    begins, ends = _columns(calls)
    found: dict[str, str] = {}
    for call in calls:
        words, begin = _words(call), begins[call]
        line = found.get(call.client, "").ljust(begin)
        length = ends.get(call, begin + len(words) + 1) - begin - 1
        found[call.client] = f"{line}├{words:─<{length}}" + ("┤" if call.answered is not None else "")
    return found


def _columns(calls: Sequence[RecordedCall]) -> tuple[dict[RecordedCall, int], dict[RecordedCall, int]]:
    """Return the columns where each call begins and ends, so that each event has its own and words fit between."""
    events = [(call.asked, 0, number) for number, call in enumerate(calls)]
    events += [(call.answered, 1, number) for number, call in enumerate(calls) if call.answered is not None]
    begins: dict[RecordedCall, int] = {}
    ends: dict[RecordedCall, int] = {}
    column = 0
    free: dict[str, int] = {}
    for _, is_end, number in sorted(events):
        call = calls[number]
        if is_end:
            column = max(column, begins[call] + len(_words(call)) + 1)
            ends[call] = column
        else:
            column = max(column, free.get(call.client, 0))
            begins[call] = column
            free[call.client] = column + len(_words(call)) + 2
        column += 1
    return begins, ends


def _words(call: RecordedCall) -> str:
    if call.answer is None:
        return f"{_clipped(call.question.message)} …"
    return _clipped(f"{call.question.message} → {write_argument(call.answer.arguments[-1])}")


def _clipped(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
