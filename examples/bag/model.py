"""A bag (multiset) that several users share at the same time (Blass et al. 2005, section 4) as a model program.

A user calls an operation and some time later it returns. In between it takes effect, all at once, at a moment nobody
sees. So when two users are busy the order of their effects is open, and the model keeps every world that fits what was
seen: what lies in the bag, and how far each call has got. A result is allowed if it is right in one of these worlds.
"""

from outplay import Model, controllable, given, goal, observable

IDLE = ("idle",)
World = tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]  # the bag, and for each user what the call has come to


class Bag(Model):
    users = ("ann", "bob")  # `--set "users=('ann',)"` leaves one alone, who never finds the bug
    elements = ("x",)
    room = 1  # how many elements fit in

    calls: tuple[tuple[str, ...], ...] = ()  # for each user the call that has not yet returned
    worlds: frozenset[World] = frozenset()

    def start(self):
        self.calls = ((),) * len(self.users)
        self.worlds = frozenset({((), (IDLE,) * len(self.users))})

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

    @observable
    @given(user="users", result=(True, False))
    def returned(self, user, result):
        """Say whether it could be added, was there to be deleted, or was found."""
        who = self.users.index(user)
        fitting = [(bag, states) for bag, states in self.worlds if states[who] == ("done", result)]
        if not fitting:
            return False
        self.calls = replaced(self.calls, who, ())
        self.worlds = frozenset((bag, replaced(states, who, IDLE)) for bag, states in fitting)

    @goal
    def inactive(self):
        """The accepting state of the paper: no user is busy."""
        return not any(self.calls)

    @goal
    def all_busy(self):
        return all(self.calls)

    @goal
    def contested(self):
        """Everybody is about to take the one element there is: only one may get it."""
        untouched = [bag for bag, states in self.worlds if states == self.calls]
        return any(set(self.calls) == {("delete", one)} and untouched == [(one,)] for one in self.elements)

    def call(self, user, operation, element):
        who = self.users.index(user)
        if self.calls[who]:
            return False
        self.calls = replaced(self.calls, who, (operation, element))
        self.worlds = self.with_effects(
            {(bag, replaced(states, who, (operation, element))) for bag, states in self.worlds}
        )

    def with_effects(self, worlds):
        """Add the worlds in which calls that are under way have taken effect, in every order."""
        found, new = set(worlds), list(worlds)
        for bag, states in new:  # the list grows while it is walked through
            for who, state in enumerate(states):
                if state[0] in EFFECTS:
                    after, result = EFFECTS[state[0]](bag, state[1], self.room)
                    world = (after, replaced(states, who, ("done", result)))
                    if world not in found:
                        found.add(world)
                        new.append(world)
        return frozenset(found)


def added(bag, element, room):
    fits = len(bag) < room
    return (tuple(sorted((*bag, element))) if fits else bag), fits


def deleted(bag, element, room):
    if element not in bag:
        return bag, False
    place = bag.index(element)
    return bag[:place] + bag[place + 1 :], True


def looked_up(bag, element, room):
    return bag, element in bag


EFFECTS = {"add": added, "delete": deleted, "lookup": looked_up}


def replaced(items, place, item):
    return (*items[:place], item, *items[place + 1 :])
