"""Recorded histories of concurrent calls: which are linearizable, and how long it takes to see.

    python -m benchmarks.histories

Beside ours is the plain search of Wing and Gong (1993), without memory: it takes any call next that no other one has to
come before, and goes back where that was wrong. It is given up after 200,000 steps.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page import seconds, table, write_section
from benchmarks.recorded_histories import KEY_VALUE, LOGS, Register, Store, etcd_history, key_value_history
from outplay import judge
from outplay.play.history import History, RecordedCall

MOST_STEPS = 200_000
ROUNDS = 3
CALLS, KEYS, CLIENTS = 10_000, 100, ("ann", "bob", "cid", "dan", "eve")
EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "store"
Step = Callable[[Any, RecordedCall], list[Any]]


def main() -> None:
    head = ("history", "calls", "verdicts", "outplay", "plain search", "given up")
    rows = [measured("51 logs of etcd, a register", Register, None, list(map(etcd_history, LOGS)), register_step)]
    for name in KEY_VALUE:
        rows.append(measured(f"{name}, by key", Store, "key", [key_value_history(name)], store_step))
    body = table(head, rows) + (
        f"\n\nGiven up after {MOST_STEPS:,} steps. {CALLS:,} calls of {len(CLIENTS)} clients on {KEYS} keys, by the "
        f"command: {seconds(by_command('--partition', 'key'))} s with `--partition key`, {seconds(by_command())} s "
        "without."
    )
    write_section("Histories of concurrent calls", body)


def measured(name: str, model: type, partition: str | None, found: list[History], step: Step) -> tuple[object, ...]:
    times, verdicts = [], list[str]()
    for _ in range(ROUNDS):
        began = time.perf_counter()
        verdicts = [judge(model, history, partition=partition).name for history in found]
        times.append(time.perf_counter() - began)
    began = time.perf_counter()
    plain = [_plain_verdict(history, partition, step) for history in found]
    took = time.perf_counter() - began
    known = [(ours, theirs) for ours, theirs in zip(verdicts, plain, strict=True) if theirs is not None]
    assert all((ours == "pass") == theirs for ours, theirs in known), name
    calls = sum(len(history.calls) for history in found)
    counts = f"{verdicts.count('pass')} pass, {verdicts.count('fail')} fail"
    return name, f"{calls:,}", counts, seconds(min(times)), seconds(took), f"{len(found) - len(known)} of {len(found)}"


def _plain_verdict(history: History, partition: str | None, step: Step) -> bool | None:
    """Whether all parts are linearizable; None where that could not be found out."""
    parts: dict[Any, list[RecordedCall]] = {}
    for call in history.calls:
        parts.setdefault(call.question.arguments[1] if partition else None, []).append(call)
    answers = [plain_search(calls, step) for calls in sorted(parts.values(), key=len)]
    return False if False in answers else None if None in answers else True


def plain_search(calls: Sequence[RecordedCall], step: Step) -> bool | None:
    """Wing and Gong's search; None where it was given up."""
    left, steps = list(calls), 0
    path: list[tuple[int, RecordedCall, Any, list[tuple[int, Any]]]] = []
    state: Any = None
    choices = _choices(left, state, step)
    while any(call.answered is not None for call in left):
        steps += 1
        if steps > MOST_STEPS:
            return None
        if choices:
            place, after = choices.pop()
            path.append((place, left.pop(place), state, choices))
            state = after
            choices = _choices(left, state, step)
        elif path:
            place, call, state, choices = path.pop()
            left.insert(place, call)
        else:
            return False
    return True


def _choices(left: Sequence[RecordedCall], state: Any, step: Step) -> list[tuple[int, Any]]:
    """The calls that may be next, the one asked first last, each with the state it leads to."""
    first = min((call.answered for call in left if call.answered is not None), default=0)
    found = [(n, after) for n, call in enumerate(left) if call.asked < first for after in step(state, call)]
    return found[::-1]


def register_step(state: Any, call: RecordedCall) -> list[Any]:
    """A register, -1 at first."""
    value = -1 if state is None else state
    gate, arguments = call.question.gate, call.question.arguments
    answer = None if call.answer is None else call.answer.arguments[1]
    if gate == "read":
        return [value] if answer in (None, value) else []
    if gate == "write":
        return [arguments[1]]
    right = value == arguments[1]
    return [arguments[2] if right else value] if answer is None or answer is right else []


def store_step(state: Any, call: RecordedCall) -> list[Any]:
    """One key of a store."""
    value, gate = state or "", call.question.gate
    if gate == "get":
        return [value] if call.answer is None or call.answer.arguments[1] == value else []
    return [call.question.arguments[2] if gate == "put" else value + call.question.arguments[2]]


def by_command(*options: str) -> float:
    """How long the command takes for a long history, with its start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.jsonl"
        path.write_text("\n".join(long_history(random.Random(1))) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "outplay", "judge", f"{EXAMPLES / 'store.py'}:Store", str(path), *options]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began


def long_history(rng: random.Random) -> list[str]:
    """Clients that read, write and compare-and-set, each call carried out at some moment while it is open."""
    lines, stored = [json.dumps({"format": "outplay-history/1"})], dict[int, int]()
    is_open: dict[str, tuple[str, list[int]]] = {}
    done: dict[str, object] = {}
    asked = 0
    while asked < CALLS or is_open:
        client = rng.choice(CLIENTS)
        if client in done and rng.random() < 0.4:
            gate, _ = is_open.pop(client)
            lines.append(_line("ok", client, f"!{gate} {client} {json.dumps(done.pop(client))}"))
        elif client in is_open and client not in done:
            done[client] = _carried_out(stored, *is_open[client])
        elif client not in is_open and asked < CALLS:
            asked += 1
            gate = rng.choice(["get", "put", "cas"])
            arguments = [rng.randrange(KEYS), *(rng.randrange(5) for _ in range(["get", "put", "cas"].index(gate)))]
            is_open[client] = gate, arguments
            lines.append(_line("invoke", client, f"?{gate} {client} {' '.join(map(str, arguments))}"))
    return [line.replace('\\"ok\\"', "ok") for line in lines]


def _line(kind: str, client: str, label: str) -> str:
    return json.dumps({"type": kind, "client": client, "label": label})


def _carried_out(stored: dict[int, int], gate: str, arguments: list[int]) -> object:
    key, *values = arguments
    value = stored.get(key, 0)
    if gate == "get":
        return value
    if gate == "put" or value == values[0]:
        stored[key] = values[-1]
    return "ok" if gate == "put" else value == values[0]


if __name__ == "__main__":
    main()
