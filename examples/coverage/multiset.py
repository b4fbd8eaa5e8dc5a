"""A multiset that threads share, as a benchmark of node coverage (Wang et al. 2013, Table 1: 19, 43 and 91 nodes).

All threads are told to insert, delete or look up the same element at the same time, and return one by one in an order
of their own. From some moment on they may be refused: there is no room left, or the element is gone. After a refusal
the tester tidies up before the next round. Each state belongs to one side, so that under `--assumption timeout` the
game of m threads has as many vertices as the model has states: 6 2^m - 5.
"""

from outplay import Model, controllable, given, observable


class Multiset(Model):
    threads = 2
    operations = ("insert", "delete", "lookup")

    operation: str = ""  # of the round that is under way
    busy: frozenset[int] = frozenset()  # threads that have not returned
    refused: bool = False  # whether one has been

    @controllable
    @given(operation="operations")
    def call(self, operation):
        if self.operation:
            return False
        self.operation, self.busy = operation, frozenset(range(self.threads))

    @observable
    @given(thread="busy")
    def returned(self, thread):
        if self.refused:
            return False
        self.busy -= {thread}
        if not self.busy:
            self.operation = ""

    @observable
    @given(thread="busy")
    def turned_away(self, thread):
        self.busy -= {thread}
        self.refused = True

    @controllable
    def tidy(self):
        if not self.refused or self.busy:
            return False
        self.operation, self.refused = "", False
