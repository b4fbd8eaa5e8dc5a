"""The chat session of "Play to Test" (Blass et al. 2005, section 1) as a model program.

Clients post messages; each message reaches everybody but its sender, in any order, before the next one moves. A client
posts again only after its last message has gone out.
"""

from outplay import Model, controllable, given, goal, observable


class Chat(Model):
    clients = ("ann", "bob", "cid")  # constants: no annotation; `--set clients="('ann','bob')"` changes them
    texts = ("hi", "bye")

    queue: tuple[tuple[str, str], ...] = ()  # annotated attributes are the state: who said what, oldest first
    waiting: frozenset[str] = frozenset()  # who has yet to get the oldest message

    @controllable
    @given(sender="clients", text="texts")
    def post(self, sender, text):
        if any(who == sender for who, _ in self.queue):
            return False  # not enabled here: whatever was changed is undone
        if not self.queue:
            self.waiting = self.everyone_but(sender)
        self.queue += ((sender, text),)

    @observable
    @given(recipient="waiting", sender="current_sender", text="current_text")
    def deliver(self, recipient, sender, text):
        self.waiting -= {recipient}
        if not self.waiting:
            self.queue = self.queue[1:]
            self.waiting = self.everyone_but(self.queue[0][0]) if self.queue else frozenset()

    @goal
    def two_pending(self):
        return len(self.queue) == 2

    @goal
    def everybody_posted(self):
        return len(self.queue) == len(self.clients)

    def current_sender(self):
        return [sender for sender, _ in self.queue[:1]]

    def current_text(self):
        return [text for _, text in self.queue[:1]]

    def everyone_but(self, sender):
        return frozenset(self.clients) - {sender}
