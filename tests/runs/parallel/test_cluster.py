"""Plays by the workers of a Dask cluster: a real scheduler with two workers, over TLS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.dask_cluster import DaskCluster, dask_cluster
from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.formats.games.npz import write
from outplay.play.trace import Trace
from outplay.runs.events import Observer, PlayEnded
from outplay.runs.job import Job
from outplay.runs.parallel.worker_pool import exploration_crew
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.run import Run

pytest.importorskip("distributed", reason="the extra dist is not installed")
pytest.importorskip("cryptography", reason="the extra dist is not installed")

PIANO = """
from outplay import Model, controllable, given, observable

class Piano(Model):
    key: int = -1

    @controllable
    @given(key=range(4))
    def press(self, key):
        if self.key >= 0:
            return False
        self.key = key

    @observable
    @given(key=range(4))
    def tone(self, key):
        if key != self.key:
            return False
        self.key = -1

class Broken(Piano):
    @observable
    @given(key=range(4))
    def tone(self, key):
        if self.key < 0 or (key != self.key and self.key < 3):
            return False
        self.key = -1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cluster")
    (made / "piano_on_cluster.py").write_text(PIANO)
    return made


@pytest.fixture
def cluster(folder: Path) -> Iterator[DaskCluster]:
    import dask.config
    import distributed  # noqa: F401 - it sets what is usual first

    with dask_cluster(folder) as made, dask.config.set(made.configuration):
        yield made


class Killing(Observer):
    """Kills a worker of the cluster when the second play has ended, and waits until both have joined before that."""

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster, self.killed = cluster, 0

    def observe(self, event: Any) -> None:
        if isinstance(event, PlayEnded) and event.play == 2:
            self._cluster.kill(0)
            self.killed += 1


def events(trace: Trace) -> list[tuple[Any, ...]]:
    return [(event.play, event.n, event.kind, event.shown, event.given, event.seen) for event in trace.events]


@pytest.mark.usefixtures("modules_as_they_were")
def test_a_cluster_plays_as_one_process_does_even_if_a_worker_is_killed(cluster: DaskCluster, folder: Path):
    model = f"{folder}/piano_on_cluster.py:Piano"
    job: dict[str, Any] = {"model": model, "plays": 8, "steps": 40, "tester": "walk", "shrink": 0.0}
    broken = model.replace(":Piano", ":Broken")
    alone = Run(Job(**job, sut=f"model:{model}", jobs=1)).finish()
    failing = Run(Job(**job, sut=f"model:{broken}", jobs=1, keep_going=True)).finish()
    killing = Killing(cluster)
    disturbed = Run(Job(**job, sut=f"model:{model}", jobs=2, scheduler=cluster.address), observers=[killing]).finish()
    assert killing.killed == 1
    assert disturbed.passed
    assert events(disturbed.trace) == events(alone.trace)
    found = Run(Job(**job, sut=f"model:{broken}", scheduler=cluster.address, keep_going=True)).finish()
    assert [play.verdict.name for play in found.played] == [play.verdict.name for play in failing.played]
    assert found.verdict.name == "fail"


@pytest.mark.usefixtures("modules_as_they_were")
def test_what_workers_learn_is_merged_at_a_cluster_too(cluster: DaskCluster, folder: Path):
    model = f"{folder}/piano_on_cluster.py:Piano"
    job = {"model": model, "sut": f"model:{model}", "plays": 6, "steps": 30, "jobs": 2}
    here, there = Run(Job(**job)).finish(), Run(Job(**job, scheduler=cluster.address)).finish()
    assert events(here.trace) == events(there.trace)
    assert here.suspected.cleared == there.suspected.cleared


@pytest.mark.usefixtures("modules_as_they_were")
def test_a_cluster_explores_the_same_game_even_if_a_worker_is_killed(cluster: DaskCluster):
    job = Job(f"{EXAMPLES}/chat/model.py:Chat", set=("texts=('hi',)", "clients=('ann','bob','cid','dan','eve')"))
    killed = list[int]()

    def progress(expanded: int, known: int) -> None:
        if expanded >= 1024 and not killed:
            cluster.kill(0)
            killed.append(expanded)

    alone = load_model(job).game()
    crew = exploration_crew(replace(job, scheduler=cluster.address), at_once=True)
    together = load_model(job).game(progress, crew=crew)
    assert killed
    assert together.origin.helped > 1024
    assert b"".join(write(together)) == b"".join(write(alone))


def test_a_scheduler_without_tls_is_for_this_machine_only(folder: Path):
    model = f"{folder}/piano_on_cluster.py:Piano"
    with pytest.raises(UsageError, match="anybody could run code"):
        Run(Job(model, sut=f"model:{model}", scheduler="tcp://192.0.2.1:8786")).finish()


def test_no_file_names_a_scheduler():
    job = Job("m.aut", scheduler="tls://elsewhere:8786")
    assert job.json() == {"model": "m.aut"}
    with pytest.raises(Exception, match="scheduler"):
        Job.from_json({"scheduler": "tls://elsewhere:8786"})


def test_a_scheduler_that_is_not_there_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch):
    from outplay.scale import cluster

    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    model, began = f"{folder}/piano_on_cluster.py:Piano", time.monotonic()
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:9: cannot connect"):
        Run(Job(model, sut=f"model:{model}", scheduler="tcp://127.0.0.1:9")).finish()
    assert time.monotonic() - began < 60


def test_the_manifests_start_what_the_tests_start():
    yaml = pytest.importorskip("yaml")
    service, *deployments = yaml.safe_load_all((EXAMPLES / "cluster" / "kubernetes.yaml").read_text())
    pods = [one["spec"]["template"] for one in deployments]
    scheduler, worker = (pod["spec"]["containers"][0]["args"] for pod in pods)
    assert service["spec"]["selector"] == pods[0]["metadata"]["labels"]
    assert scheduler[:4] == ["dask", "scheduler", "--protocol", "tls"]
    assert worker[:5] == ["dask", "worker", f"tls://{service['metadata']['name']}:8786", "--nthreads", "1"]
    composed = yaml.safe_load((EXAMPLES / "cluster" / "compose.yaml").read_text())["services"]
    assert composed["worker"]["command"].split() == [
        "tls://scheduler:8786" if word.startswith("tls://") else word for word in worker
    ]
    assert composed["scheduler"]["command"].split() == scheduler
