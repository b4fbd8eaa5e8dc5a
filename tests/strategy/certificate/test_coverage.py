"""The checker of coverage witnesses agrees with the definition, on right witnesses and on altered ones."""

from __future__ import annotations

from random import Random

import pytest

from helpers.coverage import consistent, draw_field
from outplay.errors import CertificateError
from outplay.strategy.certificate.check_coverage import check_cover
from outplay.strategy.coverage.guarantee import cover_nodes


def altered(rng: Random, bounds: list, traps: list) -> tuple[list, list]:
    """Change a bound, or what is offered somewhere, or exchange two."""
    bounds, traps, vertex = list(bounds), list(traps), rng.randrange(len(bounds))
    gain, count = bounds[vertex]
    kind = rng.randrange(5)
    if kind == 0:
        bounds[vertex] = (gain + rng.choice((-2, -1, 1)), count)
    elif kind == 1:
        bounds[vertex] = (gain, count + rng.choice((-1, 1)))
    elif kind == 2:
        traps[vertex] = traps[vertex] - {rng.choice(sorted(traps[vertex]))}
    elif kind == 3:
        traps[vertex] = traps[vertex] | {rng.randrange(len(bounds))}
    else:
        other = rng.randrange(len(bounds))
        bounds[vertex], bounds[other] = bounds[other], bounds[vertex]
    return bounds, traps


def test_a_thousand_altered_witnesses_are_refused():
    refused = 0
    for seed in range(60):
        rng, field = Random(seed), draw_field(f"altered {seed}", most=9, least_gain=seed % 2)
        game, witness = field.game(), cover_nodes(field.game()).witness
        assert check_cover(game, witness.bounds, witness.traps).vertices == game.vertex_count
        for _ in range(25):
            bounds, traps = altered(rng, list(witness.bounds), list(witness.traps))
            if consistent(field, bounds, traps):
                assert check_cover(game, bounds, traps)
            else:
                with pytest.raises(CertificateError, match="the checker refuses the answer at vertex"):
                    check_cover(game, bounds, traps)
                refused += 1
    assert refused >= 1000


def test_a_witness_of_another_game_is_refused():
    field = draw_field("short", most=5)
    witness = cover_nodes(field.game()).witness
    with pytest.raises(CertificateError):
        check_cover(field.game(), witness.bounds[1:], witness.traps[1:])
    with pytest.raises(CertificateError, match="unknown vertices"):
        check_cover(field.game(), witness.bounds, [frozenset({v, 99}) for v in field.plain.vertices])
