"""Kinds of models: what each is to whoever plays, explores, draws or inspects it.

A new kind is one file and one entry, here or by `register_kind`. It needs a specification and no more: then it is
played, judged, replayed, inspected and, where its labels can be listed, explored, solved and drawn as its game.

Inspecting a model of any kind by its specification: what it is called, its goals, and what it offers at first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from outplay.errors import UsageError
from outplay.model.specification import Specification
from outplay.plurals import counted
from outplay.registries import imported
from outplay.renderable import Renderable

Maker: TypeAlias = Callable[..., Specification]
Aspect: TypeAlias = str | Callable[[Any], Any] | None
"""Another view of a model, found by a function or by one named as module:function; None where a kind has no such."""


def _unchanged(model: Any) -> Any:
    """The model as it is."""
    return model


@dataclass(frozen=True)
class Kind:
    """The functions that differ by the kind of a model, named as module:function where they are to be loaded late."""

    specification: str | Maker
    """Called with a model and options."""
    report: Aspect = None
    """The report of `inspect`, with `json()` and `lines()`; else that of its specification."""
    picture: Aspect = None
    """The picture of it, such as an automaton; else the game that it is explored into."""
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
        "outplay.model.suspension:of_automaton", picture=_unchanged, undirected=_unchanged
    ),
    "outplay.model.machine.Machine": Kind(
        "outplay.model.suspension:of_automaton", picture=_unchanged, machine=_unchanged
    ),
    "outplay.model.symbolic.symbolic_system.SymbolicSystem": Kind(
        "outplay.model.symbolic.interpretation:of_system", picture=_unchanged, symbolic=_unchanged
    ),
    "outplay.model.walk_models.WalkModels": Kind(
        "outplay.model.walk_models:of_walks", picture=_unchanged, walks=_unchanged
    ),
    "outplay.model.machine.ExtendedMachine": Kind(
        "outplay.model.suspension:of_automaton",
        picture=lambda model: model.machine,
        machine=lambda model: model.machine,
    ),
    "outplay.game.graph.Game": Kind("outplay.game.game_specification:of_game", picture=_unchanged, game=_unchanged),
    "class outplay.model.programs.program.Model": Kind("outplay.model.programs.program_specification:of_class"),
}


def specification(model: Any, constants: Mapping[str, Any] | None = None, **options: Any) -> Specification:
    """Return the specification of a model of any kind: what it allows, stepped as it is needed.

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


def aspect_of(model: Any, aspect: str) -> Any:
    """Return another view of a model by the name of a field of its `Kind`; None where its kind has no such view.

    >>> from outplay import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> aspect_of(lamp, "picture") is lamp, aspect_of(lamp, "machine")
    (True, None)
    """
    kind = _kind(model)
    function: Aspect = None if kind is None else getattr(kind, aspect)
    return None if function is None else imported(function)(model)


def register_kind(kind: type, maker: Maker, **aspects: Aspect) -> None:
    """Register a kind of model: `maker(model, **options)` returns its specification; `Kind` has the other fields."""
    _KINDS[_name(kind)] = Kind(maker, **aspects)


def _kind(model: Any) -> Kind | None:
    is_class = isinstance(model, type)
    names = [("class " if is_class else "") + _name(base) for base in (model if is_class else type(model)).__mro__]
    return next((_KINDS[name] for name in names if name in _KINDS), None)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@dataclass(frozen=True)
class SpecificationReport:
    """The report on a specification without exploring it, which may have no end."""

    specification: Specification

    def json(self) -> dict[str, Any]:
        """For programs."""
        spec = self.specification
        sizes = {"name": spec.name, "initial_states": len(spec.initial)}
        return {**sizes, "first": self._first(), "goals": list(spec.goals)}

    def lines(self) -> list[str]:
        """For people."""
        known, first = self.json(), self._first()
        outputs = [*first["outputs"], *(["silence"] if first["silence"] else [])]
        return [
            f"{known['name']}: {counted(known['initial_states'], 'initial state')}",
            f"inputs at first: {', '.join(first['inputs']) or 'none'}",
            f"outputs at first: {', '.join(outputs) or 'none'}",
            f"goals: {', '.join(known['goals']) or 'none'}",
        ]

    def _first(self) -> dict[str, Any]:
        """Return the offers in the initial states."""
        spec = self.specification
        inputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.inputs(state))
        outputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.outputs(state))
        return {
            "inputs": list(inputs),
            "outputs": list(outputs),
            "silence": any(spec.quiet(state) for state in spec.initial),
        }


def model_report(model: Any) -> Renderable:
    """Return the report of `inspect` on a model: that of its kind, or else of its specification."""
    report: Renderable | None = aspect_of(model, "report")
    return SpecificationReport(specification(model)) if report is None else report
