"""A chat server, as a benchmark of node coverage (Wang et al. 2013, Table 1: 65, 161 and 385 nodes).

One of `clients` posts one of two texts; the server hands it to the others one by one, in an order of its own, and then
says that it is done. Of m clients up to m - 1 deliveries are pending. Each state belongs to one side, so that under
`--assumption timeout` the game has as many vertices as the model has states: m 2^m + 1.
"""

from outplay import Model, controllable, given, observable


class Chat(Model):
    clients = 4
    texts = ("hi", "bye")

    posted: tuple[tuple[int, str], ...] = ()  # who said what, while it goes round
    pending: frozenset[int] = frozenset()  # who has yet to get it

    @controllable
    @given(sender="everyone", text="texts")
    def post(self, sender, text):
        if self.posted:
            return False
        self.posted = ((sender, text),)
        self.pending = frozenset(self.everyone()) - {sender}

    @observable
    @given(recipient="pending")
    def deliver(self, recipient):
        self.pending -= {recipient}

    @observable
    def done(self):
        if not self.posted or self.pending:
            return False
        self.posted = ()

    def everyone(self):
        return range(self.clients)
