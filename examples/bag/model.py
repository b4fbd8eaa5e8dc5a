"""A bag (multiset) that several users share at the same time (Blass et al. 2005, section 4) as a model program.

A user calls an operation and some time later it returns. In between it takes effect, all at once, at a moment nobody
sees: a hidden step. So when two users are busy the order of their effects is open, and a result is allowed if it is
right in one of the orders that fit what was seen.
"""

from outplay import Model, controllable, given, goal, internal, observable

CALLED, DONE, FAILED = "called", "done", "failed"


class Bag(Model):
    users = ("ann", "bob")  # `--set "users=('ann',)"` leaves one alone, who never finds the bug
    elements = ("x",)
    room = 1  # how many elements fit in

    bag: tuple[str, ...] = ()
    calls: tuple[tuple[str, ...], ...] = ()  # for each user the call that has not yet returned, and how far it is

    def start(self):
        self.calls = ((),) * len(self.users)

    @controllable
    @given(user="users", element="elements")
    def add(self, user, element):
        return self.call(user, "add", element)

    @controllable
    @given(user="users", element="elements")
    def delete(self, user, element):
        return self.call(user, "delete", element)

    @controllable
    @given(user="users", element="elements")
    def lookup(self, user, element):
        return self.call(user, "lookup", element)

    def call(self, user, operation, element):
        if self.calls[self.users.index(user)]:
            return False
        self.put(user, (operation, element, CALLED))

    @internal(prompt=True)
    @given(user="users")
    def take_effect(self, user):
        operation, element, state = self.calls[self.users.index(user)] or ("", "", "")
        if state != CALLED:
            return False
        done = len(self.bag) < self.room if operation == "add" else element in self.bag
        if done and operation == "add":
            self.bag = tuple(sorted((*self.bag, element)))
        elif done and operation == "delete":
            place = self.bag.index(element)
            self.bag = self.bag[:place] + self.bag[place + 1 :]
        self.put(user, (operation, element, DONE if done else FAILED))

    @observable
    @given(user="users", result=(True, False))
    def returned(self, user, result):
        """Say whether it could be added, was there to be deleted, or was found."""
        if self.calls[self.users.index(user)][2:] != (DONE if result else FAILED,):
            return False
        self.put(user, ())

    def put(self, user, call):
        who = self.users.index(user)
        self.calls = (*self.calls[:who], call, *self.calls[who + 1 :])

    @goal
    def inactive(self):
        """The accepting state of the paper: no user is busy."""
        return not any(self.calls)

    @goal
    def all_busy(self):
        return all(self.calls)

    @goal
    def contested(self):
        """Everybody takes the one element there is: only one may get it."""
        taken = [call[1] for call in self.calls if call[:1] == ("delete",) and call[2] == DONE]
        deleting = {call[:2] for call in self.calls}
        return any(deleting == {("delete", one)} and (*self.bag, *taken) == (one,) for one in self.elements)
