# ruff: noqa: RET503 - an action that does not return False is enabled
"""A lock server with leases, as a model program of some hundred states; time passes before or after any question.

The lock is given to who asks for it, or to who has waited longest when it is free again. A lease runs out by itself:
its holder is warned at some time and, unless the lease is renewed before, loses the lock at some time after that. The
server takes the next question when all answers are told; a lease may run out before, in between or after.
"""

from outplay import Model, controllable, given, observable


class Lock(Model):
    clients = ("ann", "bob", "cid")

    held: frozenset[str] = frozenset()  # by whom, if by anybody
    warned: bool = False  # whether the lease runs out soon
    waiting: tuple[str, ...] = ()  # the first is next
    due: frozenset[tuple[str, str]] = frozenset()  # what is to be told to whom

    @controllable
    @given(client="clients")
    def acquire(self, client):
        if self.due:
            return False
        if client in self.held or client in self.waiting:
            self.due |= {("refused", client)}
        elif self.held:
            self.waiting += (client,)
        else:
            self.grant(client)

    @controllable
    @given(client="clients")
    def renew(self, client):
        if self.due:
            return False
        if client in self.held:
            self.warned = False
            self.due |= {("renewed", client)}
        else:
            self.due |= {("refused", client)}

    @controllable
    @given(client="clients")
    def release(self, client):
        if self.due:
            return False
        if client in self.held:
            self.due |= {("released", client)}
            self.free(client)
        elif client in self.waiting:
            self.due |= {("released", client)}
            self.waiting = tuple(one for one in self.waiting if one != client)
        else:
            self.due |= {("refused", client)}

    @observable
    @given(told="due")
    def tell(self, told):
        self.due -= {told}

    @observable
    @given(client="held")
    def warn(self, client):
        if self.warned:
            return False
        self.warned = True

    @observable
    @given(client="held")
    def expire(self, client):
        if not self.warned:
            return False
        self.free(client)

    def grant(self, client):
        self.held |= {client}
        self.due |= {("granted", client)}

    def free(self, client):
        self.held -= {client}
        self.warned = False
        if self.waiting:
            following, self.waiting = self.waiting[0], self.waiting[1:]
            self.grant(following)
