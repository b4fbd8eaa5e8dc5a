"""Playing by hand on the graph: a person is the tester or the system, and somebody chooses for the other side.

A play is its path of edges from the start, so the server keeps nothing: undoing, going back and forking are other
paths. Chance goes by the seed and the path alone, so the same path is always answered alike.

A play by hand, written down: as a trace to judge and replay, as a test case, and as the command that uses it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.escaping import for_shell
from outplay.formats.suites.suite_json import dump_suite
from outplay.formats.suites.suite_pytest import suite_pytest_file
from outplay.formats.trace_jsonl import TraceWriter
from outplay.game.graph import SYSTEM, Game
from outplay.model.label import SILENCE, Label
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.studio.document import Asked, Document
from outplay.studio.goal_values import GoalValues, goal_values
from outplay.studio.scene_building import move_words, vertex_name
from outplay.suite.from_tester import case_from_tester
from outplay.suite.suite import Suite
from outplay.tester.tester import ByTrace, Decision, End, Give, Labels, Stop, Wait
from outplay.verdict.judge import judge

TESTER_SIDE, SYSTEM_SIDE, BOTH = "tester", "system", "both"
SIDES = (TESTER_SIDE, SYSTEM_SIDE, BOTH)
"""Whom the person plays."""
ADVERSARY, CHANCE, HELPER = "adversary", "chance", "helper"
RIVALS = (ADVERSARY, CHANCE, HELPER)
"""The rivals that choose for the other side: as badly as it may, by chance, as kindly as it may."""
MOST_STEPS = 2_000
MOST_IN_A_ROW = 100  # of the other side


@dataclass(frozen=True)
class HandPlay:
    """One play: the path so far, and how it goes on."""

    document: Document
    path: tuple[int, ...]
    side: str = TESTER_SIDE
    rival: str = ADVERSARY
    goal: str = ""
    seed: int = 0

    @property
    def game(self) -> Game:
        return self.document.game

    @cached_property
    def values(self) -> GoalValues | None:
        """Return the values of the goal, where there is one."""
        return goal_values(self.document, self.goal) if self.goal else None

    @cached_property
    def vertex(self) -> int:
        """Return the vertex where the play stands; a path with a gap is refused."""
        at = self.game.initial
        for edge in self.path:
            if edge >= self.game.edge_count or int(self.game.source[edge]) != at:
                raise UsageError("this path is none of the graph any more; begin again")
            at = int(self.game.target[edge])
        return at

    @property
    def reached(self) -> bool:
        """Whether the goal was reached, now or on the way."""
        if self.values is None:
            return False
        goals = set(self.values.target.vertices.tolist())
        met = [self.values.target.game.initial, *(int(self.values.target.game.target[edge]) for edge in self.path)]
        return any(vertex in goals for vertex in [*met, self.vertex])

    @property
    def moves_here(self) -> bool:
        """Whether it is the person's turn."""
        owner = SYSTEM_SIDE if self.game.owner[self.vertex] == SYSTEM else TESTER_SIDE
        return self.side in (owner, BOTH)

    def answered(self, onwards: bool = False) -> HandPlay:
        """Let the other side move until it is the person's turn, the goal is reached or nobody can move.

        A play goes on past the goal only `onwards`.
        """
        play = self
        for _ in range(MOST_IN_A_ROW):
            if play.moves_here or (play.reached and not onwards) or not len(play.game.edges_of(play.vertex)):
                return play
            play = HandPlay(self.document, (*play.path, play._choice()), self.side, self.rival, self.goal, self.seed)
            _ = play.vertex
        return play

    def _choice(self) -> int:
        """The edge that the other side takes."""
        edges, game = list[int](self.game.edges_of(self.vertex)), self.game
        systems = bool(game.owner[self.vertex] == SYSTEM)
        if self.values is None or self.rival == CHANCE:
            rng = Random(f"{self.seed} {self.path}")
            chances = [game.probability[edge] for edge in edges]
            shares = [1.0 if chance is None else float(chance) for chance in chances]
            return rng.choices(edges, shares)[0] if any(shares) else rng.choice(edges)
        # An adversary of a tester is a system that keeps it from the goal; one of a system is a tester that gets there.
        if not systems and self.rival == ADVERSARY and (best := self.values.best(self.vertex)) is not None:
            return best
        return self.values.edge_by_order(self.vertex, worst=systems == (self.rival == ADVERSARY))

    def steps(self) -> Iterator[dict[str, Any]]:
        """The path step by step; a decision that counts no move has no number."""
        number = 0
        for place, edge in enumerate(self.path):
            number += bool(self.game.moves[edge])
            owner = SYSTEM_SIDE if self.game.owner[self.game.source[edge]] == SYSTEM else TESTER_SIDE
            yield {
                "edge": edge,
                "place": place,
                "n": number if self.game.moves[edge] else None,
                "label": move_words(self.game, edge),
                "source": int(self.game.source[edge]),
                "target": int(self.game.target[edge]),
                "owner": owner,
                "mine": self.side in (owner, BOTH),
            }

    def json(self) -> dict[str, Any]:
        """The play for the page."""
        game, vertex = self.game, self.vertex
        stuck = not len(game.edges_of(vertex))
        return {
            "path": list(self.path),
            "steps": list(self.steps()),
            "vertex": vertex,
            "name": vertex_name(game, vertex),
            "turn": SYSTEM_SIDE if game.owner[vertex] == SYSTEM else TESTER_SIDE,
            "mine": self.moves_here,
            "reached": self.reached,
            "stuck": stuck,
            "worth": self.values.at(vertex).words if self.values else "",
        }


def play_by_hand(document: Document, asked: Asked) -> dict[str, Any]:
    """Play by hand: take a path, with the person's last move at its end, and let the other side answer."""
    game, goal = document.game, asked.text("goal", "")
    side, rival = asked.text("side", TESTER_SIDE), asked.text("rival", ADVERSARY)
    if side not in SIDES or rival not in RIVALS:
        raise UsageError(f"play {', '.join(SIDES)} against {', '.join(RIVALS)}")
    if rival != CHANCE and side != BOTH and not goal:
        raise UsageError(f"an {rival} needs a goal to play for: choose one, or play against chance")
    play = HandPlay(document, _path_asked(game, asked), side, rival, goal, asked.number("seed", 2**31, 0))
    with document.lock:
        return (play.answered(asked.flag("onwards")) if asked.flag("answer") else play).json()


def _path_asked(game: Game, asked: Asked) -> tuple[int, ...]:
    """The path of a play."""
    path = asked.numbers("path", game.edge_count)
    if len(path) > MOST_STEPS:
        raise UsageError(f"a play by hand has at most {MOST_STEPS} steps")
    return tuple(path)


FORMS = ("trace", "test", "suite")
_FILES = {"trace": "play.jsonl", "test": "test_play.py", "suite": "play.json"}


def exported_play(document: Document, asked: Asked) -> dict[str, Any]:
    """Export a play by hand: the text of a file, its name, and the command that goes with it."""
    form, goal = asked.text("form"), asked.text("goal", "")
    if form not in FORMS:
        raise UsageError(f"a play is written as {', '.join(FORMS)}")
    play = HandPlay(document, _path_asked(document.game, asked), goal=goal)
    _ = play.vertex  # a path with a gap is refused
    labels = _labels_of_path(document.game, play.path)
    if not labels:
        raise UsageError("nothing was played yet")
    model, name = for_shell(document.job.model), _FILES[form]
    with document.lock:
        if form == "trace":
            return {
                "name": name,
                "text": _trace_text(document, labels, goal),
                "command": f"outplay judge {model} {name}",
            }
        suite = _play_suite(document, labels)
    text = "".join(suite_pytest_file(suite) if form == "test" else dump_suite(suite))
    run = "pytest" if form == "test" else f"outplay run --suite {name} --sut 'exec:./your-system'"
    return {"name": name, "text": text, "command": f"{run} {name}" if form == "test" else run}


def _labels_of_path(game: Game, path: Iterable[int]) -> list[Label]:
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


def _trace_text(document: Document, labels: Iterable[Label], goal: str) -> str:
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


def _play_suite(document: Document, labels: list[Label]) -> Suite:
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
