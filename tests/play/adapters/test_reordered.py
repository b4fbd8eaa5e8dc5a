from __future__ import annotations

from random import Random

import pytest

from outplay import Simulated, Timing, automaton, controllable, given, observable, run
from outplay.errors import UsageError
from outplay.model.programs.program import Model
from outplay.play.adapters.adapters import adapter_of
from outplay.play.adapters.reordered import Reordered
from outplay.runs.job import Job
from outplay.runs.preparing.systems import system_of

SECONDS = 0.4


class Board(Model):
    """Clients post, and everybody gets each post in the same order."""

    clients = ("ann", "bob")
    queue: tuple[tuple[str, int], ...] = ()

    @controllable
    @given(who="clients", text=(1, 2))
    def post(self, who, text):
        if len(self.queue) > 2:
            return False
        self.queue += tuple((reader, text) for reader in self.clients)

    @observable
    @given(who="clients", text=(1, 2))
    def got(self, who, text):
        mine = [entry for entry in self.queue if entry[0] == who]
        if not mine or mine[0][1] != text:
            return False
        queue = list(self.queue)
        queue.remove((who, text))
        self.queue = tuple(queue)


class ChannelledBoard(Board):
    channel = "who"


class WrongBoard(ChannelledBoard):
    """Shows the posts to a reader in any order."""

    @observable
    @given(who="clients", text=(1, 2))
    def got(self, who, text):
        if (who, text) not in self.queue:
            return False
        queue = list(self.queue)
        queue.remove((who, text))
        self.queue = tuple(queue)


def played(model, system, latency=SECONDS, seed=0):
    simulated = Reordered(Simulated(system, Random(seed)), Random(seed + 1), seconds=SECONDS)
    return run(model, simulated, plays=12, steps=25, tester="walk", seed=seed, timing=Timing(1.0, latency)).verdict


@pytest.mark.parametrize("seed", range(4))
def test_what_overtakes_on_the_way_is_explained_by_channels_and_the_latency(seed):
    assert played(ChannelledBoard, ChannelledBoard, seed=seed).name == "pass"


def test_without_channels_or_latency_it_is_not():
    assert any(played(Board, ChannelledBoard, seed=seed).name == "fail" for seed in range(4))
    assert any(played(ChannelledBoard, ChannelledBoard, latency=0.01, seed=seed).name == "fail" for seed in range(4))


def test_a_fault_is_found_although_labels_overtake_each_other():
    assert any(played(ChannelledBoard, WrongBoard, seed=seed).name == "fail" for seed in range(4))


@pytest.mark.timeout(60)
def test_a_system_that_speaks_on_and_on_is_played_to_the_end():
    spring = automaton([("s", "!drop", "s"), ("s", "?close", "shut"), ("shut", "?open", "s")])
    system = Reordered(Simulated(spring, Random(1)), Random(1), seconds=0.2)
    result = run(spring, system, plays=3, steps=50, timing=Timing(latency=0.2), seed=1)
    assert (result.verdict.name, result.tally.plays) == ("pass", 3)


def test_a_time_is_not_negative():
    with pytest.raises(UsageError, match="reorder"):
        adapter_of("model:x").options["reorder"].read("reorder", "-1")


def test_the_option_makes_it(tmp_path):
    path = tmp_path / "lamp.aut"
    path.write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    made = system_of(Job(str(path), sut=f"model:{path}", options=("reorder=0.5",)))
    assert isinstance(made, Reordered)
    assert isinstance(system_of(Job(str(path), sut=f"model:{path}")), Simulated)


@pytest.mark.parametrize("target", [0, 1])
def test_silence_that_leads_elsewhere_is_not_simulated_behind_delays(tmp_path, target):
    """The simulation cannot know when the tester has seen silence: a right system could fail."""
    (tmp_path / "bell.aut").write_text(f'des (0, 3, 2)\n(0, "delta", {target})\n(0, "?press", 1)\n(1, "!ring", 0)\n')
    job = Job(f"{tmp_path}/bell.aut", sut=f"model:{tmp_path}/bell.aut", options=("reorder=0.1",), latency=0.1)
    if target:
        with pytest.raises(UsageError, match="silence leads from 0 to another state"):
            system_of(job)
    else:
        assert isinstance(system_of(job), Reordered)
