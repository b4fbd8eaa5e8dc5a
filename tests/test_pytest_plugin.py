"""The plugin, tried as its users do: a project with marked tests, and a session of pytest inside this one."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from helpers.places import ROOT

for name in ("outplay.runs.python_run", "outplay.strategy.forecast.forecast", "numpy.random", "scipy.optimize"):
    importlib.import_module(name)  # a session inside forgets its imports, and numpy and numba cannot be loaded twice

pytest_plugins = ["pytester"]
BY_NAME = "-p", "no:outplay", "-p", "outplay.pytest_plugin"  # this one, whichever is installed

LIGHT = """
from outplay import Model, controllable, goal, observable

class Light(Model):
    on: bool = False
    asked: bool = False
    @controllable
    def press(self):
        if self.asked: return False
        self.asked = True
    @observable
    def lit(self):
        if not self.asked: return False
        self.asked, self.on = False, True
    @observable
    def dark(self):
        if not self.asked: return False
        self.asked, self.on = False, False
    @goal
    def pressed(self): return self.asked
    @goal
    def burning(self): return self.on

class Lit:
    def __init__(self, emit): self.emit = emit
    def press(self): self.emit("lit")
class Dark(Lit):
    def press(self): self.emit("dark")
class Wrong(Lit):
    def press(self): self.emit("boom")
"""
HEAD = """
import asyncio, outplay, pytest
from light import Light, Lit, Dark, Wrong
from outplay import PythonObject
"""


def three(*options: str) -> str:
    """Tests that pass, are inconclusive for one goal, and fail."""
    given = ", ".join(["Light", "plays=2", *options])
    tests = [
        f"@outplay.each_goal({given})\ndef test_{name.lower()}(play): play(PythonObject({name}))"
        for name in ("Lit", "Dark", "Wrong")
    ]
    return "\n".join(tests)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Write the tests of a project and run them; what was printed is the answer."""
    monkeypatch.syspath_prepend(str(ROOT / "src"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))  # of the workers of xdist
    pytester.makepyfile(light=LIGHT)

    def run(tests: str, *arguments: str, subprocess: bool = False) -> pytest.RunResult:
        pytester.makepyfile(test_it=HEAD + tests)
        runner = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
        return runner(*BY_NAME, *arguments)

    return run


def coverage(done: pytest.RunResult) -> list[str]:
    """The lines on what was seen together, and on what that is worth."""
    worth = "  a single wrong answer", "  no play failed"
    return [line for line in done.outlines if line.startswith(("Light:", *worth))]


def test_one_item_for_each_goal_in_the_order_of_the_names(project):
    done = project(three(), "--collect-only", "-q")
    ids = [line.partition("::")[2] for line in done.outlines if "::" in line]
    assert ids == [f"test_{name}[{goal}]" for name in ("lit", "dark", "wrong") for goal in ("burning", "pressed")]
    assert project(three(), "-k", "lit and burning").parseoutcomes() == {"passed": 1, "deselected": 5}


def test_an_inconclusive_item_fails_with_a_word_of_its_own_and_reports_agree(project, pytester):
    done = project(three(), "-v", "--junitxml", "j.xml", "--durations", "1")
    assert done.ret == 1
    assert done.parseoutcomes() == {"passed": 3, "inconclusive": 1, "failed": 2}
    done.stdout.fnmatch_lines(["*::test_dark?burning? INCONCLUSIVE*", "*= INCONCLUSIVE =*", "*? Inconclusive:*"])
    done.stdout.fnmatch_lines(["*forecast: burning not forced: needs help once*"])
    suite = ET.parse(pytester.path / "j.xml").getroot()[0]
    assert [suite.get(count) for count in ("tests", "failures", "errors", "skipped")] == ["6", "3", "0", "0"]
    told = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in suite.iter("testcase")
    }
    assert told["test_lit[burning]"].keys() == {"verdict", "seed", "reached", "forecast", "coverage"}
    assert told["test_dark[burning]"]["verdict"] == "inconclusive"
    assert told["test_dark[burning]"]["reached"] == "0 of 2 plays"
    assert told["test_wrong[burning]"]["verdict"] == "fail"
    assert Path(told["test_wrong[burning]"]["trace"]).is_file()


@pytest.mark.parametrize("by_mark", [True, False])
def test_an_inconclusive_item_is_skipped_where_that_is_asked(project, pytester, by_mark):
    pytester.makeini("" if by_mark else "[pytest]\noutplay_inconclusive = skip")
    marked = three('inconclusive="skip"') if by_mark else three()
    done = project(marked, "-k", "not wrong", "--junitxml", "j.xml", "-rs")
    assert done.ret == 0
    assert done.parseoutcomes() == {"passed": 3, "inconclusive": 1, "deselected": 2}
    suite = ET.parse(pytester.path / "j.xml").getroot()[0]
    assert [suite.get(count) for count in ("tests", "failures", "skipped")] == ["4", "0", "1"]
    skipped = next(suite.iter("skipped")).get("message", "")
    assert "Inconclusive: " in skipped
    assert "forecast: burning not forced: needs help once" in skipped


def test_the_first_inconclusive_item_ends_the_session_where_that_is_asked_and_is_run_again(project):
    first = project(three(), "-x", "-k", "dark")
    assert first.parseoutcomes() == {"inconclusive": 1, "deselected": 4}
    again = project(three(), "--lf", "-k", "dark")
    assert again.parseoutcomes()["inconclusive"] == 1
    assert "passed" not in again.parseoutcomes()


RARELY = """
from random import Random
wrong = Random(%d)
class Rarely(Lit):
    def press(self): self.emit("boom" if %s else "lit")
@pytest.mark.outplay(Light, goal="burning", plays=%d, steps=4)
def test_rarely(play): play(PythonObject(Rarely))
"""


def test_a_failure_is_stored_and_played_again_first_until_it_is_mended(project, pytester):
    bug = "wrong.random() < 0.2"
    first = project(RARELY % (1, bug, 60))
    assert first.parseoutcomes() == {"failed": 1}
    stored = [*pytester.path.glob(".pytest_cache/d/outplay/*/failures/*.jsonl")]
    assert len(stored) == 1
    kept = stored[0].parent.relative_to(pytester.path)
    line = f"E * replay: pytest test_it.py::test_rarely plays it again first; it is kept in {kept}"
    first.stdout.fnmatch_lines(["E  *outplay.NotPassed: * Fail in play * (seed 0)", line])
    again = project(RARELY % (3, "True", 1))
    assert again.parseoutcomes() == {"failed": 1}
    again.stdout.fnmatch_lines(["*a stored failure failed again, in try 1 of 5: *.jsonl"])
    assert coverage(again) == [], "no plays were made, and one that was kept failed"
    assert project(RARELY % (1, "False", 3)).parseoutcomes() == {"passed": 1}
    assert [*pytester.path.glob(".pytest_cache/d/outplay/*/failures/*.jsonl")] == []


def test_what_cannot_be_read_any_more_is_dropped_and_files_of_the_user_stay(project, pytester):
    project(RARELY % (1, "True", 3))
    (stored,) = pytester.path.glob(".pytest_cache/d/outplay/*/failures/*.jsonl")
    (pytester.path / "kept").mkdir()
    kept = stored.rename(pytester.path / "kept" / "boom.jsonl")
    stored.write_text("no trace")
    with_kept = (RARELY % (1, "%s", 3)).replace("steps=4", "steps=4, replay='kept/*.jsonl'")
    failed = project(with_kept % "True")
    failed.stdout.fnmatch_lines(["*a stored failure failed again*boom.jsonl"])
    assert project(with_kept % "False").parseoutcomes() == {"passed": 1}
    assert kept.exists()
    assert not stored.exists()
    missing = project((with_kept % "False").replace("kept/*", "kept/other"))
    missing.stdout.fnmatch_lines(["*UsageError: replay='kept/other.jsonl': there is no file*"])


def test_without_a_cache_failures_are_kept_with_those_of_runs(project, pytester):
    done = project(three(), "-k", "wrong and pressed", "-p", "no:cacheprovider")
    assert done.parseoutcomes()["failed"] == 1
    assert [*pytester.path.glob(".outplay/runs/*/failures/*.jsonl")]


BUDGETS = """
@pytest.mark.outplay(Light, goal="pressed", plays=3, within="10m", seed=5)
def test_it(play):
    print("options", *[play.options.get(name) for name in ("plays", "time", "seed", "shrink")])
"""


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], "options 3 10m 5 5.0"),
        (["--outplay-seed", "7", "--outplay-plays", "2"], "options 2 None 7 5.0"),
        (["--outplay-time", "8h"], "options None 8h 5 5.0"),
    ],
)
def test_the_command_line_takes_the_place_of_what_marks_say(project, arguments, options):
    project(BUDGETS, "-s", *arguments).stdout.fnmatch_lines([f"*{options}"])


def test_the_coverage_of_all_items_is_shown_together_also_with_several_processes(project):
    fresh = "-p", "no:cacheprovider"  # else the stored failures are played in place of the model
    tests = three("silence=0.05", "latency=0.01")
    alone, both = project(tests, *fresh), project(tests, *fresh, "-n", "2", subprocess=True)
    assert alone.parseoutcomes() == both.parseoutcomes()
    assert len(coverage(alone)) == 1, "after a failure, passing is worth nothing"
    assert coverage(alone) == coverage(both), both.outlines
    assert re.match(r"Light: 2 of 2 goals reached, 3 of 3 actions, \d+ states", coverage(alone)[0])


def test_what_passing_is_worth_is_said_of_all_items_together(project):
    fast = "plays=2, steps=9, silence=0.05, latency=0.01"
    mark = f"@pytest.mark.outplay(model=Light, {fast})"
    tests = [f"@outplay.each_goal(Light, {fast})\ndef test_lit(play): play(PythonObject(Lit))"]
    tests += [f"{mark}\ndef test_goalless(play): play(PythonObject(Lit))"]
    _, noticed, share = coverage(project("\n".join(tests)))
    assert re.match(r"  a single wrong answer or transition would have been noticed with (at least|over) ", noticed)
    most = f"{1 - 0.05 ** (1 / 6):.2%}".replace("%", " %")
    assert share == f"  no play failed: with 95 % confidence at most {most} of plays like these fail"


def test_fixtures_give_the_system_once_and_plays_reset_it(project):
    done = project(
        """
made = []
class Counted(Lit):
    def __init__(self, emit): super().__init__(emit); made.append(self)
@pytest.fixture
def system():
    system = PythonObject(Counted)
    yield system
    print("made", len(made))
@outplay.each_goal(Light, plays=3)
def test_it(play, system):
    assert play(system).tally.plays == 3
@pytest.mark.outplay(Light, goal="pressed", plays=2)
def test_async(play, system):
    assert asyncio.run(play.on(system)).passed
""",
        "-s",
    )
    assert done.parseoutcomes() == {"passed": 3}
    done.stdout.fnmatch_lines(["*made 3", "*made 6", "*made 8"])


@pytest.mark.parametrize(
    ("test", "complaint"),
    [
        ("def test_it(play): play('exec:true')", "name a model: mark the test with @outplay.each_goal(Model)*"),
        ("@outplay.each_goal(Light)\ndef test_it(): pass", "*it plays nothing; take the fixture `play`*"),
        ("@outplay.each_goal(Light)\ndef test_it(play): pass", "*the test played nothing: call play(system)*"),
        ("@pytest.mark.outplay(goal='on')\ndef test_it(play): pass", "*name one model: *"),
        ("@outplay.each_goal(Light, goal='on')\ndef test_it(play): pass", "*for one of them write*"),
        ("@outplay.each_goal(Light)\ndef test_it(play): play(Lit)", "*Lit is a class: wrap it, *PythonObject(Lit)"),
        ("@outplay.each_goal(Light)\ndef test_it(play): play(PythonObject(Lit(1)))", "*give the class, Lit, not an*"),
        ("class Bare(outplay.Model): pass\n@outplay.each_goal(Bare)\ndef test_it(play): pass", "*Bare has no goals*"),
        ("@outplay.each_goal('no.py:Model')\ndef test_it(play): pass", "*no.py*"),
        ("@outplay.each_goal(Light, ploys=1)\ndef test_it(play): play('exec:true')", "*did you mean 'plays'*"),
        ("@outplay.each_goal(Light, inconclusive='no')\ndef test_it(play): pass", "*can `fail` or `skip`*"),
        ("@pytest.mark.outplay(Light)\ndef test_it(play): pass", "*write @pytest.mark.outplay(model=Light)*"),
        ("@outplay.each_goal(Light, within='soon')\ndef test_it(play): play('exec:true')", "*'soon' is not a time*"),
    ],
)
def test_a_mistake_is_no_pass_and_says_what_to_write(project, test, complaint):
    done = project(test)
    assert done.ret != 0
    assert "passed" not in done.parseoutcomes()
    done.stdout.fnmatch_lines([complaint])


def test_what_a_mark_leaves_out_comes_from_the_configuration_and_its_profile(project, pytester):
    test = """
@pytest.mark.outplay(model=Light, goal='pressed'%s)
def test_it(play):
    job = play(PythonObject(Lit)).trace.header.job
    print({name: job.get(name) for name in ("plays", "time", "silence", "seed", "model")})
"""
    pytester.makepyprojecttoml(
        "[tool.outplay]\nplays = 2\nsilence = 0.25\nmodel = 'none.aut'\ngoal = 'none'\n"
        "[tool.outplay.profiles.night]\ntime = '2s'\n"
    )
    said = "*'plays': {}, 'time': {}, 'silence': {}, 'seed': {}, 'model': 'light.py:Light'*"
    for more, options, told in [
        ("", (), (2, None, 0.25, None)),
        (", plays=1, silence=0.125", (), (1, None, 0.125, None)),
        (", plays=1", ("--outplay-profile", "night"), (1, None, 0.25, None)),
        ("", ("--outplay-profile", "night"), (None, 2.0, 0.25, None)),
        (", timing=outplay.Timing(silence=0.5)", ("--outplay-plays", "3", "--outplay-seed", "4"), (3, None, 0.5, 4)),
    ]:
        done = project(test % more, "-s", *options)
        assert done.parseoutcomes() == {"passed": 1}
        done.stdout.fnmatch_lines([said.format(*told)])


def test_an_expected_failure_stays_one(project):
    done = project("@pytest.mark.xfail\n" + three(), "-k", "lit")
    assert done.parseoutcomes() == {"xpassed": 2, "deselected": 4}
    marked = three().replace("@outplay", "@pytest.mark.xfail\n@outplay")
    assert project(marked, "-k", "dark and burning").parseoutcomes() == {"xfailed": 1, "deselected": 5}


def test_without_the_plugin_other_tests_run(project):
    done = project("def test_other(): pass", "-p", "no:outplay", "-p", "no:outplay.pytest_plugin")
    assert done.parseoutcomes() == {"passed": 1}


def test_the_plugin_loads_nothing_until_a_test_is_marked(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    code = "import sys, outplay.pytest_plugin; print([name for name in sys.modules if name in ('numpy', 'click')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_page_shows_what_pytest_prints(project, pytester):
    page = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
    blocks = [re.findall(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE) for kind in ("python", "text")]
    test, shown = blocks[0][0], blocks[1][0]
    pytester.makepyfile(test_lamp=test)
    printed = pytester.runpytest_inprocess(*BY_NAME, "test_lamp.py").outlines
    for line in shown.splitlines():
        pattern = ".*".join(map(re.escape, line.split("…")))
        assert any(re.fullmatch(pattern, one.rstrip()) for one in printed), f"{line}\n" + "\n".join(printed)
