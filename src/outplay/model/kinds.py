"""Kinds of models: what each is to whoever plays, explores, draws or inspects it.

A new kind is one file and one entry, here or by `register`. It needs a specification and no more: then it is played,
judged, replayed, inspected and, where its labels can be listed, explored, solved and drawn as the game that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.deferred import imported
from outplay.errors import UsageError
from outplay.model.specification import Specification

Maker: TypeAlias = Callable[..., Specification]
Aspect: TypeAlias = str | Callable[[Any], Any] | None
"""What a model is besides, found by a function or by one named as module:function; None where a kind has no such."""


def itself(model: Any) -> Any:
    """The model as it is."""
    return model


@dataclass(frozen=True)
class Kind:
    """What differs by the kind of a model; functions are named as module:function where they are to be loaded late."""

    specification: str | Maker
    """Called with a model and options."""
    report: Aspect = None
    """What is told of it when it is inspected, with `json()` and `lines()`; else that of its specification."""
    picture: Aspect = None
    """What is drawn for it, such as an automaton; else the game that it is explored into."""
    game: Aspect = None
    """The game that it is already, so that nothing is to be explored."""
    machine: Aspect = None
    """The machine that tours walk on."""
    symbolic: Aspect = None
    """The symbolic system whose switches are covered, and whose labels may stand for many."""
    walks: Aspect = None
    """The graphs that are walked edge by edge as they are drawn."""
    undirected: Aspect = None
    """The automaton in which it may be said anew which labels are inputs."""


_KINDS: dict[str, Kind] = {
    "outplay.model.programs.program.Program": Kind("outplay.model.programs.program_specification:of_program"),
    "outplay.model.automaton.Automaton": Kind(
        "outplay.model.suspension:of_automaton", picture=itself, undirected=itself
    ),
    "outplay.model.machine.Machine": Kind("outplay.model.suspension:of_automaton", picture=itself, machine=itself),
    "outplay.model.symbolic.symbolic_system.SymbolicSystem": Kind(
        "outplay.model.symbolic.interpretation:of_system", picture=itself, symbolic=itself
    ),
    "outplay.model.walks.walk_models.WalkModels": Kind("outplay.model.walks.walk_specification:of_walks", walks=itself),
    "outplay.model.extended_machine.ExtendedMachine": Kind(
        "outplay.model.suspension:of_automaton",
        picture=lambda model: model.machine,
        machine=lambda model: model.machine,
    ),
    "outplay.game.graph.Game": Kind("outplay.game.game_specification:of_game", picture=itself, game=itself),
    "class outplay.model.programs.program.Model": Kind("outplay.model.programs.program_specification:of_class"),
}


def specification(model: Any, constants: Mapping[str, Any] | None = None, **options: Any) -> Specification:
    """The specification of a model of any kind: what it allows, stepped as it is needed.

    Options that a kind has no use for are passed over: `silence`, a `SilenceRule`, `constants` and `budget` are for
    model programs, `name` for games, `most` bounds the sets of states of an automaton.

    >>> from outplay import automaton
    >>> lamp = specification(automaton([("off", "?press", "on"), ("on", "!light", "off")], name="lamp"))
    >>> lamp.name, lamp.inputs(lamp.initial[0])
    ('lamp', [?press])
    """
    if constants and not isinstance(model, type):
        raise UsageError("only a model class takes constants; this model has been read or made already")
    kind = _kind(model)
    if kind is not None:
        maker: Maker = imported(kind.specification)
        return maker(model, constants=constants, **options)
    if hasattr(model, "after") and hasattr(model, "quiet"):
        found: Specification = model
        return found
    raise UsageError(f"{model!r} cannot be played: give a strategy, a model, a game or a specification")


def seen_as(model: Any, aspect: str) -> Any:
    """What a model is besides, by the name of a field of `Kind`; None where its kind is no such thing.

    >>> from outplay import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> seen_as(lamp, "picture") is lamp, seen_as(lamp, "machine")
    (True, None)
    """
    kind = _kind(model)
    function: Aspect = None if kind is None else getattr(kind, aspect)
    return None if function is None else imported(function)(model)


def register(kind: type, maker: Maker, **aspects: Aspect) -> None:
    """Make a kind of model known: `maker(model, **options)` returns its specification; `Kind` has the other fields."""
    _KINDS[_name(kind)] = Kind(maker, **aspects)


def _kind(model: Any) -> Kind | None:
    is_class = isinstance(model, type)
    names = [("class " if is_class else "") + _name(base) for base in (model if is_class else type(model)).__mro__]
    return next((_KINDS[name] for name in names if name in _KINDS), None)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
