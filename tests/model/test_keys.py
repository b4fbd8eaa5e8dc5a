"""Keys of states: by content, the same in every process, and different for different states."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum, Flag
from fractions import Fraction
from random import Random

import pytest

from outplay import Map, automaton
from outplay.errors import ModelError
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.values import portable_text, value_shape
from outplay.runs.monitors.coverage_tally import Tally


class Colour(Enum):
    RED = 1
    BLUE = "1"


class Hue(Enum):
    RED = 1


class Right(Flag):
    NONE = 0
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Point:
    x: object
    y: object


@dataclass(frozen=True)
class Pair:
    x: object
    y: object


ATOMS = [None, True, False, 0, 1, -1, 10**30, "", "1", "a", "a,b", '"', "(", "None", "é", b"", b"1", Fraction(1)]
ATOMS += [Fraction(1, 2), Colour.RED, Colour.BLUE, Hue.RED, Right.READ, Right.READ | Right.WRITE, Right.NONE]


def random_value(rng: Random, depth: int = 3):
    if depth == 0 or rng.random() < 0.4:
        return rng.choice(ATOMS)
    parts = [random_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    made = rng.choice([tuple, frozenset, dict, Point, Pair])
    if made is dict:
        return Map({part: random_value(rng, depth - 1) for part in parts})
    return made(*[*parts, None, None][:2]) if made in (Point, Pair) else made(parts)


@pytest.mark.parametrize("block", range(5))
def test_keys_of_values_are_equal_exactly_when_the_values_are(block):
    rng = Random(block)
    values = [*ATOMS, *(random_value(rng) for _ in range(800))]
    by_key = {}
    for value in values:
        other = by_key.setdefault(portable_text(value), value)
        assert (other, value_shape(other)) == (value, value_shape(value))
    distinct = {(value, value_shape(value)) for value in values}
    assert len(by_key) == len(distinct) > 350


def test_what_is_no_value_of_a_model_has_no_key():
    with pytest.raises(ModelError, match=r"cannot be written as a key.*use a tuple"):
        portable_text([1])


SCRIPT = """
import json, sys
from dataclasses import dataclass
from enum import Enum
from random import Random
from outplay import Map, Model, Simulated, automaton, controllable, explore, given, observable, run, specification
from outplay.model.purpose import AutomatonPurpose, PurposeSpecification

class Light(Enum):
    RED = 1
    GREEN = 2

@dataclass(frozen=True)
class Car:
    name: str

class Crossing(Model):
    waiting: frozenset = frozenset()
    light: Light = Light.RED
    passed: Map = Map()

    @controllable
    @given(car=frozenset(map(Car, ("ann", "bob", "cid"))))
    def arrive(self, car):
        self.waiting |= {car}

    @controllable(returns=("yes", "no"))
    def empty(self, result):
        return result == ("no" if self.waiting else "yes")

    @observable
    def switch(self):
        self.light = Light.GREEN if self.light is Light.RED else Light.RED

    @observable
    @given(car="waiting")
    def drive(self, car):
        if self.light is Light.RED or self.passed.get(car, 0) > 1:
            return False
        self.waiting -= {car}
        self.passed = self.passed.set(car, self.passed.get(car, 0) + 1)

race = automaton([("s", "?a", "t"), ("s", "?a", "u"), ("t", "!x", "s"), ("u", "!x", "u"), ("u", "!y", "s")])
purpose = AutomatonPurpose(automaton([("0", "!x", "1"), ("0", "!x", "2"), ("1", "!y", "accept"), ("2", "!x", "2")]))
found = {}
for name, spec in {
    "program": specification(Crossing),
    "automaton": specification(race),
    "game": specification(explore(race)),
    "purpose": PurposeSpecification(specification(race), purpose),
}.items():
    tally = run(spec, Simulated(spec, Random(2)), plays=int(sys.argv[1]), steps=25).tally
    found[name] = [sorted(tally.states), sorted(tally.transitions)]
print(json.dumps(found))
"""


def keys_met(seed: str, plays: int):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(plays)], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_two_processes_with_different_hash_seeds_meet_the_same_keys():
    first, second = keys_met("1", 8), keys_met("2", 8)
    assert first == second
    assert all(len(states) > 1 and len(transitions) > 2 for states, transitions in first.values())
    assert len(first["program"][0]) > 20
    assert any("empty()" in key for key in first["program"][0]), "a call that waits for its answer"


def test_a_set_of_states_is_keyed_by_the_names_of_its_members_whatever_their_order():
    one = SuspensionAutomaton(automaton([("s", "?a", "t"), ("s", "?a", "u"), ("t", "!x", "s")]))
    other = SuspensionAutomaton(automaton([("s", "?b", "u"), ("s", "?a", "u"), ("s", "?a", "t"), ("t", "!x", "s")]))
    keys = [{spec.key(target) for label in spec.moves(0) for target in spec.after(0, label)} for spec in (one, other)]
    assert keys[0] < keys[1]
    assert '{"t","u"}' in keys[0]


def test_a_place_beside_the_model_is_part_of_the_key():
    purpose = AutomatonPurpose(automaton([("0", "!x", "accept")]))
    spec = PurposeSpecification(SuspensionAutomaton(automaton([("s", "!x", "s")])), purpose)
    (start,) = spec.initial
    (moved,) = spec.after(start, next(iter(spec.outputs(start))))
    assert [spec.key(start), spec.key(moved)] == ['{"s"} beside 0', '{"s"} beside accept']


def test_tallies_of_two_runs_can_be_added():
    one = Tally(1, 5, 3, 2, {"a", "b"}, {("a", "?x")})
    other = Tally(2, 4, 1, 3, {"b", "c"}, {("a", "?x"), ("b", "!y")})
    assert one + other == Tally(3, 9, 4, 5, {"a", "b", "c"}, {("a", "?x"), ("b", "!y")})
