"""What commands tell is told by results that Python gets by the same job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.places import EXAMPLES
from outplay import Simulated, read_model, run
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.queries.check import changes_job, check_job
from outplay.runs.queries.explored_model import explore_job
from outplay.runs.queries.forecast import forecast_coverage, forecast_job
from outplay.runs.queries.judge import judge_job
from outplay.runs.queries.model_report import inspect_loaded

MP3 = str(EXAMPLES / "mp3" / "mp3.aut")
EAGER = str(EXAMPLES / "mp3" / "eager.aut")
RETRY = str(EXAMPLES / "graphs" / "retry.json")


def test_an_explored_model_tells_its_sizes_and_what_stopped_it():
    whole, cut = explore_job(Job(MP3)), explore_job(Job(MP3, max_depth=1))
    assert whole.json()["vertices"] == whole.game.vertex_count
    assert (whole.warnings, "stopped" in whole.json(), whole.json()["complete"]) == ((), False, True)
    assert cut.warnings == (cut.json()["stopped"],)
    assert "(not complete)" in next(iter(cut.lines()))


def test_a_compressed_game_is_smaller_and_tells_how_many_states_there_were():
    chat = Job(str(EXAMPLES / "chat" / "model.py:Chat"))
    plain, small = explore_job(chat), explore_job(chat, compress="two_pending")
    assert small.game.vertex_count < plain.game.vertex_count
    assert small.json()["states"] == plain.json()["states"]


def test_a_check_tells_the_way_to_the_difference():
    found = check_job(Job(MP3), EAGER, "ioco")
    assert found.json()["conforms"] is found.found.conforms is False
    assert next(iter(found.lines())) == f"✗ {EAGER} does not conform to {MP3} (ioco):"
    assert check_job(Job(MP3), MP3, "ioco").counterexample is None


def test_changes_tell_themselves():
    found = changes_job(Job(MP3), EAGER)
    assert len(found.json()["changes"]) == len(found.changes) > 0
    assert list(changes_job(Job(MP3), MP3).lines()) == ["nothing changed: both do the same"]


def test_a_judged_trace_shows_the_failing_play():
    mp3, eager = read_model(MP3), read_model(EAGER)
    played = run(mp3, Simulated(eager), plays=50).trace
    judged = judge_job(played, Job(MP3))
    assert judged.json()["verdict"] == judged.verdict.name == "fail"
    assert judged.labels[-1] == judged.verdict.event.label.text
    assert any("allowed:" in line for line in judged.lines())
    other = replace(played, header=replace(played.header, model="it", model_hash="0"))
    assert judge_job(other, Job(MP3)).warnings == (
        "the trace was recorded with it, which is another model or has changed",
    )


@pytest.mark.parametrize(
    "path", [MP3, RETRY, str(EXAMPLES / "symbolic" / "adder.sts"), str(EXAMPLES / "chat/model.py:Chat")]
)
def test_a_report_tells_the_same_to_programs_and_people(path):
    report = inspect_loaded(load_model(Job(path)))
    assert report.json()
    assert list(report.lines())


def test_pairs_are_listed_where_they_are_asked_for():
    assert "pairs" not in inspect_loaded(load_model(Job(MP3))).json()
    assert "pairs" in inspect_loaded(load_model(Job(MP3)), pairs=True).json()


def test_a_forecast_prints_what_the_terminal_shows():
    found = forecast_job(Job(RETRY, goal=("failover",)))
    assert str(found.forecast) == "\n".join(found.forecast.lines())
    assert found.json()["targets"][0]["name"] == "failover"
    with pytest.raises(UsageError, match="give one or the other"):
        forecast_job(Job(RETRY, goal=("failover",)), ["state"])


def test_coverage_is_forecast_of_what_the_job_asks_for():
    asked = forecast_coverage(Job(RETRY, cover="states", plays=3))
    assert list(asked.json()["coverage"]) == ["states"]
    assert len(forecast_coverage(Job(RETRY, plays=3)).outlooks) == 3
