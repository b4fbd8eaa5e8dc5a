"""The marks a user puts on the methods of a model program.

`@controllable` is what the tester may do, `@observable` what the system may do, `@given` says over which values the
parameters range, `@goal` names a set of states worth reaching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar, overload

from outplay.errors import ModelError
from outplay.model.specification import Channel
from outplay.model.values import list_values

Method = TypeVar("Method", bound=Callable[..., Any])
Domain = Any  # a collection of values, the name of something on the model, or a function of the model
Amount = int | float | str | Fraction | Callable[[Any], Any]

_MOST = 1_000_000  # values of a domain that is listed when the class is made
ACTION, DOMAINS = "__outplay_action__", "__outplay_domains__"
GOAL, GROUP = "__outplay_goal__", "__outplay_group__"
TROUBLE = "__outplay_trouble__"  # what is wrong with the marks: told with its place, and only where the model is used


@dataclass(frozen=True)
class Mark:
    """A decorator's note about a method."""

    controllable: bool
    cost: Amount = 1
    weight: Amount | None = None
    optional: bool = False
    returns: Domain = None
    channel: str | Channel | None = None
    internal: bool = False
    prompt: bool = False
    after: tuple[float, float] | None = None
    since: Any = None


@dataclass(frozen=True)
class Action:
    """One action of a model program: the method with everything its marks say."""

    name: str
    function: Callable[..., Any]
    mark: Mark
    domains: Mapping[str, Domain] = field(default_factory=dict)


@overload
def controllable(method: Method, /) -> Method: ...
@overload
def controllable(
    *,
    cost: Amount = 1,
    returns: Domain = None,
    channel: str | Channel | None = None,
    optional: bool = False,
    after: tuple[float, float] | None = None,
) -> Callable[[Method], Method]: ...
def controllable(
    method: Any = None,
    /,
    *,
    cost: Amount = 1,
    returns: Domain = None,
    channel: str | Channel | None = None,
    optional: bool = False,
    after: tuple[float, float] | None = None,
) -> Any:
    """Mark what the tester may do: an input.

    `cost` is what giving it costs. `returns` makes it a call that is answered: the method gets the answer as its last
    parameter, `result`, ranging over the given values, and returns False for answers that are not allowed. It takes
    effect at one moment between question and answer; an `optional` answer may stay away for ever, and one with
    `after=(earliest, latest)` comes between this many seconds after the question. `channel` is the connection it goes
    over: the name of a parameter, or `Channel("x")` for a fixed one.
    """
    mark = Mark(True, cost, None, optional, _lasting(returns, "returns"), channel, after=after)

    def put(function: Method) -> Method:
        if (optional or after) and returns is None:
            setattr(function, TROUBLE, "optional= and after= are for calls, which have returns=")
        return function

    return _marking(put(method), mark) if method is not None else lambda function: _marking(put(function), mark)


FAULTS = ("drop", "duplicate", "delay", "reorder", "cut", "restart")
"""The effects that a network may have on a message."""


def fault(method: Method) -> Method:
    """Mark a fault that the tester causes, as an input: `drop`, `duplicate`, `delay`, `reorder`, `cut`, `restart`.

    It happens to the next message that the system sends; `--faults model` puts the proxy there that does it.

    >>> class Network:
    ...     @fault
    ...     def cut(self): ...
    """
    if method.__name__ not in FAULTS:
        setattr(method, TROUBLE, f"a @fault is called like what it does: {', '.join(FAULTS)}")
    return controllable(method)


@overload
def observable(method: Method, /) -> Method: ...
@overload
def observable(
    *,
    cost: Amount = 1,
    weight: Amount | None = None,
    optional: bool = False,
    channel: str | Channel | None = None,
    after: tuple[float, float] | None = None,
    since: Any = None,
) -> Callable[[Method], Method]: ...
def observable(
    method: Any = None,
    /,
    *,
    cost: Amount = 1,
    weight: Amount | None = None,
    optional: bool = False,
    channel: str | Channel | None = None,
    after: tuple[float, float] | None = None,
    since: Any = None,
) -> Any:
    """Mark what the system may do: an output.

    `weight` says how likely it is beside the others (1 where nothing is said): a number, the name of something on the
    model, or a function of the model and, if it takes them, of the action's arguments; `cost` likewise. An `optional`
    output may stay away for ever: silence is allowed where only optional outputs are enabled. `channel` is the
    connection it comes over: the name of a parameter, or `Channel("x")` for a fixed one.

    `after=(earliest, latest)` are seconds since it became enabled: before the earliest it cannot happen, after the
    latest it is overdue. The timer starts anew when it has happened, and when the value of `since` changes: the name of
    something on the model, or a function of the model and the action's arguments.
    """
    return _marking(method, Mark(False, cost, weight, optional, None, channel, after=after, since=since))


@overload
def internal(method: Method, /) -> Method: ...
@overload
def internal(
    *,
    prompt: bool = False,
    weight: Amount | None = None,
    after: tuple[float, float] | None = None,
    since: Any = None,
) -> Callable[[Method], Method]: ...
def internal(
    method: Any = None,
    /,
    *,
    prompt: bool = False,
    weight: Amount | None = None,
    after: tuple[float, float] | None = None,
    since: Any = None,
) -> Any:
    """Mark a hidden step: what the system may do and nobody sees.

    It may happen at any moment it is enabled, or never. With `prompt` it happens within the silence time: silence is
    not allowed where it is enabled. With `after=(earliest, latest)` it happens that many seconds after it became
    enabled; `since` is as for outputs. `weight` says how likely it is beside the outputs.
    """
    return _marking(method, Mark(False, weight=weight, internal=True, prompt=prompt, after=after, since=since))


def given(**domains: Domain) -> Callable[[Method], Method]:
    """Say which values each parameter takes: a collection, a name on the model, or a function of the model."""
    lasting = {parameter: _lasting(domain, f"@given {parameter}") for parameter, domain in domains.items()}

    def mark(method: Method) -> Method:
        known = getattr(method, DOMAINS, {})
        for parameter in lasting:
            if parameter in known:
                setattr(method, TROUBLE, f"@given names {parameter!r} twice: keep one of them")
        setattr(method, DOMAINS, {**lasting, **known})
        return method

    return mark


def goal(method: Method) -> Method:
    """Mark a method without parameters that says whether the state is one to reach."""
    setattr(method, GOAL, True)
    return method


def _lasting(domain: Domain, where: str) -> Domain:
    """List what can be iterated only once, so that every game made of the model sees all of it."""
    try:
        return list_values(domain, most=_MOST) if isinstance(domain, Iterator) else domain
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


def group(method: Method) -> Method:
    """Mark a method without parameters by whose values states are grouped: exploring follows one state of each group.

    The game is then approximate. Playing and judging always step the exact model.
    """
    setattr(method, GROUP, True)
    return method


def _is_span(after: Any) -> bool:
    kinds = isinstance(after, tuple) and len(after) == 2 and all(isinstance(one, int | float) for one in after)
    return kinds and 0 <= after[0] <= after[1]


def _marking(method: Any, mark: Mark) -> Any:
    def put(function: Method) -> Method:
        if mark.after is not None and not _is_span(mark.after):
            setattr(function, TROUBLE, f"after={mark.after!r}: write after=(earliest, latest), in seconds from 0")
        if mark.since is not None and mark.after is None:
            setattr(function, TROUBLE, "since= says when a timer starts anew: add after=(earliest, latest)")
        if hasattr(function, ACTION):
            setattr(function, TROUBLE, "marked twice: an action is controllable or observable")
        setattr(function, ACTION, mark)
        return function

    return put if method is None else put(method)
