"""A play by hand, written down: as a trace to judge and replay, as a test case, and as the command that uses it."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.escaping import for_shell
from outplay.formats.suites.suite_json import dump_suite
from outplay.formats.suites.suite_pytest import pytest_file
from outplay.formats.trace_jsonl import TraceWriter
from outplay.game.graph import Game
from outplay.model.label import SILENCE, Label
from outplay.play.event import Event
from outplay.play.trace import Trace, TraceHeader
from outplay.studio.asked import Asked
from outplay.studio.document import Document
from outplay.studio.hand_play import HandPlay, path_asked
from outplay.suite.from_tester import case_from_tester
from outplay.suite.suite import Suite
from outplay.tester.tester import ByTrace, Decision, End, Give, Labels, Stop, Wait
from outplay.verdict.judge import judge

FORMS = ("trace", "test", "suite")
_FILES = {"trace": "play.jsonl", "test": "test_play.py", "suite": "play.json"}


def exported_play(document: Document, asked: Asked) -> dict[str, Any]:
    """The text of a file that holds a play, its name, and the command that goes with it."""
    form, goal = asked.text("form"), asked.text("goal", "")
    if form not in FORMS:
        raise UsageError(f"a play is written as {', '.join(FORMS)}")
    play = HandPlay(document, path_asked(document.game, asked), goal=goal)
    _ = play.vertex  # a path with a gap is refused
    labels = labels_of_path(document.game, play.path)
    if not labels:
        raise UsageError("nothing was played yet")
    model, name = for_shell(document.job.model), _FILES[form]
    with document.lock:
        if form == "trace":
            return {
                "name": name,
                "text": trace_text(document, labels, goal),
                "command": f"outplay judge {model} {name}",
            }
        suite = play_suite(document, labels)
    text = "".join(pytest_file(suite) if form == "test" else dump_suite(suite))
    run = "pytest" if form == "test" else f"outplay run --suite {name} --sut 'exec:./your-system'"
    return {"name": name, "text": text, "command": f"{run} {name}" if form == "test" else run}


def labels_of_path(game: Game, path: Iterable[int]) -> list[Label]:
    """Return the labels given and seen along a path; decisions that count no move leave nothing."""
    found = []
    for edge in path:
        text = game.label_of(edge)
        if not game.moves[edge] or not text or text == "tau":
            continue
        try:
            found.append(Label.parse(text))
        except FormatError:
            raise UsageError(f"{text!r} stands for many labels or none: such a play cannot be written down") from None
    return found


def trace_text(document: Document, labels: Iterable[Label], goal: str) -> str:
    """The trace of a play, with a step every second, and its verdict."""
    spec, job = document.game.origin.specification, document.job
    header = TraceHeader(
        model=job.model,
        model_hash=spec.fingerprint,
        goal=(goal,) if goal else (),
        options={"silence": 0.5, "latency": 0.0, "assumption": job.assumption},
        job={**job.json(), **({"goal": [goal]} if goal else {})},
    )
    events = [Event("reset", seen=0.0, play=1, n=1)]
    for place, label in enumerate(labels, 1):
        kind = "input" if label.is_input else "silence" if label == SILENCE else "output"
        when: dict[str, Any] = {"given" if label.is_input else "seen": float(place)}
        events.append(Event(kind, None if kind == "silence" else label, play=1, n=place + 1, **when))
    text = io.StringIO()
    writer = TraceWriter(text, header)
    for event in events:
        writer.event(event)
    writer.verdict(judge(document.model.judging(header.goal), Trace(header, tuple(events))))
    return text.getvalue()


def play_suite(document: Document, labels: list[Label]) -> Suite:
    """A suite of one test: the inputs of the play as long as the system answers as in it."""
    path = tuple(labels)

    def decide(seen: Labels) -> Decision:
        if seen != path[: len(seen)]:
            return Stop(End.INCONCLUSIVE)
        if len(seen) == len(path):
            return Stop(End.PASS)
        following = path[len(seen)]
        return Give(following) if following.is_input else Wait()

    game = document.game
    shown = [Label.parse(text) for text in game.labels if text.startswith("!")]
    case = case_from_tester(ByTrace(decide), game.origin.specification, outputs=shown, name="played by hand")
    job = document.job
    return Suite(model=job.model, method="by hand", tests=(case,), job={**job.reading().json()})
