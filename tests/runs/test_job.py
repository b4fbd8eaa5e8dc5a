"""The job: a plain value that can be written down, and refuses what it does not know."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from outplay.errors import FormatError, OutplayError, UsageError
from outplay.formats.common.json_document import InvalidDocument
from outplay.play.trace import TraceHeader
from outplay.runs.job import UNWRITTEN, Job, read_job, read_kept_job, recorded_job


def some_job(rng: Random) -> Job:
    """A job with some fields set to something else than the default."""
    values = {
        "str": lambda: rng.choice(["a", "b c", "ü"]),
        "tuple[str, ...]": lambda: tuple(rng.sample(["x", "y=1", "z"], rng.randrange(3))),
        "int": lambda: rng.randrange(1, 9),
        "float": lambda: rng.choice([0.25, 2.0]),
        "bool": lambda: rng.random() < 0.5,
    }
    written = [field for field in fields(Job) if field.name not in (*UNWRITTEN, "until")]
    chosen = rng.sample(written, rng.randrange(len(written)))
    made = {field.name: values[field.type.removesuffix(" | None")]() for field in chosen}
    return Job(**{name: 0.25 if name in ("chance", "confidence") else value for name, value in made.items()})


def test_a_file_neither_says_nor_learns_who_asks():
    assert "remembered_only" not in Job(remembered_only=True).json()
    with pytest.raises(InvalidDocument, match="remembered_only"):
        Job.from_json({"remembered_only": False})


@pytest.mark.parametrize("seed", range(50))
def test_a_job_is_the_same_after_being_written_and_read(seed):
    job = some_job(Random(seed))
    assert Job.from_json(json.loads(json.dumps(job.json()))) == job
    Path("job.json").write_text(json.dumps({"format": "outplay-job/1", "job": job.json()}))
    assert read_job("job.json") == job
    assert hash(read_job("job.json")) == hash(job)


def test_only_what_is_not_as_usual_is_written():
    assert Job().json() == {}
    assert Job("m.aut", silence=1.0, steps=7).json() == {"model": "m.aut", "steps": 7}


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"modle": "x"}, "unknown field 'modle'; did you mean 'model'?"),
        ({"model": 3}, "model is 3 and should be a text"),
        ({"model": None}, "model is None and should be a text"),
        ({"goal": "done"}, "goal is 'done' and should be a list of texts"),
        ({"goal": ["done", 1]}, "goal is ['done', 1] and should be a list of texts"),
        ({"plays": True}, "plays is True and should be a whole number"),
        ({"plays": 1.5}, "plays is 1.5 and should be a whole number"),
        ({"keep_going": 1}, "keep_going is 1 and should be true or false"),
        ({"silence": "1"}, "silence is '1' and should be a number"),
        ({"silence": float("nan")}, "silence is nan and should be a number"),
        ({"plays": 0}, "plays is 0 and is at least 1"),
        ({"latency": -1}, "latency is -1.0 and is at least 0"),
        ({"chance": 0}, "chance is 0.0; it is a number above 0, and 1 at most"),
        ({"confidence": 1}, "confidence is 1.0; it is a number from 0, and below 1"),
    ],
)
def test_what_is_no_job_is_refused_in_one_line(entry, complaint):
    with pytest.raises(OutplayError) as refused:
        Job.from_json(entry)
    assert str(refused.value) == complaint
    with pytest.raises(FormatError, match=r"^t\.jsonl: in its job, "):
        read_kept_job(entry, "t.jsonl")


def test_a_job_file_is_refused_with_the_place():
    Path("job.json").write_text('{"format": "outplay-job/1",\n "job": {"model": "m.aut",\n "plays": "many"}}')
    with pytest.raises(FormatError) as refused:
        read_job("job.json")
    assert str(refused.value) == "job.json:3:2: plays is 'many' and should be a whole number"
    for text, complaint in {
        '{"job": {}}': 'job.json:1:1: format is None, not \'outplay-job/1\'; write "format": "outplay-job/1"',
        '{"format": "outplay-job/1"}': 'job.json:1:1: the job is missing; write "job": {"model": "…"}',
        '{"format": "outplay-job/1", "jobs": {}}': "job.json:1:29: unknown field 'jobs'; did you mean 'job'?",
    }.items():
        Path("job.json").write_text(text)
        with pytest.raises(FormatError) as refused:
            read_job("job.json")
        assert str(refused.value) == complaint


def test_a_whole_number_of_seconds_is_a_number():
    assert Job.from_json({"silence": 2}).silence == 2.0


def test_a_job_made_in_python_is_checked_too():
    with pytest.raises(UsageError, match="plays is 0 and is at least 1"):
        Job(plays=0)


@pytest.mark.parametrize("name", ["silence", "latency", "settle", "max_seconds", "epsilon"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_no_number_of_a_job_is_none_to_compute_with(name, value):
    with pytest.raises(UsageError, match=f"{name} is -?(nan|inf) and is"):
        Job(**{name: value})
    with pytest.raises(InvalidDocument, match=name):
        Job.from_json({name: value})


def test_what_a_suite_keeps_is_how_the_model_is_read_and_by_which_rules():
    job = Job("m.aut", inputs=("a*",), assumption="input-eager", reset_cost="1/2", goal=("g",), plays=3, sut="tcp:x:1")
    assert job.reading() == Job("m.aut", inputs=("a*",), assumption="input-eager", reset_cost="1/2")


def test_a_trace_without_a_job_tells_what_it_can_by_its_options():
    options = {"set": ["a=1"], "inputs": [], "format": None, "purpose": "p.aut", "final": ["2"], "reset_cost": "3"}
    options |= {"silence": 0.5, "latency": 0.0, "suite": "3 tests of m", "tries": 4}
    header = TraceHeader(model="m.py:M", sut="tcp:x:1", goal=("g",), seed=4, options=options)
    assert recorded_job(header) == Job(
        "m.py:M", set=("a=1",), purpose="p.aut", final=("2",), reset_cost="3", silence=0.5, goal=("g",), seed=4,
        sut="tcp:x:1",
    )  # fmt: skip
    with pytest.raises(FormatError, match=r"^old\.jsonl: in its job, purpose is 3"):
        recorded_job(TraceHeader(options={"purpose": 3}), "old.jsonl")


def test_a_trace_with_a_job_is_read_by_it():
    job = Job("m.py:M", set=("a=1",), latency=0.3)
    header = TraceHeader(model="m.py:M", options={"latency": 0.0, "set": ["a=2"]}, job=job.json())
    assert recorded_job(header) == job
