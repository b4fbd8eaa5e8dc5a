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
from outplay.model.values.values import listed

Method = TypeVar("Method", bound=Callable[..., Any])
Domain = Any  # a collection of values, the name of something on the model, or a function of the model
Amount = int | float | str | Fraction | Callable[[Any], Any]

_MOST = 1_000_000  # values of a domain that is listed when the class is made
ACTION, DOMAINS = "__outplay_action__", "__outplay_domains__"
GOAL, GROUP = "__outplay_goal__", "__outplay_group__"
TROUBLE = "__outplay_trouble__"  # what is wrong with the marks: told with its place, and only where the model is used


@dataclass(frozen=True)
class Mark:
    """What a decorator noted about a method."""

    controllable: bool
    cost: Amount = 1
    weight: Amount | None = None
    optional: bool = False
    returns: Domain = None


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
def controllable(*, cost: Amount = 1, returns: Domain = None) -> Callable[[Method], Method]: ...
def controllable(method: Any = None, /, *, cost: Amount = 1, returns: Domain = None) -> Any:
    """Mark what the tester may do: an input.

    `cost` is what giving it costs. `returns` makes it a call that is answered at once: the method gets the answer as
    its last parameter, `result`, ranging over the given values, and returns False for answers that are not allowed.
    """
    return _marking(method, Mark(True, cost=cost, returns=_lasting(returns, "returns")))


@overload
def observable(method: Method, /) -> Method: ...
@overload
def observable(
    *, cost: Amount = 1, weight: Amount | None = None, optional: bool = False
) -> Callable[[Method], Method]: ...
def observable(method: Any = None, /, *, cost: Amount = 1, weight: Amount | None = None, optional: bool = False) -> Any:
    """Mark what the system may do: an output.

    `weight` says how likely it is beside the others (1 where nothing is said): a number, the name of something on the
    model, or a function of the model and, if it takes them, of the action's arguments; `cost` likewise. An `optional`
    output may stay away for ever: silence is allowed where only optional outputs are enabled.
    """
    return _marking(method, Mark(False, cost=cost, weight=weight, optional=optional))


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
        return listed(domain, most=_MOST) if isinstance(domain, Iterator) else domain
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


def group(method: Method) -> Method:
    """Mark a method without parameters by whose values states are grouped: exploring follows one state of each group.

    The game is then approximate. Playing and judging always step the exact model.
    """
    setattr(method, GROUP, True)
    return method


def _marking(method: Any, mark: Mark) -> Any:
    def put(function: Method) -> Method:
        if hasattr(function, ACTION):
            setattr(function, TROUBLE, "marked twice: an action is controllable or observable")
        setattr(function, ACTION, mark)
        return function

    return put if method is None else put(method)
