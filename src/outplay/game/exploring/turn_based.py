"""From what a system may do to a game: the test assumption says who moves when both want to.

van den Bos 2020, Definitions 5.11 and 5.12, made turn-based: the tester's choice of input `a` in state q, made without
knowing what the system is about to do, becomes a system vertex (q, a) behind an edge that costs nothing and counts no
move. Blass et al. 2005, section 1, has another rule, `timeout`: a state that enables an output is passive, and only a
time-out makes it active. Everything is done on whole arrays: O(inputs × outputs) per mixed state, which is the size of
the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import row_entries, row_starts
from outplay.game.assumption import Assumption
from outplay.game.exact_numbers import Bools, Exact, Ints
from outplay.game.graph import SYSTEM, TESTER
from outplay.game.roles import LazyNames, Role, Roles


@dataclass(frozen=True)
class Unfolding:
    """A model's states and transitions as flat arrays, sorted by source; what the explorer hands over."""

    count: int
    source: Ints
    target: Ints
    label: Ints
    labels: Sequence[str]
    is_input: Bools
    """For each transition."""
    quiet: Bools
    """For each state: silence is allowed."""
    cost: Exact
    initial: int | None = 0
    """None where it is none of these states."""
    silence: Ints | None = None
    """The target of silence; the state itself by default."""
    names: Sequence[str] | None = None
    """The names of the states; `s0`, `s1`, … where nothing is said."""

    @property
    def after_silence(self) -> Ints:
        """Return the targets of silence, state by state."""
        return np.arange(self.count) if self.silence is None else self.silence


@dataclass(frozen=True)
class ArenaEdges:
    """Some edges of the game under construction; `transition` is -1 for edges that stand for no transition."""

    source: Ints
    target: Ints
    transition: Ints
    kind: int


TRANSITION, CHOICE, WAIT, TIME_OUT = range(4)


@dataclass(frozen=True)
class Arena:
    """The bare game: vertices, and edges that refer to transitions."""

    owner: NDArray[np.uint8]
    state: Ints
    """The state each vertex belongs to."""
    role: NDArray[np.uint8]
    choice: Ints
    """For a vertex (q, a): the transition of a; else -1."""
    parts: list[ArenaEdges]
    initial: int
    active: Ints | None
    """Under `timeout`: the active copy of each state, or the state itself."""

    def roles(self, label: Ints) -> Roles:
        """Return the meaning of each vertex, with the label of each transition."""
        choice = np.full(len(self.choice), -1, dtype=np.int32)
        chosen = self.choice >= 0
        choice[chosen] = label[self.choice[chosen]]
        return Roles(self.state.astype(np.uint32), self.role, choice)


def turn_based_arena(model: Unfolding, assumption: Assumption) -> Arena:
    """Lay out the turn-based game of a model; the test assumption says who moves when both want to."""
    return _timed_arena(model, assumption) if assumption.waits_for_timeout else _choice_arena(model, assumption)


def _choice_arena(model: Unfolding, assumption: Assumption) -> Arena:
    has_input, has_output = _has(model, model.is_input), _has(model, ~model.is_input)
    silence_matters = model.quiet & (model.after_silence != np.arange(model.count))
    speaks = has_output | silence_matters  # waiting can change something
    mixed = has_input & has_output
    ignored = np.zeros(model.count, dtype=bool)
    if assumption is Assumption.OUTPUT_EAGER:
        # The system always moves first; only where it may stay silent does an input stand a chance.
        ignored = mixed & ~model.quiet
        mixed = mixed & model.quiet
    contested = mixed if assumption in (Assumption.NONDETERMINISTIC, Assumption.OUTPUT_EAGER) else np.zeros_like(mixed)
    inputs = np.flatnonzero(model.is_input & ~ignored[model.source])
    choices = inputs[contested[model.source[inputs]]]
    direct = inputs[~contested[model.source[inputs]]]
    waiting = np.flatnonzero(mixed | (has_input & speaks & ~ignored))
    passive = speaks & (~has_input | ignored)
    outputs = np.flatnonzero(~model.is_input)
    choice_vertex = model.count + np.arange(len(choices))
    wait_vertex = model.count + len(choices) + np.arange(len(waiting))
    wait_of = np.full(model.count, -1)
    wait_of[waiting] = wait_vertex
    speaks_as = np.where(passive, np.arange(model.count), wait_of)  # the vertex at which a state's outputs are chosen
    rivals, rival_of = _outputs_beside(model, outputs, model.source[choices])
    silent = np.flatnonzero(model.quiet & (speaks_as >= 0))
    parts = [
        ArenaEdges(model.source[direct], model.target[direct], direct, TRANSITION),
        ArenaEdges(model.source[choices], choice_vertex, choices, CHOICE),
        ArenaEdges(waiting, wait_vertex, np.full(len(waiting), -1), WAIT),
        ArenaEdges(choice_vertex, model.target[choices], choices, TRANSITION),
        ArenaEdges(choice_vertex[rival_of], model.target[rivals], rivals, TRANSITION),
        ArenaEdges(speaks_as[model.source[outputs]], model.target[outputs], outputs, TRANSITION),
        ArenaEdges(speaks_as[silent], model.after_silence[silent], np.full(len(silent), -1), TIME_OUT),
    ]
    owner = np.concatenate([np.where(passive, SYSTEM, TESTER), np.full(len(choices) + len(waiting), SYSTEM)])
    state = np.concatenate([np.arange(model.count), model.source[choices], waiting])
    role = np.repeat([Role.STATE, Role.CHOICE, Role.WAITING], [model.count, len(choices), len(waiting)])
    choice = np.full(len(owner), -1)
    choice[choice_vertex] = choices
    return Arena(owner.astype(np.uint8), state, role.astype(np.uint8), choice, parts, model.initial or 0, None)


def _timed_arena(model: Unfolding, assumption: Assumption) -> Arena:
    has_input, has_output = _has(model, model.is_input), _has(model, ~model.is_input)
    may_expire = has_output if assumption is Assumption.TIMEOUT_ALWAYS else has_output & has_input
    needs_copy = may_expire.copy()
    if model.initial is not None:
        needs_copy[model.initial] |= has_output[model.initial]  # play starts active, whatever is enabled
    copies = np.flatnonzero(needs_copy)
    active = np.arange(model.count)
    active[copies] = model.count + np.arange(len(copies))
    expiring = np.flatnonzero(may_expire)
    inputs, outputs = np.flatnonzero(model.is_input), np.flatnonzero(~model.is_input)
    # A passive state without time-out keeps no inputs: nothing ever makes it active.
    inputs = inputs[(active[model.source[inputs]] >= model.count) | ~has_output[model.source[inputs]]]
    parts = [
        ArenaEdges(active[model.source[inputs]], model.target[inputs], inputs, TRANSITION),
        ArenaEdges(model.source[outputs], model.target[outputs], outputs, TRANSITION),
        ArenaEdges(expiring, active[expiring], np.full(len(expiring), -1), TIME_OUT),
    ]
    owner = np.concatenate([np.where(has_output, SYSTEM, TESTER), np.full(len(copies), TESTER)])
    state = np.concatenate([np.arange(model.count), copies])
    role = np.repeat([Role.STATE, Role.ACTIVE], [model.count, len(copies)]).astype(np.uint8)
    initial = int(active[model.initial or 0])
    return Arena(owner.astype(np.uint8), state, role, np.full(len(owner), -1), parts, initial, active)


def _has(model: Unfolding, wanted: Bools) -> Bools:
    return np.asarray(np.bincount(model.source[wanted], minlength=model.count) > 0)


def _outputs_beside(model: Unfolding, outputs: Ints, states: Ints) -> tuple[Ints, Ints]:
    """For each listed state all its outputs, with the place in the list: a join on flat arrays."""
    entries, place = row_entries(row_starts(model.source[outputs], model.count), states)
    return outputs[entries], place


def vertex_names(roles: Roles, labels: Sequence[str], names: Sequence[str] | None) -> LazyNames:
    """Name the vertices of a turn-based game: `s3` or the state's own, `s3 ?post ann hi`, `s3 wait` or `s3 active`."""

    def name(vertex: int) -> str:
        state, role = int(roles.state[vertex]), int(roles.role[vertex])
        own = f"s{state}" if names is None else names[state]
        if role == Role.STATE:
            return own
        if role == Role.CHOICE:
            return f"{own} {labels[int(roles.choice[vertex])]}"
        return f"{own} {'wait' if role == Role.WAITING else 'active'}"

    return LazyNames(len(roles.state), name)
