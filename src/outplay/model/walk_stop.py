"""The end of a walk, as GraphWalker writes it: `generator(stop condition)`, read into goals of a walk.

A text has generators one after the other, each with a condition: `edge_coverage(100)`, `vertex_coverage(100)`,
`requirement_coverage(100)`, `reached_vertex(name)`, `reached_edge(name)`, `reached_shared_state(name)`, joined by `and`
and `or` (or `&&`, `||`) with brackets. A condition means sets of goals, any of which is enough; a goal is a set of
edges, any of which meets it. Of a share, such as `edge_coverage(80)`, this many goals are enough; it may be joined by
`or`. What is no goal of a walk, such as a time or a length, is refused.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from outplay.errors import UsageError
from outplay.model.walk_models import WalkModels

Goal: TypeAlias = frozenset[int]


class GoalChoice(NamedTuple):
    """Goals, and how many of them are enough."""

    goals: frozenset[Goal]
    needed: int


Choices: TypeAlias = list[GoalChoice]
"""Sets of goals, any of which is enough."""
_WORD = re.compile(r"\s*(&&|\|\||[()]|[^\s()&|]+)")
_COVERAGES = ("edge_coverage", "vertex_coverage", "requirement_coverage")
_REACHED = ("reached_vertex", "reached_edge", "reached_shared_state")
_LASTING = ("length", "time_duration", "never")
_MOST = 1_000  # choices that ands of ors may multiply into


def read_generators(text: str) -> list[tuple[str, ...]]:
    """Read GraphWalker generators, such as `random`, as the words of each one's stop condition.

    >>> read_generators("random(edge_coverage(100) and reached_vertex(v_A))")
    [('edge_coverage', '(', '100', ')', 'and', 'reached_vertex', '(', 'v_A', ')')]
    """
    words, found, at = _words(text), list[tuple[str, ...]](), 0
    while at < len(words):
        end, depth = at + 2, 1
        if words[at + 1 : at + 2] != ["("]:
            raise UsageError(f"the generator {text!r} is not understood; write random(edge_coverage(100))")
        while depth and end < len(words):
            depth += (words[end] == "(") - (words[end] == ")")
            end += 1
        if depth:
            raise UsageError(f"the generator {text!r} lacks a closing bracket")
        found.append(tuple(words[at + 2 : end - 1]))
        at = end
    return found


def generator_goals(models: WalkModels) -> Choices:
    """Return the goals of the stop conditions of walk models' own generators; each counts its own graph."""
    parts = [
        _Condition(models, condition, number).choices()
        for number, text in enumerate(models.generators)
        for condition in read_generators(text)
    ]
    return _both(parts)


def stop_conditions(models: WalkModels) -> Iterator[tuple[str, Choices]]:
    """Yield each generator of walk models with the goals of its stop condition; those not understood are left out."""
    for number, text in enumerate(models.generators):
        if not text.strip():
            continue
        with contextlib.suppress(UsageError):
            goals = [_Condition(models, words, number).choices() for words in read_generators(text)]
            yield text if len(models.names) == 1 else f"{models.names[number]}: {text}", _both(goals)


def stop_condition_goals(models: WalkModels, text: str) -> Choices:
    """Read the stop condition of a walk over all models as goals.

    >>> from outplay.model.walk_models import WalkEdge, WalkVertex
    >>> edges = (WalkEdge(0, "e0", "e_Go", None, 0), WalkEdge(0, "e1", "e_On", 0, 0))
    >>> models = WalkModels("m", ("m",), (WalkVertex(0, "n0", "v_A"),), edges, {}, 0)
    >>> choices = stop_condition_goals(models, "reached_edge(e_On) or vertex_coverage(100)")
    >>> [sorted(map(sorted, one.goals)) for one in choices]
    [[[1]], [[0, 1]]]
    """
    return _Condition(models, _words(text), None).choices()


def goal_choice(goals: Iterable[Goal]) -> GoalChoice:
    """Return the choice that needs all of some goals of a walk."""
    found = frozenset(goals)
    return GoalChoice(found, len(found))


def _words(text: str) -> list[str]:
    return [found.group(1) for found in _WORD.finditer(text.strip())]


def _both(parts: Iterable[Choices]) -> Choices:
    """All of several conditions: a set of goals of each."""
    listed = list(parts)
    count = math.prod(map(len, listed))
    if count > _MOST:
        raise UsageError(f"the conditions leave {count:,} ways to be done; ask for less")
    return [_together(choices) for choices in product(*listed)]


def _together(choices: Sequence[GoalChoice]) -> GoalChoice:
    """All of several choices; of shares together a walk of least cost is not known."""
    if len(choices) == 1:
        return choices[0]
    if any(one.needed < len(one.goals) for one in choices):
        raise UsageError(
            "a share such as edge_coverage(80) stands alone, or is joined by `or`: write 100, or leave `and`"
        )
    return goal_choice(goal for one in choices for goal in one.goals)


class _Condition:
    """Reads a condition about one model, or about all of them."""

    def __init__(self, models: WalkModels, words: Sequence[str], model: int | None) -> None:
        self.models, self.words, self.model, self.at = models, words, model, 0

    def choices(self) -> Choices:
        found = self.either()
        if self.at < len(self.words):
            raise self.wrong(f"{self.words[self.at]!r} is left over")
        return found

    def either(self) -> Choices:
        found = self.both()
        while self.take("or", "||"):
            found = found + self.both()
        return found

    def both(self) -> Choices:
        parts = [self.one()]
        while self.take("and", "&&"):
            parts.append(self.one())
        return _both(parts)

    def one(self) -> Choices:
        if self.take("("):
            found = self.either()
            self.expect(")")
            return found
        name = self.next()
        self.expect("(")
        argument = [] if self.words[self.at : self.at + 1] == [")"] else [self.next()]
        self.expect(")")
        return [self.choice(name.lower(), "".join(argument))]

    def choice(self, name: str, argument: str) -> GoalChoice:
        if name in _COVERAGES:
            goals = frozenset(self.covered(name))
            return GoalChoice(goals, math.ceil(len(goals) * self.share(argument) / 100))
        if name in _LASTING:
            raise self.wrong(f"{name}({argument}) says how long to walk, not where to; `outplay run --steps` does")
        if name not in _REACHED:
            raise self.wrong(f"{name!r} is no goal of a walk; known: {', '.join((*_COVERAGES, *_REACHED))}")
        edges = self.reached(name, argument)
        if not edges:
            raise self.wrong(f"no model has what {name}({argument}) names")
        return goal_choice([edges])

    def share(self, argument: str) -> int:
        if not argument.isdecimal() or int(argument) > 100:
            raise self.wrong(f"{argument!r} is no share; write a whole number from 0 to 100")
        return int(argument)

    def covered(self, name: str) -> list[Goal]:
        models, own = self.models, self.own()
        if name == "edge_coverage":
            return [frozenset({edge}) for edge in own]
        if name == "vertex_coverage":
            places = {
                models.places[n] for n, vertex in enumerate(models.vertices) if self.model in (None, vertex.model)
            }
            return [self.into({place}) for place in sorted(places)]
        required = dict.fromkeys(one for edge in own for one in models.requirements_of([edge]))
        return [frozenset(edge for edge in own if one in models.requirements_of([edge])) for one in required]

    def reached(self, name: str, wanted: str) -> Goal:
        models = self.models
        if name == "reached_edge":
            return frozenset(edge for edge in self.own() if models.edges[edge].name == wanted)
        field = "name" if name == "reached_vertex" else "shared"
        return self.into({models.places[n] for n, v in enumerate(models.vertices) if getattr(v, field) == wanted})

    def own(self) -> list[int]:
        return [number for number, edge in enumerate(self.models.edges) if self.model in (None, edge.model)]

    def into(self, places: set[int]) -> Goal:
        """The edges that lead to some places."""
        models = self.models
        return frozenset(n for n, edge in enumerate(models.edges) if models.places[edge.target] in places)

    def take(self, *words: str) -> bool:
        found = self.at < len(self.words) and self.words[self.at].lower() in words
        self.at += found
        return found

    def next(self) -> str:
        if self.at >= len(self.words) or self.words[self.at] in ("(", ")"):
            raise self.wrong("something is missing")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.wrong(f"{word!r} is missing")

    def wrong(self, what: str) -> UsageError:
        return UsageError(f"the condition {' '.join(self.words)!r}: {what}")
