"""A Blackjack dealer with one shuffled deck: the system under test of the Blackjack example.

One message a line. The player speaks on standard input, the dealer on standard output:

    hit         the player wants a card
    deal 5      and gets a five (an ace is 1; ten, jack, queen and king are 10)
    stand       the player has enough
    draw 10     the dealer draws, and goes on until there are 17 points or more

With --bug the dealer plays by the rules of another house and draws once more on a soft 17, an ace counted as 11.
"""

import argparse
import random
import sys

DECK = [*range(1, 10), 10, 10, 10, 10] * 4


class Table:
    """One round of play: the hands, and the rest of the deck in its order."""

    def __init__(self, dealer: int, player: list[int], rng: random.Random, *, bug: bool) -> None:
        self.bug = bug
        self.dealer, self.player = [dealer], list(player)
        self.rest = list(DECK)
        for card in (dealer, *player):
            self.rest.remove(card)
        rng.shuffle(self.rest)

    def hit(self) -> None:
        self.player.append(self.rest.pop())
        say(f"deal {self.player[-1]}")

    def stand(self) -> None:
        while self.draws():
            self.dealer.append(self.rest.pop())
            say(f"draw {self.dealer[-1]}")

    def draws(self) -> bool:
        soft = score(self.dealer) > sum(self.dealer)
        return score(self.dealer) < (18 if self.bug and soft else 17)


def score(hand: list[int]) -> int:
    """The points of a hand, an ace counted as 11 where that does not bust."""
    return sum(hand) + 10 if 1 in hand and sum(hand) <= 11 else sum(hand)


def say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="A Blackjack dealer on standard input and output.")
    add = parser.add_argument
    add("--dealer", type=int, default=8, help="the dealer's open card (default: %(default)s)")
    add("--player", type=int, nargs=2, default=[8, 9], metavar="CARD", help="the player's cards (default: 8 9)")
    add("--seed", type=int, help="shuffle the same way again (default: anew)")
    add("--greet", action="store_true", help="say `ready` before anything else")
    add("--bug", action="store_true", help="draw on a soft 17 too")
    args = parser.parse_args()
    table = Table(args.dealer, args.player, random.Random(args.seed), bug=args.bug)
    if args.greet:
        say("ready")
    for number, line in enumerate(sys.stdin, start=1):
        if line.strip() not in ("hit", "stand"):
            print(f"dealer: line {number}: {line.strip()!r} is neither hit nor stand", file=sys.stderr)
            return 2
        table.hit() if line.strip() == "hit" else table.stand()
    return 0


if __name__ == "__main__":
    sys.exit(main())
