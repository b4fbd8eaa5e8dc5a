"""What stands beside PRISM's `.tra`: `.lab` names sets of states, `.sta` the values of variables in each state.

Their layout is shown in prism_tra.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from outplay.errors import FormatError
from outplay.formats.games.mdp import MarkovProcess, process_of
from outplay.formats.texts.labels_and_names import first_repeated
from outplay.formats.texts.numerals import whole
from outplay.formats.texts.source import Source, shown
from outplay.game.graph import Game
from outplay.plurals import counted

INIT = "init"
_DECLARED = re.compile(r'([0-9]++)="([^"]*+)"')
_VALUES = re.compile(r"([0-9]++)\s*+:\s*+\(([^()]*+)\)")
_VARIABLES = re.compile(r"\(([^()]*+)\)")
_WORD = re.compile(r"[A-Za-z0-9_.+-]++")
_NAMED = re.compile(r"[A-Za-z0-9_.+-]++=[A-Za-z0-9_.+-]++(?:,[A-Za-z0-9_.+-]++=[A-Za-z0-9_.+-]++)*+")


def read_names(source: Source, count: int) -> list[str]:
    """Read a `.sta` file: names such as `x=0,y=1`."""
    lines = [(number, line.strip()) for number, line in source.lines()]
    variables = _VARIABLES.fullmatch(lines[0][1]) if lines else None
    if not variables:
        raise source.error(lines[0][0] if lines else 1, 1, "no names of variables; write (x,y) in the first line")
    keys = [key.strip() for key in variables[1].split(",")]
    names: list[str] = []
    for number, line in lines[1:]:
        found = _VALUES.fullmatch(line)
        values = [value.strip() for value in found[2].split(",")] if found else []
        if not found or len(values) != len(keys) or not all(map(_WORD.fullmatch, keys + values)):
            how = f"write NUMBER:({','.join('value' for _ in keys[:9])})"
            raise source.error(number, 1, f"{shown(line)} is not the values of {counted(len(keys), 'variable')}; {how}")
        if whole(found[1]) != len(names):
            raise source.error(
                number, 1, f"state {shown(found[1])} where {len(names)} is next; list all states in order"
            )
        names.append(",".join(f"{key}={value}" for key, value in zip(keys, values, strict=True)))
    if len(names) != count:
        raise source.error(
            1, 1, f"values of {counted(len(names), 'state')}, but the model has {count}; list all of them"
        )
    double = first_repeated(names)
    if double is not None:
        place = len(names) - 1 - names[::-1].index(double)
        raise source.error(lines[place + 1][0], 1, f"two states have the values {shown(double)}; mend one of them")
    return names


def read_lab(source: Source, process: MarkovProcess) -> int:
    """Read a `.lab` file into the goals, and return the initial state."""
    lines = [(number, line.strip()) for number, line in source.lines()]
    declared = _declared(source, lines)
    members: dict[int, list[int]] = {number: [] for number in declared}
    for number, line in lines[1:]:
        left, colon, right = line.partition(":")
        state, marks = whole(left.strip()), [whole(word) for word in right.split()]
        if not colon or state is None or None in marks:
            raise source.error(number, 1, f"{shown(line)} is no line of labels; write STATE: LABEL LABEL, by number")
        if state >= process.states:
            what = f"state {state}, but the model has {counted(process.states, 'state')}, numbered from 0; mend it"
            raise source.error(number, 1, what)
        for mark in marks:
            if mark not in members:
                raise source.error(number, 1, f"label {mark} is not declared in the first line; declare it there")
            members[mark].append(state)
    initial = [0]
    for number, name in declared.items():
        if name == INIT:
            initial = list(dict.fromkeys(members[number]))
        else:
            process.goals[name] = members[number]
    if len(initial) != 1:
        raise source.error(lines[0][0], 1, f'{len(initial)} states are labelled "init"; label exactly one')
    return initial[0]


def _declared(source: Source, lines: list[tuple[int, str]]) -> dict[int, str]:
    if not lines:
        raise source.error(1, 1, 'an empty file; write 0="init" in the first line')
    number, line = lines[0]
    found: dict[int, str] = {}
    seen: set[str] = set()
    place = 0
    for one in _DECLARED.finditer(line):
        if line[place : one.start()].strip():
            break
        place = one.end()
        key = whole(one[1])
        if key is None or key in found or one[2] in seen:
            raise source.error(number, one.start() + 1, f"the label {shown(one[0])} stands twice; keep one")
        found[key] = one[2]
        seen.add(one[2])
    if line[place:].strip() or not found:
        raise source.error(
            number, place + 1, f'{shown(line[place:].strip())} declares no label; write 0="init" 1="done"'
        )
    return found


def write_labels(game: Game) -> Iterable[str]:
    """Write the `.lab` text of a game."""
    table = process_of(game, ".tra")
    names = sorted(table.goals)
    for name in names:
        if name == INIT or '"' in name or "\n" in name:
            raise FormatError(f"the goal {shown(name)} cannot be a label in .lab; rename it")
    marks: dict[int, list[int]] = {table.initial: [0]}
    for place, name in enumerate(names, 1):
        for state in table.goals[name]:
            marks.setdefault(state, []).append(place)
    declared = " ".join(f'{place}="{name}"' for place, name in enumerate([INIT, *names]))
    return [f"{declared}\n", *(f"{state}: {' '.join(map(str, marks[state]))}\n" for state in sorted(marks))]


def write_states(game: Game) -> Iterable[str] | None:
    """Write the `.sta` text of a game whose states are named by the values of variables, as `x=0,y=1`; or None."""
    table = process_of(game, ".tra")
    if not all(map(_NAMED.fullmatch, table.names)):
        return None
    pairs = [[pair.split("=") for pair in name.split(",")] for name in table.names]
    keys = [key for key, _ in pairs[0]]
    if any([key for key, _ in row] != keys for row in pairs):
        return None
    rows = (f"{state}:({','.join(value for _, value in row)})\n" for state, row in enumerate(pairs))
    return [f"({','.join(keys)})\n", *rows]
