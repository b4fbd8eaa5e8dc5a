"""All implementations of a specification with at most so many states, each once, and whether they pass a suite.

What an implementation does after a trace that the specification does not have makes no difference, so it is not
decided: states and targets are chosen when a trace of the specification first needs them, and states are numbered as
they are met. So each implementation is drawn once, whatever its states are called, together with all that differ from
it only where nothing is specified.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Rows = dict[str, dict[str, str]]  # where the labels of each state of a specification lead
Impl = tuple[dict[str, int], ...]  # the same of an implementation, whose first state is the initial one
Trace = tuple[str, ...]


def rows_of(steps: Iterable[tuple[str, str, str]]) -> Rows:
    """The transitions of a deterministic specification by state."""
    rows: Rows = {}
    for source, label, target in steps:
        rows.setdefault(source, {})[label] = target
    return rows


def is_output(label: str) -> bool:
    return not label.startswith("?")


@dataclass
class _Drawing:
    """An implementation as far as it is decided, and the pairs of states that were met."""

    rows: list[dict[str, int]]
    decided: set[int]
    pairs: list[tuple[int, str]]
    at: int = 0

    def copy(self) -> _Drawing:
        return _Drawing([dict(row) for row in self.rows], set(self.decided), list(self.pairs), self.at)


def implementations(rows: Rows, start: str, outputs: Iterable[str], most: int) -> Iterator[Impl]:
    """All implementations with at most so many states that traces of the specification lead to."""
    shown = sorted(outputs)
    stack = [_Drawing([{}], set(), [(0, start)])]
    while stack:
        drawing = stack.pop()
        if drawing.at == len(drawing.pairs):
            yield tuple(drawing.rows)
            continue
        state, at_spec = drawing.pairs[drawing.at]
        specified = [label for label in rows[at_spec] if not is_output(label)]
        missing = [label for label in specified if label not in drawing.rows[state]]
        options = [drawing.copy()]
        if state not in drawing.decided:
            for label in shown:
                options = [more for one in options for more in _chosen(one, state, label, most, absent=True)]
            options = [one for one in options if any(is_output(label) for label in one.rows[state])]
        for label in missing:
            options = [more for one in options for more in _chosen(one, state, label, most, absent=False)]
        for one in options:
            one.decided.add(state)
            one.at += 1
            followed = {*specified, *(label for label in one.rows[state] if is_output(label))}
            for label in sorted(followed & rows[at_spec].keys()):
                pair = (one.rows[state][label], rows[at_spec][label])
                if pair not in one.pairs:
                    one.pairs.append(pair)
        stack += options


def _chosen(drawing: _Drawing, state: int, label: str, most: int, *, absent: bool) -> Iterator[_Drawing]:
    """A transition to each state there is, to a new one, or none."""
    if absent:
        yield drawing
    for target in range(min(len(drawing.rows) + 1, most)):
        one = drawing.copy()
        if target == len(one.rows):
            one.rows.append({})
        one.rows[state][label] = target
        yield one


def conforms(rows: Rows, start: str, impl: Impl) -> bool:
    """Say whether nothing forbidden can be shown after a trace of the specification, by a plain search of pairs."""
    seen, stack = {(0, start)}, [(0, start)]
    while stack:
        state, at_spec = stack.pop()
        for label, target in impl[state].items():
            if label in rows[at_spec]:
                pair = (target, rows[at_spec][label])
                if pair not in seen:
                    seen.add(pair)
                    stack.append(pair)
            elif is_output(label):
                return False
    return True


class GamePosition:
    """A suite as traces after which the tester watches, executed fairly: whatever can be shown there is seen."""

    def __init__(self, rows: Rows, start: str, traces: Iterable[Trace]) -> None:
        self.rows, self.start = rows, start
        self.watched: set[Trace] = set()
        self.following: dict[Trace, dict[str, Trace]] = {(): {}}
        for trace in traces:
            self._add(trace)

    def _add(self, trace: Trace) -> None:
        self.watched.add(trace)
        for place, label in enumerate(trace):
            before, after = trace[:place], trace[: place + 1]
            self.following.setdefault(after, {})
            self.following[before][label] = after
            if is_output(label):
                self.watched.add(before)

    def passed_by(self, impl: Impl) -> bool:
        """Say whether nothing forbidden is seen."""
        stack = [((), self.start, 0)]
        while stack:
            trace, at_spec, state = stack.pop()
            if trace in self.watched and any(is_output(x) and x not in self.rows[at_spec] for x in impl[state]):
                return False
            for label, after in self.following[trace].items():
                if label in impl[state]:
                    stack.append((after, self.rows[at_spec][label], impl[state][label]))
        return True
