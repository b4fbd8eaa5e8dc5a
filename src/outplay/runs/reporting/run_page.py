"""The page about a run: what its result holds, laid out for the report."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from outplay.renderable import play_picture
from outplay.runs.monitors.failure_groups import failure_ways
from outplay.verdict.charts import CoverageRow, FailureRow, GrowthPoint, PlayRow, ReportDetails, answer_times
from outplay.verdict.report import AnswerFrequency, Part, report
from outplay.verdict.show import failing_path
from outplay.verdict.verdicts import Fail, Verdict

if TYPE_CHECKING:
    from outplay.play.trace import Trace
    from outplay.runs.result import RunResult

MOST_STATES = 20  # of which the page tells what was learnt
MOST_DRAWN = 60  # steps of a play that is drawn


def run_page(result: RunResult, kept: Path | None = None) -> str:
    """Make the page about a run: the failing play, which was `kept` in a file, or all plays, and their results."""
    return report(
        result.failure() or result.trace,
        result.shown,
        plays=result.tally.plays,
        failure=kept,
        parts=[Part("Forecast and actual", result.findings), *_parts(result)],
        shown=str(result.shrunk or ""),
        summary=result.worth(),
        details=_details(result),
    )


def _parts(result: RunResult) -> Iterator[Part]:
    """Return the parts of the run beside its verdict."""
    if result.ledger:
        yield Part("Branches of the tests", result.ledger.lines())
    yield Part("What may still be wrong", result.cleared_lines(), folded=True)
    if result.suspected:
        races, states = result.suspected.races, result.suspected.learnt[:MOST_STATES]
        answers = [
            AnswerFrequency(one.state, answer.label, answer.seen, answer.chance)
            for one in states
            for answer in one.answers
        ]
        yield Part("How likely answers are, as was learnt", [f"races: {races}"] if races else (), answers, folded=True)


def _details(result: RunResult) -> ReportDetails:
    header, suspected, shown = result.trace.header, result.suspected, result.shown
    failure = result.failure()
    totals = (suspected.states[1], suspected.transitions[1]) if suspected and suspected.complete else (0, 0)
    return ReportDetails(
        plays=[*_plays(result)],
        left_out=max(0, result.tally.plays - len(result.counts)),
        growth=[GrowthPoint(play, counts.states, counts.transitions) for play, counts in result.curve],
        totals=totals,
        coverage=[*_coverage(result)],
        failures=[FailureRow(way.plays, way.first, way.text) for way in failure_ways(result.failures)],
        answer_times=answer_times(result.trace),
        marks=[(name, float(header.options.get(name) or 0)) for name in ("silence", "latency")],
        settings={name: str(value) for name, value in {**header.options, **header.job}.items() if value is not None},
        environment={
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "trace": str(result.files.trace or ""),
        },
        errors=shown.event.words if isinstance(shown, Fail) else "",
        picture=_picture(failure, shown) if failure else "",
    )


def _plays(result: RunResult) -> Iterator[PlayRow]:
    for number, (played, counts) in enumerate(zip(result.played, result.counts, strict=False), 1):
        verdict = played.verdict
        why = "" if verdict.name == "pass" else verdict.why
        yield PlayRow(number, verdict.name, counts.steps, played.arrived, counts.seconds, why)


def _coverage(result: RunResult) -> Iterator[CoverageRow]:
    """Return what was seen of states, transitions, each action and the goal, with the totals where they are known."""
    suspected, tally = result.suspected, result.tally
    whole = suspected is not None and suspected.complete
    if suspected is not None and whole:
        yield CoverageRow("states", "", *suspected.states)
        yield CoverageRow("transitions", "", *suspected.transitions)
        yield from (CoverageRow("action", *action) for action in suspected.actions)
    else:
        yield CoverageRow("states", "", len(tally.states), 0)
        yield CoverageRow("transitions", "", len(tally.transitions), 0)
        gates = [label.partition(" ")[0] for _, label in tally.transitions]
        yield from (CoverageRow("action", gate, gates.count(gate), 0) for gate in sorted({*gates}))
    for one in result.elements:
        yield CoverageRow(one.kind if one.needed else f"{one.kind}, times passed", one.name, one.passed, one.needed)
    if goal := " or ".join(result.trace.header.goal):
        reached = sum(play.arrived is not None for play in result.played)
        yield CoverageRow("goal, in plays", goal, reached, len(result.played))


def _picture(failure: Trace, verdict: Verdict) -> str:
    """The failing play drawn, where it is known where the system was after each step and it is not too long."""
    if not isinstance(verdict, Fail) or len(verdict.path) != len(failure.events):
        return ""
    moves = [(event, state) for event, state in zip(failure.events, verdict.path, strict=True) if event.is_move]
    starts = [state for event, state in zip(failure.events, verdict.path, strict=True) if not event.is_move]
    if not starts or not 0 < len(moves) <= MOST_DRAWN or failure.events[-1] is not moves[-1][0]:
        return ""
    states = [starts[0], *(state for _, state in moves[:-1])]
    if any(not state for state, _ in pairwise([*states, ""])):
        return ""
    told = dict(zip(verdict.path, failing_path(failure, verdict), strict=True))
    return play_picture(states, [event.shown for event, _ in moves], {states[0]: states[0]} | told)
