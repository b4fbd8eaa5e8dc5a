"""What the coverage solver answers: how much is sure, the system's witness against more, and the tester's strategy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.strategy.answer import Answer
from outplay.strategy.certificate.check_coverage import check_cover
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.certificate.covering_bound import BoundProof, prove_bounds
from outplay.strategy.coverage.coverage_strategy import Learning, Touring
from outplay.strategy.coverage.settling import Settled
from outplay.strategy.coverage.weighted_game import WeightedGame
from outplay.strategy.coverage.witness import Witness, witness_of
from outplay.strategy.words import json_number, plain

MOST_SECONDS, _MOST_PROGRAMS = 20.0, 2_000  # for a proof; games of a hundred vertices take some hundreds, and seconds
_SHOWN = 8  # vertices of an offer that are named; `--json` has them all


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Answer):
    """What the tester is sure to gain from every vertex by visiting others, against the worst of all systems."""

    weighted: WeightedGame
    found: Settled
    seconds: float = MOST_SECONDS
    """How long a proof of the bounds may take."""

    @cached_property
    def witness(self) -> Witness:
        """What the system plays to hold the tester to the upper bounds."""
        return witness_of(self.weighted, self.found)

    def bounds_of(self, vertex: int) -> tuple[Fraction, Fraction]:
        """What the tester is sure to gain from a vertex, at least and at most; the same where time was enough."""
        return self.weighted.gain(self.found.low[vertex]), self.witness.bounds[vertex][0]

    def value_of(self, vertex: int) -> Fraction | None:
        """The guarantee from a vertex; None where there was no time to find it."""
        low, high = self.bounds_of(vertex)
        return low if low == high else None

    @property
    def total(self) -> Fraction:
        """What there is to be gained in all."""
        return self.weighted.gain(self.weighted.weigh(range(self.weighted.count)))

    @cached_property
    def strategy(self) -> Touring:
        return Touring(self.game, self.weighted, self.witness)

    @cached_property
    def persistent(self) -> Touring:
        """The same, but what one play has visited the next ones need not visit again."""
        return Learning(self.game, self.weighted, self.witness)

    def check(self) -> Certificate:
        return check_cover(self.game, self.witness.bounds, self.witness.traps)

    @property
    def sentence(self) -> str:
        low, high = self.bounds_of(self.game.initial)
        sure = f"{plain(low)} of {plain(self.total)} can be covered for sure"
        if low == high:
            return f"{sure}, whatever the system does; no tester is sure of more"
        return f"{sure}, and no tester is sure of more than {plain(high)}; time ran out between them"

    @cached_property
    def proof(self) -> BoundProof:
        """Whether the bounds from below are proven in exact numbers; they were found in floats."""
        weighted = self.weighted
        claim = weighted.is_system, weighted.successors, weighted.weight, self.found.low, weighted.components
        return prove_bounds(*claim, most=_MOST_PROGRAMS, seconds=self.seconds)

    def lines(self) -> list[str]:
        """What the system offers, and on what it rests that the tester gets as much."""
        if self.proof.complete:
            return [*self.offers(), "that a tester gets as much is proven in exact numbers"]
        return [*self.offers(), "that a tester gets as much rests on floats: a proof would take too long"]

    def offers(self) -> list[str]:
        """What the system offers, set by set, as a tester meets them that takes the best exits."""
        offer, lines, seen = self.witness.traps[self.game.initial], [], set()
        while offer not in seen:
            seen.add(offer)
            if gaining := [vertex for vertex in sorted(offer) if self.weighted.gain(self.weighted.weight[vertex])]:
                lines.append(f"the system lets the tester have {self._listed(gaining)}")
            ahead = self.weighted.exits(offer)
            if not ahead and len(offer) == 1:
                (vertex,) = offer
                answers = self.weighted.successors[vertex]
                ahead = {self.witness.answer(vertex, frozenset(), self.weighted)} - offer if answers else set()
            if ahead:
                offer = self.witness.traps[max(ahead, key=self.witness.bounds.__getitem__)]
        return lines

    def _listed(self, vertices: list[int]) -> str:
        more = f" and {len(vertices) - _SHOWN:,} more" if len(vertices) > _SHOWN else ""
        return ", ".join(self.vertex_words(vertex) for vertex in vertices[:_SHOWN]) + more

    @property
    def warnings(self) -> tuple[str, ...]:
        stopped = self.game.origin.stopped
        return (f"{stopped}; what lies behind is not counted",) if stopped else ()

    def json_details(self, exact: bool) -> dict[str, Any]:
        low, high = self.bounds_of(self.game.initial)
        bounds, total = [json_number(low, exact), json_number(high, exact)], json_number(self.total, exact)
        return {"bounds": bounds, "total": total, "proven": self.proof.complete, "witness": self.json_witness()}

    def json_witness(self) -> dict[str, Any]:
        """The sets that the system offers, each once, and which of them at each vertex, as JSON."""
        names, numbers = self.game.names, dict[frozenset[int], int]()
        at = {names[v]: numbers.setdefault(trap, len(numbers)) for v, trap in enumerate(self.witness.traps)}
        return {"offers": [[names[vertex] for vertex in sorted(trap)] for trap in numbers], "at": at}
