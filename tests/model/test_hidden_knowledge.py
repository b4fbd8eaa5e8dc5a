from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from outplay import Simulated, controllable, explore, forecast, given, goal, internal, observable
from outplay.game.algebra import exact_chances
from outplay.model.kinds import specification
from outplay.model.label import SILENCE
from outplay.model.programs.hidden_knowledge import HiddenStepKnowledge
from outplay.model.programs.program import Model


class Slipping(Model):
    """A hidden step, three times as likely as an output, leads to where another output comes."""

    worn: bool = False
    last: str = ""

    @internal(weight=3)
    def wear(self):
        if self.worn:
            return False
        self.worn = True

    @observable
    @given(how=("good", "bad"))
    def turn(self, how):
        if self.last or (how == "bad") != self.worn:
            return False
        self.last = how

    @observable(weight=2)
    def slip(self):
        if self.last:
            return False
        self.last = "slip"

    @controllable
    def stop(self): ...

    @goal
    def was_bad(self):
        return self.last == "bad"


CHANCES = {"!turn good": 1 / 6, "!turn bad": 1 / 2 * 1 / 3, "!slip": 2 / 6 + 1 / 2 * 2 / 3}


def test_hidden_steps_are_drawn_by_their_weights_beside_the_outputs():
    game = explore(Slipping)
    waiting = next(v for v in range(game.vertex_count) if {game.label_of(e) for e in game.edges_of(v)} == set(CHANCES))
    chances = zip(game.edges_of(waiting), exact_chances(game, waiting), strict=True)
    assert {game.label_of(edge): float(chance) for edge, chance in chances} == pytest.approx(CHANCES)
    (target,) = forecast(game, ["was_bad"]).entries
    assert target.json()["probability"] == pytest.approx(1 / 6)


def test_a_simulation_draws_as_the_game_says():
    system, seen = Simulated(Slipping, Random(4)), Counter()
    for _ in range(2_000):
        system.reset()
        seen[system.observe(1.0).label.text] += 1
    assert {label: count / 2_000 for label, count in seen.items()} == pytest.approx(CHANCES, abs=0.05)


def drawn_first(spec):
    """The probability of each output, or silence, to be seen first: step by step, what is hidden is drawn once more."""
    seen, here, known = Counter(), {spec.beginning: 1.0}, {}
    for _ in range(400):
        after = Counter()
        for one, chance in here.items():
            if one not in known:
                ways = [(label, None) for label in spec.outputs(one)] + [(SILENCE, None)] * spec.quiet(one)
                ways += spec.hidden(one)
                known[one] = [(label, to, spec.weight(one, label)) for label, to in ways]
            total = sum(weight for _, _, weight in known[one])
            for label, to, weight in known[one]:
                (seen if to is None else after)[label if to is None else to] += chance * weight / total
        here = after
    return seen


def test_what_is_seen_first_is_as_likely_as_drawing_step_by_step_says():
    hidden = 0
    for seed in range(60):
        rng = Random(f"chances {seed}")
        weight = {gate: rng.choice([1, 2, 5]) for gate in "xyh"}
        moves = {(state, gate): rng.choice([None, 0, 1, 2]) for state in range(3) for gate in "xyhg"}

        def going(gate, moves=moves):
            def go(self):
                if moves[self.state, gate] is None:
                    return False
                self.state = moves[self.state, gate]

            return go

        class Drawn(Model):
            state: int = 0
            x = observable(weight=weight["x"])(going("x"))
            y = observable(weight=weight["y"], optional=True)(going("y"))
            h = internal(weight=weight["h"])(going("h"))
            g = internal(going("g"))

        knowledge = HiddenStepKnowledge(specification(Drawn))
        (start,) = knowledge.initial
        if start[knowledge._begins(start)[0]] != knowledge.spec.beginning or len(knowledge._begins(start)) > 1:
            continue  # it begins in more than one
        seen = [*knowledge.outputs(start), *[SILENCE] * knowledge.quiet(start)]
        weights = {label: knowledge.weight(start, label) for label in seen}
        expected = drawn_first(knowledge.spec)
        for label, one in weights.items():
            assert one / sum(weights.values()) == pytest.approx(expected[label], abs=1e-6), f"seed {seed}"
        hidden += len(weights) > 1 and len(start) > 1
    assert hidden > 5
