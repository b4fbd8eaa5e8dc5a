"""`outplay run` writes what CI servers read, and fails only on new failures where a baseline is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.report_schemas import check_allure, check_ctrf, check_junit

PLAYS = ("--plays", "3", "--steps", "6", "--shrink", "0", "--silence", "0.3", "--ready", "ready")
HOSTILE = """
import sys

print("ready", flush=True)
for line in sys.stdin:
    print("\\x1b[31m</failure>]]>&|::error::`%0A", file=sys.stderr, flush=True)
    print('echo </failure>&"<b>"', flush=True)
"""


@pytest.fixture
def reports(monkeypatch):
    """Options that ask for everything, and how what was written is checked."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    return ("--junit", "out/junit.xml", "--ctrf", "out/ctrf.json", "--allure", "out/allure", "--github")


def written():
    """All that was written, held against the schemas: the test of each format, and the summary of GitHub."""
    (case,) = check_junit(Path("out/junit.xml").read_text()).iter("testcase")
    (test,) = check_ctrf(json.loads(Path("out/ctrf.json").read_text()))["tests"]
    files = {path.name for path in Path("out/allure").iterdir()}
    (name,) = (name for name in files if name.endswith("-result.json"))
    allure = json.loads(Path("out/allure", name).read_text())
    check_allure(name, allure, files)
    return case, test, allure, Path("summary.md").read_text()


def test_a_pass_is_one_in_every_format(outplay, model, system, reports):
    done = outplay("run", model, "--sut", system("right"), *PLAYS, *reports)
    assert done.code == 0
    assert "::" not in done.out
    case, test, allure, summary = written()
    assert [child.tag for child in case] == []
    assert (test["status"], allure["status"]) == ("passed", "passed")
    assert "✅ passed" in summary


def test_a_fail_is_one_in_every_format_with_the_failing_play(outplay, model, system, reports):
    done = outplay("run", model, "--sut", system("wrong"), *PLAYS, *reports)
    assert done.code == 1
    case, test, allure, summary = written()
    failure = case.find("failure")
    assert failure is not None
    assert "← not allowed here" in (failure.text or "")
    assert "replay" in (failure.text or "")
    assert test["status"] == "failed"
    assert "← not allowed here" in test["trace"]
    assert allure["status"] == "failed"
    assert [step["status"] for step in allure["steps"]][-1] == "failed"
    assert len(allure["attachments"]) == 2
    assert "← not allowed here" in summary
    (annotation,) = [line for line in done.out.splitlines() if line.startswith("::")]
    assert annotation.startswith("::error file=echo.py,title=outplay%3A echo.py%3AEcho::output echo: not allowed here")


def test_what_is_inconclusive_passes_nowhere(outplay, model, system, reports):
    done = outplay("run", model, "--sut", system("right"), "--goal", "!cough", *PLAYS, *reports)
    assert done.code == 6
    case, test, allure, summary = written()
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "inconclusive"
    assert (test["status"], test["rawStatus"], allure["status"]) == ("other", "inconclusive", "broken")
    assert allure["statusDetails"]["message"].startswith("inconclusive: ")
    assert "❓ inconclusive" in summary
    assert any(line.startswith("::warning ") for line in done.out.splitlines())


def test_an_error_is_one_in_every_format(outplay, model, reports):
    done = outplay("run", model, "--sut", "exec:/no/such/program", *PLAYS, *reports)
    assert done.code == 4
    case, test, allure, summary = written()
    assert case.find("error") is not None
    assert (test["status"], test["rawStatus"], allure["status"]) == ("failed", "error", "broken")
    assert "⚠️ error" in summary


def test_what_the_system_says_is_text_and_nothing_more(outplay, model, reports):
    Path("hostile.py").write_text(HOSTILE)
    done = outplay("run", model, "--sut", "exec:python3 hostile.py", *PLAYS, *reports)
    assert done.code == 1
    case, _, _, summary = written()
    assert "\x1b" not in Path("out/junit.xml").read_text() + summary
    assert len(case.findall("failure")) == 1
    assert sum(line.startswith("::") for line in done.out.splitlines()) == 1


def test_json_stays_alone_on_stdout(outplay, model, system, reports):
    done = outplay("run", model, "--sut", system("wrong"), *PLAYS, *reports, "--json")
    assert json.loads(done.out)["verdict"] == "fail"
    assert "::error " in done.err


def test_a_test_of_a_suite_is_a_test_of_the_report(outplay, model, system):
    moves = [("a", "?say a", "b"), ("b", "!echo a", "a"), ("a", "?say b", "c"), ("c", "!echo b", "a")]
    edges = "; ".join(f'{source} -> {target} [label="{label}"]' for source, label, target in moves)
    Path("lamp.dot").write_text(f"digraph {{ {edges} }}")
    assert outplay("suite", "lamp.dot", "--method", "edges", "-o", "suite.json").code == 0
    tests = len(json.loads(Path("suite.json").read_text())["tests"])
    reports = ("--junit", "j.xml", "--ctrf", "c.json")
    outplay("run", "--suite", "suite.json", "--sut", system("wrong"), *PLAYS, "--keep-going", "--trust", *reports)
    cases = [*check_junit(Path("j.xml").read_text()).iter("testcase")]
    assert len(cases) == len({case.attrib["name"] for case in cases}) == tests > 0
    assert any(case.find("failure") is not None for case in cases)
    assert check_ctrf(json.loads(Path("c.json").read_text()))["summary"]["tests"] == tests


def test_a_summary_needs_the_file_that_github_names(outplay, model, system, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = outplay("run", model, "--sut", system("right"), *PLAYS, "--github")
    assert done.code == 4
    assert "GITHUB_STEP_SUMMARY is not set" in done.err


def test_a_report_that_cannot_be_written_costs_no_verdict(outplay, model, system):
    Path("file").write_text("")
    done = outplay("run", model, "--sut", system("wrong"), *PLAYS, "--junit", "file/junit.xml")
    assert done.code == 1
    assert "--junit: file/junit.xml" in done.err


# Where the system is simulated with the seed, the same failures come again.
SLIP = """digraph { a -> b [label="?say"]; b -> a [label="!right"]; b -> a [label="!%s"]
a -> c [label="?ask"]; c -> a [label="!%s"] }"""


@pytest.fixture
def slips(outplay):
    """Play a machine that may answer as it must not, in one way or in two."""
    Path("right.dot").write_text(SLIP % ("right", "yes"))
    Path("known.dot").write_text(SLIP % ("wrong", "yes"))
    Path("worse.dot").write_text(SLIP % ("wrong", "no"))

    def play(name, *options):
        chosen = ("--plays", "40", "--steps", "4", "--tester", "walk", "--shrink", "0", *options)
        return outplay("run", "right.dot", "--sut", f"model:{name}.dot", *chosen)

    return play


def test_ci_fails_only_on_new_failures(slips):
    assert slips("known").code == 1
    first = slips("known", "--baseline", "known.json", "--update-baseline")
    assert first.code == 0
    assert "✗ Fail" in first.out  # it stays one
    again = slips("known", "--baseline", "known.json", "--junit", "j.xml", "--json")
    assert again.code == 0
    told = json.loads(again.out)
    assert told["verdict"] == "fail"
    assert told["plays"] == 40  # a known failure ends no run
    assert told["baseline"]["known"]
    assert not told["baseline"]["new"]
    (case,) = check_junit(Path("j.xml").read_text()).iter("testcase")
    assert case.find("skipped") is not None
    worse = slips("worse", "--baseline", "known.json", "--json")
    assert worse.code == 1
    told = json.loads(worse.out)
    assert [group["gate"] for group in told["baseline"]["new"]] == ["no"]
    assert told["plays"] < 40  # a new one does
    shown = [json.loads(line) for line in Path(told["trace"]).read_text().splitlines()]
    assert shown[-2]["label"] == "!no"  # the play that is shown is the new one


def test_a_baseline_names_kind_gate_and_state(slips):
    slips("known", "--baseline", "known.json", "--update-baseline")
    document = json.loads(Path("known.json").read_text())
    assert document["format"] == "outplay-baseline/1"
    assert {(one["kind"], one["gate"], *one["states"]) for one in document["failures"]} == {
        ("output", "wrong", '{"b"}')
    }
    document["failures"][0]["states"] = ["c"]
    Path("known.json").write_text(json.dumps(document))
    assert slips("known", "--baseline", "known.json").code == 1
    assert slips("known", "--baseline", "known.json", "--update-baseline").code == 0
    assert len(json.loads(Path("known.json").read_text())["failures"]) == 2


def test_known_failures_hide_no_goal_that_was_not_reached(outplay, slips):
    Path("known.json").write_text(
        '{"format": "outplay-baseline/1", "failures": [{"kind": "output", "gate": "wrong", "states": ["{\\"b\\"}"]}]}'
    )
    Path("right.dot").write_text(SLIP.replace("}", '; b -> a [label="!never"] }') % ("right", "yes"))
    options = ("--goal", "!never", "--plays", "40", "--steps", "4", "--shrink", "0", "--baseline", "known.json")
    done = outplay("run", "right.dot", "--sut", "model:known.dot", *options, "--json")
    told = json.loads(done.out)
    assert told["baseline"]["known"]
    assert not told["baseline"]["new"]
    assert done.code == 6


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no such baseline; --update-baseline writes it"),
        ("{}", "format is None"),
        ('{"format": "outplay-baseline/1"}', "failures is None and should be a list"),
        ('{"format": "outplay-baseline/1", "failures": [{"kind": 1}]}', "kind is 1 and should be a text"),
        ('{"format": "outplay-baseline/1", "failures": [{"kinds": 1}]}', "kinds"),
    ],
)
def test_a_baseline_that_cannot_be_read_says_what_to_do(slips, text, told):
    if text is not None:
        Path("known.json").write_text(text)
    done = slips("known", "--baseline", "known.json")
    assert done.code == 4
    assert told in done.err
    assert slips("known", "--update-baseline").code == 2


def test_no_secret_is_in_any_report(outplay, model, reports, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "hunter2hunter2")
    told = "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('hunter2hunter2', flush=True)\n"
    Path("tell.py").write_text(told)
    baseline = ("--baseline", "known.json", "--update-baseline")
    done = outplay("run", model, "--sut", "exec:python3 tell.py", *PLAYS, *reports, *baseline)
    assert "Fail" in done.out
    written()
    again = outplay("run", model, "--sut", "exec:python3 tell.py", *PLAYS, "--baseline", "known.json", "--json")
    assert json.loads(again.out)["baseline"]["known"]
    said = [done.out, done.err, again.out, Path("known.json").read_text(), Path("summary.md").read_text()]
    said += [path.read_text() for path in Path("out").rglob("*") if path.is_file()]
    assert [text for text in said if "hunter2hunter2" in text] == []
