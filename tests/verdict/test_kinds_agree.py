"""One meaning for every notation: a model written in all that can express it gives the same verdicts on a trace.

A random automaton, or a random machine that answers each input, is written as a file of every format that can hold it,
and as a model program where it is deterministic. All are read again, and judge must say of every trace what a judge
written from the contract alone says.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helpers.automata import Step, random_steps
from helpers.contract_judge import ContractJudge, events_of, random_play, worst
from outplay import Simulated, automaton, run, specification
from outplay.formats.automata.aut import numbered
from outplay.formats.registry import read_model, write_model
from outplay.game.builder import GameBuilder
from outplay.model.programs.load import load_program
from outplay.play.timing import Timing
from outplay.play.trace import Trace, TraceHeader
from outplay.verdict.judge import judge

MANY = (
    int(os.environ.get("OUTPLAY_TRACES", 100_000)) // 16
)  # random models by `make test-long`; four in five can be written
BLOCKS = 10
LATENCY = 0.1
MACHINE = 3  # every so manieth model is a machine


class Drawn:
    """A random model: its states, the first one initial, and its transitions."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(f"kinds {seed}")
        self.machine = seed % MACHINE == 0
        copies = rng.choice([1, 2])
        if not self.machine:
            self.names, self.steps = random_steps(rng, least=2, most=4, share=(0.3, 0.5), copies=copies)
            self.answers: list[tuple[str, str, str, str]] = []
        else:
            self.names = [f"q{number}" for number in range(rng.randint(1, 3))]
            self.answers = sorted(
                {
                    (source, given, rng.choice("xy"), rng.choice(self.names))
                    for source in self.names
                    for given in "ab"
                    for _ in range(rng.choice([0, 1, copies]))
                }
            )
            self.steps = []
            for source, given in dict.fromkeys((source, given) for source, given, _, _ in self.answers):
                between = f"{source}{given}"
                self.steps.append((source, f"?{given}", between))
                self.steps += [(between, f"!{x}", t) for s, g, x, t in self.answers if (s, g) == (source, given)]
            self.names += list(dict.fromkeys(step[2] for step in self.steps if step[2] not in self.names))
        self.deterministic = len({step[:2] for step in self.steps}) == len(self.steps)

    @property
    def writable(self) -> bool:
        """Say whether every notation can hold it: some refuse a model without a step at its beginning."""
        gates = {label for _, label, _ in self.steps}
        return any(source == self.names[0] for source, _, _ in self.steps) and len(gates) > 1

    def files(self, folder: Path) -> Iterator[Path]:
        """The model in every notation."""
        plain = automaton(self.steps, states=self.names, name="drawn")
        met = {state for source, _, target in self.steps for state in (source, target)}
        for ending in ("aut", "dot", *["csv"] * (met == set(self.names))):
            write_model(folder / f"plain.{ending}", plain if ending == "dot" else numbered(plain))
            yield folder / f"plain.{ending}"
        texts = {"game.json": None, "plain.sts": symbolic(self), "plain.xml": register_automaton(self)}
        write_model(folder / "game.json", game(self))
        if self.machine:
            texts |= {"machine.efsm": extended(self), "machine.dot": mealy(self)}
        if self.deterministic:
            texts["program.py"] = program(self)
        for name, text in texts.items():
            if text is not None:
                (folder / name).write_text(text, encoding="utf-8")
            yield folder / name
        if self.machine and len({answer[:2] for answer in self.answers}) == len(self.answers):
            write_model(folder / "machine.fsm", read_model(folder / "machine.dot"))
            yield folder / "machine.fsm"


def game(drawn: Drawn):
    builder = GameBuilder()
    for name in drawn.names:
        builder.vertex(name, "tester")
    for source, label, target in drawn.steps:
        builder.edge(source, target, label)
    return builder.build()


def symbolic(drawn: Drawn) -> str:
    kinds = {"?": "input", "!": "output"}
    gates = [f"{kinds[label[0]]} {label[1:]}" for label in dict.fromkeys(label for _, label, _ in drawn.steps)]
    steps = [f"switch r{n}: {s} -> {t} on {label[1:]}" for n, (s, label, t) in enumerate(drawn.steps)]
    return "\n".join(['system "drawn"', *gates, f"initial {drawn.names[0]}", *steps, ""])


def register_automaton(drawn: Drawn) -> str:
    labels = list(dict.fromkeys(label for _, label, _ in drawn.steps))
    symbols = {kind: "".join(f'<symbol name="{x[1:]}"/>' for x in labels if x[0] == kind) for kind in "?!"}
    first = {drawn.names[0]: ' initial="true"'}
    places = "".join(f'<location name="{name}"{first.get(name, "")}/>' for name in drawn.names)
    steps = "".join(f'<transition from="{s}" to="{t}" symbol="{x[1:]}"/>' for s, x, t in drawn.steps)
    return (
        f"<register-automaton><alphabet><inputs>{symbols['?']}</inputs><outputs>{symbols['!']}</outputs></alphabet>"
        f"<locations>{places}</locations><transitions>{steps}</transitions></register-automaton>"
    )


def extended(drawn: Drawn) -> str:
    steps = [f"step t{n}: {s} -> {t} on {given} / {x}" for n, (s, given, x, t) in enumerate(drawn.answers)]
    return "\n".join(['machine "drawn"', f"initial {drawn.names[0]}", *steps, ""])


def mealy(drawn: Drawn) -> str:
    steps = [f'{s} -> {t} [label="{given}/{x}"];' for s, given, x, t in drawn.answers]
    return "\n".join(["digraph drawn {", f"__start0 -> {drawn.names[0]};", *steps, "}", ""])


def program(drawn: Drawn) -> str:
    lines = ["from outplay import Model, controllable, observable", "", "", "class Drawn(Model):"]
    lines += [f"    at: str = {drawn.names[0]!r}"]
    for label in dict.fromkeys(label for _, label, _ in drawn.steps):
        leads = {source: target for source, by, target in drawn.steps if by == label}
        kind = "controllable" if label[0] == "?" else "observable"
        lines += ["", f"    @{kind}", f"    def {label[1:]}(self):", f"        target = {leads!r}.get(self.at)"]
        lines += ["        if target is None:", "            return False", "        self.at = target"]
    return "\n".join([*lines, ""])


def read(path: Path) -> Any:
    return load_program(f"{path}:Drawn") if path.suffix == ".py" else read_model(path)


def compared(seeds: range, folder: Path) -> Counter[str]:
    """Judge traces of random models by every notation; count verdicts, notations, and played runs."""
    found: Counter[str] = Counter()
    for seed in seeds:
        drawn = Drawn(seed)
        if not drawn.writable:
            continue
        rng, steps = drawn.rng, drawn.steps
        (folder / str(seed)).mkdir()  # a module is loaded once from its place
        kinds = {path.name: specification(read(path)) for path in drawn.files(folder / str(seed))}
        found.update(kinds.keys())
        second = ContractJudge(drawn.names, steps, LATENCY)
        for _ in range(3):
            play = random_play(rng, drawn.names, steps, LATENCY)
            expected = worst([second.play(play)], None)
            trace = Trace(TraceHeader(options={"latency": LATENCY, "silence": 0.5}), tuple(events_of(play, 1)))
            for name, spec in kinds.items():
                verdict = judge(spec, trace).name
                assert verdict == expected, f"seed {seed}, {name}: {verdict}, by the contract {expected}: {play}"
            found[expected] += 1
        if seed % 5 == 0:
            found["played"] += agreed(rng, kinds, steps, drawn.names)
    return found


def agreed(rng: Random, kinds: dict, steps: list[Step], names: list[str]) -> int:
    """Play by each notation against a system that may be wrong: every notation says the same of what was seen."""
    other = [step for step in steps if rng.random() < 0.9] + [(rng.choice(names), "!x", rng.choice(names))]
    for name, spec in kinds.items():
        system = Simulated(automaton(other, states=names, name="other"), Random(rng.random()))
        outcome = run(spec, system, plays=2, steps=8, timing=Timing(0.5, 0.0))
        verdicts = {by: judge(each, outcome.trace).name for by, each in kinds.items()}
        assert set(verdicts.values()) == {outcome.verdict.name}, f"played by {name}: {outcome.verdict}, {verdicts}"
    return len(kinds)


@pytest.mark.promise("A8")
def test_every_notation_gives_the_verdict_of_the_contract(tmp_path, tried):
    found = compared(range(150), tmp_path)
    tried(judged_in(found))
    assert min(found[name] for name in ("pass", "fail", "inconclusive")) > 20, found
    notations = (
        "plain.aut",
        "plain.dot",
        "game.json",
        "plain.sts",
        "plain.xml",
        "machine.efsm",
        "machine.dot",
        "plain.csv",
        "machine.fsm",
    )
    assert min(found[name] for name in (*notations, "program.py")) > 20, found
    assert found["played"] > 100


@pytest.mark.promise("A8")
@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_notation_gives_the_verdict_of_the_contract_on_five_thousand_models(block, tmp_path, tried):
    size = MANY // BLOCKS
    tried(judged_in(compared(range(10_000 + block * size, 10_000 + (block + 1) * size), tmp_path)))


def judged_in(found: Counter[str]) -> int:
    """How many traces were judged, each in every notation."""
    return sum(found[name] for name in ("pass", "fail", "inconclusive"))


def test_one_of_several_states_without_an_input_drops_out_in_every_notation(tmp_path):
    """The same model and trace gave Fail as an automaton and Inconclusive as a symbolic system."""
    drawn = Drawn(1)
    drawn.machine, drawn.deterministic, drawn.names = False, False, ["s", "t", "u"]
    drawn.steps = [("s", "?a", "t"), ("s", "?a", "u"), ("t", "?b", "t"), ("u", "!x", "u"), ("t", "!y", "t")]
    for given, expected in ((["?a", "?b", "!x"], "fail"), (["?a", "?b", "!y"], "pass"), (["?b", "!x"], "inconclusive")):
        play = [("in" if label[0] == "?" else "out", label, 1.0 + n) for n, label in enumerate(given)]
        trace = Trace(TraceHeader(), tuple(events_of(play, 1)))
        for path in drawn.files(tmp_path):
            assert judge(read(path), trace).name == expected, path.name
