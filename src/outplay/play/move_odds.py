"""The next moves of a simulated system, and their chances: the distribution of the game that solvers solve.

Where the tester waits, outputs have their weights and silence, where it is allowed, weighs 1 beside them. Where the
tester wants to give an input although an output is possible, the test assumption says who is first: under
`nondeterministic` the input (weight 1) and the outputs are drawn together, under `output-eager` too where the system
may be silent, and elsewhere the output comes first. Under all other assumptions the input is taken. This is the game
of game/exploring/turn_based.py read state by state, so that a model need not be explored to be simulated. A game graph
says all of it by its edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from outplay.breadth_first_search import nearest_first
from outplay.errors import ModelError
from outplay.game.algebra import exact_chances
from outplay.game.assumption import Assumption, named_assumption
from outplay.game.game_specification import GameSpecification
from outplay.game.graph import SYSTEM, Game
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.offer import offered_labels
from outplay.model.programs.hidden_knowledge import knowledge_of_tester
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.specification import Specification, State
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.wrapping import KnowledgeSpecification

_EAGER = (Assumption.NONDETERMINISTIC, Assumption.OUTPUT_EAGER)
"""The assumptions under which an output may come before an input."""
_ONE_TARGET = (ProgramSpecification, SuspensionAutomaton, KnowledgeSpecification)


@dataclass(frozen=True)
class Happening:
    """One thing that may happen: a label, the state after it, and its weight beside the others."""

    label: Label
    target: State
    weight: float = 1.0


class Chances(Protocol):
    """A specification with the odds of what the system does; no ways mean silence that changes nothing."""

    @property
    def spec(self) -> Specification: ...
    @property
    def timed(self) -> bool:
        """Whether silence brings the tester's turn, so that nothing comes until it has moved."""

    def waiting(self, state: State, rng: Random | None) -> list[Happening]:
        """Return the events that may come where the tester waits; of labels with data a sample, without chance all of
        them.
        """

    def contested(self, state: State, label: Label, rng: Random | None) -> list[Happening]:
        """Return the events that may come where the tester wants to give an input, the input among them; nothing if it
        is ignored.
        """


def odds_of(model: Any, assumption: Assumption | str | None = None, *, distinct: bool = True) -> Chances:
    """Return the odds of the next moves of a model of any kind; a game has its own assumption.

    With `distinct` the states are those that a tester can tell apart, as in the game, where labels lead to several.
    """
    if isinstance(model, Game) and assumption is None:
        assumption = model.origin.assumption
    rule = named_assumption(assumption or Assumption.NONDETERMINISTIC)
    spec = specification(model, silence=rule.silence)
    if isinstance(spec, GameSpecification):
        return GameOdds(spec, spec.game.origin.assumption if assumption is None else rule)
    return SteppedOdds(spec if isinstance(spec, _ONE_TARGET) or not distinct else knowledge_of_tester(spec), rule)


class SteppedOdds:
    """The odds of a model that is stepped as it is played, under a test assumption.

    >>> from outplay import automaton
    >>> lift = automaton([("here", "?hold", "held"), ("here", "!leave", "away"), ("away", "!arrive", "here")])
    >>> for assumption in ("nondeterministic", "output-eager", "input-eager"):
    ...     odds = odds_of(lift, assumption)
    ...     print([str(way.label) for way in odds.contested(0, Label.parse("?hold"), Random(0))])
    ['?hold', '!leave']
    ['!leave']
    ['?hold']
    """

    def __init__(self, spec: Specification, assumption: Assumption) -> None:
        self.spec, self._assumption, self.timed = spec, assumption, assumption.waits_for_timeout

    def waiting(self, state: State, rng: Random | None) -> list[Happening]:
        spoken = self._spoken(state, rng)
        if not (self.timed and spoken):
            return [*spoken, *self._to(state, SILENCE)]
        expires = self._assumption is Assumption.TIMEOUT_ALWAYS or self.spec.inputs(state)
        return [*spoken, Happening(SILENCE, state)] if expires else spoken  # a time-out shows nothing

    def contested(self, state: State, label: Label, rng: Random | None) -> list[Happening]:
        taken = self._to(state, label)
        if not taken or self._assumption not in _EAGER:
            return taken
        spoken = self._spoken(state, rng)
        forestalled = spoken and self._assumption is Assumption.OUTPUT_EAGER and not self.spec.quiet(state)
        return spoken if forestalled else [*taken, *spoken]

    def _spoken(self, state: State, rng: Random | None) -> list[Happening]:
        offers = self.spec.outputs(state)
        if rng is None:
            labels = offered_labels(offers, "trying everything")
        else:
            labels = [label for offer in offers if (label := offer.sample(rng)) is not None]
        if offers and not labels:
            raise ModelError(f"no label was found in {offers}: let the family draw its own arguments")
        return [way for label in labels for way in self._to(state, label)]

    def _to(self, state: State, label: Label) -> list[Happening]:
        targets = self.spec.after(state, label)
        weight = self.spec.weight(state, label) / len(targets) if targets else 0.0
        return [Happening(label, target, weight) for target in targets]


class GameOdds:
    """The odds of a game graph: those of its system vertices, and of the choices behind a tester's vertex.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("s ?a", "system").vertex("t", "tester")
    >>> builder = builder.edge("s", "s ?a", "", moves=0).edge("s ?a", "t", "?a", probability="1/4")
    >>> game = builder.edge("s ?a", "s", "!x", probability="3/4").build("s")
    >>> [(str(way.label), way.weight) for way in odds_of(game).contested(0, Label.parse("?a"), Random(0))]
    [('?a', 0.25), ('!x', 0.75)]
    """

    def __init__(self, spec: GameSpecification, assumption: Assumption) -> None:
        self.spec, self._game = spec, spec.game
        self.timed = assumption.waits_for_timeout
        self._stepped = SteppedOdds(spec, assumption)
        self._known: dict[Any, tuple[list[list[Happening]], list[Happening]]] = {}

    def waiting(self, state: State, rng: Random | None) -> list[Happening]:
        """Of several vertices behind the tester's waiting each is as likely, since nobody sees which it meant."""
        behind, own = self._ways(state)
        if any(not way.label.is_input for way in own):  # a graph that says nothing of turns
            return self._stepped.waiting(state, rng)
        pure = [ways for ways in behind if not any(way.label.is_input for way in ways)]
        spoken = [way for ways in pure or behind for way in ways if not way.label.is_input]
        return spoken or [Happening(SILENCE, target) for target in self.spec.after(state, SILENCE)]

    def contested(self, state: State, label: Label, rng: Random | None) -> list[Happening]:
        behind, own = self._ways(state)
        if any(not way.label.is_input for way in own):
            return self._stepped.contested(state, label, rng)
        taken = [way for way in own if way.label == label]
        return taken or next((ways for ways in behind if any(way.label == label for way in ways)), [])

    def _ways(self, state: Any) -> tuple[list[list[Happening]], list[Happening]]:
        """Return the moves of each of the system's vertices of a state, and those of the tester's."""
        if state not in self._known:
            turns = [(self._game.owner[vertex] == SYSTEM, self._answers(vertex)) for vertex in self._turns(state)]
            behind = [ways for system, ways in turns if system]
            self._known[state] = behind, [way for system, ways in turns if not system for way in ways]
        return self._known[state]

    def _turns(self, state: Any) -> Iterator[int]:
        """The vertices of a state: its own, its active copy, and those the tester can turn to without a move."""
        game = self._game
        active = self.spec.vertex(state, after_silence=True)

        def turned(vertex: int) -> Iterator[int]:
            own = game.owner[vertex] != SYSTEM
            return (int(game.target[edge]) for edge in game.edges_of(vertex) if own and not game.moves[edge])

        return iter(nearest_first(dict.fromkeys([state] if active is None else [state, active]), turned))

    def _answers(self, vertex: int, share: float = 1.0) -> list[Happening]:
        """Return the next observations from a vertex, with their chances; a system's edge that counts no move leads
        on.
        """
        game, found = self._game, list[Happening]()
        for edge, chance in zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True):
            likely, target = share * float(chance), int(game.target[edge])
            if game.moves[edge]:
                found.append(Happening(Label.parse(game.label_of(edge)), self.spec.target(edge), likely))
            elif game.owner[vertex] == SYSTEM == game.owner[target]:
                found += self._answers(target, likely)
        return found
