"""The pytest plugin: one item for each goal, verdicts as pytest counts them, failures kept, and coverage at the end.

    @outplay.each_goal(Chat, plays=20)      # test_chat[everybody_posted], test_chat[two_pending]
    def test_chat(play):
        play("exec:./server")

Reports count an outcome that pytest does not know as a pass, so an Inconclusive is a failed or skipped item with a word
of its own. Nothing but pytest and the standard library is loaded before a marked test is collected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from outplay.play.system import System
    from outplay.runs.failing.failures_first import StoredFailures
    from outplay.runs.monitors.merged_coverage import MergedCoverage
    from outplay.runs.result import RunResult

MARK = "outplay"
INCONCLUSIVE = "inconclusive"
_POLICIES = ("fail", "skip")
_OPTIONS = (
    ("seed", int, "N", "Random seed of all plays, in place of the marks'."),
    ("plays", int, "N", "Number of plays of each test, in place of the marks' budget."),
    ("time", str, "T", "Time to play in each test, such as 90s, 10m or 8h, in place of the marks' budget."),
    ("profile", str, "NAME", "Profile of [tool.outplay] in pyproject.toml to use."),
)


def each_goal(model: Any, **options: Any) -> pytest.MarkDecorator:
    """Make one test of each goal of a model, in the order of their names; the test takes the fixture `play`.

    Options are those of the mark (`within="30s"`, `inconclusive="skip"`, `replay="failures/*.jsonl"`) and of the run.
    """
    if "goal" in options:
        raise TypeError("each_goal plays every goal: for one of them write @pytest.mark.outplay(Model, goal=…)")
    return pytest.mark.outplay(model, each_goal=True, **options)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that all marked tests share."""
    group = parser.getgroup("outplay", "outplay: play nondeterministic systems as a game")
    for name, kind, metavar, what in _OPTIONS:
        group.addoption(f"--outplay-{name}", type=kind, metavar=metavar, help=what)
    parser.addini(
        "outplay_inconclusive", "Inconclusive tests fail or skip: `fail` (default) or `skip`.", default="fail"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark, and keep what this process sees."""
    config.addinivalue_line(
        "markers",
        "outplay(model, goal=…, plays=…, within='30s', inconclusive='fail'|'skip', replay='failures/*.jsonl', …): "
        "the fixture `play` plays this model; further options are those of outplay.run",
    )
    _policy(config.getini("outplay_inconclusive"))
    config.stash[_SEEN] = []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make an item of each goal; a marked test that does not play is refused, since it would pass."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        return
    where = metafunc.definition.nodeid
    if "play" not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(f"{where}: it plays nothing; take the fixture `play` and call play(system)")
    models = _models(mark)
    if len(models) != 1:
        raise pytest.Collector.CollectError(f"{where}: name one model: @pytest.mark.outplay(Model, goal=…)")
    if mark.kwargs.get("each_goal"):
        metafunc.parametrize("play", _checked_goals(models[0], mark.kwargs, where), indirect=True)


def _models(mark: pytest.Mark) -> list[Any]:
    return [*mark.args, *([mark.kwargs["model"]] if "model" in mark.kwargs else [])]


def _checked_goals(model: Any, options: Mapping[str, Any], where: str) -> tuple[str, ...]:
    from outplay.errors import OutplayError
    from outplay.runs.queries.model_report import model_parts  # not before a test is marked; so everywhere below

    try:
        parts = model_parts(model, options)
    except OutplayError as error:
        raise pytest.Collector.CollectError(f"{where}: {error}") from None
    if not parts.goals:
        raise pytest.Collector.CollectError(
            f"{where}: {parts.name} has no goals; to play without one write @pytest.mark.outplay(model=Model)"
        )
    return parts.goals


def _policy(text: str) -> str:
    if text not in _POLICIES:
        raise pytest.UsageError(f"an inconclusive test can `fail` or `skip`, and {text!r} is neither")
    return text


class GoalPlays:
    """The fixture `play`: call it with a system to play the model of the test against it."""

    def __init__(self, item: pytest.Item, mark: pytest.Mark, goal: str | None) -> None:
        from outplay.runs.configuration import options_of_test

        self.item, self.model = item, _models(mark)[0]
        self.options = {name: value for name, value in mark.kwargs.items() if name not in ("each_goal", "model")}
        self.policy = _policy(self.options.pop("inconclusive", item.config.getini("outplay_inconclusive")))
        self.patterns = self.options.pop("replay", ())
        if "within" in self.options:
            self.options["time"] = self.options.pop("within")
        self.options = options_of_test(item.config.rootpath, item.config.getoption("outplay_profile"), self.options)
        if goal is not None:
            self.options["goal"] = goal
        self._set_by_command_line(item.config)
        self.called = False
        self.inconclusive: BaseException | None = None
        """The exception raised where a run was inconclusive."""

    def __call__(self, system: System | str, **further: Any) -> RunResult:
        """Replay the stored failures of the test, then play; options are those of `outplay.run`."""
        __tracebackhide__ = True
        from outplay.errors import OutplayError

        self.called = True
        try:
            return self._played(system, {**self.options, **further})
        except OutplayError as error:
            raise error.with_traceback(None) from None

    async def on(self, system: System | str, **further: Any) -> RunResult:
        """Do the same from an async test: the plays go on in a thread, and coroutines of the system in its own."""
        __tracebackhide__ = True
        return await asyncio.to_thread(self, system, **further)

    def _set_by_command_line(self, config: pytest.Config) -> None:
        given = {name: config.getoption(f"outplay_{name}") for name in ("seed", "plays", "time")}
        given = {name: value for name, value in given.items() if value is not None}
        if given.keys() & {"plays", "time"}:
            self.options = {
                name: value for name, value in self.options.items() if name not in ("plays", "labels", "time")
            }
        self.options |= given

    def _played(self, system: System | str, options: dict[str, Any]) -> RunResult:
        __tracebackhide__ = True
        from outplay.runs.monitors.merged_coverage import result_properties
        from outplay.runs.python_run import live_model, run, system_of_options
        from outplay.runs.queries.model_report import job_that_reads
        from outplay.runs.result import NotPassed

        stored = self._stored()
        try:
            if stored.files:
                spec = live_model(self.model, job_that_reads(self.model, options)).specification()
                stored.check(spec, system_of_options(system, options))
        except NotPassed as failed:
            self._tell(verdict=failed.verdict.name)
            self._see(options)
            raise
        result = run(self.model, system, compared=bool(options.get("goal")), **options)
        self._see(options, result)
        try:
            result.check(stored.folder, stored.again(self.item.path, self.item.nodeid))
        except NotPassed as failed:
            for warning in result.warnings:
                failed.add_note(f"warning: {warning}")
            if result.verdict.name == INCONCLUSIVE and result.comparison:
                failed.add_note(f"forecast: {result.comparison.goal} {result.comparison.forecast}")
            raise self._raised(result, failed) from None
        finally:
            self._tell(**result_properties(result, stored.kept()))
        stored.forget()
        for warning in result.warnings:
            self.item.warn(pytest.PytestWarning(f"outplay: {warning}"))
        return result

    def _raised(self, result: RunResult, failed: BaseException) -> BaseException:
        if result.verdict.name != INCONCLUSIVE:
            return failed
        why = "; ".join([f"Inconclusive: {result.verdict.why}", *getattr(failed, "__notes__", ())])
        self.inconclusive = pytest.skip.Exception(why) if self.policy == "skip" else failed
        return self.inconclusive

    def _stored(self) -> StoredFailures:
        from outplay.runs.failing.failures_first import StoredFailures, folder_of_test, named_failures

        cache = getattr(self.item.config, "cache", None)
        folder = folder_of_test(cache.mkdir("outplay"), self.item.nodeid) if cache else None
        return StoredFailures(folder, named_failures(self.patterns, Path(self.item.path).parent))

    def _see(self, options: dict[str, Any], result: RunResult | None = None) -> None:
        """Count a run, or without a result a stored play that failed again."""
        from outplay.runs.monitors.merged_coverage import count_plays_at_goal
        from outplay.runs.queries.model_report import model_parts

        parts = model_parts(self.model, options, explored=False)
        if result is None:
            _seen(self.item.config).add_failure(parts.name)
            return
        named = options.get("goal") or ()
        asked = (named,) if isinstance(named, str) else tuple(named)
        only = asked if count_plays_at_goal(result) else ()  # which of several was reached, the result does not say
        reached = {goal: only == (goal,) for goal in (*parts.goals, *asked) if asked}
        _seen(self.item.config).add(parts.name, result, reached, parts.actions)

    def _tell(self, **parts: Any) -> None:
        self.item.user_properties += [(name, str(value)) for name, value in parts.items() if value is not None]


_PLAYS = pytest.StashKey[GoalPlays]()
_SEEN = pytest.StashKey["list[MergedCoverage]"]()  # of this process, with xdist of the others; none before a play


@pytest.fixture
def play(request: pytest.FixtureRequest) -> GoalPlays:
    """Play the model that the mark of the test names: `play(system)`, or `await play.on(system)`."""
    mark = request.node.get_closest_marker(MARK)
    if mark is None:
        pytest.fail(
            "name a model: mark the test with @outplay.each_goal(Model) or @pytest.mark.outplay(model=Model)", False
        )
    plays = request.node.stash[_PLAYS] = GoalPlays(request.node, mark, getattr(request, "param", None))
    return plays


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Fail a test that took `play` and did not play: it would pass."""
    done = yield
    plays = pyfuncitem.stash.get(_PLAYS, None)
    if plays is not None and not plays.called:
        pytest.fail("the test played nothing: call play(system), or await play.on(system)", pytrace=False)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say in the report that an item was inconclusive; the outcome stays failed or skipped."""
    report = yield
    plays = item.stash.get(_PLAYS, None)
    if plays and call.when == "call" and call.excinfo and call.excinfo.value is plays.inconclusive:
        setattr(report, "outplay", INCONCLUSIVE)  # noqa: B010 - reports carry what plugins add
    return report


def pytest_report_teststatus(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Give an inconclusive item its own letter, word and count."""
    if getattr(report, "outplay", None) != INCONCLUSIVE or hasattr(report, "wasxfail"):
        return None
    return INCONCLUSIVE, "I", ("INCONCLUSIVE", {"yellow": True})


def _seen(config: pytest.Config) -> MergedCoverage:
    from outplay.runs.monitors.merged_coverage import MergedCoverage

    kept = config.stash[_SEEN]
    if not kept:
        kept.append(MergedCoverage())
    return kept[0]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what this process has seen to the one that tells it, where xdist has started several."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None and session.config.stash[_SEEN]:
        output["outplay"] = _seen(session.config).json()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what another process has seen."""
    if sent := getattr(node, "workeroutput", {}).get("outplay"):
        seen = _seen(node.config)
        seen.merge(type(seen).from_json(sent))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show what was inconclusive, as pytest shows what failed, and the coverage of all items together."""
    inconclusive = terminalreporter.getreports(INCONCLUSIVE)
    if failed := [report for report in inconclusive if report.failed and config.getoption("tbstyle") != "no"]:
        terminalreporter.write_sep("=", "INCONCLUSIVE")
    for report in failed:
        terminalreporter.write_sep("_", report.head_line or report.nodeid, yellow=True)
        terminalreporter.write_line(report.longreprtext)
    lines = [*_seen(config).lines()] if config.stash[_SEEN] else []
    if lines or inconclusive:
        terminalreporter.write_sep("=", "outplay")
    for report in inconclusive:
        terminalreporter.write_line(f"INCONCLUSIVE {report.nodeid}", yellow=True)
    for line in lines:
        terminalreporter.write_line(line)
