"""None that a call returns: an answer where the model has one, `!get null`, and nothing to be seen elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from outplay import Label, Map, Model, PythonObject, automaton, controllable, given, run, specification
from outplay.play.adapters.isolated import Isolated
from outplay.play.adapters.line_system import Resetting
from outplay.play.timing import Timing

OBJECTS = """
class Plain:
    def __init__(self):
        self.held = {}

    def put(self, key, value):
        self.held[key] = value

    def get(self, key):
        return self.held.get(key)


class Slow(Plain):
    async def put(self, key, value):
        self.held[key] = value

    async def get(self, key):
        return self.held.get(key)


class Forgetful(Plain):
    def put(self, key, value):
        pass
"""
KINDS = [f"{kind} {how}" for kind in ("Plain", "Slow") for how in ("called", "isolated", "reset in between")]


class Cache(Model):
    """Answers None where nothing is held."""

    held: Map[str, int] = Map()

    @controllable
    @given(key=("a", "b"), value=(1, 2))
    def put(self, key, value):
        self.held = self.held.set(key, value)

    @controllable(returns=(None, 1, 2))
    @given(key=("a", "b"))
    def get(self, key, result):
        if result != self.held.get(key):
            return False


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Make a system of a class and how it is to be called."""
    monkeypatch.chdir(tmp_path)
    Path("objects.py").write_text(OBJECTS)
    found: dict[str, type] = {}
    exec(OBJECTS, found)

    def make(kind: str):
        name, how = kind.split(" ", 1)
        if how == "isolated":
            return Isolated(f"objects.py:{name}")
        system = PythonObject(found[name])
        return Resetting(system) if how == "reset in between" else system

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_none_is_the_answer_where_the_model_has_it_among_its_answers(kind, made):
    timing = Timing(silence=0.5)
    outcome = run(Cache, made(kind), plays=2, steps=12, timing=timing)
    assert outcome.verdict.name == "pass", outcome.verdict
    assert "!get null" in {str(event.label) for event in outcome.trace.events}


@pytest.mark.parametrize("how", ["called", "isolated"])
def test_none_that_is_not_allowed_is_shown_as_what_it_is(how, made):
    outcome = run(Cache, made(f"Forgetful {how}"), plays=20, steps=20, timing=Timing(silence=0.5))
    assert outcome.verdict.name == "fail"
    assert str(outcome.verdict.event.label) == "!get null"


def test_the_gates_of_null_are_those_whose_answers_may_hold_none():
    class Asked(Model):
        known: tuple = (None, 1)
        some = (1, None)

        def maybe(self):
            return self.known

        @controllable
        def quiet(self):
            pass

        @controllable(returns=(1, 2))
        def never(self, result):
            pass

        @controllable(returns="some")
        def constant(self, result):
            pass

        @controllable(returns="known")
        def variable(self, result):
            pass

        @controllable(returns="maybe")
        def asked(self, result):
            pass

    assert set(specification(Asked).null_gates) == {"constant", "variable", "asked"}
    drawn = automaton([("a", "?get", "b"), ("b", "!get null", "a"), ("b", "!said null 1", "a"), ("a", "?put", "a")])
    assert set(specification(drawn).null_gates) == {"get"}


def test_a_call_that_answers_later_by_itself_is_not_answered_by_its_none():
    class Later:
        def __init__(self, emit):
            self.emit = emit

        def ask(self):
            self.emit("ask", 1)

    class Asking(Model):
        @controllable(returns=(1, 2))
        def ask(self, result):
            pass

    outcome = run(Asking, PythonObject(Later), plays=1, steps=6, timing=Timing(silence=0.3))
    assert outcome.verdict.name == "pass", outcome.verdict


def test_an_object_without_a_model_shows_no_none():
    class Void:
        def go(self):
            pass

    system = PythonObject(Void)
    system.reset()
    system.give(Label.parse("?go"))
    assert system.observe(0.05).kind == "silence"
    system.close()
