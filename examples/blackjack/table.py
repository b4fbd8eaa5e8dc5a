"""The best action and the probability of winning for every pair of cards against every card of the dealer.

Prints the table as Markdown (a minute or so): python examples/blackjack/table.py
"""

from pathlib import Path
from typing import NamedTuple

from outplay import explore
from outplay.model.programs.load import load_program
from outplay.strategy.probability import probability

CASINO = f"{Path(__file__).with_name('model.py')}:Casino"
DEALERS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
PAIRS = tuple((first, second) for first in range(1, 11) for second in range(first, 11))


class Advice(NamedTuple):
    """What to do, and how likely it then is to win."""

    action: str
    chance: float


def advise(dealers=DEALERS, pairs=PAIRS):
    """Solve these deals in one game; the answers are found by dealer and pair."""
    game = explore(load_program(CASINO, [f"dealers={dealers}", f"pairs={pairs}"]))
    best = probability(game, "won", epsilon=1e-9)
    answers = {}
    deals = [(dealer, pair) for dealer in dealers for pair in pairs]
    for deal, edge in zip(deals, game.edges_of(game.initial), strict=True):
        vertex = int(game.target[edge])
        action = game.label_of(best.bounds.edge(vertex)).removeprefix("?")
        answers[deal] = Advice(action, float(best.value_of(vertex)))
    return answers


def markdown(answers, dealers=DEALERS, pairs=PAIRS):
    """Write a row for each pair and a column for each card of the dealer."""
    lines = [row("", map(name, dealers)), row("---", ["---"] * len(dealers))]
    lines += [row(f"**{', '.join(map(name, pair))}**", (cell(answers[one, pair]) for one in dealers)) for pair in pairs]
    return "".join(f"{line}\n" for line in lines)


def row(head, cells):
    return f"| {head} | {' | '.join(cells)} |"


def cell(advice):
    return f"{advice.action} {advice.chance:.4f}"


def name(card):
    return "A" if card == 1 else str(card)


if __name__ == "__main__":
    print(markdown(advise()), end="")
