"""A posteriori coverage: what is on every path that explains a play, by listing all of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

from helpers.commands import called
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.symbolic import random_system, reachable
from outplay import Label, Simulated, run, specification
from outplay.model.expressions.term import variables
from outplay.model.label import SILENCE
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.execution_graph import execution_graph
from outplay.model.tracking import Tracker
from outplay.play.following import Following
from outplay.play.plan import Plan
from outplay.play.trace import Event
from outplay.runs.monitors.switch_monitor import LOCATIONS, PAIRS, SWITCHES, SwitchMonitor
from outplay.tester.tester import Walker

BRP = EXAMPLES / "brp" / "brp.sts"


def paths(spec, labels):
    """All paths of switches that explain the labels of a play."""
    found = [(state, ()) for state in spec.initial]
    for label in labels:
        if label == SILENCE:
            found = [(state, path) for state, path in found if spec.quiet(state)]
        else:
            found = [(after, (*path, one)) for state, path in found for one, after in spec.taken(state, label)]
    return [path for _, path in found]


def items(system, path):
    names = [one.name for one in path]
    places = [system.initial, *(one.target for one in path)]
    return (
        {(SWITCHES, name) for name in names}
        | {(LOCATIONS, place) for place in places}
        | {(PAIRS, pair) for pair in zip([None, *names], names, strict=False)}
    )


@seeds(range(200), quick=15)
def test_what_is_sure_is_on_every_path_that_explains_a_play(seed):
    system = random_system(Random(seed))
    spec, monitor = specification(system), SwitchMonitor(execution_graph(system))
    simulated = Simulated(spec, Random(seed))
    outcome = run(Plan(spec, Walker(Random(seed))), simulated, plays=3, steps=7, observers=[monitor])
    expected = set()
    for play in range(1, outcome.tally.plays + 1):
        moves = [event for event in outcome.trace.events if event.play == play and event.is_move]
        labels = [SILENCE if event.kind == "silence" else event.label for event in moves]
        expected |= set.intersection(*(items(system, path) for path in paths(spec, labels)))
    assert monitor.seen == expected
    covered = monitor.covered(3)
    _, taken, pairs = reachable(system)
    assert covered.taken(SWITCHES) <= covered.possible(SWITCHES) == taken
    assert covered.taken(PAIRS) <= pairs <= covered.possible(PAIRS)
    assert set(covered.missing) == {one.name for one in system.switches} - covered.taken(SWITCHES)


def shown(events, latency):
    """What is sure after some events, where an output may have crossed an input."""
    (p,) = variables("p")
    show = output_gate("o")
    system = symbolic_system("crossing", "l", {}, [
        switch("a", "l", input_gate("a", p), "m"),
        switch("early", "l", show, "l"),
        switch("late", "m", show, "m"),
        switch("b", "m", input_gate("b"), "n"),
    ])  # fmt: skip
    following, monitor = (
        Following(Tracker(specification(system), latency=latency)),
        SwitchMonitor(execution_graph(system)),
    )
    monitor.begin()
    for event in events:
        monitor.take(following.take(event))
    return monitor.covered(1).taken(SWITCHES)


def test_an_output_that_may_have_crossed_an_input_makes_neither_of_its_switches_sure():
    a, b, o = Label.parse("?a 1"), Label.parse("?b"), Label.parse("!o")
    given, seen = Event("input", a, given=0.0), Event("output", o, seen=0.5)
    assert shown([given, seen], latency=0.1) == {"a", "late"}
    assert shown([given, seen], latency=1.0) == set()
    # Much later the input has arrived; which of the two switches showed the output is never known.
    assert shown([given, seen, Event("input", b, given=9.0), Event("silence", seen=20.0)], latency=1.0) == {"a", "b"}


def test_a_run_tells_both_coverages(capsys):
    asked = ["run", BRP, "--tester", "switches", "--sut", f"model:{BRP}", "--plays", "1", "--steps"]
    told = called(capsys, *asked, "60").out
    assert "a priori: 12 of 12 switches, 6 of 6 locations can be taken" in told
    assert "a posteriori: 12 of 12 switches, 6 of 6 locations, " in told
    assert "a posteriori<dd>12 of 12 switches" in Path(".outplay/last/report.html").read_text()
    monitor = called(capsys, *asked, "2", "--json").json["coverage"]["aim"]
    assert (monitor["kind"], monitor["total"], monitor["a_priori"], monitor["complete"]) == ("switches", 12, 1.0, True)
    assert monitor["a_posteriori"] == monitor["covered"] / 12 < 0.5
    assert len(monitor["missing"]) == 12 - monitor["covered"]
    assert monitor["locations"]["covered"] < monitor["locations"]["total"] == 6
    assert set(monitor["missing"].values()) == {"not seen for sure"}
