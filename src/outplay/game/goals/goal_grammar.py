"""Goals as text: how they are read, on the command line, in traces and in Python; `str(goal)` writes them.

    goal        a goal set, else a state or vertex, else a label, else a transition, else the name of an edge
    a --?x--> b the transition; without the target any that leaves `a` with the label
    A & B       all of them, in any order
    A or B      any of them; `&` binds more tightly

A text that is a name as a whole means what has it. Names in which such marks occur are written in double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from outplay.errors import UsageError, did_you_mean
from outplay.game.goals.goal import AllOf, AtState, Goal, NamedSet, Seen, Single, Transition, goal_union

_PRINTED = re.compile(r"(?P<state>.+?) (?P<label>(?:[?!]|delta\b).*?) (?:→|->) (?P<target>.+)")


class Names(Protocol):
    """The names in a game, or in a specification."""

    def is_goal(self, name: str) -> bool: ...
    def is_state(self, name: str) -> bool: ...

    def is_label(self, name: str, *, alone: bool) -> bool:
        """Say whether a text is a label; not `alone`, it may also be several goals with marks between them."""

    def transition(self, found: Transition) -> Transition:
        """Check that a transition can be there, and tell what is missing."""

    def edge(self, name: str) -> Transition | None:
        """The transition an edge with a name stands for; None where there is no such edge."""

    @property
    def place(self) -> str:
        """The place of the names, for people."""

    def hints(self) -> Sequence[str]:
        """Names to compare a misspelt one with."""


def parse_goal(text: str, known: Names) -> Goal:
    """Parse the text of a goal."""
    whole = _named(text, known, alone=False)
    if whole is not None:
        return whole
    found = next((one for one in _transitions(text) if _fits(one, known)), None)
    if found is not None:
        return known.transition(found)
    choices = _split(text, " or ")
    if len(choices) > 1:
        return goal_union(parse_goal(choice, known) for choice in choices)
    parts = _split(text, " & ")
    if len(parts) > 1:
        return AllOf(tuple(dict.fromkeys(_single(part, known) for part in parts)))
    return _single(text, known)


def parse_goals(texts: Iterable[str], known: Names) -> Goal:
    """Parse the texts of several goals as one goal that any of them is enough for."""
    return goal_union(parse_goal(text, known) for text in texts)


def _single(text: str, known: Names) -> Single:
    name = _unquoted(text.strip())
    found = _named(name, known, alone=True)
    if found is not None:
        return found
    readings = _transitions(name)
    if readings:
        return known.transition(next((one for one in readings if _fits(one, known)), readings[0]))
    labels = name.startswith(("?", "!"))
    alike = [one for one in known.hints() if (one.startswith(("?", "!")) if labels else known.is_goal(one))]
    hint = did_you_mean(name, known.hints(), listed=alike)
    raise UsageError(f"no goal, state, label or transition {name!r} in {known.place}; {hint}")


def _named(name: str, known: Names, *, alone: bool) -> Single | None:
    if known.is_goal(name):
        return NamedSet(name)
    if known.is_state(name):
        return AtState(name)
    if name and known.is_label(name, alone=alone):
        return Seen(name)
    return known.edge(name)


def _fits(found: Transition, known: Names) -> bool:
    ends = [found.state, *([] if found.target is None else [found.target])]
    return "-->" not in found.label and all(map(known.is_state, ends))


def _transitions(text: str) -> list[Transition]:
    """All ways to read a text as a transition, shortest label first; several where a name has an arrow in it."""
    text, found = text.strip(), []
    for start in re.finditer(r"(?<=.) --", text):
        for end in re.finditer(r"-->(?: (?=.)|$)", text[start.end() :]):
            label, target = text[start.end() :][: end.start()], text[start.end() :][end.end() :]
            found.append(Transition(text[: start.start()], label, target or None))
    plain = re.fullmatch(r"(.+?) --> (.+)", text)
    found += [Transition(plain[1], "", plain[2])] if plain else []
    printed = _PRINTED.fullmatch(text)
    found += [Transition(printed["state"], printed["label"], printed["target"])] if printed else []
    return sorted(found, key=lambda one: len(one.label))


def text_joins_goals(text: str) -> bool:
    """Say whether the text of a goal has the marks ` or ` and ` & ` that join goals."""
    return len(_split(text, " or ")) > 1 or len(_split(text, " & ")) > 1


def _split(text: str, mark: str) -> list[str]:
    """Cut a text at a mark, but not inside double quotes."""
    parts, start, inside, place = [], 0, False, 0
    while place < len(text):
        if text[place] == "\\" and inside:
            place += 1
        elif text[place] == '"':
            inside = not inside
        elif not inside and text.startswith(mark, place):
            parts.append(text[start:place])
            place = start = place + len(mark)
            continue
        place += 1
    return [*parts, text[start:]]


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])
