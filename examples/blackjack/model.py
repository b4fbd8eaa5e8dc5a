"""Blackjack against a dealer with one deck (Nachmanson et al. 2004, section 3.3.3) as a model program.

The player hits or stands, the dealer then draws to 17 and stands on every 17. An ace counts 1 or 11, a tie is no win,
and there is no split, double or insurance. Which card comes next is a matter of chance: each card still in the deck is
as likely as any other. The question is how to play and how likely it is to win.
"""

from outplay import Model, controllable, given, goal, observable

CARDS = tuple(range(1, 11))  # an ace is 1; ten, jack, queen and king are all 10
FULL_DECK = (4, 4, 4, 4, 4, 4, 4, 4, 4, 16)
NO_CARDS = (0, False)

Hand = tuple[int, bool]  # points with every ace counted 1, and whether there is an ace


class Blackjack(Model):
    dealer = 8  # the dealer's open card; `--set dealer=6` changes it
    player = (8, 9)  # `--set "player=(10,2)"`

    turn: str = "player"  # then perhaps "deal" and "player" again, "dealer", and in the end "won" or "lost"
    deck: tuple[int, ...] = FULL_DECK  # how many cards of each value are left, aces first
    mine: Hand = NO_CARDS
    theirs: Hand = NO_CARDS

    def start(self):
        self.open_cards(self.dealer, self.player)

    @controllable
    def hit(self):
        if self.turn != "player":
            return False
        self.turn = "deal"

    @controllable
    def stand(self):
        if self.turn != "player":
            return False
        self.turn = "dealer"
        # The dealer ends with 17 or more, so all lower scores are equally good: fewer states, the same game.
        self.mine = (max(score(self.mine), 16), False)

    @observable(weight="left")
    @given(card=CARDS)
    def deal(self, card):
        """Give the player a card."""
        if self.turn != "deal" or not self.left(card):
            return False
        self.take(card)
        self.mine = added(self.mine, card)
        self.turn = "player"
        if score(self.mine) > 21:
            self.end("lost")

    @observable(weight="left")
    @given(card=CARDS)
    def draw(self, card):
        """Give the dealer a card."""
        if self.turn != "dealer" or not self.left(card):
            return False
        self.take(card)
        self.theirs = added(self.theirs, card)
        if score(self.theirs) >= 17:
            bust = score(self.theirs) > 21
            self.end("won" if bust or score(self.mine) > score(self.theirs) else "lost")

    @goal
    def won(self):
        return self.turn == "won"

    def left(self, card):
        """How many such cards the deck still has: the weight of dealing one."""
        return self.deck[card - 1]

    def take(self, card):
        self.deck = (*self.deck[: card - 1], self.deck[card - 1] - 1, *self.deck[card:])

    def open_cards(self, dealer, player):
        """Begin with the dealer's card and the player's cards on the table."""
        self.turn, self.deck, self.mine, self.theirs = "player", FULL_DECK, NO_CARDS, NO_CARDS
        for card in (dealer, *player):
            if not self.left(card):
                raise ValueError(f"one deck has no more cards of value {card}: choose others")
            self.take(card)
        self.theirs = added(self.theirs, dealer)
        for card in player:
            self.mine = added(self.mine, card)

    def end(self, how):
        """Forget the cards, so that there is one state for each outcome."""
        self.turn, self.deck, self.mine, self.theirs = how, (), NO_CARDS, NO_CARDS


class Casino(Blackjack):
    """Every deal in one game: the tester first chooses where to sit down. The deals share most of their states."""

    dealers = CARDS
    pairs = tuple((first, second) for first in CARDS for second in CARDS if first <= second)

    def start(self):
        self.turn = "choose"

    @controllable
    @given(dealer="dealers", pair="pairs")
    def sit_down(self, dealer, pair):
        if self.turn != "choose":
            return False
        self.open_cards(dealer, pair)


def added(hand, card):
    points, ace = hand
    return points + card, ace or card == 1


def score(hand):
    """The best count of a hand: an ace is worth 10 more where that does not bust."""
    points, ace = hand
    return points + 10 if ace and points <= 11 else points
