"""Test assumptions: who moves when tester and system both want to."""

from __future__ import annotations

from enum import Enum

from outplay.errors import named
from outplay.model.specification import SilenceRule


class Assumption(Enum):
    """The rule for when tester and system both want to move."""

    INPUT_EAGER = "input-eager"
    """The tester: an input is always taken."""
    OUTPUT_EAGER = "output-eager"
    """The system, unless it is silent."""
    NONDETERMINISTIC = "nondeterministic"
    """Nobody knows."""
    INPUT_FAIR = "input-fair"
    """The system, but not for ever: who wins is as under input-eager (van den Bos 2020, Theorem 5.16),
    move counts are no bound."""
    TIMEOUT = "timeout"
    """Wait where an output is enabled; a time-out makes the state active where an input is then possible (Blass,
    Gurevich, Nachmanson and Veanes 2005)."""
    TIMEOUT_ALWAYS = "timeout-always"
    """The same with time-outs everywhere, also where they lead to a dead end."""

    @property
    def waits_for_timeout(self) -> bool:
        return self in (Assumption.TIMEOUT, Assumption.TIMEOUT_ALWAYS)

    @property
    def silence(self) -> SilenceRule:
        """Return where model programs allow silence: one that waits for time-outs allows the silences of its game."""
        waits = {Assumption.TIMEOUT: SilenceRule.BEFORE_INPUTS, Assumption.TIMEOUT_ALWAYS: SilenceRule.ALWAYS}
        return waits.get(self, SilenceRule.MODEL)


def named_assumption(assumption: Assumption | str) -> Assumption:
    """Find an assumption by name."""
    if isinstance(assumption, Assumption):
        return assumption
    return named(assumption, {known.value: known for known in Assumption}, "test assumption")
