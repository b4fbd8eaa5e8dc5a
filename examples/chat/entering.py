"""The chat session with an entering phase (Blass et al. 2005, section 2.4) as a model program.

The tester starts a session for some clients, they enter in any order, and only when all are there may anybody post.
All orders of entering lead to the same state, and the tester has nothing to decide on the way: what lies in between is
what compressing a game takes out. `--set posting=False` leaves only that part, as in the paper's Figure 2.
"""

from outplay import Model, controllable, given, goal, observable


class Entering(Model):
    sizes = (3,)  # for how many clients a session may be started
    texts = ("hi",)
    posting = True

    n_clients: int = 0  # how many clients the session waits for; 0 before it is started
    clients: frozenset[int] = frozenset()
    queue: tuple[tuple[int, str], ...] = ()  # who said what, oldest first
    recipients: frozenset[int] = frozenset()  # who has yet to get the oldest message

    @controllable
    @given(n="sizes")
    def start(self, n):
        if self.n_clients:
            return False
        self.n_clients = n

    @observable
    @given(client="awaited")
    def enter(self, client):
        self.clients |= {client}

    @controllable
    @given(sender="clients", text="texts")
    def post(self, sender, text):
        if not self.posting or not self.everybody_is_in() or any(who == sender for who, _ in self.queue):
            return False
        if not self.queue:
            self.recipients = self.clients - {sender}
        self.queue += ((sender, text),)

    @observable
    @given(recipient="recipients", message=lambda self: self.queue[:1])
    def deliver(self, recipient, message):
        self.recipients -= {recipient}
        if not self.recipients:
            self.queue = self.queue[1:]
            self.recipients = self.clients - {self.queue[0][0]} if self.queue else frozenset()

    @goal
    def everybody_is_in(self):
        return self.n_clients > 0 and len(self.clients) == self.n_clients

    def awaited(self):
        return frozenset(range(self.n_clients)) - self.clients
