"""Kinds of models: which specification each has. A new kind is one file and one line, here or by `register`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from outplay.deferred import imported
from outplay.errors import UsageError
from outplay.model.specification import Specification

Maker: TypeAlias = Callable[..., Specification]

# The class of a model, and the function that makes its specification, imported when first asked for.
_MAKERS: dict[str, str | Maker] = {
    "outplay.model.programs.program.Program": "outplay.model.programs.program_specification:of_program",
    "outplay.model.automaton.Automaton": "outplay.model.suspension:of_automaton",
    "outplay.model.machine.Machine": "outplay.model.suspension:of_automaton",
    "outplay.model.symbolic.symbolic_system.SymbolicSystem": "outplay.model.symbolic.interpretation:of_system",
    "outplay.model.walks.walk_models.WalkModels": "outplay.model.walks.walk_specification:of_walks",
    "outplay.model.extended_machine.ExtendedMachine": "outplay.model.suspension:of_automaton",
    "outplay.game.graph.Game": "outplay.game.game_specification:of_game",
    "class outplay.model.programs.program.Model": "outplay.model.programs.program_specification:of_class",
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
    maker = _maker(model)
    if maker is not None:
        return maker(model, constants=constants, **options)
    if hasattr(model, "after") and hasattr(model, "quiet"):
        found: Specification = model
        return found
    raise UsageError(f"{model!r} cannot be played: give a strategy, a model, a game or a specification")


def register(kind: type, maker: Maker) -> None:
    """Make a kind of model known: `maker(model, **options)` returns its specification."""
    _MAKERS[_name(kind)] = maker


def _maker(model: Any) -> Maker | None:
    is_class = isinstance(model, type)
    names = [("class " if is_class else "") + _name(base) for base in (model if is_class else type(model)).__mro__]
    found = next((_MAKERS[name] for name in names if name in _MAKERS), None)
    return None if found is None else imported(found)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
