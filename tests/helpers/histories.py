"""Histories of concurrent calls: random small ones of random small models, and by definition which of them are allowed.

The definition shares nothing with outplay but the table that a model is made of: every subset of the calls that need
not take effect, every order of the rest that keeps who ended before whom began, each run through the table.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from outplay import Model, controllable, given
from outplay.model.label import Label
from outplay.play.history import History, HistoryEvent, history_of_events

HEADER = json.dumps({"format": "outplay-history/1"})
Table = Mapping[tuple[str, int, int], Mapping[int, int]]
"""From action, state and argument to the answers that are allowed, each with the state it leads to."""
STATES, RESULTS, ARGUMENTS, CLIENTS = range(3), (0, 1, 2), (0, 1), ("p", "q", "r", "s")


@dataclass(frozen=True)
class PlainCall:
    """A call as the definition sees it: when, which, with which answer (None: any), and whether it is owed."""

    action: str
    argument: int
    start: int
    end: float
    answer: int | None
    owed: bool


def random_table(rng: Random) -> Table:
    """What `change` and `look` do; `look` never changes the state."""
    table: dict[tuple[str, int, int], dict[int, int]] = {}
    for state, argument in itertools.product(STATES, ARGUMENTS):
        allowed = rng.choice([[0], [0], [0], [0], [0], [1], [0, 1], []])
        table["change", state, argument] = {result: rng.choice(STATES) for result in allowed}
        table["look", state, argument] = dict.fromkeys(rng.choice([[state], [state], [0, 1]]), state)
    return table


def model_of(table: Table) -> type[Model]:
    """The model program that does what the table says."""

    class Tables(Model):
        channel = "client"
        clients = CLIENTS
        table_arguments = ARGUMENTS
        state: int = 0

        @controllable(returns=RESULTS)
        @given(client="clients", x="table_arguments")
        def change(self, client: str, x: int, result: int) -> bool:
            found = table["change", self.state, x]
            if result in found:
                self.state = found[result]
            return result in found

        @controllable(returns="answers")
        @given(client="clients", x="table_arguments")
        def look(self, client: str, x: int, result: int) -> bool:
            return result in table["look", self.state, x]

        def answers(self) -> tuple[int, ...]:
            return RESULTS

    return Tables


def random_events(rng: Random, table: Table, most: int) -> list[HistoryEvent]:
    """A recording of up to so many calls: most answers are right in some order, some are not, some are not known."""
    events: list[HistoryEvent] = []
    pending: dict[str, tuple[str, int, int | None]] = {}
    state, wrong = 0, rng.choice([0.0, 0.0, 0.1])
    left, kinds = (
        rng.randint(most - 3, most),
        rng.choice([["ok"], ["ok", "ok", "ok", "ok", "info", "fail"], ["ok", "ok", "info"]]),
    )
    while left or pending:
        client = rng.choice(CLIENTS)
        if left > 1 and len(pending) < len(CLIENTS) and rng.random() < 0.7:  # many at once
            client = rng.choice([one for one in CLIENTS if one not in pending])
        elif left == 1 and pending:
            client = rng.choice(list(pending))
        if client not in pending:
            if left:
                left -= 1
                action = rng.choice(["change", "change", "change", "look"]) if left else "look"  # what came of them
                argument = rng.choice(ARGUMENTS)
                pending[client] = (action, argument, None)
                label = Label("?", action, (client, argument))
                events.append(HistoryEvent("invoke", client, label, len(events) + 2))
            elif rng.random() < 0.02:
                break
            continue
        action, argument, answer = pending[client]
        if answer is None:
            allowed = table[action, state, argument]
            answer = rng.choice(sorted(allowed) or RESULTS[:1])
            state = allowed.get(answer, state)
            pending[client] = (action, argument, answer)
            continue
        del pending[client]
        answer = rng.choice(RESULTS) if rng.random() < wrong else answer
        kind = rng.choice(kinds)
        label = Label("!", action, (client, answer))
        events.append(HistoryEvent(kind, client, label, len(events) + 2))
    return events


def plain_calls(events: Sequence[HistoryEvent]) -> list[PlainCall]:
    """The calls of a recording, put together anew."""
    found: list[PlainCall] = []
    for place, event in enumerate(events):
        if event.kind != "invoke" or event.label is None:
            continue
        later = enumerate(events[place + 1 :], place + 1)
        end, last = next(((n, one) for n, one in later if one.client == event.client), (0, None))
        argument = event.label.arguments[1]
        if last is not None and last.kind == "ok" and last.label is not None:
            found.append(PlainCall(event.label.gate, argument, place, end, last.label.arguments[1], True))
        elif last is None or last.kind == "info":
            found.append(PlainCall(event.label.gate, argument, place, float("inf"), None, False))
    return found


def is_linearizable(table: Table, calls: Sequence[PlainCall]) -> bool:
    """The definition."""
    optional = [call for call in calls if not call.owed]
    owed = [call for call in calls if call.owed]
    subsets = itertools.chain.from_iterable(itertools.combinations(optional, n) for n in range(len(optional) + 1))
    return any(
        _keeps_time(order) and _is_allowed(table, order)
        for chosen in subsets
        for order in itertools.permutations([*owed, *chosen])
    )


def _keeps_time(order: Sequence[PlainCall]) -> bool:
    return all(later.end > earlier.start for earlier, later in itertools.combinations(order, 2))


def _is_allowed(table: Table, order: Iterable[PlainCall]) -> bool:
    states = {0}
    for call in order:
        allowed = [table[call.action, state, call.argument] for state in states]
        states = {to for found in allowed for answer, to in found.items() if call.answer in (None, answer)}
    return bool(states)


def history_of(events: Sequence[HistoryEvent]) -> History:
    """The same recording as outplay reads it."""
    return history_of_events(events)


def write_history(path: Path, *lines: str) -> Path:
    """Write `a ?get 1`, `a !get 1` and `a info` as lines of a history."""
    found = [HEADER]
    for line in lines:
        client, label = line.split(" ", 1)
        kind = {"?": "invoke", "!": "ok"}.get(label[0], label)
        found.append(json.dumps({"type": kind, "client": client} | ({} if kind == label else {"label": label})))
    path.write_text("\n".join(found) + "\n")
    return path
