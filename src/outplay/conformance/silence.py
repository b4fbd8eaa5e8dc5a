"""Whether silence makes sense: four rules that hold for every system whose silence is seen from outside.

Definition (Willemse, *Heuristics for ioco-based test-based modelling*, 2006; van den Bos 2020, 2.2, does without them):
in a valid suspension automaton every state shows an output or silence; after silence no output comes; what is possible
after silence is possible without having seen it; and a second silence tells nothing new. Where an automaton says
`delta` itself, or a model allows silence beside outputs, a rule may be broken. Such a model can be played all the same:
a system that speaks after a pause is only taken to have been silent.

The first rule always holds here: silence is made visible where nothing else is. The others compare the traces of two
states, which in deterministic automata is a walk over pairs: O(silent states · pairs) at worst, pairs once proven kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outplay.conformance.behaviour import MOST_STATES, Behaviour
from outplay.model.label import SILENCE, Label

OUTPUT_AFTER, GAINS, REPEATED = "output-after", "gains", "repeated"
RULES = {
    OUTPUT_AFTER: "an output can come after silence",
    GAINS: "silence makes possible what was not",
    REPEATED: "a second silence changes what is possible",
}
"""The rules of silence, and what is wrong where one is broken."""


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
    """The states of a model in which silence breaks a rule, with the reason and a shortest trace that shows it.

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
