"""An inventory server, as a benchmark of node coverage (Wang et al. 2013, Table 1: 20, 80 and 308 nodes).

Clients ask about an item, several at once if they like. The server answers them one by one, in an order of its own:
each is told, or refused, and may ask again when it has put the answer away. While nobody is asking, and some client
besides the first one holds an answer, the first may have the stock counted; where the count deviates it is corrected.
Each state belongs to one side, so that under `--assumption timeout` the game of m clients has as many vertices as the
model has states: 4^m + 2 3^(m - 1) - 2.
"""

from itertools import combinations

from outplay import Model, controllable, given, observable

IDLE, ASKING, OBJECTIVE_OPTIONS, REFUSED = "idle", "asking", "told", "refused"


class Inventory(Model):
    clients = 2

    states: tuple[str, ...] = ()  # of each client
    count: str = ""  # counting, or deviating

    def start(self):
        self.states = (IDLE,) * self.clients

    @controllable
    @given(group="idle_groups")
    def ask(self, group):
        if not self.at_rest():
            return False
        self.states = tuple(ASKING if client in group else state for client, state in enumerate(self.states))

    @controllable
    @given(client="everyone")
    def put_away(self, client):
        if not self.at_rest() or self.states[client] not in (OBJECTIVE_OPTIONS, REFUSED):
            return False
        self.set(client, IDLE)

    @observable
    @given(client="everyone", answer=(OBJECTIVE_OPTIONS, REFUSED))
    def answer(self, client, answer):
        if self.states[client] != ASKING:
            return False
        self.set(client, answer)

    @controllable
    def count_stock(self):
        others = self.states[1:]
        if not self.at_rest() or self.states[0] != IDLE or set(others) == {IDLE}:
            return False
        self.count = "counting"

    @observable
    @given(result=("right", "deviates"))
    def counted(self, result):
        if self.count != "counting":
            return False
        self.count = "" if result == "right" else "deviating"

    @controllable
    def correct(self):
        if self.count != "deviating":
            return False
        self.count = ""

    def at_rest(self):
        """Whether nobody is asking or counting, so that it is the tester's turn."""
        return not self.count and ASKING not in self.states

    def set(self, client, state):
        self.states = (*self.states[:client], state, *self.states[client + 1 :])

    def everyone(self):
        return range(self.clients)

    def idle_groups(self):
        idle = [client for client in self.everyone() if self.states[client] == IDLE]
        return [group for size in range(1, len(idle) + 1) for group in combinations(idle, size)]
