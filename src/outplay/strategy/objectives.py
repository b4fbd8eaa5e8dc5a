"""The objectives: what a strategy may be the best at, and who finds it.

One registry, from which the commands and Python draw. A new objective is a solver with its answer in a file, and a line
here, which also says what it can be told: the commands have an option for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outplay.errors import UsageError, named
from outplay.game.assumption import Assumption
from outplay.game.goals.target import Wanted
from outplay.game.graph import Game
from outplay.registries import DeclaredOption, imported
from outplay.strategy.answer import Answer

if TYPE_CHECKING:
    from outplay.strategy.opponent import Opponent

METHODS = ("auto", "vi", "pi", "lp")  # of least expected cost


@dataclass(frozen=True)
class Objective:
    """One objective: a sentence, its solver, and what the solver can be told besides the goal."""

    name: str
    summary: str
    solver: str | Callable[..., Answer]
    """As module:function it is loaded when it is first used, so that no solver waits for another."""
    options: Mapping[str, DeclaredOption] = field(default_factory=dict)
    """The options that users may give it, on the command line, in a job or in Python."""
    also: tuple[str, ...] = ()
    """The further options that programs may give: whether values are asked for `everywhere`, and a `progress` to report
    to.
    """
    takes_goal: bool = True
    """Whether it is about a goal, and not about all of a game."""
    opponent: str | Callable[[Any], Opponent] | None = "outplay.strategy.opponent:goal_opponent"
    """The opponent that plays as badly for the tester as it may; nobody where the tester trusts to chance."""
    forces: bool = False
    """Whether it forces the goal where that can be, so that a forecast of it is a promise."""
    suite_method: str = ""
    """The method that makes a suite of it, where it takes no goal to make a test case for."""
    fair: bool = False
    """Whether it means anything under input-fair, where it is known who wins and nothing else (van den Bos 2020)."""

    def solve(self, game: Game, goal: Wanted, **given: Any) -> Answer:
        """Solve a game for a goal; an option the objective does not take is refused."""
        for option in given:
            if option not in self.options and option not in self.also:
                raise UsageError(f"`{self.name}` takes no {option}: leave it out{_takers(option)}")
        if not self.fair and game.origin.assumption is Assumption.INPUT_FAIR:
            why = "means nothing under input-fair, where no number of moves is a bound"
            raise UsageError(f"`{self.name}` {why}: use win")
        usual = {name: option.default for name, option in self.options.items() if option.default is not None}
        return imported(self.solver)(game, goal, **{**usual, **given})

    def against(self, answer: Answer) -> Opponent:
        """Return the opponent of an answer, where there is one."""
        assert self.opponent is not None
        return imported(self.opponent)(answer)


_EPSILON = DeclaredOption(
    "largest relative distance of the bounds; 0 for the exact value  [default: 1e-06].", float, 1e-6, least=0, below=1
)
_COVERING = {
    "restart": DeclaredOption("the tester may reset the system at any time.", bool, False),
    "time_limit": DeclaredOption(
        "after this time, settle for bounds in place of the guarantee or the best tour  [default: 30 for cover-nodes].",
        float,
        least=0,
        metavar="SECONDS",
    ),
}
_BUILT_IN = (
    Objective(
        "win",
        "reach the goal whatever the system does, at the least worst-case cost",
        "outplay.strategy.win:win",
        forces=True,
        fair=True,
    ),
    Objective(
        "bounded",
        "the best probability within --steps moves, then the least worst cost",
        "outplay.strategy.bounded:bounded",
        {
            "steps": DeclaredOption("number of moves.", int, 100, least=0),
            "order": DeclaredOption(
                "what counts as better: the higher probability and then the lower worst cost (lexicographic), the "
                "probability alone, or the lower worst cost of what is sure.",
                str,
                "lexicographic",
                choices=("lexicographic", "probability", "sure"),
            ),
            "front": DeclaredOption("also show which probabilities are possible at which worst cost.", bool, False),
        },
    ),
    Objective(
        "probability",
        "the best probability of ever reaching the goal",
        "outplay.strategy.probability:probability",
        {"epsilon": _EPSILON},
    ),
    Objective(
        "expected",
        "the least expected cost among strategies that reach it with probability 1",
        "outplay.strategy.expected:expected",
        {
            "method": DeclaredOption(
                "solve by value iteration, policy iteration or a linear program.", str, "auto", choices=METHODS
            ),
            "epsilon": _EPSILON,
            "learnt": DeclaredOption(
                "use the answers seen in a run (its trace, folder or id) in place of the model's probabilities, and "
                "promise the least cost within their intervals.",
                str,
                metavar="RUN",
            ),
        },
    ),
    Objective(
        "joker",
        "the fewest times the system has to help, then the fewest moves",
        "outplay.strategy.jokers.joker:least_help",
        {
            "price": DeclaredOption(
                "what help costs, such as output=2,conflict=1/2,silence=never,'!late=3'; pay the least price, then "
                "the least cost.",
                str,
                metavar="PRICES",
            )
        },
        also=("everywhere",),
    ),
    Objective(
        "resilience",
        "as little help as joker needs, staying as far from losing as can be",
        "outplay.strategy.jokers.resilience:resilient",
    ),
    Objective(
        "cover-nodes",
        "the most that is sure to be visited, whatever the system does; takes no goal",
        "outplay.strategy.coverage.guarantee:cover_nodes",
        _COVERING,
        also=("progress", "everywhere"),
        takes_goal=False,
        opponent="outplay.strategy.opponent:WitnessOpponent",
        suite_method="nodes",
    ),
    Objective(
        "cover-edges",
        "a tour of least cost over all edges, cut where the system chooses; takes no goal",
        "outplay.strategy.tours.cover_edges:cover_edges",
        _COVERING,
        takes_goal=False,
        opponent=None,
        suite_method="edges",
    ),
)
OBJECTIVES: dict[str, Objective] = {objective.name: objective for objective in _BUILT_IN}
"""All objectives by name; put one of your own beside them and every command knows it."""


def objective_named(name: str) -> Objective:
    """Find the objective of a name."""
    return named(name, OBJECTIVES, "objective")


def solve(game: Game, goal: Wanted, objective: str = "win", **options: Any) -> Answer:
    """Solve a game for a goal, or for the union of several, with the objective of a name.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again").build()
    >>> solve(game, "done").sentence
    'done cannot be forced: the system can stay within 2 vertices'
    >>> solve(game, "done", "bounded", steps=4).sentence
    'done is reached within 4 moves with probability 0.75, at cost 4 at worst'
    """
    return objective_named(objective).solve(game, goal, **options)


def _takers(option: str) -> str:
    """Name the objectives that take an option, as the end of a complaint."""
    found = [f"`{objective.name}`" for objective in OBJECTIVES.values() if option in objective.options]
    return f"; it is for {' and '.join(found)}" if found else ""
