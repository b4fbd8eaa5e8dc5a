"""Markov decision processes and Markov chains in Storm's text format, `.drn`; how they are games is said in mdp.py.

    @type: MDP
    @reward_models
    time
    @nr_states
    2
    @nr_choices
    2
    @model
    state 0 [1] init
        action go [0]
                0 : 1/3
                1 : 2/3
    state 1 [0] done
        action stay [0]
                1 : 1

The numbers in brackets are costs, one for each reward model; the first model counts unless another is named, and
without any model each step costs 1. Labels of states become goals, `init` marks the initial state. An action called
`__NOLABEL__` has no label. Numbers are exact, as decimals or fractions; lines that start with // are comments.
References: Storm's DirectEncodingParser. O(length of the text).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from outplay.errors import FormatError, UsageError, did_you_mean
from outplay.formats.common.names_and_numbers import NUMBER, exact_number, whole_number, written_number
from outplay.formats.common.source import LIMITS, ReadLimits, Source, column_of, shown
from outplay.formats.games.drn_header import DrnHeader, read_drn_header
from outplay.formats.games.mdp import MarkovProcess, Table, WrongChoice, game_of_process, process_of_game
from outplay.game.graph import Game
from outplay.plurals import counted

NO_LABEL = "__NOLABEL__"
INIT = "init"
_LABELS = re.compile(r'"([^"]++)"|([^\s"]++)')
_MODEL_LINE = "write state NUMBER, action NAME, or TARGET : PROBABILITY"


def read(source: Source, *, reward: str | None = None, limits: ReadLimits = LIMITS) -> Game:
    """Read a game from Storm's `.drn` format; `reward` names the reward model that counts as cost."""
    lines = source.text.split("\n")
    header = read_drn_header(source, lines, limits)
    reader = _Model(source, header, _reward_place(source, header, reward), limits)
    for number in range(header.line, len(lines)):
        line = lines[number].strip()
        if line and not line.startswith("//"):
            reader.add(number + 1, line, lines[number])
    return reader.game()


def _reward_place(source: Source, header: DrnHeader, reward: str | None) -> int:
    if reward is None:
        return 0
    if reward not in header.rewards:
        raise UsageError(f"{source.name}: no reward model {reward!r}; {did_you_mean(reward, header.rewards)}")
    return header.rewards.index(reward)


class _Model:
    """Takes the lines behind @model one by one."""

    def __init__(self, source: Source, header: DrnHeader, reward: int, limits: ReadLimits) -> None:
        self.source, self.header, self.reward, self.limits = source, header, reward, limits
        self.process = MarkovProcess(chain=bool(header.chain), states=header.states or 0)
        self.state = -1
        self.state_cost = ""
        self.lines: list[int] = []
        """The place of each choice."""
        self.initial: list[int] = []
        self.has_action = False

    def add(self, number: int, line: str, whole_line: str) -> None:
        if line.startswith("state "):
            self._state(number, line[6:])
        elif line.startswith("action "):
            self._action(number, line[7:])
        else:
            self._transition(number, line, whole_line)

    def _state(self, number: int, rest: str) -> None:
        word, _, rest = rest.strip().partition(" ")
        state = whole_number(word)
        if state != self.state + 1:
            what = f"state {shown(word)} where {self.state + 1} is next; number the states from 0 without gaps"
            raise self.source.error(number, 1, what)
        if state >= self.process.states:
            raise self._miscount(number, "states", self.process.states, "more")
        self.state, self.has_action = state, False
        rest = rest.strip()
        if rest[:1] in ("!", "{"):
            raise self.source.error(number, 1, "rates and observations are not read; write a model of type MDP or DTMC")
        self.state_cost, rest = self._bracket(number, rest)
        place = 0
        for label in _LABELS.finditer(rest):
            if rest[place : label.start()].strip():
                break
            place = label.end()
            text = label[1] or label[2]
            if text == INIT:
                self.initial.append(state)
            else:
                self.process.goals.setdefault(text, []).append(state)
        if rest[place:].strip():
            what = f"{shown(rest[place:].strip())} is no label; write labels with blanks between them, quotes closed"
            raise self.source.error(number, 1, what)

    def _bracket(self, number: int, rest: str) -> tuple[str, str]:
        """Take `[1, 2]` from the front and return the number that counts, and what follows."""
        if rest[:1] != "[":
            return "", rest
        inside, closed, rest = rest[1:].partition("]")
        costs = inside.split(",")
        if not closed:
            raise self.source.error(number, 1, "a bracket is opened and never closed; write ]")
        models = len(self.header.rewards)
        if models and len(costs) != models:
            wanted = counted(models, "reward model")
            what = f"{counted(len(costs), 'cost')} in brackets for {wanted}; write one for each"
            raise self.source.error(number, 1, what)
        if self.reward >= len(costs):
            raise self.source.error(number, 1, f"only {counted(len(costs), 'cost')}; write one for each reward model")
        return costs[self.reward].strip(), rest.strip()

    def _action(self, number: int, rest: str) -> None:
        if self.state < 0:
            raise self.source.error(number, 1, "an action before the first state; write state 0 above it")
        if self.process.chain and self.has_action:
            raise self.source.error(number, 1, "a second action in a Markov chain; write @type: MDP")
        name, _, rest = rest.strip().partition(" ")
        cost, rest = self._bracket(number, rest.strip())
        if rest:
            raise self.source.error(number, 1, f"{shown(rest)} has no meaning here; write action NAME [COST]")
        self._add_choice(number, "" if name == NO_LABEL else name, cost)

    def _add_choice(self, number: int, name: str, cost: str) -> None:
        self.has_action = True
        self.lines.append(number)
        self.process.choice_state.append(self.state)
        self.process.action.append(name)
        column, key = self.process.cost, (self.state_cost, cost)
        row = column.row(key)
        if row is None:
            value = sum((self._number(number, text, text) for text in key if text), Fraction(0))
            row = column.new_row(key, Fraction(1) if key == ("", "") and not self.header.rewards else value)
        column.index.append(row)
        self.limits.refuse_edges(self.source, number, len(self.lines))

    def _transition(self, number: int, line: str, whole_line: str) -> None:
        left, colon, right = line.partition(":")
        target = whole_number(left.strip())
        if target is None or not colon:
            raise self.source.error(
                number, column_of(whole_line, line), f"{shown(line)} is no line of a model; {_MODEL_LINE}"
            )
        if target >= self.process.states:
            states = counted(self.process.states, "state")
            what = f"target {target}, but the model has {states}, numbered from 0; mend the target"
            raise self.source.error(number, column_of(whole_line, left.strip()), what)
        if not self.has_action:
            if not self.process.chain or self.state < 0:
                raise self.source.error(number, 1, "an outcome without an action; write action NAME above it")
            self._add_choice(number, "", "")
        column, text = self.process.probability, right.strip()
        row = column.row(text)
        if row is None:
            value = self._number(number, text, whole_line)
            if not 0 < value <= 1:
                what = f"probability {shown(text)}; it must be above 0 and at most 1"
                raise self.source.error(number, whole_line.rfind(text) + 1, what)
            row = column.new_row(text, value)
        self.process.choice.append(len(self.lines) - 1)
        self.process.target.append(target)
        column.index.append(row)
        self.limits.refuse_edges(self.source, number, len(column.index))

    def _number(self, number: int, text: str, whole_line: str) -> Fraction:
        value = exact_number(self.header.placeholders.get(text, text))
        if value is None:
            cure = "it must be 0 or more" if text[:1] == "-" else NUMBER
            if text[:1] == "[":
                cure = "intervals are not read"
            raise self.source.error(number, column_of(whole_line, text), f"{shown(text)} is no exact number; {cure}")
        return value

    def _miscount(self, line: int, what: str, said: int, found: int | str) -> FormatError:
        return self.source.error(line, 1, f"the header says {said} {what}, the file has {found}; mend the header")

    def game(self) -> Game:
        header, process = self.header, self.process
        if self.state + 1 != process.states:
            raise self._miscount(header.states_line, "states", process.states, self.state + 1)
        if header.choices is not None and header.choices != len(self.lines):
            raise self._miscount(header.choices_line, "choices", header.choices, len(self.lines))
        if len(self.initial) != 1:
            what = f"{len(self.initial)} states are labelled init; label exactly one"
            raise self.source.error(header.line, 1, what)
        process.initial = self.initial[0]
        try:
            return game_of_process(process)
        except WrongChoice as wrong:
            raise self.source.error(self.lines[wrong.choice], 1, str(wrong)) from None


def write(game: Game) -> Iterable[str]:
    """Write a game that is a Markov decision process or chain in Storm's `.drn` format. Names of vertices are lost."""
    table = process_of_game(game, ".drn")
    for name in table.goals:
        if name == INIT or '"' in name or "\n" in name or not name or not table.goals[name]:
            why = "has no states" if name and not table.goals[name] else "cannot be a label there"
            raise FormatError(f"the goal {shown(name)} {why}, so .drn cannot hold it; rename or drop it")
    for row in table.choices:
        for choice in row:
            if choice.action == NO_LABEL or len(choice.action.split()) > 1 or choice.action.strip() != choice.action:
                raise FormatError(f"the label {shown(choice.action)} cannot be an action in .drn; rename it")
    return _lines(table)


def _lines(table: Table) -> Iterator[str]:
    yield f"@type: {'DTMC' if table.chain else 'MDP'}\n@value_type: rational\n@parameters\n\n@reward_models\ncost\n"
    yield f"@nr_states\n{len(table.choices)}\n@nr_choices\n{table.choice_count}\n@model\n"
    labels: dict[int, list[str]] = {table.initial: [INIT]}
    for name in sorted(table.goals):
        for state in table.goals[name]:
            labels.setdefault(state, []).append(f'"{name}"' if len(name.split()) != 1 or name.strip() != name else name)
    for state, row in enumerate(table.choices):
        yield " ".join([f"state {state} [0]", *labels.get(state, ())]) + "\n"
        for choice in row:
            yield f"\taction {choice.action or NO_LABEL} [{written_number(choice.cost)}]\n"
            for target, chance in choice.outcomes:
                yield f"\t\t{target} : {written_number(chance)}\n"
