"""Random models for files: names and labels that need quoting, all kinds, everything a format can say."""

from __future__ import annotations

from fractions import Fraction

from outplay import GameBuilder
from outplay.model.automaton import automaton
from outplay.model.label import SILENCE, TAU, Label
from outplay.model.machine import Machine

PLAIN = ["s0", "s1", "idle", "x_1", "Wait", "q7", "B", "zz"]
ODD = [
    "",
    "a b",
    '"',
    "\\",
    'say "hi"\\',
    "node",
    "Digraph",
    "-5",
    "1.",
    "1a",
    "ü→",
    "a\nb",
    "//",
    "#x",
    "<b>",
    "{|}",
    "a\\nb",
]
GATES = ["a", "post", "_i", "x_o", "coin?", "GET /", "7", "ü", "two words", "c2(d1,true)", 'q"', "i!"]
ARGUMENTS = [(), (), (3,), ("bob",), ("two words", -1), (True, None), ('"',), (Fraction(1, 3),)]


class Draw:
    """Random models; `odd` adds names and labels that need quoting."""

    def names(self, rng, count, *, odd):
        return rng.sample(PLAIN + (ODD if odd else []), count)

    def label(self, rng, *, odd, neutral=False):
        kind = rng.choice(["?", "!", "?", "!", "delta", "tau"] + ["", ""] * neutral)
        if kind == "delta":
            return SILENCE
        if kind == "tau":
            return Label(TAU)
        gate = rng.choice([gate for gate in GATES if odd or gate.isalnum()])
        if kind == "":
            return Label(kind, rng.choice(["a", "r1(d1)", "G", "send"]), rng.choice([(), (3,), ("!TRUE",)]))
        return (
            Label.from_message(kind, gate)
            if '"' not in gate and rng.random() < 0.5
            else Label(kind, "g", rng.choice(ARGUMENTS))
        )

    def automaton(self, rng, *, odd=False, numbers=False, neutral=False):
        count = rng.randint(1, 7)
        names = list(map(str, range(count))) if numbers else self.names(rng, count, odd=odd)
        edges = [
            (rng.choice(names), self.label(rng, odd=odd, neutral=neutral), rng.choice(names))
            for _ in range(rng.randint(0, 15))
        ]
        return automaton(edges, states=names, initial=rng.choice(names), name="m")

    def machine(self, rng, *, odd=False, deterministic=False):
        """In the order of a table when deterministic: sources ascending, inputs in one order."""
        count = rng.randint(1, 6)
        names = tuple(self.names(rng, count, odd=odd))
        words = ["a", "b", "coin", "x y", "9"] + (["a/b", " c", "d\ne", '"', "{s0|1}", "?a", "ü"] if odd else [])
        inputs, outputs = rng.sample(words, rng.randint(1, 4)), rng.sample(words, rng.randint(1, 4))
        moore = rng.random() < 0.4
        shows = [rng.choice(outputs) for _ in names]
        steps = []
        for source in range(count):
            for given in inputs:
                for _ in range(rng.choice([0, 1, 1]) if deterministic else rng.choice([0, 1, 1, 2, 3])):
                    target = rng.randrange(count)
                    steps.append((source, given, shows[target] if moore else rng.choice(outputs), target))
        if not deterministic:
            rng.shuffle(steps)
        return Machine(names, tuple(steps), 0 if deterministic else rng.randrange(count), "m", moore)

    def game(self, rng, *, odd=True):
        builder, count = GameBuilder(), rng.randint(1, 8)
        names = self.names(rng, count, odd=odd)
        owners = [rng.choice(["tester", "system"]) for _ in names]
        goals = rng.sample(["done", "goal", "true", "a,b", "", "[", "ü b"], rng.randint(0, 3))
        for name, owner in zip(names, owners, strict=True):
            gain = rng.choice([1, 1, 0, "1/3", "0.125"])
            builder.vertex(name, owner, gain=gain, goals=[goal for goal in goals if rng.random() < 0.4])
        for goal in goals:
            builder.goal(goal, [])
        for name, owner in zip(names, owners, strict=True):
            degree = rng.randint(0, 4)
            chance = owner == "system" and rng.random() < 0.5
            for place in range(degree):
                builder.edge(
                    name,
                    rng.choice(names),
                    rng.choice(["", "?a", '!x "y"', "delta", "a\\b\nc"]),
                    cost=rng.choice([1, 1, 0, "2/7", "0.1", 10**25, "1e-20"]),
                    probability=Fraction(1, degree) if chance else None,
                    moves=rng.choice([0, 1, 1]),
                    name=f'the "{name}" {place}' if rng.random() < 0.2 else None,
                )
        return builder.build(rng.choice(names))

    def process(self, rng, *, costs=True, names=None, goals=("done", "two words", "ü")):
        """A game that is a Markov decision process or chain, with states called by their numbers."""
        builder, count, chain = GameBuilder(), rng.randint(1, 6), rng.random() < 0.4
        names = names(count) if names else list(map(str, range(count)))
        chosen = rng.sample(goals, rng.randint(0, len(goals)))
        for state, name in enumerate(names):
            members = [goal for place, goal in enumerate(chosen) if rng.random() < 0.5 or place == state]
            builder.vertex(name, "system" if chain else "tester", goals=members)
        choices = [] if chain else [(state, place) for state in range(count) for place in range(rng.randint(0, 3))]
        for state, place in choices:
            builder.vertex(f"{names[state]}/{place}", "system")
        edges = []
        for state, place in choices or [(state, 0) for state in range(count) if chain and rng.random() < 0.9]:
            action, cost = rng.choice(["", "go", "7"]), rng.choice([1, 0, "1/3", 2.5]) if costs else 1
            vertex = names[state] if chain else f"{names[state]}/{place}"
            if not chain:
                builder.edge(names[state], vertex, action, cost=cost, moves=0)
            weights = [rng.randint(1, 9) for _ in range(rng.randint(1, 3))]
            edges += [(vertex, rng.choice(names), action, cost, Fraction(w, sum(weights))) for w in weights]
        for source, target, action, cost, chance in edges:
            builder.edge(source, target, action, cost=cost if chain else 0, probability=chance)
        game = builder.build(rng.choice(names))
        unused = [goal for goal, members in game.goals.items() if not len(members)]
        assert not unused
        return game


draw = Draw()
