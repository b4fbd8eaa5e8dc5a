"""Exploring the chat session, beside Storm building the same model and beside the user's own methods alone.

    python -m benchmarks.explore [CLIENTS]

The model is the one of examples/chat with one text a client; the rule of Blass et al. 2005 with a time-out in every
passive state, which gives 121,273 vertices for six clients. Storm (stormpy) builds the same states from PRISM source,
with and without keeping what each state means.

"The user's own methods alone" is what it takes to call them once for each state and argument list, as an explorer that
remembers nothing has to. Exploring calls a method again only where a variable that it reads has another value, so it
may well take less than that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.page import seconds, table, write_section
from benchmarks.peers.chat_prism import chat_prism
from outplay import explore
from outplay.game.graph import Game
from outplay.model.programs.load import load_program
from outplay.model.programs.program import Program

MODEL = Path(__file__).parent.parent / "examples" / "chat" / "model.py"
ROUNDS = 5


def main(clients: int) -> None:
    names = tuple(f"client{number}" for number in range(clients))
    program = load_program(f"{MODEL}:Chat", [f"clients={names!r}", "texts=('hi',)"])
    ours, game = best(lambda: explore(program, assumption="timeout-always"))
    own = own_methods(program, game)
    rows: list[tuple[object, ...]] = [row("outplay", game.vertex_count, ours, ours)]
    rows.append(("the user's own methods alone, called in every state", "", seconds(own), "", f"{ours / own:.2f}"))
    for valuations in (True, False):
        name = f"Storm, {'with' if valuations else 'without'} state valuations"
        rows.append(storm_row(name, clients, ours, valuations))
    head = ("who", "vertices", "seconds", "vertices/s", "outplay takes … times as long")
    write_section(f"Exploring the chat session, {clients} clients", table(head, rows))


def best(action: Callable[[], Any]) -> tuple[float, Any]:
    """Time an action several times over and keep the fastest."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = action()
        times.append(time.perf_counter() - began)
    return min(times), answer


def own_methods(program: Program, game: Game) -> float:
    """How long the model's own methods take, called in every state for all arguments, without the loop around."""
    stepper = game.origin.specification.stepper
    model, post, deliver = stepper.scratch, program.actions[0].function, program.actions[1].function
    memory, goals = vars(model), list(program.goals.values())

    def called(really: bool) -> float:
        spent = 0.0
        for number in range(game.origin.states):
            stepper.load(number)
            current, recipients = dict(memory), sorted(memory["waiting"])
            began = time.perf_counter()
            for sender in model.clients:
                if really:
                    post(model, sender, "hi")
                memory.update(current)
            if really:
                senders, texts = model.current_sender(), model.current_text()
            for recipient in recipients:
                if really:
                    deliver(model, recipient, senders[0], texts[0])
                memory.update(current)
            if really:
                for goal in goals:
                    goal(model)
            spent += time.perf_counter() - began
        return spent

    return min(called(True) for _ in range(ROUNDS)) - min(called(False) for _ in range(ROUNDS))


def storm_row(name: str, clients: int, ours: float, valuations: bool) -> tuple[object, ...]:
    try:
        from benchmarks.peers.storm import build
    except ImportError:
        return (name, "", "", "", "stormpy is not installed: pip install stormpy")
    built = build(chat_prism(clients, clients), rounds=ROUNDS, valuations=valuations)
    return row(name, built.states, built.seconds, ours)


def row(name: str, vertices: int, taken: float, ours: float) -> tuple[object, ...]:
    return (name, f"{vertices:,}", seconds(taken), f"{vertices / taken:,.0f}", f"{ours / taken:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
