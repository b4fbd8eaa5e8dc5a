"""The gates of a model with the arguments that were seen there, and whatever of an adapter does not fit them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from outplay.model.label import Label, write_argument
from outplay.model.offer import Offer
from outplay.model.specification import Specification, State
from outplay.model.walk_models import WalkSpecification
from outplay.model.wrapping import own_specification

MOST_STATES = 2_000
_MOST_SAMPLES = 200  # of one gate
_DRAWN = 3  # labels of a family


@dataclass
class GateUse:
    """One gate in one direction: how many arguments it has, and which were seen."""

    kind: str
    gate: str
    names: tuple[str, ...] | None = None
    """The names of its parameters, where the model has them."""
    arities: set[int] = field(default_factory=set)
    samples: list[tuple[Any, ...]] = field(default_factory=list)
    ids: bool = False
    """Whether its arguments are only ids of edges, which a method may do without."""
    complete: bool = False
    """Whether all labels of the gate were seen."""

    @property
    def shown(self) -> str:
        """The gate with its parameters."""
        size = next(iter(sorted(self.arities)), 0)
        words = self.names or tuple(f"argument{n}" for n in range(1, size + 1))
        return " ".join([self.kind + self.gate, *words])

    def values(self, place: int) -> list[Any]:
        """Return the values seen at a place of its arguments."""
        found: dict[Any, None] = {}
        for sample in self.samples:
            if place < len(sample):
                found.setdefault((type(sample[place]), sample[place]))
        return [value for _, value in found]


Gates = Mapping[tuple[str, str], GateUse]


@dataclass(frozen=True)
class Misfit:
    """Something of an adapter that does not fit the model, and what to do."""

    label: str
    what: str

    def json(self) -> dict[str, str]:
        return {"label": self.label, "what": self.what}


def gates_of(
    spec: Specification, declared: Iterable[tuple[str, str, tuple[str, ...]]] = ()
) -> dict[tuple[str, str], GateUse]:
    """Return the gates of a model with their use: those `declared`, and what its first states offer."""
    found = {(kind, gate): GateUse(kind, gate, names, {len(names)}) for kind, gate, names in declared}
    rng, seen = Random(0), set[State](spec.initial)
    waiting, walked = list(spec.initial), isinstance(own_specification(spec), WalkSpecification)
    for state in waiting:
        if len(seen) > MOST_STATES:
            break
        for label in _labels([*spec.inputs(state), *spec.outputs(state)], rng):
            use = found.setdefault((label.kind, label.gate), GateUse(label.kind, label.gate))
            use.arities.add(len(label.arguments))
            use.ids = walked
            if len(use.samples) < _MOST_SAMPLES and label.arguments not in use.samples:
                use.samples.append(label.arguments)
            new = [after for after in spec.after(state, label) if after not in seen]
            seen.update(new)
            waiting += new
    else:
        for use in found.values():
            use.complete = len(use.samples) < _MOST_SAMPLES
    return found


def _labels(offers: Iterable[Offer], rng: Random) -> Iterator[Label]:
    for offer in offers:
        if offer.only is not None:
            yield offer.only
        else:
            yield from (label for _ in range(_DRAWN) if (label := offer.sample(rng)) is not None)


def gates_of_direction(gates: Gates, kind: str) -> dict[str, GateUse]:
    """Return the gates of one direction with their use, by name."""
    return {use.gate: use for use in gates.values() if use.kind == kind}


def value_misfit(use: GateUse, place: int, value: Any) -> str | None:
    """Say how a value that an output always has at a place of its arguments misfits the gate."""
    known = use.values(place)
    if not known or any(type(value) is type(other) and value == other for other in known):
        return None
    alike = next((other for other in known if _plain(other) == _plain(value)), None)
    if alike is not None:
        return f"{write_argument(value)} is {_kind(value)}, the model has {write_argument(alike)}, {_kind(alike)}"
    if use.complete:
        some = ", ".join(write_argument(other) for other in known[:5])
        return f"{write_argument(value)} is none of the values that the model has there: {some}"
    return None


def type_misfit(use: GateUse, place: int, made: type, why: str) -> str | None:
    """Say where an output always has values of one type at a place, and the gate of the model only others."""
    known = use.values(place)
    if not known or any(isinstance(value, made) and not isinstance(value, bool) for value in known):
        return None
    return f"{why} is always {_kind(made())}, the model has {write_argument(known[0])}, {_kind(known[0])}"


def _plain(value: Any) -> str:
    return str(value).lower()


def _kind(value: Any) -> str:
    names: dict[type, str] = {bool: "a truth value", int: "a number", str: "a text", type(None): "nothing"}
    return names.get(type(value), f"a {type(value).__name__}")
