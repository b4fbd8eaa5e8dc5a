"""The player: what was seen goes in, the next move comes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from random import Random

import numpy as np

from outplay.compiling import COMPILE_FROM_EDGES, load
from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE
from outplay.strategy.suspicion._kernels import AnsweringRows, best_plans, nearest, pursuit
from outplay.strategy.suspicion.behaviour_table import Floats, Lookup, States, Steps, answering_rows
from outplay.strategy.suspicion.features import Doubts
from outplay.strategy.suspicion.hypotheses import Hypotheses
from outplay.strategy.suspicion.pair_game import PairGame, pair_game
from outplay.strategy.suspicion.suspects import UNHEARD, Doubled, ExtraStates, Suspects, WrongAnswers
from outplay.strategy.suspicion.suspicion_plan import PooledEstimates, RaceOdds, SuspicionPlan
from outplay.strategy.suspicion.untested import FollowUp, Untested

WAIT, RESET = -1, -2
OUTSIDE = -1
SEVERAL = 25  # steps whose suspects are followed at a time
_ALIKE = 1e-12  # moves whose worth differs by less are drawn from


class Suspicion:
    """Plays against what may be wrong with a system of which the behaviour is known.

    One play after another: `begin`, then `move` and `saw`, with what happened by the numbers of the table. What was
    learnt is kept from play to play. The same seed gives the same play.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.label import Label
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> player = Suspicion(lamp, Random(1))
    >>> player.begin()
    >>> player.saw(lamp.labels.index(Label.parse("?press")))
    >>> player.move() == WAIT  # for the answer that is owed
    True
    """

    def __init__(
        self,
        table: TransitionTable,
        rng: Random,
        pairs: PairGame | None = None,
        *,
        solve: Callable[[AnsweringRows], PairGame] = pair_game,
    ) -> None:
        rows = answering_rows(table)
        self.table, self._rows, self._rng = table, rows, rng
        silence = table.labels.index(SILENCE) if SILENCE in table.labels else -1
        self.pairs = pairs or solve(rows)
        self.learnt, self.races = PooledEstimates(rows, table), RaceOdds(table)
        self._lookup = Lookup(rows, len(table.labels))
        self._steps = Steps(rows, silence)
        self.suspects = Suspects(self._steps, self.pairs, np.random.default_rng(rng.getrandbits(32)))
        self.unsaid, self.doubts = WrongAnswers(rows, silence), Doubts(table)
        self.extra, self.doubled = ExtraStates(rows), Doubled(rows, self._steps, silence)
        self._plan = SuspicionPlan(rows, self.races, table.initial, silence)
        chooses = bool((rows.first[1:] - rows.split > 1).any())
        self._alive = Hypotheses(self.suspects, self.pairs, self._lookup.following, chooses=chooses)
        self.untested = Untested(rows, table.initial, self.races.lost, self._steps, self.suspects)
        self.follow_up: FollowUp | None = None
        """On which it is; else it goes by its plan."""
        self.sent = False
        """Whether the last move was that of a follow-up."""
        self.covers = False
        """Whether it makes one follow-up after the other, while something is left that is not tested."""
        self.state = table.initial
        self._fresh = True
        self.meant = WAIT
        """The move that was decided on, here or elsewhere: an input, `WAIT` or `RESET`."""
        self._before: int | None = None
        self._asked = 0.0
        """The doubt in the last transition when it was taken; in a question, it is the doubt in its answer."""
        self._silence, self._quiet = silence, False
        """Whether silence was seen and goes on until something is given: to wait once more would show nothing."""

    def begin(self) -> None:
        """A play begins in the initial state."""
        self._alive.end()
        self.untested.over.clear()
        if self.follow_up and not self.follow_up.goes_on():
            self._end_follow_up()
        self._at(self.table.initial, fresh=True)

    def end(self) -> None:
        """Let no play come after this one: a follow-up that was begun counts as an attempt."""
        if self.follow_up and self.follow_up.begun:
            self._end_follow_up()

    def place(self, state: int) -> None:
        """The play is in another state than was followed, or `OUTSIDE` of what is known: hypotheses are lost."""
        self._alive.end()
        self._at(state, fresh=False)

    def _at(self, state: int, *, fresh: bool) -> None:
        self.state, self._fresh, self._before, self._quiet = state, fresh, None, False
        self.extra.begin()
        self.doubled.begin()

    def ready(self) -> None:
        """Load what decisions need: in the middle of a play that would hold up the system."""
        if 20 * SEVERAL * self.table.state_count >= COMPILE_FROM_EDGES:
            load(best_plans, nearest, pursuit)
            self.pairs.look_from(self.state)
            self.pairs.promises(self.state, np.full(1, self.state), np.zeros(1))
        self.move()

    def move(self, *, resets: bool = True, most_silences: float = np.inf) -> int:
        """The number of an input, `WAIT` or `RESET`, unless that is ruled out and there is something else to do.

        Silence that lasts is waited for at most so often in a state.
        """
        following_up = self._followed_up(resets=resets)
        self.meant = self._planned(resets, most_silences) if following_up is None else following_up
        return self.meant

    def _planned(self, resets: bool, most_silences: float) -> int:
        """The move that is worth most."""
        rows, state = self._rows, self.state
        worth = self._worth(fresh=self._fresh or not resets)
        heard = self._silences_heard >= most_silences
        if (self._quiet or heard) and np.isfinite(np.delete(worth, -2)).any():
            worth[-2] = -np.inf
        best = np.flatnonzero(worth >= worth.max() - _ALIKE)
        chosen = int(best[self._rng.randrange(len(best))])
        inputs = int(rows.split[state] - rows.first[state])
        if chosen < inputs:
            return int(rows.label[rows.first[state] + chosen])
        return WAIT if chosen == inputs else RESET

    @property
    def _silences_heard(self) -> int:
        """The number of times that silence was seen here, where nothing else can come and it changes nothing."""
        silence = int(self._rows.split[self.state])
        return int(self.learnt.seen[silence]) if self._lasts(silence, self.state) else 0

    def _lasts(self, edge: int, state: int) -> bool:
        rows = self._rows
        only = rows.split[state] <= edge == rows.first[state + 1] - 1
        return bool(only and rows.label[edge] == self._silence and rows.target[edge] == state)

    def _followed_up(self, *, resets: bool) -> int | None:
        """The move of a follow-up, where there was no news for long and something is not tested."""
        self.sent = False
        while self.follow_up or self._set_out(resets=resets):
            assert self.follow_up is not None
            starts = resets and not self._fresh
            edge = self.follow_up.edge(self.state, self._rows, self.pairs, self._alive, resets=starts)
            if edge is not None:
                self.sent = True
                return int(self._rows.label[edge]) if edge < self._rows.split[self.state] else WAIT
            if self.follow_up.goes_on() and not self._fresh:
                return RESET if resets else None
            self._end_follow_up()
        return None

    def _set_out(self, *, resets: bool) -> bool:
        """Set out on a follow-up, if there is need and something to go to."""
        if not (self.untested.passed_over or (self.covers and len(self.untested.left))):
            return False
        initial = self.table.initial
        step = self.untested.nearest(self.state)
        if step is None and resets and not self._fresh:
            step = self.untested.nearest(initial)
        self.follow_up = None if step is None else FollowUp(step, self.state, initial, self.untested)
        return self.follow_up is not None

    def _end_follow_up(self) -> None:
        assert self.follow_up is not None
        self.follow_up.end()
        self.follow_up = None

    def best_of(self, inputs: Collection[int]) -> int:
        """Return the input of the state that meets the most suspicion, by its number."""
        low, split = int(self._rows.first[self.state]), int(self._rows.split[self.state])
        worth = self._worth(fresh=True)[: split - low]
        worth[~np.isin(self._rows.label[low:split], list(inputs))] = -np.inf
        best = np.flatnonzero(worth >= worth.max() - _ALIKE)
        self.meant = int(self._rows.label[low + int(best[self._rng.randrange(len(best))])])
        return self.meant

    def move_among(self, states: Sequence[int], may_give: Callable[[int], bool]) -> int:
        """The move that is worth most on average, where the play may be in any of some states: hypotheses are lost.

        What may be given has to be possible in all of them.
        """
        self._alive.end()
        worth: dict[int, list[float]] = {}
        for state in states:
            self._at(state, fresh=True)
            labels = self._rows.label[self._rows.first[state] : self._rows.split[state]].tolist()
            for label, value in zip([*labels, WAIT], self._worth(fresh=True).tolist(), strict=False):
                worth.setdefault(label, []).append(value)
        known = [one for one in worth if len(worth[one]) == len(states) and (one == WAIT or may_give(one))]
        best = max(sum(worth[one]) for one in known)
        chosen = [one for one in known if sum(worth[one]) >= best - _ALIKE]
        self._at(OUTSIDE, fresh=False)
        self.meant = self._rng.choice(chosen)
        return self.meant

    def _worth(self, *, fresh: bool) -> Floats:
        """Return the worth of each move: the inputs in their order, waiting, and starting again unless that is no
        use.
        """
        self.pairs.look_from(self.state)
        worth = self._plan.worth(self.state, self.met, fresh=fresh)
        if len(self._alive):
            worth[:-1] += self._alive.promises(self.state)
        worth[:-1] += self._met_at_once()
        return worth

    def _met_at_once(self) -> Floats:
        """Return what each move, inputs in their order and then waiting, meets at once by what came right before it."""
        rows, state = self._rows, self.state
        low, split, high = int(rows.first[state]), int(rows.split[state]), int(rows.first[state + 1])
        met = self.doubts.of(np.arange(low, high)) * self.extra.met(state)
        waiting = float(rows.chance[split:high] @ met[split - low :]) + self.doubled.met()
        race = float(self.races.lost[state])
        return np.append((1 - race) * met[: split - low] + race * waiting, waiting)

    def met(self, edges: States | slice) -> Floats:
        """The suspicion that is met by each of some transitions."""
        met: Floats = self.doubts.of(edges) * (self.suspects.met[edges] + self.unsaid.met(edges))
        return met

    def saw(self, label: int) -> None:
        """A label happened; where the model does not have it the play is outside of it from now on."""
        state = self.state
        edge = None if state == OUTSIDE else self._lookup.edge(state, label)
        if edge is None:
            self.state = OUTSIDE
            return
        after, answer = int(self._rows.target[edge]), label >= self.table.inputs
        self._alive.saw(label, after, answer=answer)
        step, doubt = self._steps.number(self._before, edge, state), float(self.doubts.of(np.array([edge]))[0])
        self._alive.took(step, doubt if step == edge else self._asked)
        self.untested.took(step, edge)
        if self.follow_up and self.sent:
            self.follow_up.took(step, edge)
        self.extra.took(step, edge)
        self.doubled.took(step, max(doubt, self._asked), silent=label == self._silence)
        self._asked = doubt
        self.doubts.saw(edge)
        self.learnt.saw(state, edge)
        if self.meant >= 0:
            self.races.saw(state, lost=answer)
        if answer:
            self.unsaid.heard(state, edge)
        self._quiet = self._lasts(edge, state)
        self.state, self._fresh, self._before = after, False, edge

    def glimpsed(self, states: Sequence[int], label: int) -> None:
        """A label happened where the play may be in any of some states: what it meets there is lost from sight.

        Else the same would be worth as much the next time, and the play goes round in a circle.
        """
        if self.follow_up:
            self.follow_up.passed()
        found = (self._lookup.edge(state, label) for state in states)
        edges = list(dict.fromkeys(one for one in found if one is not None))
        self.untested.glimpsed(np.array(edges, dtype=np.int64))
        self.doubts.saw(np.array(edges, dtype=np.int64))
        for edge in edges:
            self.suspects.lose(edge)
            self.unsaid.said[edge] *= UNHEARD
