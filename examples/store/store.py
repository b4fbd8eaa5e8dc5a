"""A key-value store for several clients at once. Each call takes effect at one moment between question and answer."""

from outplay import Map, Model, controllable, given


class Store(Model):
    """Read, write and compare-and-set; what was never written is 0."""

    channel = "client"  # the argument that says on whose connection a call is
    clients = ("ann", "bob", "cid", "dan", "eve")
    keys = range(100)
    numbers = range(1_000_000)
    stored: Map[int, int] = Map()

    @controllable(returns="numbers")
    @given(client="clients", key="keys")
    def get(self, client, key, result):
        return result == self.stored.get(key, 0)

    @controllable(returns=("ok",))
    @given(client="clients", key="keys", value="numbers")
    def put(self, client, key, value, result):
        self.stored = self.stored.set(key, value)

    @controllable(returns=(True, False))
    @given(client="clients", key="keys", old="numbers", new="numbers")
    def cas(self, client, key, old, new, result):
        if result != (self.stored.get(key, 0) == old):
            return False
        if result:
            self.stored = self.stored.set(key, new)
