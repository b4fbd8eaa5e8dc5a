"""Inspecting an automaton or machine: its sizes and properties, and what looks wrong in it.

Whether silence makes sense: four rules that hold for every system whose silence is seen from outside.
Definition (Willemse, *Heuristics for ioco-based test-based modelling*, 2006; van den Bos 2020, 2.2, does without them):
in a valid suspension automaton every state shows an output or silence; after silence no output comes; what is possible
after silence is possible without having seen it; and a second silence tells nothing new. Where an automaton says
`delta` itself, or a model allows silence beside outputs, a rule may be broken. Such a model can be played all the same:
a system that speaks after a pause is only taken to have been silent.

The first rule always holds here: silence is made visible where nothing else is. The others compare the traces of two
states, which in deterministic automata is a walk over pairs: O(silent states · pairs) at worst, pairs once proven kept.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from outplay.breadth_first_search import nearest_first
from outplay.conformance.behaviour import MOST_STATES, Behaviour
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.completion import minimised
from outplay.model.automaton import Automaton
from outplay.model.label import SILENCE, TAU, Label
from outplay.model.machine import Machine
from outplay.model.suspension import SuspensionAutomaton, build_all_states
from outplay.plurals import counted

MOST_COMPARED = 6_000  # states up to which all pairs are compared
MOST_LISTED = 3
MOST_NAMED = 20  # states for people
OUTPUT_AFTER, GAINS, REPEATED = "output-after", "gains", "repeated"
RULES = {
    OUTPUT_AFTER: "an output can come after silence",
    GAINS: "silence makes possible what was not",
    REPEATED: "a second silence changes what is possible",
}
"""The rules of silence, and what is wrong where one is broken."""


@dataclass(frozen=True)
class AutomatonReport:
    """Sizes and properties of an automaton; the number of pairs is None where it was not computed."""

    states: int
    inputs: int
    outputs: int
    transitions: int
    deterministic: bool
    input_enabled: bool
    mixed_states: int
    machine_states: int | None
    compatible_pairs: int | None
    minimal_states: int | None
    """The number of states of the smallest specification with the same conforming implementations."""
    chaos_states: list[str] = field(default_factory=list)
    """States in which all that the model names is allowed for ever."""
    silence_faults: list[SilenceFault] = field(default_factory=list)
    pairs: list[tuple[str, str]] | None = None
    """The compatible pairs, where they were asked for."""
    warnings: list[str] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        shown = asdict(self)
        shown["silence_faults"] = [fault.json() for fault in self.silence_faults]
        if self.pairs is None:
            del shown["pairs"]
        return shown

    def lines(self) -> list[str]:
        kind = "deterministic" if self.deterministic else "nondeterministic"
        lines = [
            f"{counted(self.states, 'state')}, {counted(self.transitions, 'transition')}, "
            f"{counted(self.inputs, 'input')}, {counted(self.outputs, 'output')}",
            f"{kind}, {'' if self.input_enabled else 'not '}input-enabled, {counted(self.mixed_states, 'mixed state')}",
        ]
        if self.machine_states is not None:
            lines.append(f"made from a machine of {counted(self.machine_states, 'state')}")
        if self.compatible_pairs is not None:
            lines.append(f"{self.compatible_pairs:,} ordered pairs of different states are compatible")
        if self.minimal_states is not None:
            lines.append(f"{counted(self.minimal_states, 'state')} would do for the same conforming systems")
        if self.chaos_states:
            lines.append(f"all labels of the model are allowed for ever at {', '.join(self.chaos_states[:MOST_NAMED])}")
        lines += [f"  {one} ~ {other}" for one, other in self.pairs or ()]
        return lines + [f"! {warning}" for warning in self.warnings]


def inspect_automaton(model: Automaton | Machine, *, with_pairs: bool = False) -> AutomatonReport:
    """Inspect an automaton or machine: its sizes, properties and compatible pairs, ordered (van den Bos 2020, 3.8)."""
    automaton = model.automaton
    labels = automaton.used_labels
    inputs = {label for label in labels if label.is_input}
    rows = [automaton.moves(state) for state in range(automaton.state_count)]
    enabled = [{label for label, _ in row if label.is_input} for row in rows]
    speaking = [any(label.is_output for label, _ in row) for row in rows]
    spec = _compared(automaton)
    found = None if spec is None else compatible_states(spec)
    small = None if spec is None else minimised(spec)
    free = [] if spec is None else list(minimised(spec, ()).chaos)
    faults = [] if spec is None else silence_faults(spec)
    return AutomatonReport(
        states=automaton.state_count,
        inputs=len(inputs),
        outputs=sum(label.is_output for label in labels),
        transitions=automaton.transition_count,
        deterministic=all(len({label for label, _ in row}) == len(row) for row in rows)
        and not any(label.kind == TAU for label in labels),
        input_enabled=all(each == inputs for each in enabled),
        mixed_states=sum(bool(given) and speaks for given, speaks in zip(enabled, speaking, strict=True)),
        machine_states=None if model is automaton else len(model.names),
        compatible_pairs=None if found is None else 2 * found.count,
        minimal_states=None if small is None else small.automaton.state_count,
        chaos_states=free,
        silence_faults=faults,
        pairs=(_pairs(found) if found else []) if with_pairs else None,
        warnings=[*_automaton_warnings(automaton), *_silence_warnings(faults)],
    )


def _compared(automaton: Automaton) -> SuspensionAutomaton | None:
    """The suspension automaton where it is small enough to compare all pairs of its states."""
    if not automaton.directed() or automaton.state_count > MOST_COMPARED:
        return None
    spec = SuspensionAutomaton(automaton)
    return None if build_all_states(spec, MOST_COMPARED) > MOST_COMPARED else spec


def _pairs(found: Compatibility) -> list[tuple[str, str]]:
    """Each pair in both orders, since that is how they are counted."""
    names = found.table.names
    both = [pair for p, q in found.pairs() for pair in ((p, q), (q, p))]
    return [(names[p], names[q]) for p, q in sorted(both)]


def _silence_warnings(faults: list[SilenceFault]) -> list[str]:
    more = [f"… and {counted(len(faults) - MOST_LISTED, 'more such state')}"] * (len(faults) > MOST_LISTED)
    return [*map(str, faults[:MOST_LISTED]), *more]


def _automaton_warnings(automaton: Automaton) -> list[str]:
    found = nearest_first([automaton.initial], lambda state: (target for _, target in automaton.moves(state)))
    warnings = []
    lost = [automaton.names[state] for state in range(automaton.state_count) if state not in found]
    if lost:
        warnings.append(
            f"{counted(len(lost), 'state')} cannot be reached: {', '.join(lost[:5])}{', …' if len(lost) > 5 else ''}"
        )
    if not automaton.directed():
        odd = next(label.text for label in automaton.used_labels if label.kind == "")
        warnings.append(f"labels without a direction, such as {odd!r}: to play it say which are inputs, --inputs GLOB")
    return warnings


@dataclass(frozen=True)
class SilenceFault:
    """A state in which silence breaks a rule; `trace`, from there on, shows it."""

    state: str
    rule: str
    trace: tuple[Label, ...]

    def __str__(self) -> str:
        return f"silence at {self.state}: {RULES[self.rule]} ({' '.join(map(str, self.trace))})"

    def json(self) -> dict[str, Any]:
        trace = [label.text for label in self.trace]
        return {"state": self.state, "reason": self.rule, "trace": trace}


def silence_faults(model: Any, *, most: int = MOST_STATES) -> list[SilenceFault]:
    """Return the states of a model in which silence breaks a rule, with the reason and a shortest trace to it.

    >>> from outplay.model.automaton import automaton
    >>> pause = automaton([("a", "delta", "b"), ("b", "!x", "a"), ("b", "delta", "b")])
    >>> [str(fault) for fault in silence_faults(pause)]  # doctest: +NORMALIZE_WHITESPACE
    ['silence at a: an output can come after silence (delta !x)',
     'silence at a: silence makes possible what was not (delta !x)',
     'silence at b: an output can come after silence (delta !x)']
    """
    seen = Behaviour(model, most=most).whole()
    silence, proven = seen.alphabet.number(SILENCE), set[tuple[int, int]]()
    found = []
    for state in range(len(seen)):
        if silence in seen.outputs(state):
            for rule, trace in _broken(seen, state, silence, proven):
                found.append(SilenceFault(seen.state_name(state), rule, trace))
    return found


def _broken(
    seen: Behaviour, state: int, silence: int, proven: set[tuple[int, int]]
) -> list[tuple[str, tuple[Label, ...]]]:
    quiet = seen.outputs(state)[silence]
    found: list[tuple[str, tuple[Label, ...]]] = []
    spoken = next((number for number in seen.outputs(quiet) if number != silence), None)
    if spoken is not None:
        found.append((OUTPUT_AFTER, (SILENCE, seen.alphabet.labels[spoken])))
    gained = _only_of(seen, quiet, state, proven)
    if gained is not None:
        found.append((GAINS, (SILENCE, *gained)))
    again = seen.outputs(quiet).get(silence)
    if again is None:
        found.append((REPEATED, (SILENCE,)))
    else:
        changed = [_only_of(seen, again, quiet, proven), _only_of(seen, quiet, again, proven)]
        shown = [(SILENCE, *[SILENCE] * (not side), *trace) for side, trace in enumerate(changed) if trace is not None]
        found += [(REPEATED, min(shown, key=len))] if shown else []
    return found


def _only_of(seen: Behaviour, one: int, other: int, proven: set[tuple[int, int]]) -> tuple[Label, ...] | None:
    """A shortest trace that one state has and the other has not."""
    if one == other:
        return None
    traces: dict[tuple[int, int], tuple[Label, ...]] = {(one, other): ()}
    queue = [(one, other)]
    for pair in queue:  # grows on the way
        mine, theirs = seen.moves(pair[0]), seen.moves(pair[1])
        for label, target in mine.items():
            if label not in theirs:
                return (*traces[pair], label)
            reached = (target, theirs[label])
            if reached[0] != reached[1] and reached not in traces and reached not in proven:
                traces[reached] = (*traces[pair], label)
                queue.append(reached)
    proven.update(queue)
    return None
