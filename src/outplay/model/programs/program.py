"""Model programs: a Python class as the description of what a system may do (Blass et al. 2005, section 1).

Annotated attributes are the state, other attributes are constants, marked methods are actions and goals. `Program` is
what is read off such a class once: names, initial values, actions in the order they were written.
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, get_origin

from outplay.errors import FormatError, ModelError, UsageError, did_you_mean
from outplay.model.label import INPUT, OUTPUT, write_argument
from outplay.model.programs.actions import ACTION, DOMAINS, GOAL, GROUP, TROUBLE, Action
from outplay.model.programs.budget import blaming_user_code
from outplay.model.specification import Channel, Channels
from outplay.model.values import check_value
from outplay.renderable import DrawnClass


class Model(DrawnClass):
    """Base class of model programs.

    >>> from outplay import Model, controllable, explore
    >>> class Lamp(Model):
    ...     on: bool = False
    ...     @controllable
    ...     def press(self):
    ...         self.on = not self.on
    >>> explore(Lamp)
    Game(2 vertices, 2 edges, initial 's0')

    A subclass may define `start(self)`, which sets initial values that depend on constants.
    """

    def __init__(self, *arguments: Any) -> None:
        if arguments:  # a mark of pytest that is given a class alone takes that for what it marks
            name = type(self).__name__
            raise TypeError(f"a model takes no arguments; to mark a test write @pytest.mark.outplay(model={name})")

    def start(self) -> None:
        """Set initial values that depend on constants; called once, before anything else."""


class Program:
    """A model class with its constants: what there is to step through."""

    def __init__(self, model: type[Model], constants: Mapping[str, Any] | None = None) -> None:
        self.model = _configured(model, dict(constants or {}))
        self.name = model.__name__
        self.where = _where(model)
        self.variables = _variables(model, self.where)
        self.actions = tuple(self._action(name, value) for name, value in _marked(model, ACTION))
        self.goals = dict(_marked(model, GOAL))
        self.groups = dict(_marked(model, GROUP))
        for name, function in [*self.goals.items(), *self.groups.items(), ("start", model.start)]:
            _check_plain(f"{self.where}: {name!r}", function)
        for name, function in self.goals.items():
            _check_goal(f"{self.where}: goal {name!r}", function)
        _check_constants(self.model, self.where)

    @cached_property
    def initial(self) -> tuple[Any, ...]:
        """The values the state starts with, checked."""
        with blaming_user_code(f"starting {self.where}"):
            instance = self.model()
            if not hasattr(self.model.start, ACTION):  # a model may well have an action of that name
                instance.start()
        for name in vars(instance):
            if name not in self.variables:
                raise ModelError(
                    f"{self.where}: start() sets {name!r}, which is no state variable: "
                    f"annotate it ({name}: type = value)"
                )
        values = tuple(getattr(instance, name) for name in self.variables)
        for name, value in zip(self.variables, values, strict=True):
            check_value(value, f"{self.where}: state variable {name!r}")
        return values

    @cached_property
    def channels(self) -> Channels:
        """Over which connection each action goes: as it says itself, else as `channel = "who"` on the class does."""
        named, found = getattr(self.model, "channel", None), dict[tuple[str, str], int | Channel]()
        named = named if isinstance(named, str | Channel) and "channel" not in self.variables else None
        for action in self.actions:
            if action.mark.internal:
                continue
            wanted = action.mark.channel or named
            where = INPUT if action.mark.controllable else OUTPUT
            if isinstance(wanted, Channel):
                found[where, action.name] = wanted
            elif wanted in action.domains:
                found[where, action.name] = tuple(action.domains).index(wanted)
            elif action.mark.channel is not None:
                hint = f"{did_you_mean(str(wanted), action.domains)}, or write channel=Channel({wanted!r})"
                raise ModelError(
                    f"{self.where}: action {action.name!r}: channel names {wanted!r}, which is no parameter; {hint}"
                )
            if action.mark.returns is not None and (where, action.name) in found:
                known = found[where, action.name]
                found[OUTPUT, action.name] = known if isinstance(known, Channel) else 0
        if isinstance(named, str) and not any(named in action.domains for action in self.actions):
            raise ModelError(f"{self.where}: channel names {named!r}, which is no parameter of any action")
        return Channels(found)

    def channel_of_call(self, action: Action, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The argument that is the channel of a call, which its answer repeats; nothing where none is."""
        known = self.channels.gates.get((INPUT, action.name))
        return (arguments[known],) if isinstance(known, int) else ()

    def output_arguments(self, gate: str) -> tuple[str, ...] | None:
        """Name the arguments of an output: those of its action, of an answer the channel and the result."""
        action = next((one for one in self.actions if one.name == gate), None)
        if action is None or action.mark.returns is None:
            return tuple(action.domains) if action else None
        known = self.channels.gates.get((INPUT, gate))
        return (*([tuple(action.domains)[known]] if isinstance(known, int) else ()), "result")

    @cached_property
    def interleaves(self) -> bool:
        """Whether something may happen between what is seen: a hidden step, or the effect of a call."""
        marks = [action.mark for action in self.actions]
        calls = any(mark.returns is not None for mark in marks)
        beside = any(not mark.controllable or mark.optional for mark in marks) or self.channels.named
        return self.timed or any(mark.internal for mark in marks) or (calls and beside)

    @cached_property
    def timed(self) -> bool:
        """Whether some action takes its time."""
        return any(action.mark.after is not None for action in self.actions)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the source and the constants, the same for every hash seed."""
        try:
            source = inspect.getsource(inspect.getmodule(self.model.__mro__[1]) or self.model)
        except (OSError, TypeError):
            source = self.model.__qualname__
        settings = sorted(
            f"{name}={_written(value)}" for name, value in vars(self.model).items() if not name.startswith("__")
        )
        return hashlib.sha256("\n".join([self.name, source, *settings]).encode()).hexdigest()[:16]

    def _action(self, name: str, function: Any) -> Action:
        where = f"{self.where}: action {name!r}"
        if hasattr(function, TROUBLE):
            raise ModelError(f"{where}: {getattr(function, TROUBLE)}")
        _check_plain(where, function)
        mark, domains = getattr(function, ACTION), getattr(function, DOMAINS, {})
        wanted = list(inspect.signature(function).parameters)[1:]
        if mark.returns is not None:
            if wanted[-1:] != ["result"]:
                raise ModelError(f"{where} returns something: its last parameter must be `result`")
            wanted.pop()
        _check_domains(where, wanted, domains)
        return Action(name, function, mark, {parameter: domains[parameter] for parameter in wanted})


def _configured(model: type[Model], constants: dict[str, Any]) -> type[Model]:
    """Return a subclass with the constants replaced, so that the user's class stays as it is."""
    if not (isinstance(model, type) and issubclass(model, Model)):
        raise UsageError(
            f"{model!r} is no model program: write `class {getattr(model, '__name__', 'Name')}(outplay.Model)`"
        )
    known = [
        name
        for name in dir(model)
        if _is_constant(name, inspect.getattr_static(model, name)) and name not in _annotations(model)
    ]
    for name in constants:
        if name not in known:
            raise UsageError(f"{model.__name__} has no constant {name!r} to set; {did_you_mean(name, known)}")
    return type(model.__name__, (model,), {"__module__": model.__module__, **constants})


def _annotations(model: type) -> dict[str, Any]:
    """Collect annotations of the class and its bases, oldest first, without those meant as class variables."""
    found: dict[str, Any] = {}
    for base in reversed(model.__mro__):
        found.update(vars(base).get("__annotations__", {}))
    return {name: kind for name, kind in found.items() if not _is_class_variable(kind)}


def _is_class_variable(annotation: Any) -> bool:
    return (
        annotation is ClassVar
        or get_origin(annotation) is ClassVar
        or str(annotation).startswith(("ClassVar", "typing.ClassVar"))
    )


def _variables(model: type[Model], where: str) -> tuple[str, ...]:
    names = tuple(_annotations(model))
    for name in names:
        if not hasattr(model, name):
            raise ModelError(f"{where}: state variable {name!r} has no initial value: write `{name}: type = value`")
    return names


def _marked(model: type[Model], attribute: str) -> list[tuple[str, Any]]:
    """List methods with a mark in the order written, those of base classes first, overridden ones in place."""
    order = dict.fromkeys(name for base in reversed(model.__mro__) for name in vars(base))
    found = [(name, inspect.getattr_static(model, name)) for name in order]
    for name, value in found:
        _check_marked(model, name, value, attribute)
    return [(name, value) for name, value in found if hasattr(value, attribute)]


def _check_marked(model: type[Model], name: str, value: Any, attribute: str) -> None:
    """Refuse what would drop an action or a goal without a word."""
    what = "an action" if attribute == ACTION else "a goal"
    if isinstance(value, property) and hasattr(value.fget, attribute):
        raise ModelError(f"{_where(model)}: {name!r} is {what} and a property: drop @property")
    bare = inspect.isfunction(value) and not hasattr(value, attribute)
    if bare and any(hasattr(vars(base).get(name), attribute) for base in model.__mro__):
        raise ModelError(
            f"{_where(model)}: {name!r} overrides {what} without its mark: mark it again, "
            f"or write {name} = None to do without it"
        )


def _check_domains(where: str, wanted: list[str], domains: Mapping[str, Any]) -> None:
    for parameter in wanted:
        if parameter not in domains:
            raise ModelError(f"{where}: parameter {parameter!r} has no values: add @given({parameter}=…)")
    for parameter in domains:
        if parameter not in wanted:
            raise ModelError(
                f"{where}: @given names {parameter!r}, which is no parameter; {did_you_mean(parameter, wanted)}"
            )


def _check_plain(where: str, function: Any) -> None:
    """Refuse what does nothing when it is called: nobody would await it, or ask it for its next value."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ModelError(f"{where} does not run when it is called: write a plain `def`, without `async` and `yield`")


def _check_goal(where: str, function: Any) -> None:
    if len(inspect.signature(function).parameters) != 1:
        raise ModelError(f"{where}: a goal looks at the state alone: write `def {function.__name__}(self)`")


def _is_constant(name: str, value: Any) -> bool:
    return not name.startswith("_") and not callable(value) and not hasattr(value, "__get__")


def _check_constants(model: type[Model], where: str) -> None:
    """Refuse constants that could change or iterate in another order next time; helper objects are left alone."""
    variables = _annotations(model)
    for name in dir(model):
        value = inspect.getattr_static(model, name)
        if name not in variables and _is_constant(name, value) and isinstance(value, list | set | dict | bytearray):
            check_value(value, f"{where}: constant {name!r}")


def _written(constant: Any) -> str:
    try:
        return write_argument(constant)
    except FormatError:
        return repr(constant)  # a constant may be what no state may hold, such as a float


def _where(model: type[Model]) -> str:
    """Name the file and line a model was written at, as far as Python knows.

    `inspect.getsourcelines` parses the whole file to find a class, which takes longer than exploring a small model.
    """
    file = getattr(sys.modules.get(model.__module__), "__file__", None)
    if file is None:
        return model.__name__
    codes = [value.__code__ for value in vars(model).values() if inspect.isfunction(value)]
    first_method = min((code.co_firstlineno for code in codes if code.co_filename == file), default=None)
    head = re.compile(rf"\s*class\s+{model.__name__}\b")
    lines = [n for n, text in enumerate(linecache.getlines(file)[:first_method], 1) if head.match(text)]
    return f"{file}:{lines[-1]}: {model.__name__}" if lines else f"{file}: {model.__name__}"
