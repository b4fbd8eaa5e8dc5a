"""The method `n-complete`: the tests of an n-complete suite as a stream, with what it guarantees."""

from __future__ import annotations

from outplay.errors import named
from outplay.game.exploring.breadth_first import Progress
from outplay.suite.complete.n_complete import Construction, n_complete
from outplay.suite.methods import Subject
from outplay.suite.suite import Stream, Suite


def complete_suite(
    subject: Subject,
    *,
    progress: Progress | None = None,
    states: int | None = None,
    construction: str = Construction.SMALLEST.value,
    adaptive_access: bool = False,
    machine: bool = False,
) -> Suite:
    """An n-complete suite of a model, walks before it; its size is known before any test is made."""
    made = n_complete(
        subject.bare(),
        states,
        construction=named(construction, {kind.value: kind for kind in Construction}, "construction"),
        adaptive=adaptive_access,
        machine=machine,
        most=subject.limits.states,
    )
    walks = made.first_walks()
    return Suite(
        tests=Stream(lambda: made.cases(walks)),
        guarantee=made.guarantee,
        fair=True,
        count=len(walks) + made.size.tests,
        labels=sum(len(walk) + 1 for walk in walks) + made.size.labels,
        remarks=made,
    )
