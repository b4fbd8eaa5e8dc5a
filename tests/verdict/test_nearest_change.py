"""The smallest single change that explains a failing play, against all changes made by hand from the definition."""

from __future__ import annotations

from random import Random

import pytest

from helpers.automata import random_automaton, specification_of
from helpers.plain_ioco import after, closed, shown
from outplay import Label, judge
from outplay.model.label import SILENCE
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.trace import Event, Trace
from outplay.verdict.nearest_change import KINDS, nearest_change
from outplay.verdict.show import explanation
from outplay.verdict.verdicts import Fail


def allowed(model, labels) -> bool:
    states = closed(model, {model.initial})
    for label in labels:
        states = after(model, states, label)
        if not states:
            return False
    return True


def reached(model, labels):
    states = closed(model, {model.initial})
    for label in labels:
        states = after(model, states, label)
    return states


def changes(model, labels):
    """Each change of a failing play: how far it is from the end, its kind, and the labels after it."""
    last = len(labels) - 1
    for place, label in enumerate(labels):
        before, rest = labels[:place], labels[place + 1 :]
        possible = {one for one in shown(model, reached(model, before)) if one != SILENCE}
        for lost in possible:
            yield last - place, "lost", [*before, lost, label, *rest]
        if label.is_output:
            if label in before:
                twin = max(number for number in range(place) if labels[number] == label)
                yield last - twin, "doubled", [*before, *rest]
            for to in range(place):
                yield last - to, "late", [*labels[:to], label, *labels[to:place], *rest]
            for other in possible:
                differing = sum(a != b for a, b in zip(other.arguments, label.arguments, strict=False))
                same = other.gate == label.gate and len(other.arguments) == len(label.arguments)
                if same and differing == 1:
                    yield last - place + 1, "other", [*before, other, *rest]
        if label.is_input:
            yield last - place, "input lost", [*before, *rest]
            for to in range(place + 1, last + 1):
                yield (
                    last - 2 * place + to,
                    "input later",
                    [*before, *labels[place + 1 : to + 1], label, *labels[to + 1 :]],
                )


def event(label) -> Event:
    kind = "silence" if label == SILENCE else "input" if label.is_input else "output"
    return Event(kind, label, **({"given": 0.0} if label.is_input else {"seen": 0.0}))


def failing_play(seed: int):
    """A walk of a random automaton, and then a label that it does not allow."""
    rng = Random(f"change {seed}")
    labels = ("?a", "?b", "!x 1", "!x 2", "!y")
    model = random_automaton(f"{seed}", least=2, most=6, share=0.4, labels=labels)
    play, states = [], closed(model, {model.initial})
    for _ in range(rng.randrange(7)):
        possible = sorted({step for state in states for step, _ in model.moves(state) if step.kind in "?!"}, key=str)
        possible += [SILENCE] * (SILENCE in shown(model, states))
        if not possible:
            break
        play.append(rng.choice(possible))
        states = after(model, states, play[-1])
    wrong = [one for one in (*map(Label.parse, labels[2:]), SILENCE) if one not in shown(model, states)]
    return model, [*play, rng.choice(wrong)] if wrong else []


def test_the_change_found_is_the_smallest_of_all_that_the_definition_has():
    found = dict.fromkeys((*KINDS, None), 0)
    for seed in range(1500):
        model, play = failing_play(seed)
        if not play:
            continue
        spec = SuspensionAutomaton(model)
        got = nearest_change(spec, [event(label) for label in play])
        right = [(cost, kind) for cost, kind, changed in changes(model, play) if allowed(model, changed)]
        assert (got is None) == (not right), (seed, play, right)
        found[got and got.kind] += 1
        if got:
            least = min(cost for cost, _ in right)
            assert (least, got.kind) in right, (seed, play, right)
            assert got.kind == min((kind for cost, kind in right if cost == least), key=KINDS.index)
    assert all(found.values()), f"a kind of change never came: {found}"


LAMP = specification_of("off ?press on", "on !light off", "off delta off")


def judged(*labels: str, latency: float = 0.0):
    events = [Event("reset", seen=0.0)]
    for number, text in enumerate(labels, 1):
        label = SILENCE if text == "delta" else Label.parse(text)
        kind = "silence" if text == "delta" else "input" if label.is_input else "output"
        times = {"given" if kind == "input" else "seen": float(number)}
        events.append(Event(kind, label, **times, n=number + 1, play=1))
    return judge(LAMP, Trace(events=tuple(events)))


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["?press", "!light", "!light"], "without the second !light (step 3) it would be allowed"),
        (["?press", "delta"], "if !light had come before step 2 it would be allowed: an output may be lost"),
        (["?press", "!light", "?press", "?press"], ""),
    ],
)
def test_a_fail_tells_it(labels, text):
    verdict = judged(*labels)
    assert isinstance(verdict, Fail) == bool(text)
    assert not text or any(text in line for line in explanation(verdict))


def test_a_crash_and_a_hopeless_play_have_none():
    events = [Event("reset", seen=0.0, n=1, play=1), Event("crash", seen=1.0, n=2, play=1)]
    assert judge(LAMP, Trace(events=tuple(events))).change is None
    assert judged("!never").change is None


def test_a_long_play_is_explained_within_bounds():
    labels = ["?press", "!light"] * 2_000
    verdict = judged(*labels, "!light")
    assert verdict.change.kind == "doubled"
    assert verdict.change.step == 4_001
