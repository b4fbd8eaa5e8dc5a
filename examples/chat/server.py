"""A little chat server with real threads: the system under test of the main example.

One message a line. Clients speak on standard input, the server delivers on standard output:

    post ann hi              ann posts the text hi (a word, or a JSON string such as "good day")
    deliver bob ann hi       bob receives it
    deliver cid ann hi       cid receives it, before or after bob

Messages are delivered in the order posted, and the current one reaches everyone but its sender, in any
order, before the next one moves: the chat session of "Play to Test" (Blass, Gurevich, Nachmanson, Veanes).

The main thread queues the posts, the dispatcher hands the oldest to the couriers and waits until they
are done, and each client has a courier, who dawdles a little and then delivers.

With --bug the dispatcher makes the classical mistake with a condition variable: it waits with `if` where
it should wait with `while`. Whatever wakes it, it believes that all is delivered. A post wakes it too, so a
message posted while the one before is partly delivered may overtake it. A test that posts only when all
is quiet never sees this, and a test that does not wait sees it only sometimes.

To try it, run with --bug --pace 5 and type the posts `post ann hi` and `post bob bye` in quick succession.
"""

import argparse
import contextlib
import os
import random
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from queue import SimpleQueue

POST = re.compile(r'post (\S+) ([^\s"]\S*|"(?:[^"\\]|\\.)*")')


class Chat:
    """A running session; the condition guards `posted` and `outstanding` and tells when they change."""

    def __init__(self, clients: Sequence[str], *, pace: float, seed: int | None, bug: bool) -> None:
        self.pace = pace
        self.bug = bug
        self.condition = threading.Condition()
        self.posted: deque[tuple[str, str]] = deque()  # sender and text
        self.outstanding = 0  # deliveries handed to couriers and not yet made
        self.output = threading.Lock()
        self.inboxes: dict[str, SimpleQueue[tuple[str, str]]] = {client: SimpleQueue() for client in clients}
        for client in clients:
            # One generator a courier: the order in which threads run cannot change the delays drawn.
            rng = random.Random(None if seed is None else f"{seed} {client}")
            threading.Thread(target=self.courier, args=(client, rng), daemon=True).start()
        threading.Thread(target=self.dispatcher, daemon=True).start()

    def post(self, sender: str, text: str) -> None:
        with self.condition:
            self.posted.append((sender, text))
            self.condition.notify()

    def dispatcher(self) -> None:
        while True:
            with self.condition:
                while not self.posted:
                    self.condition.wait()
                self.hand_out(*self.posted.popleft())
                self.wait_until_delivered()

    def hand_out(self, sender: str, text: str) -> None:
        for client in self.inboxes.keys() - {sender}:
            self.outstanding += 1
            self.inboxes[client].put((sender, text))

    def wait_until_delivered(self) -> None:
        if self.bug:
            # THE BUG: a post wakes the dispatcher as well, and nobody looks again at what is outstanding.
            if self.outstanding:
                self.condition.wait()
        else:
            while self.outstanding:
                self.condition.wait()

    def courier(self, client: str, rng: random.Random) -> None:
        while True:
            sender, text = self.inboxes[client].get()
            time.sleep(rng.uniform(0, self.pace))
            self.write(f"deliver {client} {sender} {text}\n")
            with self.condition:
                self.outstanding -= 1
                if not self.outstanding:
                    self.condition.notify()

    def write(self, line: str) -> None:
        # Not by sys.stdout: the interpreter aborts if a daemon thread holds its buffer's lock at exit.
        # A listener who has gone is no reason to crash: the end of the input stops the server.
        with self.output, contextlib.suppress(BrokenPipeError):
            os.write(1, line.encode("utf-8", "surrogateescape"))


def parse(line: str, clients: Sequence[str]) -> tuple[str, str]:
    match = POST.fullmatch(line)
    if match is None:
        raise ValueError(f"{line!r} is no post: write post SENDER TEXT, the text a word or a JSON string")
    if match[1] not in clients:
        raise ValueError(f"{match[1]!r} is not in the session: post as one of {', '.join(clients)}")
    return match[1], match[2]


def names(text: str) -> list[str]:
    clients = text.split(",")
    if len(set(clients)) < len(clients) or not all(re.fullmatch(r"\S+", client) for client in clients):
        raise argparse.ArgumentTypeError(f"{text!r}: give distinct names without spaces, as in ann,bob,cid")
    return clients


def seconds(text: str) -> float:
    if not 0 <= float(text) < threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r}: give a finite time, not less than 0")
    return float(text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A chat server on standard input and output.")
    add = parser.add_argument
    add("--clients", type=names, default="ann,bob,cid", help="who takes part (default: %(default)s)")
    add(
        "--pace",
        type=seconds,
        default=0.01,
        metavar="SECONDS",
        help="the longest time a courier dawdles before a delivery (default: %(default)s)",
    )
    add("--seed", type=int, help="draw the same delays again (default: fresh ones)")
    add("--greet", action="store_true", help="say `ready` before anything else")
    add("--bug", action="store_true", help="let a message overtake the one before it")
    add("--crash-after", type=int, metavar="N", help="die with status 3 once the N-th post is taken in")
    return parser.parse_args()


def main() -> int:
    """Serve until the input ends (status 0, without waiting for deliveries) or is malformed (status 2)."""
    args = arguments()
    chat = Chat(args.clients, pace=args.pace, seed=args.seed, bug=args.bug)
    if args.greet:
        chat.write("ready\n")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            chat.post(*parse(line.decode("utf-8", "surrogateescape").rstrip("\r\n"), args.clients))
        except ValueError as error:
            print(f"chat server: line {number}: {error}", file=sys.stderr)
            return 2
        if number == args.crash_after:
            os._exit(3)
        # Posts come in one by one, as from a network: read in one gulp, they would seldom show the bug.
        time.sleep(min(args.pace / 10, 0.001))
    return 0


if __name__ == "__main__":
    sys.exit(main())
