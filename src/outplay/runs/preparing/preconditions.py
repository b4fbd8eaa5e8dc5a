"""Whether there is anything to play.

A model whose first state offers nothing would pass against every system that is silent, and a suite without tests
against every system at all: such a Pass would mean nothing, so there is none.
"""

from __future__ import annotations

from outplay.errors import NothingToRun
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.specification import Specification
from outplay.model.wrapping import own_state
from outplay.suite.suite import Suite


def refuse_nothing(specification: Specification, model: str = "") -> None:
    """Refuse to play where the model takes no input and allows no output at the start; `model` is how it is named.

    What is around a model, such as a reset in the middle of a play, is nothing of its own to be tested.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> refuse_nothing(SuspensionAutomaton(automaton([("off", "delta", "off")], name="lamp")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    outplay.errors.NothingToRun: nothing to run: lamp takes no input and allows no output in its first state (at off)...
    """
    own = [own_state(specification, state) for state in specification.initial]
    if any(spec.inputs(state) or spec.outputs(state) for spec, state in own):
        return
    spec, state = own[0]
    what = f"{spec.name} takes no input and allows no output in its first state ({spec.describe(state)}){_idle(spec)}"
    raise NothingToRun(f"nothing to run: {what}; see `outplay inspect {model or 'MODEL'}`")


def refuse_no_tests(suite: Suite) -> None:
    """Refuse to play a suite without tests."""
    empty = suite.size == 0 if suite.size is not None else next(iter(suite.tests), None) is None
    if empty:
        raise NothingToRun("nothing to run: the suite has no tests; make some with `outplay suite`")


def _idle(spec: Specification) -> str:
    """Return the actions that are never enabled, as nothing else is ever reached."""
    if not isinstance(spec, ProgramSpecification):
        return ""
    names = [repr(action.name) for action in spec.program.actions]
    if not names:
        return ": it has no actions; mark some with @controllable or @observable"
    return f": {', '.join(names)} {'is' if len(names) == 1 else 'are'} never enabled"
