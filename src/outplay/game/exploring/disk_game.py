"""The game of a model that was explored on disk, laid out slice by slice of its states.

Twice: first for how many vertices and edges there are of each kind, which says where each slice begins, then to write
them. The arrays of the game are files (`.npy`), mapped into memory where a solver reads them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.assumption import Assumption, Origin
from outplay.game.exact_numbers import Exact, constant_column, smallest_index_type
from outplay.game.exploring.disk_walk import DiskWalk
from outplay.game.exploring.edge_columns import FIRST_LABEL, edge_columns, game_labels, transition_weights
from outplay.game.exploring.turn_based import TRANSITION, Arena, Unfolding, turn_based_arena, vertex_names
from outplay.game.exploring.unfold import flat_transitions
from outplay.game.graph import Game
from outplay.game.roles import Numbered, Picked, Role, Roles
from outplay.model.programs.stepping import Stepper

_SLICE = 1 << 16  # transitions laid out at a time
_PIECE = 1 << 20  # numbers of a table put in order at a time
Counts = NDArray[Any]


class ArrayFile:
    """An array of known length that is written in pieces."""

    def __init__(self, opened: ExitStack, folder: Path, name: str, kind: Any, count: int) -> None:
        self._path, self._kind, self._count = folder / f"{name}.npy", np.dtype(kind), count
        self._file = opened.enter_context(self._path.open("w+b"))
        header = {"shape": (count,), "fortran_order": False, "descr": np.lib.format.dtype_to_descr(self._kind)}
        np.lib.format.write_array_header_1_0(self._file, header)
        self._begin = self._file.tell()

    def write(self, at: int, numbers: NDArray[Any]) -> None:
        """Write numbers from a place on."""
        self._file.seek(self._begin + at * self._kind.itemsize)
        self._file.write(np.ascontiguousarray(numbers, dtype=self._kind).tobytes())

    def mapped(self) -> NDArray[Any]:
        """The whole array, mapped; what is changed in memory stays there."""
        self._file.close()
        return np.asarray(np.load(self._path, mmap_mode="c")) if self._count else np.zeros(0, dtype=self._kind)


class ExactFile:
    """A column of exact numbers that is written in pieces, each with a table of its own."""

    def __init__(self, opened: ExitStack, folder: Path, name: str, count: int) -> None:
        self._opened, self._folder, self._name, self._count = opened, folder, name, count
        self._rows = ArrayFile(opened, folder, f"{name}-rows", np.uint32, count)
        self._known = dict[Fraction | None, int]()

    def write(self, at: int, numbers: Exact) -> None:
        """Write numbers from a place on."""
        rows = [self._known.setdefault(value, len(self._known)) for value in numbers.table]
        self._rows.write(at, np.array(rows or [0], dtype=np.uint32)[numbers.index])

    def mapped(self) -> Exact:
        """The whole column, its table in order."""
        order = sorted(self._known, key=lambda value: (value is not None, value or 0))
        place = {value: row for row, value in enumerate(order)}
        kind, rows = smallest_index_type(len(order)), self._rows.mapped()
        renumbered = np.array([place[value] for value in self._known] or [0], dtype=kind)
        made = ArrayFile(self._opened, self._folder, self._name, kind, self._count)
        for at in range(0, self._count, _PIECE):
            made.write(at, renumbered[rows[at : at + _PIECE]])
        (self._folder / f"{self._name}-rows.npy").unlink()
        return Exact(tuple(order), made.mapped())


@dataclasses.dataclass
class _Slice:
    first: int
    states: NDArray[Any]
    model: Unfolding
    layout: Arena

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of vertices: states, then choices or active copies, then those where the tester waits."""
        counts = np.bincount(self.layout.role, minlength=len(Role))
        return np.array([counts[Role.STATE], counts[Role.CHOICE] + counts[Role.ACTIVE], counts[Role.WAITING]])

    @property
    def parts(self) -> NDArray[np.int64]:
        """The number of edges of each part."""
        return np.array([len(part.source) for part in self.layout.parts])


class DiskGame:
    """Lays out the game of a walk under an assumption."""

    def __init__(self, stepper: Stepper, walk: DiskWalk, assumption: Assumption) -> None:
        self._stepper, self._walk, self._assumption = stepper, walk, assumption
        self._degrees, self._labels, self._targets = (walk.column(name) for name in ("degrees", "labels", "targets"))

    def _slices(self) -> Iterator[_Slice]:
        first, edge = 0, 0
        while first < self._walk.known:
            ahead = self._degrees[first : first + _SLICE].astype(np.int64)
            count = max(int(np.searchsorted(np.cumsum(ahead), _SLICE, side="right")), 1)
            count = min(count if count < len(ahead) else max(len(ahead), 1), self._walk.known - first)
            degrees = np.zeros(count, dtype=np.int64)
            degrees[: len(ahead)] = ahead[:count]
            end = edge + int(degrees.sum())
            source = np.repeat(np.arange(count), degrees)
            labels, targets = (one[edge:end].astype(np.int64) for one in (self._labels, self._targets))
            model = flat_transitions(self._stepper, count, source, labels, targets, source + first)
            model = dataclasses.replace(model, initial=None if first else 0)
            yield _Slice(first, source + first, model, turn_based_arena(model, self._assumption))
            first, edge = first + count, end

    def made(self, origin: Callable[[NDArray[Any] | None], Origin]) -> Game:
        """Write the game, with the origin it has, which is made of the active copies."""
        sizes, parts, edges = np.zeros(3, dtype=np.int64), np.zeros(7, dtype=np.int64), np.zeros(3, dtype=np.int64)
        for one in self._slices():
            groups = _groups(one)
            sizes, edges = sizes + one.sizes, edges + np.bincount(groups, minlength=3)
            parts[: len(one.parts)] += one.parts
        with ExitStack() as opened:
            writing = _Writing(opened, self._stepper, self._walk.folder, sizes, parts, edges, self._assumption)
            for one in self._slices():
                writing.take(one)
            return writing.made(self._walk, origin)


def _starts(counts: Counts) -> Counts:
    """The place of the first of each group."""
    return np.cumsum(counts) - counts


def _groups(one: _Slice) -> NDArray[np.int64]:
    """For each edge the group of its source: a state, then the two kinds of vertices behind it."""
    source = np.concatenate([part.source for part in one.layout.parts])
    return np.searchsorted(np.cumsum(one.sizes), source, side="right")


class _Writing:
    """The files of a game, and where the next slice goes."""

    def __init__(
        self,
        opened: ExitStack,
        stepper: Stepper,
        folder: Path,
        sizes: Counts,
        parts: Counts,
        edges: Counts,
        rule: Assumption,
    ) -> None:
        self._stepper = stepper
        self._vertices, self._edges = int(sizes.sum()), int(edges.sum())
        self._vertex_at, self._edge_at, self._part_at = map(_starts, (sizes, edges, parts))

        def files(count: int, **kinds: Any) -> dict[str, ArrayFile]:
            return {name: ArrayFile(opened, folder, name, kind, count) for name, kind in kinds.items()}

        small, number = np.uint8, np.uint32
        self._of_vertices = files(self._vertices, owner=small, state=number, role=small, choice=np.int32)
        self._of_edges = files(self._edges, target=number, moves=small, label=number, order=number)
        self._active = ArrayFile(opened, folder, "active", np.int64, int(sizes[0])) if rule.waits_for_timeout else None
        self._cost = ExactFile(opened, folder, "cost", self._edges)
        self._chance = ExactFile(opened, folder, "probability", self._edges)
        self._first = ArrayFile(opened, folder, "first", number, self._vertices + 1)
        self.initial = 0

    def take(self, one: _Slice) -> None:
        """Write the vertices and edges of the next slice."""
        layout, sizes = one.layout, one.sizes
        begins = _starts(sizes)
        group = np.repeat(np.arange(3), sizes)
        whole = np.arange(len(group)) - begins[group] + self._vertex_at[group]
        given = edge_columns(one.model, transition_weights(self._stepper, one.states, one.model.label), layout)
        is_global = np.repeat([part.kind == TRANSITION for part in layout.parts], one.parts)
        target = given.target.copy()
        target[~is_global] = whole[given.target[~is_global]]
        place = np.concatenate([np.arange(size) + at for size, at in zip(one.parts, self._part_at, strict=False)])
        order = np.argsort(given.source, kind="stable")
        edges = np.bincount(group[given.source], minlength=3)
        begin = _starts(np.bincount(given.source, minlength=len(group)))
        roles = layout.roles(one.model.label + FIRST_LABEL)
        states = roles.state + np.uint32(one.first)
        of_vertices: dict[str, Counts] = {"owner": layout.owner, "role": layout.role, "choice": roles.choice}
        of_vertices["state"] = states
        of_edges: dict[str, Counts] = {"target": target, "moves": given.moves, "label": given.label, "order": place}
        edge = 0
        for kind in range(3):
            of = slice(begins[kind], begins[kind] + sizes[kind])
            rows = order[edge : edge + edges[kind]]
            for name, values in of_vertices.items():
                self._of_vertices[name].write(self._vertex_at[kind], values[of])
            self._first.write(self._vertex_at[kind], begin[of] - edge + self._edge_at[kind])
            for name, values in of_edges.items():
                self._of_edges[name].write(self._edge_at[kind], values[rows])
            self._cost.write(self._edge_at[kind], given.cost.taken(rows))
            chance = constant_column(None, len(order)) if given.probability is None else given.probability
            self._chance.write(self._edge_at[kind], chance.taken(rows))
            edge += edges[kind]
        if self._active is not None and layout.active is not None:
            self._active.write(one.first, whole[layout.active])
        if not one.first:
            self.initial = int(whole[layout.initial])
        self._vertex_at, self._edge_at = self._vertex_at + sizes, self._edge_at + edges
        self._part_at[: len(one.parts)] += one.parts

    def made(self, walk: DiskWalk, origin: Callable[[NDArray[Any] | None], Origin]) -> Game:
        """The game, its arrays mapped."""
        self._first.write(self._vertices, np.array([self._edges]))
        vertex = {name: file.mapped() for name, file in self._of_vertices.items()}
        edge = {name: file.mapped() for name, file in self._of_edges.items()}
        chance = self._chance.mapped()
        active = None if self._active is None else self._active.mapped()
        roles = Roles(vertex["state"], vertex["role"], vertex["choice"])
        labels = game_labels([one.text for one in self._stepper.labels.all])
        goals = dict[str, NDArray[np.uint32]]()
        for name, members in walk.goals.items():
            states = np.array(members, dtype=np.int64)
            held = states if active is None else np.union1d(states, active[states])
            goals[name] = held.astype(np.uint32)
        return Game(
            owner=vertex["owner"],
            first=self._first.mapped(),
            target=edge["target"],
            cost=self._cost.mapped(),
            probability=chance,
            moves=edge["moves"],
            label=edge["label"],
            labels=tuple(labels),
            gain=constant_column(1, self._vertices),
            initial=self.initial,
            goals=goals,
            names=vertex_names(roles, labels, None),
            edge_names=Picked(Numbered("e", self._edges), edge["order"]),
            known_roles=roles,
            known_origin=origin(active),
        )
