"""One model held against another: whether it conforms, or what a newer version does more and less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.refinement import Conforms, Differs, check
from outplay.game.exploring.breadth_first import Progress
from outplay.model.label import Label
from outplay.plurals import counted
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model

MOST_LISTED = 20  # changes


@dataclass(frozen=True)
class Checked:
    """Whether a model does only what another one allows."""

    found: Conforms | Differs
    specification: LoadedModel
    implementation: str
    relation: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """That an input is not taken, of which the relation says nothing."""
        if not self.found.refused or self.found.refused == self.found.counterexample:
            return ()
        *before, refused = self.found.refused
        return (f"{self.implementation} does not take {refused} after {_words(before)}: nothing is said",)

    @property
    def counterexample(self) -> list[str] | None:
        """The labels of a shortest way to where it does not conform; None where it does."""
        return None if self.found.counterexample is None else [label.text for label in self.found.counterexample]

    def json(self) -> dict[str, Any]:
        """For programs: a counterexample ends with an output that is not allowed; an input not taken is `refused`."""
        found = self.found
        shown = found if isinstance(found, Differs) and not found.label.is_input else None
        return {
            "conforms": found.conforms,
            "relation": self.relation,
            "counterexample": self.counterexample if shown else None,
            "allowed": [label.text for label in shown.allowed] if shown else None,
            "refused": None if found.refused is None else [label.text for label in found.refused],
        }

    def lines(self) -> Iterator[str]:
        found, impl, spec = self.found, self.implementation, self.specification.job.model
        if isinstance(found, Conforms):
            yield f"✓ {impl} conforms to {spec} ({self.relation}; {counted(len(found.related), 'pair')} of states)"
            return
        yield f"✗ {impl} does not conform to {spec} ({self.relation}):"
        for number, label in enumerate(found.trace, 1):
            yield f"  {number:>3}  {label}"
        wrong = "not taken here" if found.label.is_input else "not allowed here"
        yield f"  {len(found.trace) + 1:>3}  {found.label}   ← {wrong}"
        allowed = [f"{label} (silence)" if label.text == "delta" else str(label) for label in found.allowed]
        yield f"       {'taken' if found.label.is_input else 'allowed'}: {', '.join(allowed) or 'nothing'}"
        yield f"       state:   {found.where}"


@dataclass(frozen=True)
class Changed:
    """The behaviour that a newer version of a model adds and loses."""

    changes: Sequence[ModelChange]

    def json(self) -> dict[str, Any]:
        return {"changes": [change.json() for change in self.changes]}

    def lines(self) -> Iterator[str]:
        if not self.changes:
            yield "nothing changed: both do the same"
        for change in self.changes[:MOST_LISTED]:
            when = f"after {_words(change.trace)}" if change.trace else "at once"
            goal = f"   (--goal '{change.goal}')" if change.goal else ""
            yield f"{'new: ' if change.is_new else 'lost:'} {change.label} {when}{goal}"
        if len(self.changes) > MOST_LISTED:
            yield f"… and {len(self.changes) - MOST_LISTED:,} more; --json has them all"


def check_job(job: Job, implementation: str, relation: str) -> Checked:
    """Check whether another model conforms to that of a job."""
    spec, impl = _sides(job, implementation)
    found = check(spec.bare(), impl.bare(), relation, most=job.max_states)
    return Checked(found, spec, implementation, relation)


def changes_job(job: Job, newer: str, progress: Progress | None = None) -> Changed:
    """Compare the model of a job with a newer version; states are named as exploring does, to be asked for as goals."""
    old, new = (one.game(progress).origin.specification for one in _sides(job, newer))
    return Changed(changes(old, new, most=job.max_states))


def _sides(job: Job, other: str) -> tuple[LoadedModel, LoadedModel]:
    """Both models: constants are set where one has some, and inputs are named where only the other is a program."""
    programs = job.is_code, replace(job, model=other).is_code
    first = replace(job, inputs=()) if programs == (True, False) else job
    second = replace(job, model=other, set=job.set if programs[1] else ())
    return load_model(first), load_model(replace(second, inputs=()) if programs == (False, True) else second)


def _words(trace: Sequence[Label]) -> str:
    return " ".join(map(str, trace)) or "nothing"
