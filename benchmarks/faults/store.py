# ruff: noqa: RET503 - an action that does not return False is enabled
"""A key-value store with leases and watchers, as a model program with more than ten thousand states.

An entry is put for some ticks of the clock, or for ever. Who watches a key is told of every change of it, the end of a
lease included; all who are to be told are told in any order. Clients may watch, stop watching and ask while others are
still to be told.
"""

from outplay import Model, controllable, given, observable


class Store(Model):
    keys = (0, 1)
    clients = ("ann", "bob")
    values = (1, 2)
    leases = (0, 1, 3)  # for how many ticks; 0: for ever

    held: tuple[int, ...] = (0, 0)  # the value of each key; 0: none
    left: tuple[int, ...] = (0, 0)  # how many ticks are left of each lease
    watching: frozenset[tuple[str, int]] = frozenset()
    due: frozenset[tuple[str, int, int]] = frozenset()  # who is to be told of which key what value

    @controllable
    @given(key="keys", value="values", lease="leases")
    def put(self, key, value, lease):
        if self.due:
            return False
        changed = self.held[key] != value
        self.held = self.with_entry(self.held, key, value)
        self.left = self.with_entry(self.left, key, lease)
        if changed:
            self.tell_watchers(key, value)

    @controllable
    def tick(self):
        if self.due:
            return False
        for key in self.keys:
            if self.left[key] == 1:
                self.held = self.with_entry(self.held, key, 0)
                self.tell_watchers(key, 0)
        self.left = tuple(max(0, ticks - 1) for ticks in self.left)

    @controllable
    @given(client="clients", key="keys")
    def watch(self, client, key):
        if (client, key) in self.watching:
            return False
        self.watching |= {(client, key)}

    @controllable
    @given(client="clients", key="keys")
    def unwatch(self, client, key):
        if (client, key) not in self.watching:
            return False
        self.watching -= {(client, key)}
        self.due = frozenset(one for one in self.due if one[:2] != (client, key))

    @controllable
    @given(client="clients", key="keys")
    def ask(self, client, key):
        if any(who == client for who, _, _ in self.due):
            return False
        self.due |= {(client, key, self.held[key])}

    @observable
    @given(told="due")
    def tell(self, told):
        self.due -= {told}

    def tell_watchers(self, key, value):
        for client in self.clients:
            if (client, key) in self.watching:
                self.due |= {(client, key, value)}

    def with_entry(self, entries, key, value):
        return (value, entries[1]) if key == 0 else (entries[0], value)
