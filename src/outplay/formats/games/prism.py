"""Markov decision processes and Markov chains in PRISM's explicit files; how they are games is said in mdp.py.

`.tra` has a line of counts, then the transitions, in any order; the last word, the action, may be missing:

    2 2 3              states choices transitions      (a chain: states transitions)
    0 0 0 1/3 go       state choice target probability (a chain: state target probability)
    0 0 1 2/3 go
    1 0 1 1 stay

`.lab` beside it names sets of states, which become goals (`init` marks the initial state, 0 without it), and `.sta` the
values of the variables, which become the names of the states:

    0="init" 1="done"          (x,y)
    0: 0                       0:(0,1)
    1: 1                       1:(1,1)

Every step costs 1. Reference: the appendix "Explicit Model Files" of the PRISM manual. O(n log n) for the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from outplay.errors import FormatError
from outplay.formats.common.names_and_numbers import NUMBER, exact_number, first_repeated, whole_number, written_number
from outplay.formats.common.source import LIMITS, ReadLimits, Source, shown
from outplay.formats.games.mdp import MarkovProcess, Table, WrongChoice, game_of_process, process_of_game
from outplay.game.graph import Game
from outplay.plurals import counted

INIT = "init"
_DECLARED = re.compile(r'([0-9]++)="([^"]*+)"')
_VALUES = re.compile(r"([0-9]++)\s*+:\s*+\(([^()]*+)\)")
_VARIABLES = re.compile(r"\(([^()]*+)\)")
_WORD = re.compile(r"[A-Za-z0-9_.+-]++")
_NAMED = re.compile(r"[A-Za-z0-9_.+-]++=[A-Za-z0-9_.+-]++(?:,[A-Za-z0-9_.+-]++=[A-Za-z0-9_.+-]++)*+")


def _read_names(source: Source, count: int) -> list[str]:
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
        if whole_number(found[1]) != len(names):
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


def _read_lab(source: Source, process: MarkovProcess) -> int:
    """Read a `.lab` file into the goals, and return the initial state."""
    lines = [(number, line.strip()) for number, line in source.lines()]
    declared = _declared(source, lines)
    members: dict[int, list[int]] = {number: [] for number in declared}
    for number, line in lines[1:]:
        left, colon, right = line.partition(":")
        state, marks = whole_number(left.strip()), [whole_number(word) for word in right.split()]
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
        key = whole_number(one[1])
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
    """Write the `.lab` text of a game in PRISM's explicit files."""
    table = process_of_game(game, ".tra")
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
    """Write the `.sta` text of PRISM for a game whose states are named by values, as `x=0,y=1`; else None."""
    table = process_of_game(game, ".tra")
    if not all(map(_NAMED.fullmatch, table.names)):
        return None
    pairs = [[pair.split("=") for pair in name.split(",")] for name in table.names]
    keys = [key for key, _ in pairs[0]]
    if any([key for key, _ in row] != keys for row in pairs):
        return None
    rows = (f"{state}:({','.join(value for _, value in row)})\n" for state, row in enumerate(pairs))
    return [f"({','.join(keys)})\n", *rows]


@dataclass
class _Counts:
    """The transitions in columns, as the file has them."""

    chain: bool
    states: int
    choices: int
    transitions: int
    line: int
    number: list[int] = field(default_factory=list)
    state: list[int] = field(default_factory=list)
    choice: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    action: list[str] = field(default_factory=list)


def read(
    source: Source,
    *,
    labels: Source | None = None,
    states: Source | None = None,
    limits: ReadLimits = LIMITS,
) -> Game:
    """Read a game from PRISM's explicit files: a `.tra` text and, where given, those of its `.lab` and `.sta`."""
    lines = list(source.lines())
    table = _header(source, lines, limits)
    process = MarkovProcess(chain=table.chain, states=table.states)
    for number, line in lines[1:]:
        _transition(source, process, table, number, line)
    if len(table.state) != table.transitions:
        raise _miscount(source, table, "transitions", table.transitions, len(table.state))
    places = _arrange(source, process, table)
    if states:
        process.names = _read_names(states, table.states)
    if labels:
        process.initial = _read_lab(labels, process)
    try:
        return game_of_process(process)
    except WrongChoice as wrong:
        raise source.error(places[wrong.choice], 1, str(wrong)) from None


def _miscount(source: Source, table: _Counts, what: str, said: int, found: int) -> FormatError:
    return source.error(table.line, 1, f"the first line says {said} {what}, the file has {found}; mend the first line")


def _header(source: Source, lines: list[tuple[int, str]], limits: ReadLimits) -> _Counts:
    how = "write the numbers of states, choices and transitions (of states and transitions for a Markov chain)"
    if not lines:
        raise source.error(1, 1, f"an empty file; {how} in the first line")
    number, line = lines[0]
    counts = [count for count in map(whole_number, line.split()) if count is not None]
    if len(counts) not in (2, 3) or len(counts) != len(line.split()):
        raise source.error(number, 1, f"{shown(line.strip())} is no first line; {how}")
    if not counts[0]:
        raise source.error(number, 1, "no states; a model has at least one")
    limits.refuse_states(source, number, counts[0])
    limits.refuse_edges(source, number, max(counts[1:]))
    return _Counts(len(counts) == 2, counts[0], counts[1], counts[-1], number)


def _transition(source: Source, process: MarkovProcess, table: _Counts, number: int, line: str) -> None:
    words = line.split()
    wide = 3 if table.chain else 4
    if not wide <= len(words) <= wide + 1:
        how = "state target probability" if table.chain else "state choice target probability"
        raise source.error(number, 1, f"{shown(line.strip())} is no transition; write {how}, and an action if you like")
    counts = [whole_number(word) for word in words[: wide - 1]]
    for word, count in zip(words, counts, strict=False):
        if count is None:
            raise source.error(number, line.find(word) + 1, f"{shown(word)} is no number; write digits")
    state, target = counts[0] or 0, counts[-1] or 0
    if max(state, target) >= table.states:
        states = counted(table.states, "state")
        what = f"state {max(state, target)}, but the model has {states}, numbered from 0; mend one of them"
        raise source.error(number, 1, what)
    column, text = process.probability, words[wide - 1]
    row = column.row(text)
    if row is None:
        value = exact_number(text)
        if value is None or not 0 < value <= 1:
            cure = NUMBER if value is None else "it must be above 0 and at most 1"
            raise source.error(number, line.rfind(text) + 1, f"probability {shown(text)}; {cure}")
        row = column.new_row(text, value)
    column.index.append(row)
    table.number.append(number)
    table.state.append(state)
    table.choice.append(0 if table.chain else counts[1] or 0)
    table.target.append(target)
    table.action.append(words[wide] if len(words) > wide else "")


def _arrange(source: Source, process: MarkovProcess, table: _Counts) -> list[int]:
    """Put the transitions in order of state and choice, and return the line where each choice starts."""
    order = np.lexsort((table.choice, table.state)).tolist()
    process.target = [table.target[place] for place in order]
    process.probability.index = [process.probability.index[place] for place in order]
    lines: list[int] = []
    last = (-1, 0)
    for place in order:
        state, choice = table.state[place], table.choice[place]
        if (state, choice) != last:
            expected = last[1] + 1 if state == last[0] else 0
            if choice != expected:
                what = f"choice {choice} of state {state} where {expected} is next; number choices from 0"
                raise source.error(table.number[place], 1, what)
            last = state, choice
            lines.append(table.number[place])
            process.choice_state.append(state)
            process.action.append(table.action[place])
        elif table.action[place] != process.action[-1]:
            what = f"two actions, {shown(process.action[-1])} and {shown(table.action[place])}, in one choice; keep one"
            raise source.error(table.number[place], 1, what)
        process.choice.append(len(lines) - 1)
    if not table.chain and len(lines) != table.choices:
        raise _miscount(source, table, "choices", table.choices, len(lines))
    process.cost.index = [process.cost.new_row("1", exact_number("1"))] * len(lines)
    return lines


def write(game: Game) -> Iterable[str]:
    """Write PRISM's `.tra` text of a game that is a Markov decision process or chain; every step must cost 1."""
    table = process_of_game(game, ".tra")
    for row in table.choices:
        for choice in row:
            if choice.cost != 1:
                raise FormatError(
                    f"a step costs {choice.cost}, and .tra has no costs other than 1; write .drn or .json"
                )
            if choice.action.split() not in ([], [choice.action]) or not choice.outcomes:
                raise FormatError(f"the label {shown(choice.action)} cannot be an action in .tra; rename it")
    return _transitions(table)


def _transitions(table: Table) -> Iterator[str]:
    counts = [len(table.choices), *([] if table.chain else [table.choice_count]), table.transition_count]
    yield " ".join(map(str, counts)) + "\n"
    for state, row in enumerate(table.choices):
        for place, choice in enumerate(row):
            front = f"{state}" if table.chain else f"{state} {place}"
            back = f" {choice.action}\n" if choice.action else "\n"
            for target, chance in choice.outcomes:
                yield f"{front} {target} {written_number(chance)}{back}"
