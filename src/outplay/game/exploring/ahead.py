"""Expanding ahead of the search, where that is faster: first rounds are measured, then others may help.

One process alone remembers what methods did, and is often faster than several. So it begins alone. Where a transition
takes it long, and there is enough left to do, workers are hired; where the search is no faster with them, they are let
go. Which process expands a state changes nothing about the result.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence

from outplay.game.exploring.crew import Crew, Expanded, Helper
from outplay.model.programs.batches import Vocabulary, rows_of
from outplay.model.programs.stepping import Stepper

_LOOK_EVERY = 32  # states expanded here
_MEASURED = 0.3  # seconds of exploring alone before anything is decided
_WORTH = 8e-6  # seconds for a transition from which workers gain more than it costs to send it
_HIRING = 4.0  # seconds of work there must be, what is behind taken for what is ahead: to begin takes about one
_BATCH = 0.05  # seconds of work sent at a time
_LEAST = 0.004  # seconds of work for which it is worth to send anything
_LARGEST = 4096  # states sent at a time
_TRIED = 2.0  # seconds after which working together has to be faster than alone
_PATIENCE = 3  # times in a row that it may be slower, as other programs may be what slows it down


class Ahead:
    """The expansion of states one by one, some of them by workers and before they are asked for."""

    def __init__(self, stepper: Stepper, crew: Crew, seconds: float) -> None:
        self._stepper, self._crew = stepper, crew
        self._deadline, self._began = time.monotonic() + seconds, time.perf_counter()
        self._words = Vocabulary(stepper)
        self._helpers, self._idle = list[Helper](), deque[Helper]()
        self._flight = deque[tuple[int, int, Helper]]()
        """What was sent: the first state, how many, and to whom."""
        self._batch: Expanded | None = None
        self._sent = 0
        """The number of the first state that was not sent, nor expanded here."""
        self._alone, self._states_alone, self._found_alone = 0.0, 0, 0
        self._pace, self._since, self._found = math.inf, 0.0, 0
        self._slower, self._given_up = 0, False
        self.helped = 0
        """The number of states that workers expanded."""

    def expand(self, number: int, labels: list[int], targets: list[int]) -> None:
        """Append the transitions of the next state."""
        if self._batch is None or number >= self._batch.first + self._batch.count:
            self._batch = self._arrived(number, len(targets))
        if self._batch is not None:
            self._batch.take(number, labels, targets)
            self.helped += 1
            return
        before, began = len(targets), time.perf_counter()
        self._sent = max(self._sent, number + 1)
        self._stepper.expand(number, labels, targets)
        self._alone += time.perf_counter() - began
        self._states_alone += 1
        self._found_alone += len(targets) - before
        if self._states_alone % _LOOK_EVERY == 0 or self._crew.at_once:
            self._look(len(targets))

    def goals_after_expanding(self, number: int) -> Sequence[str]:
        """Name the goals that hold in the state that was expanded last."""
        return self._stepper.goals_after_expanding(number) if self._batch is None else self._batch.goals_of(number)

    def close(self) -> None:
        """Let the workers go."""
        helpers, self._helpers, self._given_up = self._helpers, [], True
        self._idle.clear()
        self._flight.clear()
        for helper in helpers:
            helper.dismiss()
        for helper in helpers:
            helper.close()
        if helpers:
            self._crew.close()

    def _look(self, found: int) -> None:
        """Hire workers where that is worth while, and send them states once they are there."""
        if not self._helpers and not self._given_up and self._worth_hiring():
            self._pace = (time.perf_counter() - self._began) / max(found, 1)
            self._helpers = [Helper(self._crew, one, self._words) for one in range(len(self._crew.hire))]
            for helper in self._helpers:
                helper.greet()
        if self._helpers and not self._idle and not self._flight:
            self._idle.extend(helper for helper in self._helpers if self._crew.at_once or helper.seat.ready)
            if len(self._idle) < len(self._helpers):
                self._idle.clear()
                return
            for helper in self._idle:
                helper.result()
            self._since, self._found = time.perf_counter(), found
        self._send()

    def _worth_hiring(self) -> bool:
        if self._crew.at_once:
            return True
        spent = time.perf_counter() - self._began
        ahead = (len(self._stepper.states) - self._sent) * self._alone / self._states_alone
        slow = self._alone > _WORTH * max(self._found_alone, 1)
        return spent > _MEASURED and slow and spent + ahead > _HIRING

    def _send(self) -> None:
        """Give whoever is idle the next states, unless they are so few that they are sooner expanded here."""
        each = self._alone / max(self._states_alone, 1)
        while self._idle:
            left = len(self._stepper.states) - self._sent
            fair = -(-left // len(self._helpers))
            count = min(fair, max(int(_BATCH / each), 1), _LARGEST)
            if count == 0 or (count * each < _LEAST and not self._crew.at_once):
                return
            states = self._stepper.states[self._sent : self._sent + count]
            helper = self._idle.popleft()
            helper.submit(rows_of(self._stepper, states), max(self._deadline - time.monotonic(), 0.1))
            self._flight.append((self._sent, count, helper))
            self._sent += count

    def _arrived(self, number: int, found: int) -> Expanded | None:
        """The batch with a state; None where that has to be expanded here."""
        if not self._flight or self._flight[0][0] != number:
            return None
        first, count, helper = self._flight.popleft()
        batch = helper.result()
        self._idle.append(helper)
        expanded = Expanded(self._stepper, helper, first, count, batch)
        self._send()
        now = time.perf_counter()
        if now - self._since > _TRIED and not self._crew.at_once:
            self._slower = self._slower + 1 if (now - self._since) > self._pace * (found - self._found) else 0
            if self._slower == _PATIENCE:
                self.close()  # what was sent is expanded here
            self._since, self._found = now, found
        return expanded if expanded.count else None
