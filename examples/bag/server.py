"""A bag (multiset) with a thread for each user: the system under test of the second example.

One message a line. Users call on standard input, results come on standard output, in any order:

    add ann x            ann adds an x
    delete bob x         bob takes an x out
    lookup ann x         ann asks whether there is an x
    returned ann true    ann's operation is done: it could be added, was there, was found

A user waits for the result before the next call; different users are busy at the same time.

With --bug the lock is held too late: an operation looks whether it is possible, and only then takes the lock to do it.
Alone, a user never notices. Two users at once may both find room for the last element, or both take the same one out.

To try it, run with --bug --pace 5 and type `add ann x`, then `delete ann x` and `delete bob x` in quick succession.
"""

import argparse
import contextlib
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from queue import SimpleQueue


class Bag:
    """What the users share. Elements are counted; the lock guards the counts."""

    def __init__(self, room: int, *, bug: bool) -> None:
        self.room = room
        self.bug = bug
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()

    def possible(self, operation: str, element: str) -> bool:
        return self.counts.total() < self.room if operation == "add" else self.counts[element] > 0

    def change(self, operation: str, element: str) -> None:
        self.counts[element] += {"add": 1, "delete": -1, "lookup": 0}[operation]

    def perform(self, operation: str, element: str, dawdle: float) -> bool:
        """Do an operation if it is possible, and say whether it was; `dawdle` is how long it takes to look."""
        if self.bug:
            # THE BUG: what was possible when we looked need not be when we get the lock.
            possible = self.possible(operation, element)
            time.sleep(dawdle)
            with self.lock:
                if possible:
                    self.change(operation, element)
            return possible
        with self.lock:
            possible = self.possible(operation, element)
            time.sleep(dawdle)
            if possible:
                self.change(operation, element)
            return possible


class Server:
    """A thread for each user, who works through the calls one by one."""

    def __init__(self, bag: Bag, users: Sequence[str], *, pace: float, seed: int | None) -> None:
        self.bag = bag
        self.pace = pace
        self.output = threading.Lock()
        self.inboxes: dict[str, SimpleQueue[tuple[str, str]]] = {user: SimpleQueue() for user in users}
        for user in users:
            # One generator a user: the order in which threads run cannot change the delays drawn.
            rng = random.Random(None if seed is None else f"{seed} {user}")
            threading.Thread(target=self.serve, args=(user, rng), daemon=True).start()

    def call(self, operation: str, user: str, element: str) -> None:
        self.inboxes[user].put((operation, element))

    def serve(self, user: str, rng: random.Random) -> None:
        while True:
            operation, element = self.inboxes[user].get()
            done = self.bag.perform(operation, element, rng.uniform(0, self.pace))
            self.write(f"returned {user} {'true' if done else 'false'}\n")

    def write(self, line: str) -> None:
        # Not by sys.stdout: the interpreter aborts if a daemon thread holds its buffer's lock at exit.
        # A listener who has gone is no reason to crash: the end of the input stops the server.
        with self.output, contextlib.suppress(BrokenPipeError):
            os.write(1, line.encode("utf-8", "surrogateescape"))


def parse(line: str, users: Sequence[str]) -> tuple[str, str, str]:
    words = line.split()
    if len(words) != 3 or words[0] not in ("add", "delete", "lookup"):
        raise ValueError(f"{line!r} is no call: write add, delete or lookup, then USER ELEMENT")
    if words[1] not in users:
        raise ValueError(f"{words[1]!r} is no user: call as one of {', '.join(users)}")
    return words[0], words[1], words[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A shared bag on standard input and output.")
    add = parser.add_argument
    add("--users", type=lambda text: text.split(","), default="ann,bob", help="who takes part (default: %(default)s)")
    add("--room", type=int, default=1, help="how many elements fit in (default: %(default)s)")
    add(
        "--pace",
        type=float,
        default=0.01,
        metavar="SECONDS",
        help="the longest time an operation takes to look into the bag (default: %(default)s)",
    )
    add("--seed", type=int, help="draw the same delays again (default: fresh ones)")
    add("--greet", action="store_true", help="say `ready` before anything else")
    add("--bug", action="store_true", help="look into the bag before taking the lock")
    return parser.parse_args()


def main() -> int:
    """Serve until the input ends (status 0, without waiting for results) or is malformed (status 2)."""
    args = arguments()
    server = Server(Bag(args.room, bug=args.bug), args.users, pace=args.pace, seed=args.seed)
    if args.greet:
        server.write("ready\n")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            server.call(*parse(line.decode("utf-8", "surrogateescape"), args.users))
        except ValueError as error:
            print(f"bag server: line {number}: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
